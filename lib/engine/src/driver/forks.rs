//! One iteration by several agents at once, each in a work tree of its own from one commit: the gates choose,
//! the work of all stays as refs.

use super::{Driver, Orders, Post, Role, attempt, seize};
use crate::agent::{Agent, own_program};
use crate::files;
use crate::furnish;
use crate::journal::{self, Journal};
use crate::signals::{Bell, Signals};
use crate::state::{self, Place};
use crate::{git, night, runs, trees, unfinished};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::Verdict;
use overnight_run::classify::Class;
use overnight_run::event::{Door, Ended, Outcome, RunStarted};
use overnight_run::forks::{self, Way};
use overnight_run::task::{SINGLE, TaskSpec};
use overnight_run::{Reason, State, fold, scope};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// Where a run keeps the journals of its forks.
const FOLDER: &str = "forks";
/// How long forks may take to end when the run is interrupted.
const GRACE: Duration = Duration::from_secs(4);
/// How often a message that cannot wait is looked for.
const LOOK: Duration = Duration::from_secs(1);

/// One fork at work.
struct Fork {
    number: u32,
    tree: PathBuf,
    child: Child,
    /// Its end tells the fork that its driver is gone.
    alive: Option<ChildStdin>,
}

/// What came of a fork.
struct Done {
    way: Way,
    head: String,
    state: State,
    /// Bytes that its agents printed.
    printed: u64,
}

/// The folder of a fork's journal: each iteration has its own.
fn folder(run: &Path, (task, iteration): (&str, u32), number: u32) -> PathBuf {
    run.join(FOLDER)
        .join(format!("{task}-{iteration}-{number}"))
}

/// Lets the open iteration be done by forks, and journals the outcome.
pub(super) fn run(driver: &mut Driver) -> Result<(), Fault> {
    let state = driver.journal.state().clone();
    let Some((open, run)) = state.open.as_ref().zip(state.run.as_ref()) else {
        return Ok(());
    };
    let began = Instant::now();
    let base = git::read(&driver.place.top, &["rev-parse", "--verify", "HEAD"])?;
    (driver.say)(&format!(
        "{} is stuck: {} agents try it at the same time, each in its own way",
        open.task, state.config.forks
    ));
    let mut forks = Vec::new();
    for number in 1..=state.config.forks {
        forks.push(start(
            driver,
            (&run.id, &open.task, open.iteration),
            &base,
            number,
        )?);
    }
    let ended = wait(driver, &mut forks);
    let mut done = Vec::new();
    for fork in &forks {
        done.push(keep(
            driver,
            (&run.id, &open.task, open.iteration),
            &base,
            fork,
        )?);
    }
    for fork in &forks {
        drop_tree(&driver.place, &fork.tree);
    }
    let claim = choose(driver, &done)?;
    // That no way was proved is a failure, not more to do.
    let ended = match ended {
        Ended::Exited(_) if !claim.complete() => Ended::Exited(1),
        ended => ended,
    };
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let outcome = outcome(driver, (ended, claim, took), &done);
    driver.journal.append(outcome).map(drop)
}

fn start(
    driver: &Driver,
    (run, task, iteration): (&str, &str, u32),
    base: &str,
    number: u32,
) -> Result<Fork, Fault> {
    let place = &driver.place;
    let trees_of_run = trees::folder(place, run)?;
    let tree = {
        let _lock = trees::lock(place)?;
        let name = tree_name(number);
        drop_tree(place, &trees_of_run.join(&name));
        let tree = trees::ensure(place, (&trees_of_run, &name), base)?;
        trees::mark(&tree)?;
        tree
    };
    furnish::furnish(place, &driver.folder, &tree)?;
    let logs = logs(place, run, task, number);
    files::create_private_folder(&logs)?;
    let log = files::open_log(&logs.join("fork.log"))?;
    let mut command = Command::new(own_program()?);
    command
        .args([
            "fork",
            run,
            task,
            &iteration.to_string(),
            &number.to_string(),
        ])
        .current_dir(&tree)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(log)
        .process_group(0);
    let mut child = command
        .spawn()
        .map_err(|error| Fault::new(Code::CommandStart, format!("cannot start a fork: {error}")))?;
    let alive = child.stdin.take();
    Ok(Fork {
        number,
        tree,
        child,
        alive,
    })
}

/// Waits until all have ended, or ends them when the run is interrupted or a person cannot wait.
fn wait(driver: &Driver, forks: &mut [Fork]) -> Ended {
    let mut asked: Option<Instant> = None;
    loop {
        let mut at_work = false;
        for fork in forks.iter_mut() {
            at_work |= matches!(fork.child.try_wait(), Ok(None));
        }
        if !at_work {
            break;
        }
        let stops = driver.signals.interrupted().is_some() || driver.is_urgent();
        if stops && asked.is_none() {
            asked = Some(Instant::now());
            for fork in forks.iter_mut() {
                drop(fork.alive.take());
            }
        }
        if asked.is_some_and(|asked| asked.elapsed() > GRACE) {
            for fork in forks.iter_mut() {
                let _ = fork.child.kill();
            }
        }
        driver.signals.wait(Instant::now() + LOOK);
    }
    if asked.is_some() {
        Ended::Interrupted
    } else {
        Ended::Exited(0)
    }
}

/// Commits what a fork left, and keeps its work under a ref.
fn keep(
    driver: &Driver,
    (run, task, iteration): (&str, &str, u32),
    base: &str,
    fork: &Fork,
) -> Result<Done, Fault> {
    let own = folder(&driver.folder, (task, iteration), fork.number);
    // One that never began has no journal.
    let state = journal::read(&own)
        .map(|records| fold(&records))
        .unwrap_or_default();
    super::end_left_over(&own);
    let name = forks::name(run, task, fork.number);
    let head = secure(&fork.tree, &name, &message(task, fork.number))?;
    let complete =
        state.finished == Some(Reason::AllDone) && trees::holds(&driver.place.top, &head, base)?;
    let lines = lines(&driver.place, base, &head)?;
    let way = Way { complete, lines };
    let said = if complete { "proved" } else { "not proved" };
    (driver.say)(&format!(
        "way {}: {said}, {lines} lines changed",
        fork.number
    ));
    let printed = printed(&logs(&driver.place, run, task, fork.number));
    Ok(Done {
        way,
        head,
        state,
        printed,
    })
}

/// Commits what is in a fork's tree, and keeps it under this name.
fn secure(tree: &Path, name: &str, message: &str) -> Result<String, Fault> {
    unfinished::settle(tree, "", &format!("{name}-unmerged"))?;
    night::commit_left(tree, message)?;
    let head = git::read(tree, &["rev-parse", "--verify", "HEAD"])?;
    trees::keep(tree, name, &head)?;
    Ok(head)
}

/// The folder of its tree, beside the run's.
fn tree_name(number: u32) -> String {
    format!("fork-{number}")
}

fn message(task: &str, number: u32) -> String {
    format!("Way {number} of {task}")
}

/// What is left of forks whose driver died: their work is kept under refs of that attempt, their trees and
/// journals make room for the next one. `None` where the open iteration had none.
pub(super) fn lost(driver: &Driver) -> Result<Option<Outcome>, Fault> {
    let state = driver.journal.state();
    let Some((open, run)) = state.open.as_ref().zip(state.run.as_ref()) else {
        return Ok(None);
    };
    let (task, attempt) = (&open.task, open.attempt);
    let place = &driver.place;
    let mut forks = Vec::new();
    for number in begun(&driver.folder, (task, open.iteration)) {
        let own = folder(&driver.folder, (task, open.iteration), number);
        super::end_left_over(&own);
        // Its process ends with its driver; the journal is free then.
        forks.push(Journal::open(&own, runs::WAIT_MAX)?.state().clone());
        let name = forks::name(&run.id, task, number);
        let kept = format!("{name}-{attempt}");
        let tree = trees::folder(place, &run.id)?.join(tree_name(number));
        if tree.join(".git").is_file() {
            secure(&tree, &kept, &message(task, number))?;
            drop_tree(place, &tree);
        } else if let Some(head) = trees::tip(&place.top, &name)? {
            trees::keep(&place.top, &kept, &head)?;
        }
        let beside =
            own.with_file_name(format!("lost-{task}-{}-{number}-{attempt}", open.iteration));
        std::fs::rename(&own, &beside)
            .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", own.display())))?;
    }
    if forks.is_empty() {
        return Ok(None);
    }
    let nothing = Verdict::nothing("the driver ended before its forks did");
    Ok(Some(Outcome {
        cost_usd: forks.iter().map(|fork| fork.spent_usd).sum(),
        tokens: forks.iter().map(|fork| fork.spent_tokens).sum(),
        ..Outcome::of(Ended::Lost, Class::None, nothing)
    }))
}

/// The numbers of an iteration's forks that have a journal.
fn begun(run: &Path, (task, iteration): (&str, u32)) -> Vec<u32> {
    let entries = std::fs::read_dir(run.join(FOLDER)).into_iter().flatten();
    let start = format!("{task}-{iteration}-");
    let number = |name: &str| name.strip_prefix(&start)?.parse().ok();
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut numbers: Vec<u32> = names.filter_map(|name| number(name.to_str()?)).collect();
    numbers.sort_unstable();
    numbers
}

/// Where what a fork's agents print is kept.
fn logs(place: &Place, run: &str, task: &str, number: u32) -> PathBuf {
    let of_run = place.home.join("agent_logs").join(run);
    of_run.join(FOLDER).join(format!("{task}-{number}"))
}

fn printed(logs: &Path) -> u64 {
    let entries = std::fs::read_dir(logs).into_iter().flatten().flatten();
    let said = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"));
    said.filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

/// How many lines differ.
fn lines(place: &Place, base: &str, head: &str) -> Result<u64, Fault> {
    let diff = [
        "diff",
        "--numstat",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        base,
        head,
        "--",
    ];
    let text = git::read(&place.top, &diff)?;
    let count = |line: &str| -> u64 {
        line.split('\t')
            .take(2)
            .filter_map(|count| count.parse::<u64>().ok())
            .sum()
    };
    Ok(text.lines().map(count).sum())
}

/// Brings the work that the gates chose into the run's own tree; gives what the iteration claims.
fn choose(driver: &Driver, done: &[Done]) -> Result<Verdict, Fault> {
    let ways: Vec<Way> = done.iter().map(|done| done.way).collect();
    let Some(at) = forks::choose(&ways) else {
        let reasons = done.iter().zip(1..).filter_map(|(done, number)| {
            let last = &done.state.history.last()?.verdict;
            Some(format!("way {number}: {}", last.reasons.first()?))
        });
        let mut verdict = Verdict::nothing("none of the ways was proved");
        verdict.reasons.extend(reasons);
        return Ok(verdict);
    };
    let chosen = &done[at];
    let merged = git::run(
        &driver.place.top,
        &["merge", "--quiet", "--ff-only", &chosen.head],
    )?;
    if !merged.ok() {
        let reason = format!("way {} cannot be taken: {}", at + 1, merged.stderr.trim());
        return Ok(Verdict::nothing(&reason));
    }
    let last = chosen.state.history.last().map(|last| last.verdict.clone());
    let mut claim = last.unwrap_or_else(|| Verdict::nothing("it left no verdict"));
    let said = claim.summary.take().unwrap_or_default();
    claim.summary = Some(format!("way {} of {}: {said}", at + 1, done.len()));
    // The gates run once more where the run works.
    claim.gates.clear();
    claim.standing = None;
    claim.commit = None;
    Ok(claim)
}

/// What came of all of them together.
fn outcome(
    driver: &mut Driver,
    (ended, claim, took): (Ended, Verdict, u64),
    done: &[Done],
) -> Outcome {
    let (seen, commits) = attempt::look(driver);
    let state = driver.journal.state();
    let task = state.open.as_ref().and_then(|open| state.task(&open.task));
    let unseen = seen.is_none();
    let seen = seen.unwrap_or_default();
    let of_all = done.iter().map(|done| &done.state);
    Outcome {
        unseen,
        duration_ms: took,
        tree: seen.tree,
        changed: seen.changed.len() as u64,
        files: task.map_or_else(Vec::new, |task| scope::files(seen.changed, &task.spec)),
        commits,
        cost_usd: of_all.clone().map(|state| state.spent_usd).sum(),
        tokens: of_all.map(|state| state.spent_tokens).sum(),
        output_bytes: done.iter().map(|done| done.printed).sum(),
        ..Outcome::of(ended, Class::None, claim)
    }
}

/// Removes a fork's tree; its work is kept.
fn drop_tree(place: &Place, tree: &Path) {
    if tree.exists() {
        let path = tree.to_string_lossy();
        let _ = git::run(
            &place.top,
            &["worktree", "remove", "--force", "--force", &path],
        );
    }
    furnish::forget(tree);
}

/// A fork's own process: a driver of the one task, in the work tree that it is started in.
pub fn work(
    tree: &Path,
    (run, task): (&str, &str),
    (iteration, number): (u32, u32),
    say: fn(&str),
) -> Result<Reason, Fault> {
    let place = state::locate(tree)?;
    let run_folder = runs::folder(&place, run)?;
    let of_run = fold(&journal::read(&run_folder)?);
    let (spec, goal) = approach(&of_run, task, number)?;
    let config = forks::config(&of_run);
    let signals = Signals::install()?;
    end_with_driver(signals.bell()?);
    let folder = folder(&run_folder, (task, iteration), number);
    files::create_private_folder(&folder)?;
    let mut journal = Journal::open(&folder, runs::WAIT_MAX)?;
    let head = git::read(&place.top, &["rev-parse", "--verify", "HEAD"])?;
    journal.append(RunStarted {
        run: run.to_owned(),
        door: Door::Driver,
        goal,
        top: place.top.display().to_string(),
        head: Some(head),
        branch: None,
        config: None,
    })?;
    let home = of_run.placed.map(|placed| PathBuf::from(placed.home));
    let of_person = Place {
        home: home.unwrap_or_else(|| place.home.clone()),
        ..place.clone()
    };
    let logs = logs(&of_person, run, task, number);
    let orders = Orders {
        place,
        agent: Agent::parse(&config.agent)?,
        config: &|_| config.clone(),
        say,
    };
    let post = Post {
        tasks: vec![spec],
        logs,
        role: Role::Member(String::new()),
        signals,
        folder,
    };
    seize(orders, journal, post)?
        .run()
        .map(|(reason, _)| reason)
}

/// The task and the goal as a fork is told them. The only task of a goal has no words of its own.
fn approach(of_run: &State, task: &str, number: u32) -> Result<(TaskSpec, String), Fault> {
    let mut spec = forks::spec(of_run, task)
        .ok_or_else(|| Fault::new(Code::TaskUnknown, format!("no task {task}")))?;
    let goal = of_run.run.as_ref().map(|run| run.goal.clone());
    let mut goal = goal.unwrap_or_default();
    let words = if task == SINGLE {
        &mut goal
    } else {
        &mut spec.objective
    };
    words.push_str(&forks::brief(of_run, task, number));
    Ok((spec, goal))
}

/// The driver holds the other end of our stdin: when that closes, it is gone.
fn end_with_driver(bell: Bell) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while matches!(std::io::stdin().lock().read(&mut byte), Ok(1..)) {}
        bell.interrupt();
    });
}
