//! How configurations name the home folder.

/// The names, in small letters, where what a configuration deletes is looked for.
pub(super) const HOMES: &[&str] =
    overnight_base::words!("$env{home} {env:home} user.home homedir() ${home} $(home)");
/// The names as they are written where a command follows.
const WRITTEN: &[&str] = overnight_base::texts!(
    "{{.HOME}}|{{ .HOME }}|$ENV{HOME}|{env:HOME}|${env.HOME}|${user.home}|${HOME}|$(HOME)|$HOME"
);
/// Settings of one configuration that are filled in at most.
const SETTINGS_MAX: usize = 50;

/// The text with the home folder, and with settings that begin in it, where they are named.
pub(super) fn filled(text: &str, home: &str) -> String {
    let mut text = WRITTEN
        .iter()
        .fold(text.to_owned(), |text, name| text.replace(name, home));
    for before in [" ", "\"", "'", "=", ":"] {
        text = text.replace(&format!("{before}~/"), &format!("{before}{home}/"));
    }
    let setting = |line: &str| {
        let (name, value) = line.split_once([':', '='])?;
        let value = value.trim().trim_matches(['"', '\'']);
        let begins = value.starts_with(home) && !value.contains(char::is_whitespace);
        begins.then(|| (name.trim().to_owned(), value.to_owned()))
    };
    let settings: Vec<_> = text
        .lines()
        .filter_map(setting)
        .take(SETTINGS_MAX)
        .collect();
    for (name, value) in settings.iter().filter(|(name, _)| !name.is_empty()) {
        for written in [
            format!("{{{{.{name}}}}}"),
            format!("{{{{ .{name} }}}}"),
            format!("${{{name}}}"),
            format!("$({name})"),
        ] {
            text = text.replace(&written, value);
        }
    }
    text
}
