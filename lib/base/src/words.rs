//! Lists of words, written as one text and split when the program is built.

/// A list of words: `words!("a b")` is `&["a", "b"]`.
#[macro_export]
macro_rules! words {
    ($text:literal) => {{
        const COUNT: usize = $crate::words::count($text);
        const WORDS: [&str; COUNT] = $crate::words::split($text);
        &WORDS
    }};
}

/// A list of texts that may hold blanks: `texts!("a b|c")` is `&["a b", "c"]`.
#[macro_export]
macro_rules! texts {
    ($text:literal) => {{
        const COUNT: usize = $crate::words::count_at($text, b'|');
        const TEXTS: [&str; COUNT] = $crate::words::split_at($text, b'|');
        &TEXTS
    }};
}

/// How many texts stand between these bytes.
pub const fn count_at(text: &str, between: u8) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut texts) = (0, 1);
    while at < bytes.len() {
        if bytes[at] == between {
            texts += 1;
        }
        at += 1;
    }
    texts
}

/// The texts between these bytes, of which there are `N`.
pub const fn split_at<const N: usize>(text: &'static str, between: u8) -> [&'static str; N] {
    let bytes = text.as_bytes();
    let mut texts = [""; N];
    let (mut at, mut start, mut found) = (0, 0, 0);
    while at <= bytes.len() {
        if at == bytes.len() || bytes[at] == between {
            let (_, rest) = text.split_at(start);
            (texts[found], _) = rest.split_at(at - start);
            (start, found) = (at + 1, found + 1);
        }
        at += 1;
    }
    texts
}

/// How many words the text has.
pub const fn count(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut words, mut inside) = (0, 0, false);
    while at < bytes.len() {
        let blank = bytes[at].is_ascii_whitespace();
        if !blank && !inside {
            words += 1;
        }
        inside = !blank;
        at += 1;
    }
    words
}

/// The words of the text, of which there are `N`.
pub const fn split<const N: usize>(text: &'static str) -> [&'static str; N] {
    let bytes = text.as_bytes();
    let mut words = [""; N];
    let (mut at, mut word) = (0, 0);
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && !bytes[at].is_ascii_whitespace() {
            at += 1;
        }
        if at > start {
            let (_, rest) = text.split_at(start);
            (words[word], _) = rest.split_at(at - start);
            word += 1;
        }
        at += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_split_into_its_words() {
        assert_eq!(words!(" a  bc\n é "), &["a", "bc", "é"]);
        assert!(words!(" ").is_empty());
        assert_eq!(
            texts!(
                "a |é\
             | \u{1b}c"
            ),
            &["a ", "é", " \u{1b}c"]
        );
    }
}
