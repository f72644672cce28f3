//! Just enough of the shell's grammar to see which commands a line runs; whatever is not plain
//! gives `None`, and the caller filters, which never harms small output.

/// The commands of a line: pipelines of simple commands, each a list of words.
pub(super) type Line = Vec<Vec<Simple>>;

/// A simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<String>,
    /// Its standard output goes to a file.
    pub(super) redirected: bool,
}

/// The first word of a shell text, its quotes removed.
pub(super) fn first(text: &str) -> Option<String> {
    let mut reader = Reader {
        text: text.trim_start(),
    };
    reader.word()
}

/// Takes a line apart; `None` when it holds control flow, groups, functions, here-documents or
/// comments.
pub(super) fn parse(text: &str) -> Option<Line> {
    joined(text).map(|(line, _)| line)
}

/// The same, and what stands before the last pipeline: its sign (`;`, `&&`, …), empty where there is one only.
pub(super) fn joined(text: &str) -> Option<(Line, &str)> {
    const RESERVED: &[&str] = &[
        "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
        "select", "function", "{", "}", "!", "[[", "time", "coproc", "eval", "exec", "source", ".",
    ];
    let mut reader = Reader { text };
    let (mut line, mut pipeline, mut simple) = (Vec::new(), Vec::new(), Simple::default());
    let (mut sign, mut join) = ("", "");
    loop {
        reader.skip_blanks();
        let before = reader.text;
        match reader.operator()? {
            Operator::None => {
                let word = reader.word()?;
                if simple.words.is_empty() && RESERVED.contains(&word.as_str()) {
                    return None;
                }
                simple.words.push(word);
            }
            Operator::Redirect { stdout, target } => {
                simple.redirected |= stdout;
                if target {
                    reader.skip_blanks();
                    reader.word()?;
                }
            }
            Operator::Pipe => pipeline.push(std::mem::take(&mut simple)),
            end @ (Operator::Next | Operator::End) => {
                pipeline.push(std::mem::take(&mut simple));
                pipeline.retain(|simple| !simple.words.is_empty() || simple.redirected);
                if !pipeline.is_empty() {
                    line.push(std::mem::take(&mut pipeline));
                    join = sign;
                    sign = &before[..before.len() - reader.text.len()];
                }
                if matches!(end, Operator::End) {
                    return Some((line, join));
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Operator {
    None,
    Pipe,
    Next,
    End,
    Redirect { stdout: bool, target: bool },
}

const fn redirect(stdout: bool, target: bool) -> Operator {
    Operator::Redirect { stdout, target }
}

/// The signs, longer ones first; `None`: not plain.
#[rustfmt::skip]
const SIGNS: &[(&str, Option<Operator>)] = &[
    ("2>&1", Some(redirect(false, false))), ("1>&2", Some(redirect(false, false))), (">&2", Some(redirect(false, false))),
    ("&>>", Some(redirect(true, true))), ("&>", Some(redirect(true, true))), ("2>>", Some(redirect(false, true))),
    ("2>", Some(redirect(false, true))), ("1>>", Some(redirect(true, true))), ("1>", Some(redirect(true, true))),
    (">(", None), (">>", Some(redirect(true, true))), (">|", Some(redirect(true, true))), (">", Some(redirect(true, true))),
    ("<<", None), ("<(", None), ("<", Some(redirect(false, true))),
    ("&&", Some(Operator::Next)), ("||", Some(Operator::Next)), ("|&", Some(Operator::Pipe)),
    ("|", Some(Operator::Pipe)), ("&", Some(Operator::Next)), (";;", None), (";", Some(Operator::Next)),
    ("\n", Some(Operator::Next)), ("(", None), (")", None), ("#", None),
];

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        self.text = self.text.trim_start_matches([' ', '\t']);
        while let Some(rest) = self.text.strip_prefix("\\\n") {
            self.text = rest.trim_start_matches([' ', '\t']);
        }
    }

    fn operator(&mut self) -> Option<Operator> {
        if self.text.is_empty() {
            return Some(Operator::End);
        }
        for (sign, operator) in SIGNS {
            if let Some(rest) = self.text.strip_prefix(sign) {
                self.text = rest;
                return *operator;
            }
        }
        Some(Operator::None)
    }

    /// One word, quotes removed; expansions are kept as they are written.
    fn word(&mut self) -> Option<String> {
        let mut word = String::new();
        let mut depth = 0_usize;
        let mut characters = self.text.char_indices();
        let mut end = self.text.len();
        while let Some((at, c)) = characters.next() {
            match c {
                '\'' => loop {
                    match characters.next()?.1 {
                        '\'' => break,
                        c => word.push(c),
                    }
                },
                '"' => loop {
                    match characters.next()?.1 {
                        '"' => break,
                        '\\' => match characters.next()?.1 {
                            c @ ('"' | '\\' | '$' | '`') => word.push(c),
                            '\n' => {}
                            c => word.extend(['\\', c]),
                        },
                        c => word.push(c),
                    }
                },
                '\\' => match characters.next()?.1 {
                    '\n' => {}
                    c => word.push(c),
                },
                '$' if self.text[at + 1..].starts_with('(') => {
                    depth += 1;
                    word.push_str("$(");
                    characters.next();
                }
                '`' => return None,
                '(' if depth > 0 => {
                    depth += 1;
                    word.push(c);
                }
                ')' if depth > 0 => {
                    depth -= 1;
                    word.push(c);
                }
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' if depth == 0 => {
                    end = at;
                    break;
                }
                c => word.push(c),
            }
        }
        self.text = &self.text[end..];
        (depth == 0).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Option<Vec<Vec<Vec<String>>>> {
        let plain = |simple: Simple| simple.words;
        parse(text).map(|line| {
            let pipelines = line.into_iter();
            pipelines
                .map(|pipeline| pipeline.into_iter().map(plain).collect())
                .collect()
        })
    }

    #[test]
    fn quotes_pipes_and_lists_are_seen() {
        assert_eq!(
            words("cd 'a b' && cargo test 2>&1 | tail -n 5; x \"$(y | z)\"").unwrap(),
            vec![
                vec![vec!["cd", "a b"]],
                vec![vec!["cargo", "test"], vec!["tail", "-n", "5"]],
                vec![vec!["x", "$(y | z)"]],
            ]
        );
        assert!(parse("cat x > y").unwrap()[0][0].redirected);
        assert!(!parse("cat x 2> y").unwrap()[0][0].redirected);
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_filter() {
        for text in [
            "for f in *; do cat $f; done",
            "cat <<EOF\nx\nEOF",
            "(cat x)",
            "{ cat x; }",
            "cat `x`",
            "cat 'x",
            "cat x # y",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_survived(text in "[a-z '\"\\\\$()`;&|<>\n#é-]{0,40}") {
            let _ = parse(&text);
            let _ = first(&text);
        }
    }
}
