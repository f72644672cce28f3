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
    use super::commands;

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
