//! Characters that stand for what is not known in an expanded word. They are of a private use
//! plane; a command that contains one itself is not judged but asked about.

/// A value that nobody knows: it may be empty or hold slashes.
pub(crate) const ANY: char = '\u{f0000}';
/// One or more characters without slash, blank or leading dash: a number, a temporary name.
pub(crate) const SEGMENT: char = '\u{f0001}';
/// An unquoted `*`.
pub(crate) const STAR: char = '\u{f0002}';
/// An unquoted `?`.
pub(crate) const QUESTION: char = '\u{f0003}';
/// An unquoted `[…]`.
pub(crate) const SET: char = '\u{f0004}';
/// The value of a variable that is named like a secret, or text from a file of secrets.
pub(crate) const SECRET: char = '\u{f0005}';
/// Text that came over the network.
pub(crate) const NETWORK: char = '\u{f0006}';
/// The output of a command that is not modelled.
pub(crate) const OUTPUT: char = '\u{f0007}';
/// The running shell itself, `$0`.
pub(crate) const SHELL: char = '\u{f0008}';
/// The process that started the shell, `$PPID`: the client.
pub(crate) const PARENT: char = '\u{f0009}';

/// Is it one of these?
pub(crate) fn is_mark(c: char) -> bool {
    (ANY..='\u{f00ff}').contains(&c)
}

/// Does the text hold anything unknown?
pub(crate) fn unknown(text: &str) -> bool {
    // Every mark starts with the byte F3 in UTF-8, no ASCII text does.
    text.bytes().any(|byte| byte == 0xf3) && text.chars().any(is_mark)
}

/// Does it hold something that may be any text, empty included?
pub(crate) fn arbitrary(text: &str) -> bool {
    text.contains([ANY, OUTPUT, SECRET, NETWORK])
}

/// Is it nothing but the output of commands or values that nobody knows?
pub(crate) fn opaque(text: &str) -> bool {
    let text = text.trim();
    text.contains([ANY, OUTPUT]) && text.chars().all(|c| is_mark(c) || c.is_whitespace())
}

/// The marks of file name patterns.
pub(crate) const PATTERNS: [char; 3] = [STAR, QUESTION, SET];

/// Is it a file name pattern?
pub(crate) fn pattern(text: &str) -> bool {
    text.contains(PATTERNS)
}

/// The text as a person would write it.
pub(crate) fn show(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            STAR => "*".to_owned(),
            QUESTION => "?".to_owned(),
            SET => "[…]".to_owned(),
            c if is_mark(c) => "$…".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

/// The text with the patterns as they were written and the other marks left: an address with `?`.
pub(crate) fn show_patterns(text: &str) -> String {
    text.replace(STAR, "*")
        .replace(QUESTION, "?")
        .replace(SET, "[]")
}
