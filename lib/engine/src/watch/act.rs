//! What a person does from the live view, and the changes of an agent at work.

use super::Watcher;
use crate::{answer, exclude, git, messages, night, person};
use overnight_base::fault::Fault;
use overnight_run::steer::Order;
use overnight_views::summary::work::is_own;
use overnight_views::watch::{Subject, Wish};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Changes are looked for no more often than this.
const EVERY: Duration = Duration::from_secs(2);
/// Lines of changes that are shown.
const LINES_MAX: usize = 2_000;
/// Untracked files that are named.
const UNTRACKED_MAX: usize = 50;

impl Watcher {
    /// Does what a person wishes; says what came of it.
    pub fn grant(&self, wish: &Wish) -> String {
        self.try_to(wish).unwrap_or_else(|fault| fault.reason)
    }

    fn try_to(&self, wish: &Wish) -> Result<String, Fault> {
        let place = &self.place;
        match wish {
            Wish::Tell { run, task, text } => {
                answer::tell(place, run, (task.as_deref(), text))?;
                Ok(format!("told: {text}"))
            }
            Wish::Hold { run, task, hold } => {
                person::not_an_agent("overnight tell")?;
                let (order, word) = if *hold {
                    (Order::Hold, "held: nobody begins it")
                } else {
                    (Order::Release, "released")
                };
                messages::leave(place, run, "", (Some(task), Some(order), false))?;
                Ok(format!("{task} is {word}"))
            }
            Wish::Answer { ask, approve } => answer::question(place, ask, *approve),
        }
    }

    /// Brings what agents changed in their open iterations up to date.
    pub fn look_at_changes(&mut self) {
        if self
            .changes
            .is_some_and(|looked: Instant| looked.elapsed() < EVERY)
        {
            return;
        }
        self.changes = Some(Instant::now());
        for (followed, subject) in self.runs.iter().zip(&mut self.subjects) {
            let Some(top) = tree(&self.place, subject) else {
                continue;
            };
            let since = subject.state().iterations;
            let snapshot = format!("{}/{}/{since}", night::SNAPSHOTS, followed.run);
            // In a tree of its own everything is committed at an iteration's end.
            let own = subject.state().placed.is_some();
            subject.diff = changes(&top, Some(&*snapshot).filter(|_| own));
        }
    }
}

/// Where an agent works.
fn tree(place: &crate::state::Place, subject: &Subject) -> Option<PathBuf> {
    let state = subject.state();
    let own = night::of(place, state);
    let named = PathBuf::from(&state.run.as_ref()?.top);
    let top = if state.placed.is_some() {
        own.top
    } else {
        named
    };
    top.join(".git").exists().then_some(top)
}

/// What differs from the snapshot, else from the commit, Overnight's own files left out; nothing that
/// the repository configures is run.
fn changes(top: &Path, snapshot: Option<&str>) -> Vec<String> {
    let is_known = |name: &&str| {
        let known = git::run(top, &["rev-parse", "-q", "--verify", name]);
        known.is_ok_and(|known| known.ok())
    };
    let base = snapshot.filter(is_known).unwrap_or("HEAD");
    let own: Vec<String> = exclude::own_paths().collect();
    let mut arguments = vec!["diff", "--no-ext-diff", "--no-textconv", base, "--", "."];
    arguments.extend(own.iter().map(String::as_str));
    let diff = git::read(top, &arguments).unwrap_or_default();
    let mut lines: Vec<String> = diff.lines().take(LINES_MAX).map(str::to_owned).collect();
    let listed = git::read(top, &["ls-files", "--others", "--exclude-standard"]);
    let listed = listed.unwrap_or_default();
    let new = listed
        .lines()
        .filter(|path| !is_own(path))
        .take(UNTRACKED_MAX);
    lines.extend(new.map(|path| format!("new file {path}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_changed_is_shown_without_overnights_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        let git = |arguments: &[&str]| assert!(git::run(top, arguments).unwrap().ok());
        let write = |name: &str, text: &str| std::fs::write(top.join(name), text).unwrap();
        git(&["init", "-q"]);
        write("tasks.json", "1\n");
        write("made.ts", "1\n");
        git(&["add", "-A"]);
        let person = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
        git(&[&person[..], &["commit", "-qm", "start"]].concat());
        std::fs::create_dir(top.join("progress")).unwrap();
        for name in ["tasks.json", "made.ts", "new.ts", "progress/README.md"] {
            write(name, "2\n");
        }
        let shown = changes(top, None).join("\n");
        for told in ["+++ b/made.ts", "new file new.ts"] {
            assert!(shown.contains(told), "{shown}");
        }
        assert!(
            !shown.contains("tasks.json") && !shown.contains("progress"),
            "{shown}"
        );
    }
}
