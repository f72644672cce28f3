//! The marker `<DONE>…</DONE>`: its name, and the cleaning of what it holds.

use overnight_base::code::Code;
use overnight_base::fault::Fault;

/// A summary is shown in one line of a report (tests/cases/hostile.md D03).
pub const SUMMARY_CHARS_MAX: usize = 200;
/// A marker's name is a word, not a document.
const NAME_BYTES_MAX: usize = 64;

/// The tags to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// `<DONE>`
    pub open: String,
    /// `</DONE>`
    pub close: String,
}

impl Marker {
    /// The marker of this name. Any characters but angle brackets, slashes, blanks at the ends and
    /// control characters; it is compared literally.
    pub fn new(name: &str) -> Result<Self, Fault> {
        let strange = |c: char| c.is_control() || matches!(c, '<' | '>' | '/');
        if name.is_empty()
            || name.len() > NAME_BYTES_MAX
            || name.trim() != name
            || name.contains(strange)
        {
            return Err(
                Fault::new(Code::InputInvalid, format!("{name:?} is no marker name"))
                    .hint("give the name without brackets, for example --marker DONE"),
            );
        }
        Ok(Self {
            open: format!("<{name}>"),
            close: format!("</{name}>"),
        })
    }
}

impl Default for Marker {
    fn default() -> Self {
        Self {
            open: "<DONE>".into(),
            close: "</DONE>".into(),
        }
    }
}

/// Untrusted text as one line of at most [`SUMMARY_CHARS_MAX`] characters: terminal sequences,
/// control, bidirectional and invisible characters removed, white space folded.
pub fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut count = 0;
    let mut blank = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            skip_sequence(&mut chars);
            continue;
        }
        if c.is_whitespace() {
            blank = count > 0;
            continue;
        }
        if c.is_control() || invisible(c) {
            continue;
        }
        let width = usize::from(blank) + 1;
        if count + width > SUMMARY_CHARS_MAX {
            break;
        }
        if blank {
            line.push(' ');
        }
        line.push(c);
        count += width;
        blank = false;
    }
    line
}

/// Skips an ECMA-48 sequence after its escape: `[…m`, `]…BEL`, or a single character.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => {
            while chars
                .next()
                .is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c))
            {}
        }
        Some(']') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        _ => {}
    }
}

fn invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_without_escapes() {
        assert_eq!(
            one_line(" a\r\n\tb\u{1b}[31m c\u{1b}]0;title\u{7}d\u{202e} "),
            "a b cd"
        );
        assert_eq!(
            one_line(&"é".repeat(300)).chars().count(),
            SUMMARY_CHARS_MAX
        );
    }

    #[test]
    fn a_marker_is_a_name_without_brackets() {
        assert_eq!(Marker::new("C++.*").unwrap().open, "<C++.*>");
        for bad in ["", "<DONE>", " a", "a\nb"] {
            assert!(Marker::new(bad).is_err(), "{bad:?}");
        }
    }
}
