//! Untrusted text made fit to be shown: one line, no control characters, bounded.

/// Is this a character that can change what a terminal or a reader sees around it: a control
/// character (C0, DEL, C1), or one that turns the writing direction or is invisible (tests/cases/hostile.md V01)?
pub fn is_unshowable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// The text in one line of at most `chars_max` characters: white space collapsed, unshowable
/// characters left out, a cut marked by `…`.
pub fn one_line(text: &str, chars_max: usize) -> String {
    if text.len() <= chars_max && is_plain_line(text) {
        return text.to_owned();
    }
    let mut line = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let mut word = word.chars().filter(|c| !is_unshowable(*c)).peekable();
        if word.peek().is_none() {
            continue;
        }
        let space = (!line.is_empty()).then_some(' ');
        for c in space.into_iter().chain(word) {
            if count == chars_max {
                line.pop();
                line.push('…');
                return line;
            }
            line.push(c);
            count += 1;
        }
    }
    line
}

/// Is it such a line already, in ASCII? Most texts are.
fn is_plain_line(text: &str) -> bool {
    let mut before = b' ';
    let plain = text.bytes().all(|byte| {
        let doubled = byte == b' ' && before == b' ';
        before = byte;
        matches!(byte, b' '..=b'~') && !doubled
    });
    plain && before != b' '
}

/// The text with its lines kept and every other unshowable character left out.
pub fn showable(text: &str) -> String {
    let shown = text
        .chars()
        .filter(|c| *c == '\n' || *c == '\t' || !is_unshowable(*c));
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_and_bidi_controls_disappear_and_white_space_collapses() {
        assert_eq!(
            one_line(" a\n\tb\u{1b}[2J \u{202e}c\u{9b} ", 99),
            "a b[2J c"
        );
        assert_eq!(one_line("\u{200b} \u{7}", 99), "");
        assert_eq!(one_line("abcdef", 4), "abc…");
        assert_eq!(one_line("abcd", 4), "abcd");
    }

    proptest! {
        #[test]
        fn a_line_is_bounded_showable_and_stays_as_it_is(text in any::<String>(), chars_max in 1..40_usize) {
            let line = one_line(&text, chars_max);
            prop_assert!(line.chars().count() <= chars_max);
            prop_assert!(!line.chars().any(is_unshowable));
            prop_assert_eq!(one_line(&line, chars_max), line);
        }
    }
}
