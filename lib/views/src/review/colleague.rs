//! What colleagues wrote on the pull request, as the forge's program tells it. It is data: nothing is
//! done with it before the person sends it back.

use crate::summary::clean;
use serde_json::Value;

/// Comments that are shown; a longer talk is read where it is held.
const SHOWN_MAX: usize = 100;

/// A colleague's comment. Every text is one bounded line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colleague {
    /// Who wrote it.
    pub who: String,
    /// The file that it is about.
    pub file: Option<String>,
    /// What it says.
    pub text: String,
}

impl Colleague {
    /// In a line.
    pub fn words(&self) -> String {
        let about = self.file.as_ref();
        let about = about.map_or(String::new(), |file| format!(" on {file}"));
        format!("{}{about}: {}", self.who, self.text)
    }

    fn of(comment: &Value, who: &str) -> Option<Self> {
        let text = clean(comment["body"].as_str()?);
        (!text.is_empty()).then(|| Self {
            who: clean(comment[who]["login"].as_str().unwrap_or("somebody")),
            file: comment["path"].as_str().map(clean),
            text,
        })
    }
}

/// The comments of `gh pr view --json comments,reviews`, and of the pull request's lines (`gh api`).
pub fn colleagues(talk: &str, lines: &str) -> Vec<Colleague> {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let (talk, lines) = (read(talk), read(lines));
    let all = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let said = [all(&talk["comments"]), all(&talk["reviews"])].concat();
    let said = said.iter().filter_map(|one| Colleague::of(one, "author"));
    let on_lines = all(&lines);
    let on_lines = on_lines.iter().filter_map(|one| Colleague::of(one, "user"));
    on_lines.chain(said).take(SHOWN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_nothing_else() {
        let talk = r#"{"comments":[{"author":{"login":"kim"},"body":"why\u202e?\n\nso"}],"reviews":[{"author":null,"body":""}]}"#;
        let lines = r#"[{"user":{"login":"lee"},"path":"src/a.ts","body":"name it"},{"body":7}]"#;
        let words: Vec<String> = colleagues(talk, lines)
            .iter()
            .map(Colleague::words)
            .collect();
        assert_eq!(words, ["lee on src/a.ts: name it", "kim: why? so"]);
        assert!(colleagues("no json", "[[]]").is_empty());
    }
}
