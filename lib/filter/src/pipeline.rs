//! Whose exit status a shell reports: of a pipeline that of its last command, of a list that of the last one that ran.

use super::words::Simple;
use super::{route, words};

/// Whose status stands for the whole command, where that is not plain: `tee, the last of a pipeline`, `echo, the last
/// of a list`, `pytest or true`. `None` for a single command, also behind some that print next to nothing, with
/// `pipefail`, behind `&&` (then all before it succeeded or the list failed), and where it is not clear.
pub fn speaker(command: &str) -> Option<String> {
    let (line, join) = words::joined(command.trim())?;
    let name = |pipeline: &[Simple]| {
        let (name, _) = route::program(pipeline.last()?);
        // `exit 3` states the status itself.
        (!name.is_empty() && name != "exit").then(|| name.to_owned())
    };
    let (last, before) = line.split_last()?;
    let above = before.last();
    if join == "||" {
        return Some(format!("{} or {}", name(above?)?, name(last)?));
    }
    let heard = |pipeline: &Vec<Simple>| {
        pipeline
            .last()
            .is_some_and(|simple| !route::is_quiet(simple))
    };
    if join != "&&" && before.iter().any(heard) {
        return Some(format!("{}, the last of a list", name(last)?));
    }
    let piped = last.len() > 1 && !command.contains("pipefail");
    piped.then(|| name(last).map(|name| format!("{name}, the last of a pipeline")))?
}

/// The command string of a shell that is started with one: `sh -c STRING`.
pub fn string_of<'w>(words: &[&'w str]) -> Option<&'w str> {
    let [shell, option, string, ..] = words else {
        return None;
    };
    let shell = shell.rsplit('/').next()?;
    let is_shell = matches!(shell, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash");
    (is_shell && option.starts_with('-') && !option.starts_with("--") && option.ends_with('c'))
        .then_some(string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_of_a_pipeline_speaks() {
        let said = |command: &str| speaker(command);
        assert_eq!(
            said("cargo test 2>&1 | tee out.log"),
            Some("tee, the last of a pipeline".to_owned())
        );
        assert_eq!(
            said("cd a && npm test | /usr/bin/cat"),
            Some("cat, the last of a pipeline".to_owned())
        );
        assert_eq!(said("cargo test"), None);
        let list = Some("cargo, the last of a list".to_owned());
        assert_eq!(said("cat x | grep y; cargo test"), list);
        assert_eq!(said("cd x; cargo test"), None);
        assert_eq!(said("cargo build && cargo test"), None);
        assert_eq!(said("seq 300; exit 3"), None);
        assert_eq!(said("set -o pipefail; cargo test | tee out.log"), None);
        assert_eq!(said("for i in 1 2; do echo | cat; done"), None);
    }

    #[test]
    fn the_last_command_of_a_list_speaks() {
        let list = Some("echo, the last of a list".to_owned());
        assert_eq!(speaker("npm test; ./deploy; echo finished"), list);
        assert_eq!(speaker("npm test\n./deploy\necho finished\n"), list);
        assert_eq!(speaker("npm test && ./deploy; echo finished"), list);
        assert_eq!(speaker("pytest || true"), Some("pytest or true".to_owned()));
    }

    #[test]
    fn a_shell_says_its_string() {
        assert_eq!(string_of(&["sh", "-c", "a; b"]), Some("a; b"));
        assert_eq!(string_of(&["/bin/bash", "-lc", "a"]), Some("a"));
        assert_eq!(string_of(&["sh", "a.sh", "x"]), None);
        assert_eq!(string_of(&["python3", "-c", "x"]), None);
    }
}
