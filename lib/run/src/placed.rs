//! Where a run works: a branch and a work tree of its own, and what came of them.

use serde::{Deserialize, Serialize};

/// Characters of a goal that its branch is named after.
const SLUG_CHARS_MAX: usize = 40;

/// A run works in a work tree of its own. Recorded before the tree is made, so that the next driver
/// makes what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// Top of the work tree.
    pub tree: String,
    /// The top of the person's work tree, where progress and logs are shown.
    pub home: String,
    /// The branch that the work is brought to.
    pub branch: String,
    /// Is it the branch that the person's work tree stands on? Then the run's tree has none checked
    /// out, and the branch is moved at the end of each iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub theirs: bool,
    /// The branch that the person stood on, into which the work is to be merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onto: Option<String>,
    /// The commit that the work begins at: what the person stood on, or their uncommitted work on
    /// top of it.
    pub base: String,
}

/// The run's branch was pushed and offered for review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The branch.
    pub branch: String,
    /// The remote that it was pushed to; `None` where it could not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The commit that was pushed.
    #[serde(default)]
    pub commit: String,
    /// The address of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where there is none: the command that pushes or opens it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The file with the request's text.
    #[serde(default)]
    pub body: String,
}

/// What a task that was given up left is no longer on the run's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The task.
    pub task: String,
    /// The branch that holds it.
    pub branch: String,
}

/// The title of a goal: its first line that says something, without the marks of a heading.
pub fn title(goal: &str) -> &str {
    let mut lines = goal.lines().map(|line| line.trim().trim_start_matches('#'));
    lines
        .find(|line| line.chars().any(char::is_alphanumeric))
        .unwrap_or("")
        .trim()
}

/// The branch of a run: `auto/fix-the-login-20261123-190000-ab12`.
pub fn branch(prefix: &str, goal: &str, run: &str) -> String {
    let mut slug = String::new();
    for c in title(goal).chars() {
        if slug.len() >= SLUG_CHARS_MAX {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        return format!("{prefix}{run}");
    }
    format!("{prefix}{slug}-{run}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_named_after_the_goal_and_the_run() {
        for (goal, name) in [
            ("# Fix the login\n\nIt fails.", "auto/fix-the-login-r1"),
            ("\n\n---\n## `sub()` is missing!", "auto/sub-is-missing-r1"),
            ("../../etc; $(rm -rf ~)", "auto/etc-rm-rf-r1"),
            ("ログインを直す", "auto/r1"),
            ("", "auto/r1"),
        ] {
            assert_eq!(branch("auto/", goal, "r1"), name);
        }
        let long = branch("auto/", &"word ".repeat(100), "r1");
        assert!(long.len() < 60 && !long.contains("--"), "{long}");
    }
}
