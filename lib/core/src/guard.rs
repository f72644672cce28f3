//! The guard: what is proven safe is allowed, what is forbidden is denied, the rest waits for a
//! person.
//!
//! `Guard : Mode × Action → {Allow, Ask, Deny}` (ai-tools, protection mode). Safe is allowed and
//! forbidden denied in every mode; only the boundary depends on the mode. What cannot be
//! understood is boundary.

pub mod answer;
pub mod area;
mod bash;
mod context;
#[cfg(test)]
mod corpus;
mod data;
mod effects;
pub mod epoch;
pub mod foreign;
mod machine;
mod mark;
mod names;
pub mod payload;
mod place;
mod policy;
#[cfg(test)]
mod properties;
pub mod question;
pub mod secret;
pub mod setup;
pub mod tally;
pub mod tool;
pub mod trusted;
mod verdict;

pub use context::{Context, Entry, Facts, NoFacts};
pub use verdict::{Decision, Mode, Verdict, presentable as shown};

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
    machine::Machine::new(context, text.len()).judge(text)
}

/// Would the command push or open a pull request? What of that is allowed may still be too much of
/// it (hostile.md X04).
pub fn goes_out(text: &str, context: &Context<'_>) -> bool {
    let may = text.contains("push") || text.contains("create");
    may && text.len() <= COMMAND_BYTES_MAX
        && predict_arguments(text, context).iter().any(|argv| {
            let words: Vec<&str> = argv.iter().map(String::as_str).collect();
            match words.as_slice() {
                ["git", rest @ ..] => rest.contains(&"push"),
                ["gh" | "glab", "pr" | "mr", verb, ..] => *verb == "create",
                _ => false,
            }
        })
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
