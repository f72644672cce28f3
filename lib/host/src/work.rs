//! What git says of a run's work: its commits, and what no commit holds. Overnight's own files are
//! left out, and so is what lay there before the run began.

use crate::state::Place;
use crate::{exclude, git, snapshot};
use overnight_run::State;
use overnight_run::authored::{self, Commit};
use overnight_run::state::TaskState;
use overnight_views::summary::clean;
use overnight_views::summary::work::is_own;
use overnight_views::summary::work::{Changes, FileChange, OfTask};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Digits of a commit's name that are shown.
const SHORT: usize = 12;
/// Commits and files that are listed.
const LISTED_MAX: usize = 20;
/// Commits that are looked at.
const COMMITS_MAX: usize = 500;
/// Bytes of all untracked files together in which lines are counted; of what is larger the size is told.
const COUNTED_BYTES_MAX: u64 = 256 << 20;
/// Bytes that weigh as much as a line where lines are not counted.
const LINE_BYTES: u64 = 40;
/// Untracked files that are looked at; more are only counted.
const LOOKED_MAX: usize = 2_000;

/// Where the run's work is: the work tree to ask in, the commit that it began on, and what holds it.
pub fn range(place: &Place, state: &State) -> Option<(PathBuf, String, String)> {
    place.git_common.as_ref()?;
    let run = state.run.as_ref()?;
    let placed = state.placed.as_deref();
    let head = placed.map_or(run.head.as_deref(), |placed| Some(&placed.base))?;
    let hexadecimal = head.len() >= 40 && head.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !hexadecimal {
        return None;
    }
    let own = placed.map_or(run.top.as_str(), |placed| &placed.tree);
    let own = Some(Path::new(own)).filter(|own| own.join(".git").exists());
    // Its own tree is given back at the end; then all of its work is on its branch.
    let given_back = placed.filter(|_| own.is_none());
    let tip = given_back.map_or("HEAD".to_owned(), |placed| {
        format!("refs/heads/{}", placed.branch)
    });
    let top = own.unwrap_or(&place.top).to_owned();
    Some((top, head.to_owned(), tip))
}

/// What changed since the run's starting commit; `None` where git cannot tell.
pub fn of(place: &Place, state: &State) -> Option<Changes> {
    let run = state.run.as_ref()?;
    let placed = state.placed.as_deref();
    let (top, head, tip) = range(place, state)?;
    let (top, head) = (top.as_path(), head.as_str());
    let given_back = tip != "HEAD";
    let range = format!("{head}..{tip}");
    let log = log(top, &run.id, &range)?;
    let work = of_agents(top, &range)?;
    let (files, uncommitted) = if given_back {
        (diff(top, &[head, &tip])?, Vec::new())
    } else {
        in_tree(top, head, run.started)?
    };
    let (files, files_count) = listed_of(files);
    let (uncommitted, uncommitted_count) = listed_of(uncommitted);
    let branch = placed.map(|placed| placed.branch.clone());
    Some(Changes {
        since: head[..SHORT].to_owned(),
        branch: branch.or_else(|| self::branch(top)).as_deref().map(clean),
        commits: (log.iter().rev())
            .filter(|logged| work.contains(&logged.commit.name))
            .take(LISTED_MAX)
            .map(|logged| logged.subject.clone())
            .collect(),
        by_task: by_task(top, state, log, &work),
        commits_count: work.len() as u64,
        files,
        files_count,
        uncommitted,
        uncommitted_count,
        push: push(top, state),
    })
}

/// The command that brings the pull request up to date, where its branch has commits since: what was taken out at
/// the desk, or what a person added.
fn push(top: &Path, state: &State) -> Option<String> {
    let published = state.published.as_deref()?;
    let (remote, branch) = (published.remote.as_deref()?, &published.branch);
    let pushed = format!("refs/remotes/{remote}/{branch}");
    let there = git::read(top, &["rev-parse", "--verify", "-q", &pushed]);
    let range = format!(
        "{}..refs/heads/{branch}",
        there.unwrap_or_else(|_| published.commit.clone())
    );
    let more = git::read(top, &["rev-list", "--max-count=1", &range, "--"]).ok()?;
    (!more.trim().is_empty()).then(|| clean(&format!("git push {remote} {branch}")))
}

/// The commits of a range that change more than what Overnight writes itself.
pub fn of_agents(top: &Path, range: &str) -> Option<BTreeSet<String>> {
    let mut list = vec!["rev-list".to_owned(), range.to_owned(), "--".to_owned()];
    list.push(":(top)".to_owned());
    list.extend(exclude::own_paths());
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let names = git::read(top, &list).ok()?;
    Some(names.lines().map(str::to_owned).collect())
}

/// A commit of the log.
struct Logged {
    commit: Commit,
    /// Its short name and subject.
    subject: String,
    parents: Vec<String>,
}

/// The newest commits of a range, oldest first.
fn log(top: &Path, run: &str, range: &str) -> Option<Vec<Logged>> {
    const FORMAT: &str = "--format=%H%x00%h %s%x00%(trailers:key=Overnight-Run,valueonly,separator=%x20)%x00%(trailers:key=Overnight-Iteration,valueonly,separator=%x20)%x00%P";
    let most = format!("--max-count={COMMITS_MAX}");
    let log = git::read(top, &["log", FORMAT, &most, range, "--"]).ok()?;
    let commit = |line: &str| {
        let mut fields = line.split('\0');
        let (name, subject) = (fields.next()?.to_owned(), clean(fields.next()?));
        let of_run = fields.next()?.trim() == run;
        let trailer = fields.next()?.trim().parse().ok().filter(|_| of_run);
        let parents = fields.next()?.split_whitespace();
        Some(Logged {
            commit: Commit { name, trailer },
            subject,
            parents: parents.map(str::to_owned).collect(),
        })
    };
    Some(log.lines().rev().filter_map(commit).collect())
}

/// The commits by their task, in the order of each task's first one: that of the member whose merge
/// brought them, else that of their iteration.
fn by_task(top: &Path, state: &State, log: Vec<Logged>, work: &BTreeSet<String>) -> Vec<OfTask> {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let merged = merged(state, &log);
    let (commits, subjects): (Vec<Commit>, Vec<String>) = log
        .into_iter()
        .map(|logged| (logged.commit, logged.subject))
        .unzip();
    let iterations = authored::iterations(&commits, &ends(top, run));
    let mut all: Vec<OfTask> = Vec::new();
    let told = commits.iter().zip(iterations).zip(subjects);
    for ((commit, number), subject) in told.filter(|((commit, _), _)| work.contains(&commit.name)) {
        let of_iteration = || {
            let mut history = state.history.iter();
            let past = history.find(|past| Some(past.number) == number);
            past.map(|past| past.task.as_str())
        };
        let merged = merged.get(&commit.name).copied();
        let task = merged.or_else(of_iteration).map(clean);
        match all.iter_mut().find(|known| known.task == task) {
            Some(known) => known.commits.push(subject),
            None => all.push(OfTask {
                task,
                commits: vec![subject],
            }),
        }
    }
    all
}

/// The task of each commit that a member's merge brought: what the merge before it did not hold.
fn merged<'s>(state: &'s State, log: &[Logged]) -> BTreeMap<String, &'s str> {
    let places = log.iter().enumerate();
    let places: BTreeMap<&str, usize> = places
        .map(|(at, logged)| (logged.commit.name.as_str(), at))
        .collect();
    let tip = |task: &'s TaskState| {
        let tip = places.get(task.tally.merged.as_deref()?)?;
        Some((*tip, task.spec.id.as_str()))
    };
    let mut tips: Vec<(usize, &str)> = state.tasks.iter().filter_map(tip).collect();
    tips.sort_unstable();
    let mut of = BTreeMap::new();
    for (tip, task) in tips {
        let mut open = vec![tip];
        while let Some(at) = open.pop() {
            let logged = &log[at];
            if of.contains_key(&logged.commit.name) {
                continue;
            }
            of.insert(logged.commit.name.clone(), task);
            let parents = logged.parents.iter();
            open.extend(parents.filter_map(|parent| places.get(parent.as_str())));
        }
    }
    of
}

/// What the branch stood on at the end of each iteration: its snapshot's parent.
fn ends(top: &Path, run: &str) -> BTreeMap<u32, String> {
    let pattern = format!("{}/{run}/", snapshot::RUNS);
    let format = "--format=%(refname:lstrip=-1) %(parent)";
    let listed = git::read(top, &["for-each-ref", format, &pattern]).unwrap_or_default();
    let ends = listed.lines().filter_map(|line| {
        let (number, parent) = line.split_once(' ')?;
        Some((
            number.parse().ok().filter(|number| *number > 0)?,
            parent.to_owned(),
        ))
    });
    ends.collect()
}

/// The files of a work tree that differ from a commit, and those that no commit holds.
fn in_tree(top: &Path, head: &str, started: u64) -> Option<(Vec<FileChange>, Vec<FileChange>)> {
    let untracked = untracked(top, started);
    let mut files = diff(top, &[head])?;
    files.extend(untracked.iter().cloned());
    let mut uncommitted = untracked;
    let is_new = |file: &FileChange| changed_since(&top.join(&file.path), started);
    uncommitted.extend(diff(top, &["HEAD"])?.into_iter().filter(is_new));
    Some((files, uncommitted))
}

fn branch(top: &Path) -> Option<String> {
    let name = git::read(top, &["symbolic-ref", "--quiet", "--short", "HEAD"]).ok()?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The files that tell most first, at most so many as are listed, and how many there are.
fn listed_of(mut files: Vec<FileChange>) -> (Vec<FileChange>, u64) {
    files.sort_by_key(|file| {
        let lines = file.added.saturating_add(file.removed);
        let size = lines.saturating_add(file.bytes.unwrap_or(0) / LINE_BYTES);
        (file.rank(), std::cmp::Reverse(size))
    });
    let count = files.len() as u64;
    files.truncate(LISTED_MAX);
    for file in &mut files {
        file.path = clean(&file.path);
    }
    (files, count)
}

/// Tracked files that differ from this commit, or between two.
fn diff(top: &Path, commits: &[&str]) -> Option<Vec<FileChange>> {
    let diff = [
        "diff",
        "--numstat",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
    ];
    let read = git::read(top, &[&diff[..], commits, &["--"]].concat()).ok()?;
    let files = read.split('\0').filter_map(|entry| file_change(top, entry));
    Some(files.filter(|file| !is_own(&file.path)).collect())
}

/// One entry of `git diff --numstat -z`.
fn file_change(top: &Path, entry: &str) -> Option<FileChange> {
    let mut fields = entry.splitn(3, '\t');
    let mut lines = || fields.next().map(|field| field.trim().parse::<u64>().ok());
    let (added, removed) = (lines()?, lines()?);
    let path = fields.next()?.to_owned();
    // git writes `-` for lines that it does not count; one that is gone has no size any more.
    let bytes = added.is_none().then(|| size(&top.join(&path)));
    Some(FileChange {
        path,
        added: added.unwrap_or(0),
        removed: removed.unwrap_or(0),
        untracked: false,
        bytes,
    })
}

/// Files that git does not know, and does not ignore, written since the run began.
fn untracked(top: &Path, since: u64) -> Vec<FileChange> {
    let listed = git::read(top, &["ls-files", "--others", "--exclude-standard", "-z"]);
    let listed = listed.unwrap_or_default();
    let paths = listed
        .split('\0')
        .filter(|path| !path.is_empty() && !is_own(path));
    let new = paths
        .take(LOOKED_MAX)
        .filter(|path| changed_since(&top.join(path), since));
    let mut left = COUNTED_BYTES_MAX;
    new.map(|path| {
        let lines = lines_of(&top.join(path), &mut left);
        FileChange {
            path: path.to_owned(),
            added: lines.unwrap_or(0),
            removed: 0,
            untracked: true,
            bytes: lines.is_none().then(|| size(&top.join(path))),
        }
    })
    .collect()
}

fn size(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).map_or(0, |about| about.len())
}

/// Was the file written since this Unix time in milliseconds? One that is gone was.
fn changed_since(path: &Path, since: u64) -> bool {
    let Ok(about) = std::fs::symlink_metadata(path) else {
        return true;
    };
    let began = UNIX_EPOCH + Duration::from_millis(since);
    about.modified().map_or(true, |at| at >= began)
}

/// Lines of a regular file, as git counts them; `None` for one that is binary, or larger than what is
/// left to be read.
fn lines_of(path: &Path, left: &mut u64) -> Option<u64> {
    let about = std::fs::symlink_metadata(path).ok()?;
    if !about.is_file() || about.len() > *left {
        return None;
    }
    *left -= about.len();
    let mut file = File::open(path).ok()?;
    let mut chunk = vec![0; 1 << 16];
    let (mut lines, mut last) = (0, b'\n');
    loop {
        let count = file.read(&mut chunk).ok()?;
        let read = &chunk[..count];
        if read.contains(&0) {
            return None;
        }
        lines += (read.split(|byte| *byte == b'\n').count() - 1) as u64;
        match read.last() {
            Some(byte) => last = *byte,
            None => break,
        }
    }
    Some(lines + u64::from(last != b'\n'))
}
