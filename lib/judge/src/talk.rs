//! Reading prose around a claim: is the claim plainly taken back, or only talked about? What prose
//! says beyond that proves nothing either way: gates do, and without them the report says that the
//! task is done by the agent's word.

mod words;

use words::{
    CARRIED_OUT, CONDITIONS, FUTURE, NOT_DONE, NOT_DONE_JA, PLACEHOLDERS, SECOND_THOUGHTS, STATES,
    TAKEN_BACK,
};

/// Words between a negation and what it denies: `not yet fully done`.
const NEAR: usize = 3;

/// The clause that says plainly that the work is not done.
pub(super) fn contradiction(text: &str) -> Option<String> {
    clauses(text)
        .find(|clause| plainly_undone(clause))
        .map(|clause| clause.trim().to_owned())
}

/// Does a summary take back the claim that it stands in?
pub(super) fn summary_contradicts(summary: &str) -> bool {
    let told = unquoted(summary);
    let lower = told.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    TAKEN_BACK.contains(&bare)
        || NOT_DONE.iter().any(|start| begins(&lower, start))
        || STATES.iter().any(|state| states(&lower, state))
        || contradiction(&told).is_some()
}

/// The clause after a marker that takes it back.
pub(super) fn taken_back(after: &str) -> Option<String> {
    let start = clauses(after).next()?.trim();
    let lower = start.to_lowercase();
    let again = SECOND_THOUGHTS
        .iter()
        .any(|thought| begins(&lower, thought));
    again
        .then(|| start.to_owned())
        .or_else(|| contradiction(after))
}

/// Is a summary the instruction's own words? `summary` alone counts as such only beside talk.
pub(super) fn placeholder(summary: &str, alone: bool) -> bool {
    let lower = summary.to_lowercase();
    let bare = lower.trim_matches(['{', '}', '[', ']', '<', '>', '(', ')', '$', '%']);
    let wrapped = bare.len() < lower.len();
    PLACEHOLDERS.contains(&bare)
        || ((wrapped || !alone) && matches!(bare, "summary" | "done_summary"))
}

/// Does the line before a marker lead over to it as something planned, asked for or quoted?
pub(super) fn leads_to_example(line: &str) -> bool {
    let line = line.trim();
    let lower = line.to_lowercase();
    let ends = line.trim_end_matches(['*', '_', '`', '"', '\'', ')']);
    if ends.ends_with(['.', '!', '?', '。', '！']) && !ends.ends_with("...") {
        return false;
    }
    if CARRIED_OUT.iter().any(|phrase| lower.contains(phrase)) {
        return false;
    }
    FUTURE
        .iter()
        .any(|cue| word(&lower, cue) || (cue.contains('\'') && lower.contains(cue)))
}

/// Is `INCOMPLETE` shouted in the line, not asked or offered as one of two words?
pub(super) fn shouts_incomplete(line: &str) -> bool {
    const WORD: &str = "INCOMPLETE";
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '|' | '`' | '"');
    line.match_indices(WORD)
        .any(|(at, _)| !line[at + WORD.len()..].starts_with(joins) && !line[..at].ends_with(joins))
}

/// Does `needle` stand in the text as a word of its own?
pub(super) fn word(text: &str, needle: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(needle).any(|(at, _)| {
        !text[..at].ends_with(joins) && !text[at + needle.len()..].starts_with(joins)
    })
}

/// Clauses end with their sentence, their line, a comma or a `but`.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| {
        matches!(
            c,
            '.' | '!' | '?' | ';' | ',' | '\n' | '。' | '！' | '、' | '—' | '–'
        )
    };
    text.split(ends)
        .flat_map(|clause| clause.split(" but "))
        .filter(|clause| clause.chars().any(char::is_alphanumeric))
}

/// An explicit `INCOMPLETE` or `BLOCKED`, or a negation directly at the claim.
fn plainly_undone(clause: &str) -> bool {
    let shouted = clause.trim_start_matches(|c: char| !c.is_alphanumeric());
    if shouts_incomplete(clause) || (word(shouted, "BLOCKED") && shouted.starts_with("BLOCKED")) {
        return true;
    }
    if NOT_DONE_JA.iter().any(|words| clause.contains(words)) {
        return true;
    }
    let lower = clause
        .to_lowercase()
        .replace('’', "'")
        .replace("n't", " not");
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .collect();
    let conditional = words.iter().any(|word| CONDITIONS.contains(word));
    !conditional && (0..words.len()).any(|at| denied(&words, at))
}

/// Is the word at `at` a claim to be done that the words right before it deny?
fn denied(words: &[&str], at: usize) -> bool {
    const CLAIMS: &[&str] = &["done", "complete", "completed", "finished", "ready"];
    const DENIALS: &[&str] = &["not", "never", "nothing", "cannot"];
    const BYGONE: &[&str] = &["was", "were", "had", "did"];
    let near = &words[at.saturating_sub(NEAR)..at];
    match words[at] {
        "incomplete" | "unfinished" => near
            .last()
            .is_some_and(|before| matches!(*before, "is" | "are" | "still" | "remains")),
        claim => {
            let denial = near.iter().rposition(|word| DENIALS.contains(word));
            CLAIMS.contains(&claim)
                && denial.is_some_and(|denial| {
                    let before = denial.checked_sub(1).map(|before| near[before]);
                    !before.is_some_and(|before| BYGONE.contains(&before))
                })
        }
    }
}

/// `failed: …`, `pending review`, but not `failed logins are counted`.
fn states(lower: &str, state: &str) -> bool {
    const AFTER: &[&str] = &[
        "to", "by", "on", "with", "because", "for", "until", "review",
    ];
    let Some(rest) = lower.strip_prefix(state) else {
        return false;
    };
    match rest
        .strip_prefix(' ')
        .and_then(|rest| rest.split_whitespace().next())
    {
        Some(next) => AFTER.contains(&next),
        None => !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'),
    }
}

/// The summary without what it quotes, if anything is left: `handled the "not done" case`.
fn unquoted(summary: &str) -> String {
    let parts: Vec<&str> = summary.split('"').collect();
    let outside: String = parts.iter().step_by(2).copied().collect();
    let words = outside.chars().filter(|c| c.is_alphanumeric()).count();
    if parts.len() % 2 == 1 && words > 2 {
        outside
    } else {
        summary.to_owned()
    }
}

/// Does the text begin with these words, as words?
fn begins(text: &str, start: &str) -> bool {
    let end_is_open = start.ends_with([' ', ':']);
    text.strip_prefix(start).is_some_and(|rest| {
        end_is_open || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
    })
}

#[cfg(test)]
mod tests {
    use super::{contradiction, summary_contradicts, taken_back};

    #[test]
    fn only_plain_statements_take_a_claim_back() {
        for plain in [
            "INCOMPLETE: two tests fail",
            "BLOCKED on the key",
            "The work is not done yet.",
            "It isn't fully finished",
            "This is still incomplete",
        ] {
            assert!(contradiction(plain).is_some(), "{plain}");
        }
        for honest in [
            "Fixed: the sign was wrong",
            "`sub()` is missing too; out of scope",
            "The cache was not complete before.",
            "It warns when a form is not complete",
            "Unblocked the queue that failed",
        ] {
            assert_eq!(contradiction(honest), None, "{honest}");
        }
    }

    #[test]
    fn a_summary_and_what_follows_it_can_take_it_back() {
        assert!(summary_contradicts("failed: no network"));
        assert!(summary_contradicts("not done"));
        assert!(!summary_contradicts("failed logins are counted"));
        assert!(!summary_contradicts("handled the \"not done\" case"));
        assert!(taken_back("Wait, one test is red").is_some());
        assert!(taken_back("Have a good morning").is_none());
    }
}
