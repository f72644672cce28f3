//! A forge's issues as the material of a plan: which ones are meant, what the forge's program says of them,
//! and how a task names the one that it is for. What stands in an issue is data from strangers.

use super::plan::MATERIAL_BYTES_MAX;
use super::problem::{self, Found, Problem};
use super::{TaskList, plan};
use overnight_base::text::one_line;
use serde_json::Value;
use std::fmt::Write;

/// Issues that one plan is about at most.
pub const ISSUES_MAX: usize = 50;
/// Bytes of one issue's text among several.
const BODY_BYTES_MAX: usize = 16 * 1024;
const TITLE_CHARS_MAX: usize = 200;
/// Bytes of a project's path on its forge.
const PROJECT_BYTES_MAX: usize = 200;

/// What stands behind `--from`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    File,
    /// One issue: its number or its address.
    Issue(String),
    /// The open issues that have this label.
    Label(String),
}

impl Source {
    /// Reads it; what is there as a file is one.
    pub fn read(text: &str, is_file: bool) -> Self {
        let is_number = |text: &str| {
            (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if is_file {
            return Self::File;
        }
        if let Some(label) = text.strip_prefix("label:") {
            return Self::Label(label.to_owned());
        }
        let bare = text.strip_prefix('#').unwrap_or(text);
        if is_number(bare) {
            return Self::Issue(bare.to_owned());
        }
        let is_address = text.starts_with("https://") || text.starts_with("http://");
        let last = text.rsplit_once("/issues/").map(|(_, number)| number);
        match last.filter(|number| is_address && is_number(number)) {
            Some(_) => Self::Issue(text.to_owned()),
            None => Self::File,
        }
    }
}

/// An issue as its forge tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The project that it is of, where that is another than the one that is worked on.
    pub of: Option<String>,
    /// Its number.
    pub number: u64,
    /// Its title, on one line.
    pub title: String,
    /// Its text.
    pub body: String,
}

impl Issue {
    /// How a task names it: `#12`, one of another project `owner/name#12`.
    pub fn name(&self) -> String {
        format!("{}#{}", self.of.as_deref().unwrap_or_default(), self.number)
    }
}

/// Is this the name of an issue: `#12`, or `owner/name#12`?
pub fn is_name(text: &str) -> bool {
    text.split_once('#').is_some_and(|(project, number)| {
        (1..=9).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && (project.is_empty() || is_project(project))
    })
}

/// Is this the path of a project on its forge?
fn is_project(path: &str) -> bool {
    let is_part = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && part.bytes().all(plain)
    };
    path.len() <= PROJECT_BYTES_MAX && path.contains('/') && path.split('/').all(is_part)
}

/// The project of an issue's address, where it is another than that of the remote at `remote`. `Err`: it is
/// of another forge, on which no closing word can name it.
pub fn elsewhere(address: &str, remote: Option<&str>) -> Result<Option<String>, String> {
    let Some((host, path)) = project(address) else {
        return Ok(None);
    };
    let (path, _) = path.split_once("/issues/").unwrap_or((&path, ""));
    let path = path.trim_end_matches("/-");
    if !is_project(path) {
        return Err(format!("{address} names no project"));
    }
    match remote.and_then(project) {
        // A name of ssh's own for a host: github.com-work, ssh.github.com.
        Some((other, _)) if !other.starts_with(&host) && !other.ends_with(&host) => Err(format!(
            "the issue is at {host} and the remote at {other}: a pull request there cannot close it"
        )),
        Some((_, other)) if other.eq_ignore_ascii_case(path) => Ok(None),
        _ => Ok(Some(path.to_owned())),
    }
}

/// Host and path of an address that a browser or git takes; `None` for a path on this machine.
fn project(address: &str) -> Option<(String, String)> {
    let (host, path) = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => address
            .split_once(':')
            .filter(|(host, _)| !host.contains('/'))?,
    };
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    Some((host.to_ascii_lowercase(), path.to_owned()))
}

/// Reads what `gh` or `glab` printed: one issue or a list of them.
pub fn read(said: &str) -> Result<Vec<Issue>, String> {
    let said: Value = serde_json::from_str(said).map_err(|error| error.to_string())?;
    let issues = match said {
        Value::Array(issues) => issues,
        issue => vec![issue],
    };
    let issues = issues.iter().take(ISSUES_MAX).map(|issue| {
        let number = issue.get("iid").or_else(|| issue.get("number"))?.as_u64()?;
        let text = |names: [&str; 2]| {
            let found = names.iter().find_map(|name| issue.get(name)?.as_str());
            found.unwrap_or_default().to_owned()
        };
        Some(Issue {
            of: None,
            number,
            title: one_line(&text(["title", "title"]), TITLE_CHARS_MAX),
            body: text(["body", "description"]),
        })
    });
    let issues: Option<Vec<Issue>> = issues.collect();
    issues.ok_or_else(|| "an issue without a number".to_owned())
}

/// The issues as material: each with its name and title, then its text, cut where there are several.
pub fn material(issues: &[Issue]) -> String {
    let whole = usize::try_from(MATERIAL_BYTES_MAX).unwrap_or(usize::MAX);
    let most = if issues.len() > 1 {
        BODY_BYTES_MAX.min(whole / issues.len())
    } else {
        whole
    };
    let mut text = String::new();
    for issue in issues {
        let body = issue.body.trim();
        let cut = body.floor_char_boundary(most);
        let (name, title) = (issue.name(), &issue.title);
        let _ = write!(text, "Issue {name}: {title}\n\n{}\n\n", &body[..cut]);
    }
    text
}

/// What the leader is asked beside the format.
pub fn rule(issues: &[Issue]) -> String {
    let names: Vec<String> = issues.iter().map(Issue::name).collect();
    format!(
        "- Every task has a field \"issue\" with the issue that it is for, for example \"{}\". Each of these has a task: {}.\n",
        names.first().map_or("#1", String::as_str),
        names.join(", ")
    )
}

/// The list that an answer is; every task must be for one of these issues, and each issue have one.
pub fn read_plan(answer: &str, issues: &[Issue]) -> Result<(TaskList, String), Vec<Problem>> {
    let (list, text) = plan::read(answer)?;
    if issues.is_empty() {
        return Ok((list, text));
    }
    let names: Vec<String> = issues.iter().map(Issue::name).collect();
    let mut found = Vec::new();
    for task in &list.tasks {
        if !task
            .issue
            .as_ref()
            .is_some_and(|issue| names.contains(issue))
        {
            let key = format!("\"{}\"", task.id.as_str());
            found.push(Found {
                at: text.find(&key).unwrap_or(0),
                task: Some(task.id.as_str().to_owned()),
                field: Some("issue".to_owned()),
                message: format!("must be one of {}", names.join(", ")),
            });
        }
    }
    for name in &names {
        if !list
            .tasks
            .iter()
            .any(|task| task.issue.as_ref() == Some(name))
        {
            found.push(Found {
                at: 0,
                task: None,
                field: None,
                message: format!("issue {name} has no task"),
            });
        }
    }
    if found.is_empty() {
        return Ok((list, text));
    }
    Err(problem::place(&text, found, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_file_an_issue_or_a_label() {
        let issue = |text: &str| Source::Issue(text.to_owned());
        let address = "https://github.com/o/r/issues/7";
        let cases = [
            ("12", issue("12")),
            ("#12", issue("12")),
            (address, issue(address)),
            ("label:bug fix", Source::Label("bug fix".to_owned())),
            ("https://github.com/o/r/issues/7?x", Source::File),
            ("https://github.com/o/r/pull/7", Source::File),
            ("TODO.md", Source::File),
            ("-12", Source::File),
            ("1234567890", Source::File),
        ];
        for (text, expected) in cases {
            assert_eq!(Source::read(text, false), expected, "{text}");
        }
        assert_eq!(Source::read("12", true), Source::File);
    }

    #[test]
    fn both_forges_issues_are_read_and_stay_text() {
        let gh = r#"{"number":12,"title":"Fix\nit","body":"- [ ] one\u001b[2J","url":"u"}"#;
        let glab = r#"[{"iid":3,"id":99,"title":"T","description":"D"}]"#;
        let (one, other) = (read(gh).unwrap(), read(glab).unwrap());
        assert_eq!(
            (one[0].name(), other[0].name()),
            ("#12".into(), "#3".into())
        );
        assert_eq!(other[0].body, "D");
        assert!(material(&one).starts_with("Issue #12: Fix"));
        assert!(read("[{}]").is_err() && read("no json").is_err());
        let many: Vec<Issue> = (0..90)
            .map(|number| Issue {
                of: None,
                number,
                title: "t".into(),
                body: "é".repeat(100_000),
            })
            .collect();
        assert!(material(&many[..50]).len() < 1 << 20);
    }

    #[test]
    fn an_issue_of_another_project_is_named_with_it() {
        let of = |address: &str, remote| elsewhere(address, remote);
        let here = "https://github.com/o/r/issues/7";
        for remote in [
            "https://github.com/O/r.git",
            "git@github.com:o/r.git",
            "ssh://git@ssh.github.com:443/o/r",
            "git@github.com-work:o/r",
        ] {
            assert_eq!(of(here, Some(remote)), Ok(None), "{remote}");
        }
        let there = Ok(Some("o/r".to_owned()));
        assert_eq!(of(here, Some("git@github.com:o/other.git")), there);
        assert_eq!(of(here, Some("/srv/git/r.git")), there);
        assert_eq!(of(here, None), there);
        assert!(of(here, Some("https://git.example.invalid/o/r")).is_err());
        let nested = "https://gitlab.com/a/b/c/-/issues/3";
        let named = of(nested, None).unwrap();
        let issue = Issue {
            of: named,
            ..read(r#"{"number":3,"title":"t"}"#).unwrap().remove(0)
        };
        assert_eq!(issue.name(), "a/b/c#3");
        assert!(is_name("a/b/c#3") && is_name("#3"));
        for bad in [
            "a#3", "/a#3", "a/#3", "a b/c#3", "a/b#", "a/b#1#2", "@all #2",
        ] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn a_plan_names_the_issue_of_every_task() {
        let issues = read(r#"[{"number":1,"title":"a"},{"number":2,"title":"b"}]"#).unwrap();
        let plan = |of: [&str; 2]| {
            let task = |id: &str, issue: &str| {
                format!(
                    "\"{id}\": {{\"objective\": \"x\", \"definition_of_done\": [\"true\"], \"allowed_tools\": [], \"issue\": \"{issue}\"}}"
                )
            };
            format!("{{{}, {}}}", task("a", of[0]), task("b", of[1]))
        };
        let (list, _) = read_plan(&plan(["#1", "#2"]), &issues).unwrap();
        assert_eq!(list.tasks[1].issue.as_deref(), Some("#2"));
        let told = |answer: &str| {
            let problems = read_plan(answer, &issues).unwrap_err();
            let told: Vec<String> = problems.iter().map(Problem::what).collect();
            told.join("\n")
        };
        assert!(told(&plan(["#1", "#1"])).contains("issue #2 has no task"));
        assert!(told(&plan(["#1", "#9"])).contains("task \"b\": issue: must be one of #1, #2"));
        assert!(told(&plan(["#1", "@all #2"])).contains("is no name of an issue"));
    }
}
