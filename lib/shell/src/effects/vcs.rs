//! Other version control than git.

use super::table::says;
use super::{Row, effect, options};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::policy::{self, Rule};

pub(super) const ROWS: &[Row] = &[("hg svn jj fossil bzr brz cvs p4 sl pijul darcs", judge)];

/// What each kind of subcommand does, in all of these programs together, from grave to harmless.
const VERBS: &[(&str, &Rule)] = &[
    (
        "strip histedit obliterate abandon uncommit prune op/restore op/undo ^undo rollback",
        &policy::REWRITE,
    ),
    (
        "revert ^purge ^clean ^restore update/-C checkout/-f unshelve/--delete shelve/--delete",
        &policy::DISCARD,
    ),
    (
        "push git/push submit dcommit ^commit-server",
        &policy::PUSH_SHARED,
    ),
];

fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, "-R --cwd -m -r --config");
    if options::any(args, "-n --dry-run --help") {
        return Data::unknown();
    }
    let first = words.first().copied().unwrap_or("");
    let rule = VERBS
        .iter()
        .find(|(verbs, _)| says(verbs, &words[..words.len().min(2)]))
        .map(|(_, rule)| *rule)
        .or_else(|| clean_update(first, args).then_some(&policy::DISCARD))
        .or_else(|| remote(&call.name, first, &words).then_some(&policy::SEND));
    if let Some(rule) = rule {
        effect(machine, rule, &format!("{} {first}", call.name));
    }
    Data::unknown()
}

/// `hg update -C` and its kin.
fn clean_update(verb: &str, args: &[String]) -> bool {
    matches!(verb, "update" | "up" | "checkout" | "co" | "goto")
        && options::any(args, "-C --clean --force -f")
}

/// Subversion and CVS commit to the server at once; Perforce's client works on it.
fn remote(program: &str, verb: &str, words: &[&str]) -> bool {
    match program {
        "svn" => {
            matches!(verb, "commit" | "ci" | "import" | "lock" | "unlock")
                || (one_of(verb, "delete rm copy cp move mv mkdir")
                    && words.iter().any(|word| word.contains("://")))
        }
        "cvs" => matches!(verb, "commit" | "ci" | "import" | "tag" | "rtag"),
        _ => false,
    }
}
