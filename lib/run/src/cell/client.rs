//! The client's own folder: the client needs it, the shells that it starts do not.

use super::{Cell, expand};
use std::path::{Path, PathBuf};

/// What holds its login, or what was typed.
const IN_FOLDER: &[&str] = &[
    ".credentials.json",
    ".device-keys.json",
    ".oauth_token",
    ".api_key",
    ".session_ingress_token",
    ".claude.json",
    "backups",
    "history.jsonl",
];

/// The same beside it.
const IN_HOME: &[&str] = &[".claude.json", ".claude.json.backup"];

/// Variables that are a login of the client.
const VARIABLES: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_REFRESH_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
];

/// What a shell of the client may not read, beside what nothing in a cell may.
pub fn login(settings: &Cell, folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let shown = |path: &PathBuf| {
        let all = settings.show.iter().filter_map(|text| expand(text, home));
        all.into_iter().any(|shown| path.starts_with(shown))
    };
    let beside = home
        .into_iter()
        .flat_map(|home| IN_HOME.iter().map(|name| home.join(name)));
    let inside = IN_FOLDER.iter().map(|name| folder.join(name));
    inside.chain(beside).filter(|path| !shown(path)).collect()
}

/// What a shell of the client may not write: its settings, hooks, plugins, memory and login.
pub fn closed(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let beside = home
        .into_iter()
        .flat_map(|home| IN_HOME.iter().map(|name| home.join(name)));
    beside.chain([folder.to_owned()]).collect()
}

/// The variables that a shell of the client does not get.
pub fn login_variables(settings: &Cell) -> Vec<&'static str> {
    let shown = |name: &str| {
        let mut all = settings.show.iter();
        all.any(|text| text.strip_prefix('$') == Some(name))
    };
    let all = VARIABLES.iter().copied();
    all.filter(|name| !shown(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_hidden_unless_the_project_needs_it() {
        let (folder, home) = (Path::new("/h/.claude"), Path::new("/h"));
        let hidden = login(&Cell::default(), folder, Some(home));
        assert!(hidden.contains(&"/h/.claude/.credentials.json".into()));
        assert!(hidden.contains(&"/h/.claude.json".into()));
        let shown = Cell {
            show: vec!["$ANTHROPIC_API_KEY".into(), "~/.claude/backups".into()],
            ..Cell::default()
        };
        assert!(!login(&shown, folder, Some(home)).contains(&"/h/.claude/backups".into()));
        assert!(!login_variables(&shown).contains(&"ANTHROPIC_API_KEY"));
        assert!(login_variables(&shown).contains(&"ANTHROPIC_AUTH_TOKEN"));
        assert!(closed(folder, Some(home)).contains(&folder.to_owned()));
    }
}
