//! What calls that start programs are given: only texts in their arguments are commands.

use super::literals;
use super::words::RUNNING;

/// Texts that code may run as commands. `None`: some call's arguments cannot be told, so that any
/// text of the code may be one.
pub(super) fn commands(code: &str) -> Option<Vec<String>> {
    // Back quotes, and calls without parentheses, are followed nowhere.
    if code.contains(['`', '%', '|']) && !code.contains("subprocess") {
        return None;
    }
    let mut texts = Vec::new();
    let mut found = false;
    for word in RUNNING {
        for (at, _) in code.match_indices(word) {
            if within_name(&code[..at], word) || imported(code, at) {
                continue;
            }
            found = true;
            let arguments = arguments(&code[at..])?;
            let given = literals(arguments);
            // A name as an argument may hold anything; what it is put together from, too.
            if given.is_empty() || arguments.contains(" + ") || arguments.contains(".format(") {
                return None;
            }
            if let [only] = given.as_slice() {
                texts.push(only.clone());
            } else {
                texts.extend(given.iter().filter(|text| text.contains(' ')).cloned());
                texts.push(given.join(" "));
            }
        }
    }
    texts.sort();
    texts.dedup();
    found.then_some(texts)
}

/// What calls are given.
#[derive(Default)]
pub(super) struct Given {
    /// Their statements, with those that bind the names in them.
    pub(super) scope: String,
    /// Every text that they may be given stands there.
    pub(super) whole: bool,
}

/// What the calls with these names are given: their own statements and, followed once, the bindings of the names
/// in their arguments.
pub(super) fn given(code: &str, words: &[&str]) -> Given {
    let mut given = Given {
        whole: true,
        ..Given::default()
    };
    for word in words {
        for (at, _) in code.match_indices(word) {
            if within_name(&code[..at], word) || imported(code, at) {
                continue;
            }
            let start = code[..at].rfind(['\n', ';']).map_or(0, |end| end + 1);
            let end = if let Some(arguments) = arguments(&code[at..]) {
                given.whole &= bound(code, arguments, &mut given.scope);
                at + code[at..].find('(').unwrap_or(0) + arguments.len() + 2
            } else {
                given.whole = false;
                code[at..].find('\n').map_or(code.len(), |end| at + end)
            };
            let statement = &code[start..end];
            // It may have been cut within a text.
            given.whole &= statement.matches(['\'', '"']).count().is_multiple_of(2);
            given.scope.push_str(statement);
            given.scope.push('\n');
        }
    }
    given.whole &= !literals(&given.scope).is_empty();
    given
}

/// Adds the statements that bind the names in the arguments; is each of them bound to texts?
fn bound(code: &str, arguments: &str, scope: &mut String) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let mut outside = String::new();
    for (at, part) in arguments.split(['\'', '"']).enumerate() {
        outside.push_str(if at % 2 == 0 { part } else { "\0" });
    }
    let mut rest = outside.as_str();
    let mut all = true;
    while let Some(at) = rest.find(name) {
        let end = rest[at..]
            .find(|c| !name(c))
            .map_or(rest.len(), |end| at + end);
        let (word, after) = (&rest[at..end], rest[end..].trim_start());
        rest = &rest[end..];
        let keyword = after.starts_with(['=', ':'])
            || matches!(word, "True" | "False" | "true" | "false" | "None" | "null");
        if keyword || word.starts_with(|c: char| c.is_ascii_digit()) || after.starts_with('\0') {
            continue;
        }
        let mut told = false;
        for statement in code
            .split(['\n', ';'])
            .filter(|statement| binds(statement, word))
        {
            scope.push_str(statement);
            scope.push('\n');
            told |= statement.contains(['\'', '"']);
        }
        all &= told;
    }
    all
}

/// `NAME = …`, `const NAME = …`, `for NAME in …`.
fn binds(statement: &str, name: &str) -> bool {
    let statement = statement.trim_start();
    let target = ["const ", "let ", "var ", "for ", "my ", "local "]
        .iter()
        .find_map(|word| statement.strip_prefix(word))
        .unwrap_or(statement);
    target
        .trim_start_matches(['(', ' '])
        .strip_prefix(name)
        .is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with('=') && !rest.starts_with("==")
                || rest.starts_with("in ")
                || rest.starts_with("of ")
        })
}

/// Is it the end or the middle of a longer name: `refresh.` is no `sh.`?
pub(super) fn within_name(before: &str, word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Does it stand in a line that brings a module in?
fn imported(code: &str, at: usize) -> bool {
    let start = code[..at].rfind(['\n', ';']).map_or(0, |end| end + 1);
    let line = code[start..].trim_start();
    line.starts_with("import ") || line.starts_with("from ")
}

/// What stands between the parentheses of the call that begins here.
fn arguments(code: &str) -> Option<&str> {
    let open = code.find('(')?;
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    if !code[..open].chars().all(name) {
        return None;
    }
    let (mut depth, mut quote, mut escaped) = (0_u32, None, false);
    for (at, c) in code[open..].char_indices() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(end), c) if c == end => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&code[open + 1..open + at]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{commands, given, literals};

    #[test]
    fn calls_are_given_what_stands_in_them_and_what_their_names_are_bound_to() {
        let told = |code: &str| {
            let given = given(code, &["os.remove", ".unlink("]);
            (literals(&given.scope), given.whole)
        };
        let read = "open('/etc/hosts')\n";
        for (code, want) in [
            ("os.remove('a')", (vec!["a"], true)),
            ("p = 'a'\nos.remove(p)", (vec!["a"], true)),
            (
                "for p in ['a', 'b']:\n  os.remove(p)",
                (vec!["a", "b"], true),
            ),
            ("Path('a').unlink()", (vec!["a"], true)),
            ("def f(p): os.remove(p)", (vec![], false)),
        ] {
            let (texts, whole) = told(&format!("{read}{code}"));
            assert_eq!(
                (texts.iter().map(String::as_str).collect(), whole),
                want,
                "{code}"
            );
        }
    }

    #[test]
    fn only_arguments_of_calls_that_start_programs_are_commands() {
        let code = "import subprocess\nfor k in ['init', 'rm -rf ~']: print(k)\nsubprocess.check_call(['git', 'init'], cwd=d)";
        assert_eq!(commands(code).unwrap(), ["git init"]);
        assert_eq!(commands("os.system('rm -rf ~')").unwrap(), ["rm -rf ~"]);
        for unsure in [
            "os.system(a)",
            "run = os.system; run('rm -rf ~')",
            "getattr(os, 'system')('x')",
            "os.system('rm ' + x)",
        ] {
            assert_eq!(commands(unsure), None, "{unsure}");
        }
    }
}
