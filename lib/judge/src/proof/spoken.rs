//! A program that stands on a gate's command line (`python3 -c "…"`, `node -e '…'`), and a command that takes a
//! file of the project into its own shell: no file holds what checks, so the command itself is changed.

use super::expect;
use super::script_end;
use std::collections::BTreeMap;
use std::ops::Range;

/// Assertions of one command that are tried at most.
const SITES_MAX: usize = 4;

/// An interpreter, the option that its program stands behind, and the ending that files in its language have.
const INTERPRETERS: [(&str, &str, &str); 7] = [
    ("python3", "-c", "py"),
    ("python", "-c", "py"),
    ("node", "-e", "js"),
    ("ruby", "-e", "rb"),
    ("perl", "-e", "pl"),
    ("sh", "-c", "sh"),
    ("bash", "-c", "sh"),
];

/// A word of a command, without its quotes, or an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    at: Range<usize>,
    text: String,
    operator: bool,
    /// Is it what it says, with nothing that the shell puts in?
    plain: bool,
}

/// A program on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    /// Where its quoted text stands.
    at: Range<usize>,
    text: String,
    ending: &'static str,
}

/// The same command with programs that fail at their end, one in each. One that stays green was ended before.
pub fn failing(command: &str) -> Vec<String> {
    let Some(words) = words(command) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for program in programs(command, &words) {
        let path = format!("gate.{}", program.ending);
        for text in script_end::failing(&path, &lines_of(&program), true) {
            found.push(with(command, &program, &text));
        }
    }
    found.extend(own_end(command, &words).map(|end| format!("{command}\n{end}")));
    found
}

/// Does a command that takes in a file of the project check itself what it took in?
pub fn checks(command: &str) -> bool {
    words(command).is_some_and(|words| own_end(command, &words).is_some())
}

/// What fails at the end of a command that takes in a file and checks something last.
fn own_end(command: &str, words: &[Word]) -> Option<String> {
    let takes_in = |pair: &[Word]| {
        matches!(pair[0].text.as_str(), "." | "source") && pair[0].plain && !pair[1].operator
    };
    if !words.windows(2).any(takes_in) {
        return None;
    }
    // Its last command stands on a line of its own only to be looked at.
    let lines = at_operators(command, words);
    let texts = script_end::failing("gate.sh", &lines, false);
    let end = texts.first()?.get(lines.trim_end().len()..)?;
    Some(end.trim().to_owned())
}

/// The same command with one wrong expectation in each, and with that assertion failing outright.
pub fn wrong(command: &str) -> Vec<(String, String)> {
    let Some(words) = words(command) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for program in programs(command, &words) {
        let path = format!("gate.{}", program.ending);
        let texts = BTreeMap::from([(path.clone(), lines_of(&program))]);
        for site in expect::sites(&path, &texts[&path]) {
            let changed = |forced: bool| {
                let applied = expect::applied(&texts, [&site], |_| forced);
                with(command, &program, &applied[&path])
            };
            found.push((changed(false), changed(true)));
        }
    }
    found.truncate(SITES_MAX);
    found
}

/// Programs whose failure is the command's own.
fn programs(command: &str, words: &[Word]) -> Vec<Program> {
    let mut found = Vec::new();
    for part in words.split(|word| word.operator && word.text != ">") {
        let Some((first, last)) = part.first().zip(part.last()) else {
            continue;
        };
        let before = command[..first.at.start].trim_end();
        let behind = command[last.at.end..].trim_start();
        let counts = (before.is_empty() || before.ends_with(['&', ';', '\n']))
            && !before.ends_with(" &")
            && (behind.is_empty() || behind.starts_with("&&"));
        if counts {
            found.extend(program(part));
        }
    }
    found
}

fn program(part: &[Word]) -> Option<Program> {
    let assigns = |word: &Word| word.text.contains('=') || word.text == "env";
    let from = part.iter().position(|word| !assigns(word))?;
    let name = part[from].text.rsplit('/').next()?;
    let (_, option, ending) = INTERPRETERS.iter().find(|(known, ..)| *known == name)?;
    let option = part[from..].iter().position(|word| word.text == *option)?;
    let text = part.get(from + option + 1).filter(|word| word.plain)?;
    Some(Program {
        at: text.at.clone(),
        text: text.text.clone(),
        ending,
    })
}

/// The program with each statement on a line of its own, as its assertions and its end are looked for.
fn lines_of(program: &Program) -> String {
    if program.ending != "py" && program.ending != "sh" {
        return program.text.clone();
    }
    let mut lines = String::with_capacity(program.text.len());
    let (mut quote, mut depth) = (None, 0_i32);
    let mut rest = program.text.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ';') if depth == 0 => {
                lines.push('\n');
                while rest.next_if_eq(&' ').is_some() {}
                continue;
            }
            _ => {}
        }
        lines.push(c);
        if c == '\\' && quote.is_some() {
            lines.extend(rest.next());
        }
    }
    lines
}

/// The command with each of its parts on a line of its own.
fn at_operators(command: &str, words: &[Word]) -> String {
    let mut lines = String::new();
    let mut from = 0;
    for word in words.iter().filter(|word| word.operator) {
        if matches!(word.text.as_str(), "&&" | ";" | "\n" | "||") {
            lines.push_str(command[from..word.at.start].trim());
            lines.push('\n');
            from = word.at.end;
        }
    }
    lines.push_str(command[from..].trim());
    lines
}

fn with(command: &str, program: &Program, text: &str) -> String {
    let quoted = text.replace('\'', "'\\''");
    format!(
        "{}'{quoted}'{}",
        &command[..program.at.start],
        &command[program.at.end..]
    )
}

/// The words of a command; `None` where its quotes do not close.
fn words(command: &str) -> Option<Vec<Word>> {
    let bytes = command.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' => at += 1,
            byte @ (b';' | b'&' | b'|' | b'\n' | b'<' | b'>' | b'(' | b')') => {
                let twice = matches!(byte, b'&' | b'|') && bytes.get(at + 1) == Some(&byte);
                let end = at + if twice { 2 } else { 1 };
                let text = if matches!(byte, b'<' | b'>') {
                    ">"
                } else {
                    &command[at..end]
                };
                found.push(Word {
                    at: at..end,
                    text: text.to_owned(),
                    operator: true,
                    plain: true,
                });
                at = end;
            }
            _ => {
                let word = word(command, at)?;
                at = word.at.end;
                found.push(word);
            }
        }
    }
    Some(found)
}

fn word(command: &str, start: usize) -> Option<Word> {
    let bytes = command.as_bytes();
    let (mut at, mut plain) = (start, true);
    let mut text = Vec::new();
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
            b'\'' => {
                let end = at + 1 + command[at + 1..].find('\'')?;
                text.extend_from_slice(&bytes[at + 1..end]);
                at = end;
            }
            b'"' => {
                let (end, own) = doubly_quoted(bytes, at, &mut text)?;
                plain &= own;
                at = end;
            }
            b'\\' => {
                at += 1;
                text.extend(bytes.get(at));
            }
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                plain = false;
                at = substituted(bytes, at + 1)?;
            }
            byte => {
                plain &= !matches!(byte, b'$' | b'`' | b'*' | b'?');
                text.push(byte);
            }
        }
        at += 1;
    }
    Some(Word {
        at: start..at,
        text: String::from_utf8(text).ok()?,
        operator: false,
        plain,
    })
}

/// Where a text in double quotes ends, and whether it is what it says.
fn doubly_quoted(bytes: &[u8], start: usize, text: &mut Vec<u8>) -> Option<(usize, bool)> {
    let (mut at, mut plain) = (start + 1, true);
    loop {
        match *bytes.get(at)? {
            b'"' => return Some((at, plain)),
            b'\\' if matches!(bytes.get(at + 1)?, b'"' | b'\\' | b'$' | b'`') => {
                at += 1;
                text.push(bytes[at]);
            }
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                plain = false;
                at = substituted(bytes, at + 1)?;
            }
            byte => {
                plain &= !matches!(byte, b'$' | b'`');
                text.push(byte);
            }
        }
        at += 1;
    }
}

/// Where a command in brackets ends.
fn substituted(bytes: &[u8], open: usize) -> Option<usize> {
    let (mut at, mut depth) = (open, 0_u32);
    loop {
        match *bytes.get(at)? {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            b'\'' => at += 1 + bytes[at + 1..].iter().position(|byte| *byte == b'\'')?,
            b'"' => at = doubly_quoted(bytes, at, &mut Vec::new())?.0,
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_on_the_command_line_fails_at_its_end() {
        let python = r#"cd src && python3 -c "from text import f; assert f('a;b') == \"c\"""#;
        let expected = "cd src && python3 -c 'from text import f\nassert f('\\''a;b'\\'') == \"c\"\nraise SystemExit(1)\n\n'";
        assert_eq!(failing(python), [expected]);
        let node = "node -e 'require(\"assert\").equal(require(\"./a\").f(), 2)' && echo ok";
        let [failing_node] = failing(node).try_into().unwrap();
        assert!(failing_node.ends_with("process.exitCode = 1;\n\n' && echo ok"));
        let [shell] = failing("sh -c '. ./lib.sh; [ \"$(f a)\" = b ]'")
            .try_into()
            .unwrap();
        assert!(shell.contains("if [ overnight = canary ]") && shell.ends_with("exit 1\n\n'"));
        for command in [
            "python3 -c 'print(1)' | grep 1",
            "test \"$(python3 -c 'print(f())')\" = 3",
            "python3 -c 'import app; app.main()'",
            "python3 -c \"assert f($N)\"",
            "python3 -c 'assert f() == 1' || true",
            "python3 -m unittest",
            "node -e 'unclosed",
        ] {
            assert!(failing(command).is_empty(), "{command}");
        }
    }

    #[test]
    fn a_shell_that_takes_in_a_file_must_reach_its_end() {
        let [ends] = failing(". ./lib.sh && [ \"$(slug 'A B')\" = a-b ]")
            .try_into()
            .unwrap();
        assert!(
            ends.starts_with(". ./lib.sh && [ \"$(slug 'A B')\" = a-b ]\nif [ overnight"),
            "{ends}"
        );
        assert!(ends.ends_with("exit 1"), "{ends}");
        for command in [
            ". ./venv/bin/activate && pytest",
            ". ./lib.sh && run_all",
            "[ -f a ]",
        ] {
            assert!(failing(command).is_empty(), "{command}");
        }
    }

    #[test]
    fn its_expectations_can_be_wrong() {
        let command = "python3 -c \"import text; assert text.f('a') == 'b'; print('ok')\"";
        let [(wrong, forced)] = wrong(command).try_into().unwrap();
        assert!(
            wrong.contains("assert text.f('\\''a'\\'') == \"overnight expectation\"\nprint"),
            "{wrong}"
        );
        assert!(forced.contains("\nassert False\n"), "{forced}");
    }
}
