//! Remedies as they can be pasted: a command, or the line of a file and where it belongs. What is pasted
//! stands last, behind a colon.

use crate::init::quoted;

/// Package managers, and how each installs.
pub const MANAGERS: [(&str, &str); 6] = [
    ("brew", "brew install"),
    ("apt-get", "apt-get install"),
    ("dnf", "dnf install"),
    ("pacman", "pacman -S"),
    ("apk", "apk add"),
    ("zypper", "zypper install"),
];

/// How a program is installed: by the manager that is there, of those above.
pub fn install(program: &str, manager: Option<&str>, root: bool) -> String {
    let known = MANAGERS.iter().find(|(name, _)| Some(*name) == manager);
    let package = match (program, manager) {
        ("gh", Some("pacman" | "apk")) => "github-cli",
        _ => program,
    };
    match known {
        None => format!("install {package}"),
        Some((name, words)) if root || *name == "brew" => format!("{words} {package}"),
        Some((_, words)) => format!("sudo {words} {package}"),
    }
}

/// The line of a settings file that gives a key these values.
pub fn line(file: &str, (table, key): (&str, &str), values: &[String]) -> String {
    let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
    format!("below [{table}] in {file}: {key} = [{}]", values.join(", "))
}

/// The program that a shell did not find, or might not start, by its last words.
pub fn missing(said: &str) -> Option<&str> {
    let last = said.trim().lines().next_back()?.trim();
    let ends = [
        ": command not found",
        ": not found",
        ": No such file or directory",
        ": Permission denied",
    ];
    let before = ends.iter().find_map(|end| last.strip_suffix(end))?;
    let name = before
        .rsplit(": ")
        .next()?
        .trim_matches(['\'', '"', '‘', '’']);
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/@".contains(c);
    (!name.is_empty() && !name.starts_with('-') && name.chars().all(plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_program_is_read_from_what_shells_say() {
        let cases = [
            ("sh: 1: no-such: not found\n", Some("no-such")),
            ("x\nbash: line 1: foo: command not found", Some("foo")),
            ("env: ‘node’: No such file or directory", Some("node")),
            ("sh: 1: ./ci/x.sh: Permission denied", Some("./ci/x.sh")),
            ("zsh: command not found: foo", None),
            ("sh: 1: a;b: not found", None),
            ("", None),
        ];
        for (said, expected) in cases {
            assert_eq!(missing(said), expected, "{said}");
        }
    }

    #[test]
    fn a_program_is_installed_as_the_machine_does_it() {
        assert_eq!(install("gh", Some("apk"), true), "apk add github-cli");
        assert_eq!(install("make", Some("brew"), false), "brew install make");
        assert_eq!(install("jq", Some("dnf"), false), "sudo dnf install jq");
        assert_eq!(install("jq", None, false), "install jq");
    }

    #[test]
    fn a_line_is_toml() {
        let said = line("o.toml", ("run", "gates"), &["a \"b\"".to_owned()]);
        assert_eq!(said, r#"below [run] in o.toml: gates = ["a \"b\""]"#);
    }
}
