//! The forge's own program: `gh` or `glab`.

use super::REMOTE_LIMIT;
use crate::client::find_program;
use crate::git;
use crate::state::Place;
use overnight_tasks::issue::{ISSUES_MAX, Source};
use overnight_views::report::clean;
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Whose program is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forge {
    /// `gh`.
    GitHub,
    /// `glab`.
    GitLab,
}

/// What is asked for.
pub(super) struct Request<'a> {
    pub(super) branch: &'a str,
    pub(super) title: &'a str,
    pub(super) body: &'a Path,
    pub(super) onto: Option<&'a str>,
}

impl Forge {
    /// The forge of a remote: by its address, else by the program that is there.
    pub(super) fn of(place: &Place, remote: &str) -> Self {
        let address = git::read(&place.top, &["remote", "get-url", "--", remote]);
        let of_gitlab = address.is_ok_and(|address| address.to_lowercase().contains("gitlab"));
        let only_glab = find_program("gh").is_none() && find_program("glab").is_some();
        if of_gitlab || only_glab {
            Self::GitLab
        } else {
            Self::GitHub
        }
    }

    fn program(self) -> &'static str {
        match self {
            Self::GitHub => "gh",
            Self::GitLab => "glab",
        }
    }

    fn command(self, place: &Place, arguments: &[String]) -> Command {
        let mut command = Command::new(self.program());
        command
            .args(arguments)
            .current_dir(&place.home)
            .env("GH_PROMPT_DISABLED", "1")
            .env("NO_PROMPT", "1")
            .process_group(0)
            .stdin(Stdio::null());
        command
    }
}

impl Request<'_> {
    /// Brings the open request of the branch up to date, or opens a draft. Gives its address and
    /// what was done, or why there is none.
    pub(super) fn open(
        &self,
        place: &Place,
        forge: Forge,
        known: Option<&str>,
    ) -> Result<(String, &'static str), String> {
        let listed = || self.listed(place, forge);
        let known = known.filter(|url| !Self::is_over(place, forge, url));
        if let Some(url) = known.map(str::to_owned).or_else(listed)
            && run(
                &mut forge.command(place, &self.edit(forge, &url)),
                REMOTE_LIMIT,
            )
            .is_ok()
        {
            return Ok((url, "updated"));
        }
        match run(&mut forge.command(place, &self.create(forge)), REMOTE_LIMIT) {
            Ok(said) => Ok((address(&said).unwrap_or_else(|| clean(&said)), "draft")),
            Err(Failed::Absent) => Err("the branch is pushed".to_owned()),
            Err(Failed::Said(why)) => {
                // Opened by somebody else, or by a driver that was killed before it wrote that down.
                let exists = why
                    .contains("already exists")
                    .then(|| address(&why).or_else(listed))
                    .flatten();
                let edited = exists.filter(|url| {
                    run(
                        &mut forge.command(place, &self.edit(forge, url)),
                        REMOTE_LIMIT,
                    )
                    .is_ok()
                });
                edited
                    .map(|url| (url, "updated"))
                    .ok_or_else(|| format!("{} failed ({})", forge.program(), clean(&why)))
            }
        }
    }

    /// Was a request merged or closed? What came since then needs another one. One that cannot be
    /// asked for is taken for open.
    fn is_over(place: &Place, forge: Forge, url: &str) -> bool {
        let arguments = match forge {
            Forge::GitHub => owned(&["pr", "view", url, "--json", "state"]),
            Forge::GitLab => owned(&["mr", "view", number(url), "--output", "json"]),
        };
        let said = run(&mut forge.command(place, &arguments), REMOTE_LIMIT).ok();
        let said = said.and_then(|said| serde_json::from_str::<Value>(&said).ok());
        let state = said.as_ref().and_then(|said| said.get("state")?.as_str());
        let over = ["merged", "closed"];
        state.is_some_and(|state| over.iter().any(|word| state.eq_ignore_ascii_case(word)))
    }

    /// The open request of the branch that the forge knows.
    fn listed(&self, place: &Place, forge: Forge) -> Option<String> {
        let arguments: &[&str] = match forge {
            Forge::GitHub => &[
                "pr",
                "list",
                "--head",
                self.branch,
                "--state",
                "open",
                "--json",
                "url",
            ],
            Forge::GitLab => &[
                "mr",
                "list",
                "--source-branch",
                self.branch,
                "--output",
                "json",
            ],
        };
        let said = run(&mut forge.command(place, &owned(arguments)), REMOTE_LIMIT).ok()?;
        let listed: Value = serde_json::from_str(&said).ok()?;
        let first = listed.as_array()?.first()?;
        let url = first.get("url").or_else(|| first.get("web_url"))?;
        url.as_str().map(str::to_owned)
    }

    fn create(&self, forge: Forge) -> Vec<String> {
        let onto = match (forge, self.onto) {
            (_, None) => Vec::new(),
            (Forge::GitHub, Some(onto)) => owned(&["--base", onto]),
            (Forge::GitLab, Some(onto)) => owned(&["--target-branch", onto]),
        };
        let first = match forge {
            Forge::GitHub => owned(&["pr", "create", "--draft", "--head", self.branch]),
            Forge::GitLab => owned(&[
                "mr",
                "create",
                "--draft",
                "--yes",
                "--source-branch",
                self.branch,
            ]),
        };
        [first, onto, self.title(), self.text(forge)].concat()
    }

    fn edit(&self, forge: Forge, url: &str) -> Vec<String> {
        let first = match forge {
            Forge::GitHub => owned(&["pr", "edit", url]),
            Forge::GitLab => owned(&["mr", "update", number(url)]),
        };
        let title = match forge {
            Forge::GitHub => self.title(),
            // How a title begins is what makes a draft there: another one would ask for a review.
            Forge::GitLab => Vec::new(),
        };
        [first, title, self.text(forge)].concat()
    }

    fn title(&self) -> Vec<String> {
        owned(&["--title", self.title])
    }

    fn text(&self, forge: Forge) -> Vec<String> {
        match forge {
            Forge::GitHub => owned(&["--body-file", &self.body.display().to_string()]),
            Forge::GitLab => {
                let body = std::fs::read_to_string(self.body).unwrap_or_default();
                owned(&["--description", &body])
            }
        }
    }

    /// The draft's command as it can be pasted into a shell.
    pub(super) fn by_hand(&self, forge: Forge) -> String {
        let mut arguments = self.create(forge);
        if forge == Forge::GitLab {
            arguments.pop();
            let words = arguments.iter().map(String::as_str);
            let body = shell([self.body.display().to_string().as_str()]);
            return format!(
                "{} \"$(cat {body})\"",
                shell(["glab"].into_iter().chain(words))
            );
        }
        let words = arguments.iter().map(String::as_str);
        shell([forge.program()].into_iter().chain(words))
    }
}

/// Opens a draft for review; else says why not.
pub(super) fn ready(place: &Place, forge: Forge, url: &str) -> Result<(), String> {
    let words = match forge {
        Forge::GitHub => owned(&["pr", "ready", url]),
        Forge::GitLab => owned(&["mr", "update", number(url), "--ready"]),
    };
    match run(&mut forge.command(place, &words), REMOTE_LIMIT) {
        Ok(_) => Ok(()),
        Err(Failed::Absent) => Err(format!("{} is not there", forge.program())),
        Err(Failed::Said(why)) => Err(format!("{}: {}", forge.program(), clean(&why))),
    }
}

/// What was written on a pull request, and on its lines, as `gh` tells it.
pub(super) fn comments(place: &Place, forge: Forge, url: &str) -> Result<(String, String), String> {
    let parts: Vec<&str> = url.trim_end_matches('/').split('/').collect();
    let (Forge::GitHub, &[_, _, host, owner, name, "pull", number]) = (forge, parts.as_slice())
    else {
        return Err(format!(
            "comments are fetched from GitHub only, and this is {url}"
        ));
    };
    let asked = |words: &[&str]| {
        run(&mut forge.command(place, &owned(words)), REMOTE_LIMIT).map_err(|failed| match failed {
            Failed::Absent => "gh is not there".to_owned(),
            Failed::Said(why) => format!("gh: {}", clean(&why)),
        })
    };
    let lines = format!("repos/{owner}/{name}/pulls/{number}/comments?per_page=100");
    Ok((
        asked(&["pr", "view", url, "--json", "comments,reviews"])?,
        asked(&["api", "--hostname", host, &lines])?,
    ))
}

/// An issue, or the open ones of a label, as the forge's program tells of them.
pub(super) fn issues(place: &Place, forge: Forge, source: &Source) -> Result<String, String> {
    const FIELDS: &str = "number,title,body";
    let most = ISSUES_MAX.to_string();
    let words = match (forge, source) {
        (_, Source::File) => return Err("a file is no issue".to_owned()),
        (Forge::GitHub, Source::Issue(issue)) => owned(&["issue", "view", issue, "--json", FIELDS]),
        (Forge::GitLab, Source::Issue(issue)) => {
            owned(&["issue", "view", issue, "--output", "json"])
        }
        (Forge::GitHub, Source::Label(label)) => owned(&[
            "issue",
            "list",
            &format!("--label={label}"),
            "--state=open",
            "--limit",
            &most,
            "--json",
            FIELDS,
        ]),
        (Forge::GitLab, Source::Label(label)) => owned(&[
            "issue",
            "list",
            &format!("--label={label}"),
            "--per-page",
            &most,
            "--output",
            "json",
        ]),
    };
    run(&mut forge.command(place, &words), REMOTE_LIMIT).map_err(|failed| match failed {
        Failed::Absent => format!("{} is not there", forge.program()),
        Failed::Said(why) => format!("{}: {}", forge.program(), clean(&why)),
    })
}

/// A merge request's number, which ends its address.
fn number(url: &str) -> &str {
    url.rsplit('/').next().unwrap_or(url)
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Why a program gave no answer.
#[derive(Debug, PartialEq, Eq)]
enum Failed {
    /// It is not there.
    Absent,
    /// It failed, and said this.
    Said(String),
}

fn run(command: &mut Command, limit: Duration) -> Result<String, Failed> {
    match git::output_within(command, &[], limit) {
        Ok(done) if done.ok() => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        Ok(done) => Err(Failed::Said(done.stderr)),
        Err(_) => Err(Failed::Absent),
    }
}

/// The first address in a text.
fn address(text: &str) -> Option<String> {
    let words = text.split_whitespace();
    let mut found =
        words.filter(|word| word.starts_with("https://") || word.starts_with("http://"));
    found.next().map(clean)
}

/// A command as it can be pasted into a shell.
pub(super) fn shell<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let plain = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte))
    };
    let quote = |word: &str| {
        if !word.is_empty() && plain(word) {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let quoted: Vec<String> = words.into_iter().map(quote).collect();
    quoted.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gh_that_hangs_is_ended_and_says_so() {
        let mut gh = Command::new("sleep");
        gh.arg("60").process_group(0);
        let Err(Failed::Said(why)) = run(&mut gh, Duration::from_millis(20)) else {
            panic!("it did not hang");
        };
        assert!(why.contains("did not finish within"), "{why}");
        let absent = run(&mut Command::new("/nowhere/gh"), REMOTE_LIMIT);
        assert_eq!(absent, Err(Failed::Absent));
    }

    #[test]
    fn the_command_is_told_as_it_can_be_pasted() {
        let request = Request {
            branch: "auto/$(id);x",
            title: "a b",
            body: Path::new("/p/it's/report.md"),
            onto: Some("main"),
        };
        assert_eq!(
            request.by_hand(Forge::GitHub),
            r"gh pr create --draft --head 'auto/$(id);x' --base main --title 'a b' --body-file '/p/it'\''s/report.md'"
        );
        assert_eq!(
            request.by_hand(Forge::GitLab),
            r#"glab mr create --draft --yes --source-branch 'auto/$(id);x' --target-branch main --title 'a b' --description "$(cat '/p/it'\''s/report.md')""#
        );
    }

    #[test]
    fn an_address_is_found_among_words() {
        let said = "a pull request for branch \"x\" already exists:\nhttps://e.invalid/pull/7\n";
        assert_eq!(address(said).as_deref(), Some("https://e.invalid/pull/7"));
        assert_eq!(address("nothing"), None);
    }
}
