//! Programs with subcommands, judged by their words: one row a program.

use super::{effect, options};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::policy::{self, Rule};

/// What a program's words mean. Each list holds phrases separated by blanks, with `/` between the
/// words of a phrase; `*` at a word's end or start stands for any rest. A phrase of one word counts
/// anywhere among the first words, a longer one where its words follow each other.
pub(super) struct Program {
    pub(super) names: &'static str,
    /// Forbidden: destroys data or resources.
    pub(super) destroys: &'static str,
    /// Shows credentials.
    pub(super) secrets: &'static str,
    /// Harmless: reads, or works on local files only.
    pub(super) safe: &'static str,
    /// Cannot be undone: publishes.
    pub(super) publishes: &'static str,
}

/// A row that says nothing.
pub(super) const NONE: Program = Program {
    names: "",
    destroys: "",
    secrets: "",
    safe: "",
    publishes: "",
};

/// Arguments that turn anything into a rehearsal.
const REHEARSALS: &[&str] = overnight_base::words!(
    "--dry-run --dryrun --dry --check --simulate --what-if -WhatIf --noop --plan-only --preview \
     --help --version --just-print"
);
/// Words that say that nothing is changed, whatever the program.
const READING: &str = "get get-* list list-* ls describe describe-* show show-* status info logs log tail whoami version help view search diff plan validate lint doctor inspect top explain history events ps cat stat du check completion completions outdated why tree env:list";

/// Verbs that change something, whatever the program.
const CHANGING: &[&str] = &[
    "create", "update", "set", "put", "patch", "add", "attach", "enable", "import", "restore",
    "scale", "apply", "replace", "edit", "rename", "resize", "promote", "upgrade", "rm", "rb",
    "mv",
];

/// Judges a call by its row; true when the row said something.
pub(super) fn judge(machine: &mut Machine<'_>, call: &Call, program: &Program) -> Data {
    let args = call.args();
    let words = options::words(
        args,
        "-n --namespace --profile --region --project -p -C --context --kubeconfig -f --file \
             --app -a --cwd --prefix --filter -F -s --stack -w",
    );
    let words = &words[..words.len().min(6)];
    if let Some(rule) = rule(program, words, args) {
        effect(machine, rule, &format!("{} {}", call.name, words.join(" ")));
    }
    Data::unknown()
}

fn rule(program: &Program, words: &[&str], args: &[String]) -> Option<&'static Rule> {
    let rehearsal = args.iter().any(|arg| {
        let name = arg.split_once('=').map_or(arg.as_str(), |(name, _)| name);
        REHEARSALS.contains(&name) && !arg.ends_with("=none") && !arg.ends_with("=false")
    });
    if says(program.secrets, words) {
        return Some(&policy::READ_CREDENTIALS);
    }
    if rehearsal || words.is_empty() {
        return None;
    }
    if says(program.destroys, words) {
        return Some(&policy::DESTROY);
    }
    let pushes = words
        .iter()
        .any(|word| word.ends_with("-push") || word.ends_with("-upload"))
        || options::any(args, "--auto-submit --push --publish");
    if says(program.publishes, words) || pushes {
        return Some(&policy::PUBLISH);
    }
    let changing = words.iter().any(|word| CHANGING.contains(word));
    // Beside a verb that changes something, a single word like `apps` does not make a call harmless.
    let counts = |phrase: &&str| !changing || phrase.contains('/') || phrase.starts_with('^');
    let mut safe = program.safe.split_whitespace().filter(counts);
    let reads = !changing && says(READING, &words[..words.len().min(4)]);
    let harmless = reads || safe.any(|phrase| says(phrase, words));
    (!harmless).then_some(&policy::CHANGE)
}

/// Does one of the phrases stand among the words?
pub(super) fn says(phrases: &str, words: &[&str]) -> bool {
    phrases.split_whitespace().any(|phrase| {
        // `^word`: only as the first word.
        let (places, phrase) = match phrase.strip_prefix('^') {
            Some(phrase) => (1, phrase),
            None => (words.len(), phrase),
        };
        let parts: Vec<&str> = phrase.split('/').collect();
        let fit = |window: &[&str]| {
            parts
                .iter()
                .zip(window)
                .all(|(part, word)| fits(part, word))
        };
        words.windows(parts.len()).take(places).any(fit)
    })
}

fn fits(pattern: &str, word: &str) -> bool {
    match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
        (Some(prefix), _) => word.starts_with(prefix),
        (None, Some(suffix)) => word.ends_with(suffix),
        (None, None) => pattern == word,
    }
}
