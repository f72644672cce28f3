//! The past of a run: each iteration's tree, to be looked at, gone back to and searched.

use crate::cell::Cells;
use crate::furnish::{self, Tree};
use crate::sight;
use crate::state::{self, Place};
use crate::trees;
use crate::{config, exclude, gates, git, night, reopen, runs, snapshot};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_judge::GateOutcome;
use overnight_run::State;
use overnight_run::options::AGENT_PROMPT;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The numbers of the iterations that are kept, in order; 0 is the start.
fn kept(place: &Place, run: &str) -> Result<Vec<u32>, Fault> {
    let pattern = format!("{}/{run}/", night::SNAPSHOTS);
    let listed = git::read(
        &place.top,
        &["for-each-ref", "--format=%(refname)", &pattern],
    )?;
    let mut numbers: Vec<u32> = listed
        .lines()
        .filter_map(|name| name.rsplit('/').next()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    if numbers.is_empty() {
        let reason = format!("run {run} has no snapshots");
        return Err(Fault::new(Code::InputMissing, reason));
    }
    Ok(numbers)
}

fn name(run: &str, number: u32) -> String {
    format!("{}/{run}/{number}", night::SNAPSHOTS)
}

/// What was there before an undo.
fn undone(run: &str) -> String {
    format!("{}/{run}/undone", night::SNAPSHOTS)
}

/// The newest snapshot that is not newer than `number`.
fn at(numbers: &[u32], number: u32) -> Result<u32, Fault> {
    let mut older = numbers
        .iter()
        .rev()
        .copied()
        .filter(|known| *known <= number);
    older
        .next()
        .filter(|_| numbers.last() >= Some(&number))
        .ok_or_else(|| {
            let (first, last) = (numbers.first(), numbers.last());
            let reason = format!(
                "there is no iteration {number}: {} to {} are kept",
                first.copied().unwrap_or(0),
                last.copied().unwrap_or(0)
            );
            Fault::new(Code::InputRange, reason)
        })
}

/// What lies between two iterations' ends, or between a run's start and end, as a patch; with `stat`
/// the files only. Overnight's own files are left out; nothing that the repository configures is run.
pub fn diff(
    place: &Place,
    run: &str,
    range: Option<(u32, u32)>,
    stat: bool,
) -> Result<String, Fault> {
    let numbers = kept(place, run)?;
    let whole = (numbers[0], numbers[numbers.len() - 1]);
    let (from, to) = range.unwrap_or(whole);
    let (from, to) = (name(run, at(&numbers, from)?), name(run, at(&numbers, to)?));
    let mut arguments = vec!["diff", "--no-ext-diff", "--no-textconv"];
    if stat {
        arguments.push("--stat");
    }
    arguments.extend([from.as_str(), &to, "--", "."]);
    let own: Vec<String> = exclude::own_paths().collect();
    arguments.extend(own.iter().map(String::as_str));
    let text = git::read(&place.top, &arguments)?;
    Ok(if text.is_empty() { text } else { text + "\n" })
}

/// The files that differ between two iterations' ends, Overnight's own left out.
pub(crate) fn files(
    place: &Place,
    run: &str,
    (from, to): (u32, u32),
) -> Result<Vec<String>, Fault> {
    let (from, to) = (name(run, from), name(run, to));
    let mut diff = git::tame(&place.top);
    diff.args(["diff", "--name-only", "--no-renames", "-z", &from, &to]);
    diff.args(["--", "."]).args(exclude::own_paths());
    let done = git::output(&mut diff, b"")?;
    let paths = done.stdout.split(|byte| *byte == 0);
    let paths = paths.filter(|path| !path.is_empty());
    Ok(paths
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect())
}

/// What an undo did.
#[derive(Debug)]
pub struct Undone {
    /// The iteration that was gone back to.
    pub to: u32,
    /// The branch that has a new commit; `None` where the work tree was put back.
    pub branch: Option<String>,
    /// That commit.
    pub commit: Option<String>,
    /// The ref that holds what was there before.
    pub kept: String,
    /// What the person is told.
    pub notes: Vec<String>,
}

/// Goes back to the end of an iteration; by default to that before the last.
pub fn undo(place: &Place, run: &str, to: Option<u32>) -> Result<Undone, Fault> {
    let state = idle(place, run)?;
    let numbers = kept(place, run)?;
    let last = numbers[numbers.len() - 1];
    let to = at(&numbers, to.unwrap_or(last.saturating_sub(1)))?;
    let undone = if state.placed.is_some() {
        on_branch(place, run, &state, to)
    } else {
        in_place(place, (run, &state), (last, to))
    }?;
    let later = |id: &String| state.last_on(id).is_some_and(|last| last.number > to);
    let ids = state.tasks.iter().map(|task| task.spec.id.clone());
    let gone: Vec<String> = ids.filter(later).collect();
    reopen::without(place, run, &state, &gone)?;
    Ok(undone)
}

/// The run's own branch gets a commit with the tree of then.
fn on_branch(place: &Place, run: &str, state: &State, to: u32) -> Result<Undone, Fault> {
    let Some(placed) = &state.placed else {
        return Err(Fault::new(Code::Defect, "the run has no branch"));
    };
    let full = format!("refs/heads/{}", placed.branch);
    let tip = trees::tip(&place.top, &full)?.ok_or_else(|| {
        let reason = format!("the branch {} is gone", placed.branch);
        Fault::new(Code::GitFailed, reason)
    })?;
    let kept = undone(run);
    let mut notes = Vec::new();
    // What the run's tree holds beyond its branch comes first.
    let own = night::of(place, state);
    if own.top != place.top {
        notes.extend(night::bring(&own, placed, state)?);
    }
    let tip = trees::tip(&place.top, &full)?.unwrap_or(tip);
    git::read(&place.top, &["update-ref", "--no-deref", &kept, &tip])?;
    let tree = format!("{}^{{tree}}", name(run, to));
    let message = format!("Go back to the end of iteration {to}\n\nOvernight-Run: {run}");
    let commit = trees::commit_tree(place, (&tree, &tip), &message)?;
    notes.extend(night::advance(place, placed, (&tip, &commit))?);
    if own.top != place.top {
        // It was clean: all of it is on the branch.
        git::read(&own.top, &["checkout", "--quiet", "--detach", &commit])?;
    }
    Ok(Undone {
        to,
        branch: Some(placed.branch.clone()),
        commit: Some(commit),
        kept,
        notes,
    })
}

/// Takes out what the iterations on a task changed: a commit on the run's branch that reverts them,
/// the newest first. What later work stands on cannot be taken out.
pub fn take_out(place: &Place, run: &str, task: &str) -> Result<Undone, Fault> {
    let state = idle(place, run)?;
    let Some(placed) = &state.placed else {
        let reason = format!("run {run} worked in place");
        return Err(Fault::new(Code::InputInvalid, reason).hint(format!("overnight undo {run}")));
    };
    let numbers = kept(place, run)?;
    let full = format!("refs/heads/{}", placed.branch);
    let tip = git::read(&place.top, &["rev-parse", "--verify", &full])?;
    let git_folder = place.git.clone().unwrap_or_else(|| place.top.join(".git"));
    let index = git_folder.join(format!("overnight-take-out-{}", std::process::id()));
    let own = state.history.on(task).rev();
    let patches = own.map(|one| (one.number.saturating_sub(1), one.number));
    let tree = without(place, (run, &numbers), (&index, &tip), patches);
    let _ = std::fs::remove_file(&index);
    let undone = undone(run);
    git::read(&place.top, &["update-ref", "--no-deref", &undone, &tip])?;
    let message = format!("Take out {task}\n\nOvernight-Run: {run}");
    let commit = trees::commit_tree(place, (&tree?, &tip), &message)?;
    let notes = night::advance(place, placed, (&tip, &commit))?;
    reopen::without(place, run, &state, &[task.to_owned()])?;
    Ok(Undone {
        to: state.iterations,
        branch: Some(placed.branch.clone()),
        commit: Some(commit),
        kept: undone,
        notes,
    })
}

/// The tree of `tip` without what lay between these iterations' ends.
fn without(
    place: &Place,
    (run, numbers): (&str, &[u32]),
    (index, tip): (&Path, &str),
    patches: impl Iterator<Item = (u32, u32)>,
) -> Result<String, Fault> {
    let with_index = |arguments: &[&str], input: &[u8]| -> Result<String, Fault> {
        let mut command = git::command(&place.top);
        command.args(arguments).env("GIT_INDEX_FILE", index);
        let done = git::output(&mut command, input)?;
        if done.ok() {
            return Ok(done.text());
        }
        let reason = format!("git {}: {}", arguments[0], one_line(&done.stderr, 300));
        Err(Fault::new(Code::GitFailed, reason).hint("later work may stand on it"))
    };
    with_index(&["read-tree", tip], b"")?;
    for (from, to) in patches {
        let (from, to) = (name(run, at(numbers, from)?), name(run, at(numbers, to)?));
        let mut diff = git::command(&place.top);
        diff.args(["diff", "--binary", "--no-ext-diff", "--no-textconv"]);
        diff.args(["--no-renames", &from, &to, "--", "."]);
        diff.args(exclude::own_paths());
        let patch = git::output(&mut diff, b"")?;
        if !patch.ok() {
            let reason = format!("git diff: {}", one_line(&patch.stderr, 300));
            return Err(Fault::new(Code::GitFailed, reason));
        }
        if !patch.stdout.is_empty() {
            let apply = ["apply", "--cached", "--reverse", "--3way", "-"];
            with_index(&apply, &patch.stdout)?;
        }
    }
    with_index(&["write-tree"], b"")
}

/// The state of a run that nobody works on.
fn idle(place: &Place, run: &str) -> Result<State, Fault> {
    if sight::living(place).iter().any(|living| living == run) {
        let reason = format!("run {run} is under way");
        return Err(Fault::new(Code::RunBusy, reason).hint(format!("overnight stop {run}")));
    }
    runs::state(place, run)
}

/// The files that the run changed are put back, unless somebody changed them since.
fn in_place(
    place: &Place,
    (run, state): (&str, &State),
    (last, to): (u32, u32),
) -> Result<Undone, Fault> {
    let kept = undone(run);
    let now = snapshot::keep(place, &kept, "Work tree before an undo")?;
    let (then, end) = (name(run, to), name(run, last));
    let mut paths = changed(place, (&then, &end))?;
    // A goal that was taken over is a person's.
    let goal = std::fs::read_to_string(place.home.join(AGENT_PROMPT.default)).ok();
    if goal.is_some() && goal.as_ref() == state.run.as_ref().map(|run| &run.goal) {
        paths.remove(AGENT_PROMPT.default.as_bytes());
    }
    let since = changed(place, (&end, &now.commit))?;
    let mut both = paths.intersection(&since);
    if let Some(path) = both.next() {
        let shown = String::from_utf8_lossy(path).into_owned();
        let reason = format!("{} was changed since the run ended", one_line(&shown, 200));
        return Err(Fault::new(Code::InputPath, reason)
            .hint(format!("commit it or move it away; now is kept as {kept}")));
    }
    put_back(place, &then, &paths)?;
    Ok(Undone {
        to,
        branch: None,
        commit: None,
        kept,
        notes: Vec::new(),
    })
}

/// The paths that differ between two commits.
fn changed(place: &Place, (from, to): (&str, &str)) -> Result<BTreeSet<Vec<u8>>, Fault> {
    let arguments = ["diff", "--name-only", "--no-renames", "-z", from, to, "--"];
    let done = git::run(&place.top, &arguments)?;
    if !done.ok() {
        let reason = format!("git diff: {}", one_line(&done.stderr, 300));
        return Err(Fault::new(Code::GitFailed, reason));
    }
    let paths = done.stdout.split(|byte| *byte == 0);
    Ok(paths
        .filter(|path| !path.is_empty())
        .map(<[u8]>::to_vec)
        .collect())
}

/// Writes these files as they were in a commit; the index is left alone.
fn put_back(place: &Place, commit: &str, paths: &BTreeSet<Vec<u8>>) -> Result<(), Fault> {
    use std::os::unix::ffi::OsStrExt;
    let mut there: Vec<u8> = Vec::new();
    for path in paths {
        let shown = String::from_utf8_lossy(path);
        let named = format!("{commit}:{shown}");
        if git::run(&place.top, &["cat-file", "-e", &named])?.ok() {
            there.extend(path);
            there.push(0);
            continue;
        }
        let file = place.top.join(Path::new(std::ffi::OsStr::from_bytes(path)));
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let reason = format!("{}: {error}", file.display());
                return Err(Fault::new(Code::FileWrite, reason));
            }
            _ => {}
        }
    }
    if there.is_empty() {
        return Ok(());
    }
    let mut restore = git::tame(&place.top);
    restore.args(["restore", "--source", commit, "--worktree"]);
    restore.args(["--pathspec-from-file=-", "--pathspec-file-nul"]);
    restore.env("GIT_LITERAL_PATHSPECS", "1");
    let done = git::output(&mut restore, &there)?;
    if done.ok() {
        return Ok(());
    }
    let reason = format!("git restore: {}", one_line(&done.stderr, 300));
    Err(Fault::new(Code::GitFailed, reason))
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The command passes before this iteration and fails after it.
    Broken(u32),
    /// It fails at the start.
    NeverPassed,
    /// It passes at the end.
    Passes,
}

/// Finds the iteration that broke a command, in a work tree that nobody works in.
pub fn bisect(place: &Place, run: &str, gate: &str, say: fn(&str)) -> Result<Found, Fault> {
    let numbers = kept(place, run)?;
    let cells = Cells::as_set(place, say)?;
    let room = Room::new(place, &name(run, numbers[0]), (GATE_LIMIT, cells.as_ref()))?;
    let passes = |number: u32| -> Result<bool, Fault> {
        let passed = room.passes(&name(run, number), gate)?;
        let word = if passed { "passes" } else { "fails" };
        say(&format!("after iteration {number} it {word}"));
        Ok(passed)
    };
    let (mut good, mut bad) = (0, numbers.len() - 1);
    if passes(numbers[bad])? {
        return Ok(Found::Passes);
    }
    if bad == 0 || !passes(numbers[0])? {
        return Ok(Found::NeverPassed);
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if passes(numbers[middle])? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(Found::Broken(numbers[bad]))
}

/// A work tree that nobody works in, for gates.
#[derive(Debug)]
pub(crate) struct Room<'a> {
    place: Place,
    tree: PathBuf,
    limit: Duration,
    cells: Option<&'a Cells>,
}

/// The longest time of a gate in a search.
const GATE_LIMIT: Duration = Duration::from_mins(30);

impl<'a> Room<'a> {
    fn new(
        place: &Place,
        commit: &str,
        (limit, cells): (Duration, Option<&'a Cells>),
    ) -> Result<Self, Fault> {
        let folder = trees::folder(place, "rooms")?;
        let _lock = trees::lock(place)?;
        let tree = folder.join(std::process::id().to_string());
        crate::files::create_private_folder(&folder)?;
        let path = tree.to_string_lossy();
        let add = [
            "worktree", "add", "--quiet", "--force", "--detach", &path, commit,
        ];
        git::read(&place.top, &add)?;
        let room = Self {
            place: place.clone(),
            tree,
            limit,
            cells,
        };
        furnish::as_now(place, &room.tree)?;
        Ok(room)
    }

    /// A room that holds what is committed; without a commit, the project itself.
    pub(crate) fn at_head(
        place: &Place,
        limit: Duration,
        cells: Option<&'a Cells>,
    ) -> Result<Self, Fault> {
        if place.git_common.is_none() || trees::tip(&place.top, "HEAD")?.is_none() {
            return Ok(Self {
                place: place.clone(),
                tree: place.top.clone(),
                limit,
                cells,
            });
        }
        Self::new(place, "HEAD", (limit, cells))
    }

    /// What a gate says here.
    pub(crate) fn run(&self, gate: &str) -> GateOutcome {
        let room = gates::Room {
            top: &self.tree,
            from: Some(&self.place.home),
            cells: self.cells,
            own: &[],
        };
        gates::run(room, gate, self.limit)
    }

    fn passes(&self, commit: &str, gate: &str) -> Result<bool, Fault> {
        let own = state::locate(&self.tree)?;
        git::read(
            &own.top,
            &["checkout", "--quiet", "--force", "--detach", commit],
        )?;
        git::read(&own.top, &["clean", "--quiet", "--force", "-d"])?;
        let tree = Tree {
            top: &self.tree,
            from: &self.place.home,
            begun: None,
            cells: self.cells,
            limit: self.limit,
        };
        tree.set_up(&config::load(Some(&self.place)).settings.run.setup)?;
        Ok(self.run(gate).passed())
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        if self.tree == self.place.top {
            return;
        }
        let tree = self.tree.to_string_lossy();
        let _ = git::run(&self.place.top, &["worktree", "remove", "--force", &tree]);
        furnish::forget(&self.tree);
    }
}
