//! How a push out of a cell becomes a request: git is led to a repository in which it waits.

use std::path::Path;

/// What a spool for pushes is made of.
#[derive(Debug)]
pub struct Push<'a> {
    /// The repository in which pushes wait.
    pub spool: &'a Path,
    /// The objects that it need not get again.
    pub objects: &'a Path,
    /// The work tree's own git folder: only its pushes are led there.
    pub own: &'a Path,
    /// Its remotes.
    pub remotes: Vec<&'a str>,
    /// How its objects are named: `sha1` or `sha256`.
    pub format: &'a str,
    /// How branches begin that agents may push.
    pub prefix: &'a str,
}

impl Push<'_> {
    /// The files of the repository: name below it, content, mode.
    pub fn files(&self) -> Vec<(&'static str, String, u32)> {
        let version = u8::from(self.format != "sha1");
        let config = format!(
            "[core]\n\tbare = true\n\trepositoryformatversion = {version}\n\thooksPath = {}\n[receive]\n\tautogc = false\n\tshallowUpdate = true\n[extensions]\n{}",
            quoted(&self.spool.join("hooks")),
            if version == 1 {
                format!("\tobjectFormat = {}\n", self.format)
            } else {
                String::new()
            },
        );
        let hook = format!(
            "#!/bin/sh\nwhile read -r old new ref; do\n  case $new in *[!0]*) ;; *) echo 'The driver deletes no branches.' >&2; exit 1 ;; esac\n  \
             case $ref in\n    refs/heads/{}*) echo \"Noted: the driver pushes ${{ref#refs/heads/}} after this iteration.\" >&2 ;;\n    \
             *) echo 'The driver pushes only branches whose names begin with {}.' >&2; exit 1 ;;\n  esac\ndone\n",
            self.prefix, self.prefix
        );
        vec![
            ("HEAD", "ref: refs/heads/none\n".to_owned(), 0o600),
            ("config", config, 0o600),
            (
                "objects/info/alternates",
                format!("{}\n", self.objects.display()),
                0o600,
            ),
            ("hooks/pre-receive", hook, 0o700),
        ]
    }

    /// The configuration that leads there.
    pub fn leads(&self) -> String {
        let led =
            |remote: &&str| format!("[remote {remote:?}]\n\tpushurl = {}\n", quoted(self.spool));
        self.remotes.iter().map(led).collect()
    }

    /// The key that includes it for this work tree alone: projects test with repositories of their own.
    pub fn key(&self) -> Option<String> {
        let mut pattern = String::new();
        for c in self.own.to_str()?.chars() {
            if matches!(c, '*' | '?' | '[' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        let plain = self.prefix.chars().all(is_plain) && !pattern.contains('\n');
        plain.then(|| format!("includeIf.gitdir:{pattern}.path"))
    }
}

/// What git is told in a cell: commits are not signed, for the keys are hidden; and what leads pushes
/// elsewhere.
pub fn configured(lead: Option<&[String; 2]>) -> Vec<[String; 2]> {
    let unsigned =
        ["commit.gpgSign", "tag.gpgSign"].map(|key| [key.to_owned(), "false".to_owned()]);
    unsigned.into_iter().chain(lead.cloned()).collect()
}

/// As git's configuration holds a text.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | '+' | '@')
}

/// Is this a branch's name that the driver pushes?
pub fn is_pushed(branch: &str, prefix: &str) -> bool {
    const BYTES_MAX: usize = 200;
    branch.starts_with(prefix)
        && branch.len() <= BYTES_MAX
        && branch.chars().all(is_plain)
        && !branch.contains("..")
        && branch.rsplit('.').next() != Some("lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_agents_own_branches_are_pushed() {
        for (branch, pushed) in [
            ("auto/x", true),
            ("auto/a/b.c", true),
            ("main", false),
            ("auto/../main", false),
            ("auto/a b", false),
            ("auto/x.lock", false),
            ("auto/x:refs/heads/main", false),
        ] {
            assert_eq!(is_pushed(branch, "auto/"), pushed, "{branch}");
        }
    }

    #[test]
    fn the_key_names_the_work_tree_whatever_is_in_its_path() {
        let push = |own: &'static str, prefix| Push {
            spool: Path::new("/t/s.git"),
            objects: Path::new("/p/.git/objects"),
            own: Path::new(own),
            remotes: vec!["origin"],
            format: "sha1",
            prefix,
        };
        let key = push("/p [1]/.git/worktrees/t", "auto/").key();
        assert_eq!(
            key.as_deref(),
            Some("includeIf.gitdir:/p \\[1]/.git/worktrees/t.path")
        );
        assert_eq!(push("/p/.git", "$(x)/").key(), None);
        let leads = push("/p/.git", "auto/").leads();
        assert_eq!(leads, "[remote \"origin\"]\n\tpushurl = \"/t/s.git\"\n");
    }
}
