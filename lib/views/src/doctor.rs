//! What `overnight doctor` concludes from what was found, and how it says it.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use serde::Serialize;
use std::fmt::Write;

/// The least version of the client: what the plugin's manifest asks for.
pub const CLIENT_LEAST: &str = "2.1.300";
/// Characters of what was found that are shown on a line.
const SAID_CHARS_MAX: usize = 400;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As it should be.
    Good,
    /// Works, with less than there could be.
    Warning,
    /// Something does not work.
    Broken,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What.
    pub check: &'static str,
    /// How bad it is.
    pub status: Status,
    /// What was found.
    pub said: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl Finding {
    /// As it should be.
    pub fn good(check: &'static str, said: impl Into<String>) -> Self {
        Self {
            check,
            status: Status::Good,
            said: said.into(),
            fix: None,
        }
    }

    /// Less than there could be.
    pub fn warning(check: &'static str, said: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            check,
            status: Status::Warning,
            said: said.into(),
            fix: Some(fix.into()),
        }
    }

    /// Something does not work.
    pub fn broken(check: &'static str, said: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            status: Status::Broken,
            ..Self::warning(check, said, fix)
        }
    }

    /// A fault, with its own remedy.
    pub fn fault(check: &'static str, fault: &Fault) -> Self {
        let fix = fault.hint.as_deref().unwrap_or(fault.code.hint());
        Self::broken(check, fault.reason.clone(), fix)
    }
}

/// The client, by what `claude --version` printed.
pub fn client(program: &str, printed: Option<&str>) -> Finding {
    const CHECK: &str = "client";
    let first = printed.and_then(|text| text.split_whitespace().next());
    let Some((text, version)) = first.and_then(|text| Some((text, version(text)?))) else {
        let said = format!("{program} --version does not say a version");
        return Finding::broken(
            CHECK,
            said,
            "install it again: npm install -g @anthropic-ai/claude-code",
        );
    };
    if Some(version) < self::version(CLIENT_LEAST) {
        let said = format!("Claude Code {text} is older than {CLIENT_LEAST}");
        return Finding::broken(CHECK, said, "claude update");
    }
    Finding::good(CHECK, format!("Claude Code {text} ({program})"))
}

/// Its login, by what `claude auth status` printed; an older one does not say.
pub fn login(printed: &str) -> Option<Finding> {
    const CHECK: &str = "login";
    let said: serde_json::Value = serde_json::from_str(printed).ok()?;
    Some(if said.get("loggedIn")?.as_bool()? {
        let how = said.get("authMethod").and_then(serde_json::Value::as_str);
        let how = how.map(|how| format!(" ({how})")).unwrap_or_default();
        Finding::good(CHECK, format!("Claude Code is logged in{how}"))
    } else {
        let said = "Claude Code is not logged in: no agent of it can begin";
        Finding::broken(CHECK, said, "claude auth login")
    })
}

/// The plugin: the versions of the one that the client has installed and of this program.
/// `marketplace` is the folder that the plugin beside this program is offered in.
pub fn plugin(
    own: &str,
    installed: Option<&str>,
    (beside, marketplace): (Option<&str>, Option<&str>),
) -> Finding {
    const CHECK: &str = "plugin";
    let install = format!(
        "claude plugin marketplace add {} && claude plugin install overnight@overnight",
        marketplace.unwrap_or("OWNER/overnight")
    );
    match (installed, beside) {
        (Some(version), _) if version == own => {
            Finding::good(CHECK, format!("installed, version {version}"))
        }
        (Some(version), _) => Finding::warning(
            CHECK,
            format!("installed in version {version}, this program has {own}"),
            "restart open sessions after: claude plugin update overnight@overnight",
        ),
        (None, Some(folder)) => Finding::warning(
            CHECK,
            format!("not installed: runs load it from {folder}, sessions have no /flow"),
            install,
        ),
        (None, None) => Finding::broken(
            CHECK,
            "not installed or switched off, and this program stands in no plugin: no guard, no /flow",
            install,
        ),
    }
}

/// The programs of the plugin: what is wrong with each that is not as it should be.
pub fn binaries(count: usize, wrong: &[(String, String)]) -> Finding {
    const CHECK: &str = "binaries";
    if wrong.is_empty() {
        return Finding::good(CHECK, format!("all {count} start, in this version"));
    }
    let each: Vec<String> = wrong
        .iter()
        .map(|(name, why)| format!("{name} {why}"))
        .collect();
    let fix = "install the plugin for this machine again: claude plugin uninstall overnight@overnight && claude plugin install overnight@overnight";
    Finding::broken(CHECK, each.join("; "), fix)
}

/// The hooks, by a session that was begun and ended for this: did `session-start` leave its mark?
/// `disabled` is the settings file that switches all hooks off.
pub fn hooks(fired: bool, disabled: Option<&str>) -> Vec<Finding> {
    let env_file = "the env-file filter is in place for the shells of a session";
    match (disabled, fired) {
        (Some(file), _) => vec![Finding::broken(
            "hooks",
            format!("{file} sets disableAllHooks: neither guard nor filter is asked"),
            format!("take disableAllHooks out of {file}"),
        )],
        (None, true) => vec![
            Finding::good("hooks", "a session of the client fires them"),
            Finding::good("env file", env_file),
        ],
        (None, false) => vec![Finding::broken(
            "hooks",
            "a session of the client did not start session-start",
            "claude --debug says why a hook fails, and whether the plugin is enabled says: claude plugin list",
        )],
    }
}

/// For the terminal: one line a finding, its remedy below.
pub fn text(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        let mark = match finding.status {
            Status::Good => "ok  ",
            Status::Warning => "warn",
            Status::Broken => "FAIL",
        };
        let said = one_line(&finding.said, SAID_CHARS_MAX);
        let _ = writeln!(text, "{mark}  {:<11}  {said}", finding.check);
        if let Some(fix) = &finding.fix {
            let _ = writeln!(
                text,
                "      {:<11}  fix: {}",
                "",
                one_line(fix, SAID_CHARS_MAX)
            );
        }
    }
    text
}

/// No, when something does not work.
pub fn exit(findings: &[Finding]) -> Exit {
    if findings
        .iter()
        .any(|finding| finding.status == Status::Broken)
    {
        Exit::No
    } else {
        Exit::Yes
    }
}

fn version(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.split('.');
    let mut next = || {
        let digits = parts.next()?;
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        digits[..end].parse().ok()
    };
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_or_speechless_client_is_named_with_the_remedy() {
        let status = |printed| client("/bin/claude", printed).status;
        assert_eq!(status(Some("2.1.329 (Claude Code)")), Status::Good);
        assert_eq!(status(Some("2.1.300-beta.1")), Status::Good);
        assert_eq!(status(Some("2.1.299 (Claude Code)")), Status::Broken);
        assert_eq!(status(Some("1.9.400")), Status::Broken);
        assert_eq!(status(Some("claude")), Status::Broken);
        assert_eq!(status(None), Status::Broken);
    }

    #[test]
    fn a_login_is_known_where_the_client_says_it() {
        let status = |printed| login(printed).map(|finding| finding.status);
        assert_eq!(
            status(r#"{"loggedIn": true, "authMethod": "api_key"}"#),
            Some(Status::Good)
        );
        assert_eq!(status(r#"{"loggedIn": false}"#), Some(Status::Broken));
        assert_eq!(status("{}"), None);
        assert_eq!(status("unknown command"), None);
    }

    #[test]
    fn every_finding_that_is_not_good_has_a_remedy() {
        let wrong = [("command-guard".to_owned(), "is missing".to_owned())];
        let mut findings = vec![
            client("claude", None),
            plugin("1.0.0", None, (None, None)),
            plugin("1.0.0", Some("0.9.0"), (None, None)),
            plugin("1.0.0", None, (Some("/p"), None)),
            binaries(14, &wrong),
        ];
        findings.extend(hooks(false, None));
        findings.extend(hooks(true, Some("settings.json")));
        assert!(findings.iter().all(|finding| finding.fix.is_some()));
        assert_eq!(exit(&findings), Exit::No);
        assert_eq!(exit(&hooks(true, None)), Exit::Yes);
    }

    #[test]
    fn what_was_found_cannot_move_the_cursor() {
        let shown = text(&[Finding::good("remote", "a\u{1b}[2J\nb")]);
        assert_eq!(shown.lines().count(), 1);
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }
}
