#![doc = include_str!("../README.md")]

mod bash;
mod context;
#[cfg(test)]
mod corpus;
mod data;
mod effects;
mod machine;
mod mark;
pub mod names;
pub mod place;
mod policy;
#[cfg(test)]
mod properties;
mod table;
mod verdict;
mod wanted;

pub use context::{Context, Entry, Facts, Losses, NoFacts};
pub use verdict::{Decision, Mode, Verdict, presentable as shown};
pub use wanted::Wanted;

/// Bytes of a command at most. Longer ones are a question: nobody reads them in the morning.
pub const COMMAND_BYTES_MAX: usize = 2 << 20;

/// Every rule of the guard as a person reads it: its name, its answer, why, and what to do instead.
pub fn rules() -> impl Iterator<Item = [&'static str; 4]> {
    policy::ALL
        .iter()
        .map(|rule| [rule.id, rule.class.name(), rule.what, rule.instead])
}

/// Judges a bash command line as Claude Code's Bash tool would run it.
///
/// Total and linear: any text gets an answer, what is too long, too deep or unreadable a question.
pub fn judge_command(text: &str, context: &Context<'_>) -> Verdict {
    if text.len() > COMMAND_BYTES_MAX {
        return Verdict::ask("too-complex", "the command is longer than 2 MiB")
            .instead("write the data to a file first");
    }
    if mark::unknown(text) || text.contains('\0') {
        return Verdict::ask(
            "unparsable",
            "the command holds characters that no command needs",
        )
        .instead("write the command in plain characters");
    }
    // Git is asked once for a command: first without it, to see what it is asked.
    let noting = wanted::Noting::new(context.facts);
    let without = Context {
        facts: &noting,
        ..*context
    };
    let verdict = machine::Machine::new(&without, text.len()).judge(text);
    let wanted = noting.wanted();
    let verdict = if wanted.is_empty() {
        verdict
    } else {
        context.facts.learn(&wanted);
        machine::Machine::new(context, text.len()).judge(text)
    };
    if context.walled && verdict.decision == Decision::Allow && pushes(text, context) {
        return Verdict::new(Decision::Allow, "push-later", PUSH_LATER);
    }
    verdict
}

/// What becomes of a push in a cell.
const PUSH_LATER: &str = "no credential is in the cell: this push is noted as a request, and the branch is pushed after \
                          this iteration, from outside";

/// Would it push with git?
fn pushes(text: &str, context: &Context<'_>) -> bool {
    const TAKE_A_VALUE: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace"];
    let is_push = |argv: Vec<String>| {
        let mut words = argv.iter().map(String::as_str);
        let mut verb = words.next().filter(|program| *program == "git");
        while verb.is_some() {
            match words.next() {
                Some(value) if TAKE_A_VALUE.contains(&value) => verb = words.next(),
                Some(option) if option.starts_with('-') => {}
                word => return word == Some("push"),
            }
        }
        false
    };
    text.contains("push") && predict_arguments(text, context).into_iter().any(is_push)
}

/// Would the command push or open a pull request? What of that is allowed may still be too much of
/// it (tests/cases/hostile.md X04).
pub fn goes_out(text: &str, context: &Context<'_>) -> bool {
    let opens = |argv: Vec<String>| {
        let words: Vec<&str> = argv.iter().map(String::as_str).collect();
        matches!(words.as_slice(), ["gh" | "glab", "pr" | "mr", "create", ..])
    };
    text.len() <= COMMAND_BYTES_MAX
        && (pushes(text, context)
            || text.contains("create") && predict_arguments(text, context).into_iter().any(opens))
}

/// The files and folders that the command brings over the network: what later commands run of them
/// is code that nobody has seen.
pub fn fetches(text: &str, context: &Context<'_>) -> Vec<String> {
    let may = [
        "curl", "wget", "clone", "http", "fetch", "download", "aria2",
    ];
    if text.len() > COMMAND_BYTES_MAX || !may.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    machine::Machine::new(context, text.len()).fetches(text)
}

/// The arguments of the first commands (64 at most) that bash would run, as far as they are known:
/// what a verdict rests on. Unknown parts are shown as `$…`, patterns as written.
pub fn predict_arguments(text: &str, context: &Context<'_>) -> Vec<Vec<String>> {
    machine::Machine::new(context, text.len())
        .predict(text)
        .into_iter()
        .map(|words| words.iter().map(|word| mark::show(word)).collect())
        .collect()
}
