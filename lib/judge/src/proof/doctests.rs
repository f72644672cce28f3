//! Examples in documentation that are run as tests: those of dusk that a claimed source lost are put
//! behind it, where the same runner finds them.

use super::protect::ending;
use std::fmt::Write;

/// The claimed source with dusk's lost examples behind it; `None` where none was lost.
pub(super) fn kept(path: &str, dusk: &str, claimed: &str) -> Option<String> {
    let read = match ending(path) {
        "rs" => rust,
        "py" => python,
        _ => return None,
    };
    let write = if ending(path) == "rs" {
        in_rust
    } else {
        in_python
    };
    let now = read(claimed);
    let lost: Vec<Example> = read(dusk)
        .into_iter()
        .filter(|example| !now.contains(example))
        .collect();
    let more = lost
        .iter()
        .enumerate()
        .map(|(number, example)| write(number, example));
    (!lost.is_empty()).then(|| format!("{claimed}\n{}", more.collect::<String>()))
}

/// One example: how it begins, and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Example {
    begins: String,
    lines: Vec<String>,
}

/// The fenced blocks in `///` and `//!`.
fn rust(source: &str) -> Vec<Example> {
    let mut found = Vec::new();
    let mut open: Option<Example> = None;
    for line in source.lines() {
        let line = line.trim_start();
        let Some(text) = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
        else {
            open = None;
            continue;
        };
        let text = text.strip_prefix(' ').unwrap_or(text).trim_end();
        match (text.trim_start().strip_prefix("```"), open.take()) {
            (Some(_), Some(example)) => found.push(example),
            (Some(info), None) => {
                open = Some(Example {
                    begins: info.trim().to_owned(),
                    lines: Vec::new(),
                });
            }
            (None, Some(mut example)) => {
                example.lines.push(text.to_owned());
                open = Some(example);
            }
            (None, None) => {}
        }
    }
    found
}

fn in_rust(number: usize, example: &Example) -> String {
    let mut text = format!("\n/// ```{}\n", example.begins);
    for line in &example.lines {
        let _ = writeln!(text, "/// {line}");
    }
    let _ = writeln!(
        text,
        "/// ```\n#[allow(dead_code)]\nstruct OvernightExample{number};"
    );
    text
}

/// The interactive examples of each docstring.
fn python(source: &str) -> Vec<Example> {
    let mut found = Vec::new();
    for (begins, text) in docstrings(source) {
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.trim().to_owned())
            .skip_while(|line| !line.starts_with(">>>"))
            .collect();
        let end = lines.iter().rposition(|line| !line.is_empty());
        let Some(end) = end else { continue };
        found.push(Example {
            begins,
            lines: lines[..=end].to_vec(),
        });
    }
    found
}

/// Texts in three quotes, each with what it begins with. Quotes in comments and in other texts are none.
fn docstrings(source: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = source[at..].find(['#', '"', '\'']) {
        at += next;
        let rest = &source[at..];
        let long = [r#"""""#, "'''"];
        if let Some(quote) = long.iter().find(|quote| rest.starts_with(**quote)) {
            let text = &rest[quote.len()..];
            let end = unescaped(text, quote).unwrap_or(text.len());
            let raw = source[..at].ends_with(['r', 'R']);
            found.push((
                format!("{}{quote}", if raw { "r" } else { "" }),
                &text[..end],
            ));
            at += (2 * quote.len() + end).min(rest.len());
        } else {
            let line = rest.find('\n').unwrap_or(rest.len());
            let end = match &rest[..1] {
                "#" => None,
                quote => unescaped(&rest[1..line], quote),
            };
            at += end.map_or(line, |end| end + 2);
        }
    }
    found
}

/// Where this quote ends a text.
fn unescaped(text: &str, quote: &str) -> Option<usize> {
    let escaped = |at: &usize| {
        let signs = text[..*at].bytes().rev();
        signs.take_while(|byte| *byte == b'\\').count() % 2 == 1
    };
    let mut ends = text.match_indices(quote).map(|(at, _)| at);
    ends.find(|at| !escaped(at))
}

fn in_python(number: usize, example: &Example) -> String {
    let mut text = format!(
        "\n\ndef _overnight_example_{number}():\n    {}\n",
        example.begins
    );
    for line in &example.lines {
        let _ = writeln!(text, "    {line}");
    }
    let _ = writeln!(text, "    {}", example.begins.trim_start_matches('r'));
    text
}

/// Does this command run the examples of a document?
pub(super) fn are_run(words: &[&str], path: &str) -> bool {
    words.contains(&"doctest") && matches!(ending(path), "md" | "rst" | "txt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_that_was_changed_is_run_as_it_was() {
        let dusk = "/// ```\n/// assert_eq!(p::twice(2), 4);\n/// ```\npub fn twice() {}\n";
        let claimed = dusk.replace("```\n/// a", "```no_run\n/// a");
        assert_eq!(
            kept("src/lib.rs", dusk, &claimed).unwrap(),
            format!(
                "{claimed}\n\n/// ```\n/// assert_eq!(p::twice(2), 4);\n/// ```\n#[allow(dead_code)]\nstruct OvernightExample0;\n"
            )
        );
        assert_eq!(
            kept("src/lib.rs", dusk, &format!("{dusk}fn more() {{}}\n")),
            None
        );
        let dusk = "def f():\n    \"\"\"Twice.\n\n    >>> f(2)\n    4\n    \"\"\"\n";
        let claimed = dusk.replace("    4\n", "    2\n");
        assert_eq!(
            kept("a.py", dusk, &claimed).unwrap(),
            format!(
                "{claimed}\n\n\ndef _overnight_example_0():\n    \"\"\"\n    >>> f(2)\n    4\n    \"\"\"\n"
            )
        );
        assert_eq!(kept("a.py", "x = 1\n", "x = 2\n"), None);
    }

    #[test]
    fn quotes_that_begin_no_docstring_make_no_example_of_code() {
        let source = r#"SIGNS = ['"""', "it's"]  # one """ more
def f():
    r"""Adds ''' to it.

    >>> f()
    1
    """
    return 1
def g():
    '''It is \''' f.'''
"#;
        let texts: Vec<_> = docstrings(source).into_iter().map(|text| text.0).collect();
        assert_eq!(texts, [r#"r""""#, "'''"]);
        let other = |from: &str, to: &str| kept("a.py", source, &source.replace(from, to));
        assert_eq!(other("return 1", "return 2"), None);
        assert!(other("    1\n", "    2\n").is_some());
    }
}
