//! One attempt: start the agent, wait for its end, say what came of it.

use super::meter::Meter;
use super::{Driver, asks, printed, recover};
use crate::agent::Launch;
use crate::canary;
use crate::cell::{self, Kept, Past, Told, Watch};
use crate::client;
use crate::clock;
use crate::files;
use crate::guard::repeats;
use crate::logs::last::LastRun;
use crate::process::{self, Identity, adopt};
use crate::round;
use crate::worktree::Snapshot;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::budget::{Limits, Share};
use overnight_run::cell::{REFUSED_MAX, met};
use overnight_run::classify::{Class, ClientLimit};
use overnight_run::event::{AgentStarted, Deadline, Ended, Outcome};
use overnight_run::scope;
use overnight_run::state::{Open, State};
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How long an agent may take to end after TERM (issue: the group is ended within 2 s).
const GRACE: Duration = Duration::from_millis(1_500);

/// The status of a client that was asked to end: 128 and TERM.
const ENDED: i32 = 143;
/// So many dollars more are told beside the journal.
const CENT: f64 = 0.01;
/// How often a message that cannot wait is looked for.
const LISTEN: Duration = Duration::from_secs(1);

/// Where one attempt leaves what it printed.
struct Prints {
    stdout: PathBuf,
    stderr: PathBuf,
    /// Length of `stdout` before the attempt: all attempts of an iteration share one file.
    offset: u64,
    /// The same of `stderr`.
    stderr_offset: u64,
}

impl Prints {
    /// Did nothing come, not even an error?
    fn are_empty(&self) -> bool {
        length(&self.stdout) == self.offset && length(&self.stderr) == self.stderr_offset
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len())
}

/// Runs the open iteration's attempt to its end and journals the outcome.
pub(super) fn run(driver: &mut Driver, prompt: &str) -> Result<(), Fault> {
    let state = driver.journal.state().clone();
    let Some(open) = &state.open else {
        return Ok(());
    };
    let decision = round::decision_file(&match driver.cells {
        Some(_) => driver.folder.join(cell::INSIDE),
        None => driver.folder.clone(),
    });
    round::set_aside(&decision, open)?;
    let prints = prepare(driver, open)?;
    let prompt_file = prints.stdout.with_extension("prompt.md");
    files::write_atomic(&prompt_file, prompt.as_bytes(), files::PRIVATE)?;
    let began = Instant::now();
    let kept = Kept::of(&driver.place);
    // The run's own folder, also of a member: what one kept, all have.
    let run = state
        .run
        .as_ref()
        .map(|run| driver.place.run_folder(&run.id));
    let past = run.and_then(|folder| Past::keep(&driver.place, &folder));
    let cells = driver.cells.as_ref();
    let told = cells.map(|cells| Told::of(&driver.place, cells.gives()));
    // Before it starts: an agent may ask at once.
    let asked = asks::open(driver);
    let (mut child, watch) = start(
        driver,
        &state,
        open,
        (&decision, prompt, &prompt_file, &prints),
    )?;
    let identity = Identity::of(child.id());
    driver.journal.append(AgentStarted {
        pid: identity.pid,
        pid_start: identity.start,
        offset: prints.offset,
    })?;
    let mut meter = meter(driver, &state, &prints);
    let (ended, spent) = wait(driver, &mut child, (&state, &mut meter), began)?;
    recover::end_left_over(&driver.folder);
    adopt::end_since(identity, GRACE);
    let left: Vec<Identity> = watch.iter().flat_map(Watch::left).collect();
    process::end_all(&left, GRACE);
    put_back(driver, (&kept, told.as_ref()), past.as_ref());
    let limited = watch.and_then(|watch| watch.passed(child.try_wait().ok().flatten()));
    let mut outcome = read_outcome(driver, (ended, began.elapsed()), &decision, &prints)?;
    if spent.is_some() {
        // We ended it as the client ends itself at a limit that it was given.
        (outcome.class, outcome.limit) = (Class::Budget, spent);
        outcome.ended = Ended::Exited(ENDED);
    }
    outcome.asks = asks::asked_since(driver, &asked);
    let (walled, told) = walled(driver, &prints);
    outcome.walled = walled;
    outcome.limited = limited.or(told).map(String::into_boxed_str);
    if let Some(limit) = &outcome.limited {
        (driver.say)(&format!("the agent {} of its cell: {limit}", met(limit)));
    }
    driver.end_probe(&outcome);
    driver.journal.append(outcome)?;
    Ok(())
}

/// What the agent bent or deleted of git's is as it was before.
fn put_back(driver: &Driver, (kept, told): (&Kept, Option<&Told>), past: Option<&Past>) {
    let told = told.into_iter().flat_map(Told::restore);
    let pointers = kept.restore().into_iter().chain(told);
    let pointers = pointers.map(|path| path.display().to_string());
    let gone = past.into_iter().flat_map(Past::restore);
    for what in pointers.chain(gone) {
        (driver.say)(&format!("put back what the agent changed: {what}"));
    }
}

fn prepare(driver: &Driver, open: &Open) -> Result<Prints, Fault> {
    let folder = &driver.logs;
    files::create_private_folder(folder)?;
    let stdout = folder.join(format!("{}.jsonl", open.iteration));
    let stderr = folder.join(format!("{}.stderr", open.iteration));
    Ok(Prints {
        offset: length(&stdout),
        stderr_offset: length(&stderr),
        stdout,
        stderr,
    })
}

fn start(
    driver: &Driver,
    state: &State,
    open: &Open,
    (decision, prompt, prompt_file, prints): (&Path, &str, &Path, &Prints),
) -> Result<(Child, Option<Watch>), Fault> {
    let (run, task) = (state.run.as_ref(), state.task(&open.task));
    let launch = Launch {
        top: &driver.place.top,
        run_folder: &driver.folder,
        run: run.map(|run| run.id.as_str()).unwrap_or_default(),
        epoch: state.epoch,
        number: (open.iteration, open.attempt),
        continues: open.continues.as_deref(),
        model: open.model.as_deref(),
        visit: task.map_or(1, |task| task.iterations + 1),
        task: &open.task,
        allowed_tools: task
            .map(|task| task.spec.allowed_tools.as_slice())
            .unwrap_or_default(),
        check_id: &open.check_id,
        decision_file: decision,
        prompt: (prompt, prompt_file),
        budget_left_usd: match state.share(&state.config, 1) {
            Share::Of(limits) => limits.usd,
            Share::Wait | Share::Spent => Some(0.0),
        },
    };
    let mut command = driver.agent.command(&launch)?;
    let stdin = if driver.agent.reads_stdin() {
        Stdio::from(open_for_reading(prompt_file)?)
    } else {
        Stdio::null()
    };
    let (stdout, stderr) = (append_to(&prints.stdout)?, append_to(&prints.stderr)?);
    let finish = |command: &mut Command| {
        command
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr)
            .process_group(0);
    };
    let program = command.get_program().to_string_lossy().into_owned();
    let started = if let Some(cells) = &driver.cells {
        cells
            .agent(&driver.place, &driver.folder, driver.agent.streams_json())?
            .spawn(command, &[], finish)
    } else {
        finish(&mut command);
        command.spawn().map(|child| (child, None))
    };
    started.map_err(|error| Fault::new(Code::CommandStart, format!("{program}: {error}")))
}

/// Watches what the agent spends, where its stream says so.
fn meter(driver: &Driver, state: &State, prints: &Prints) -> Meter {
    let limits = match state.share(&state.config, 1) {
        Share::Of(limits) if driver.agent.streams_json() => limits,
        _ => Limits::default(),
    };
    Meter::new(&prints.stdout, prints.offset, limits, state.priced)
}

/// Waits for the agent's end, its deadline, the end of its budget, or a signal to us.
fn wait(
    driver: &mut Driver,
    child: &mut Child,
    (state, meter): (&State, &mut Meter),
    began: Instant,
) -> Result<(Ended, Option<ClientLimit>), Fault> {
    let (limit, deadline) = time_left(state);
    let mut told_usd = 0.0;
    loop {
        let status = child.try_wait().map_err(|error| {
            Fault::new(Code::Defect, format!("cannot wait for the agent: {error}"))
        })?;
        if let Some(status) = status {
            return Ok((ended(status), None));
        }
        if let Some(limit) = meter.passed() {
            end(child);
            return Ok((Ended::Exited(ENDED), Some(limit)));
        }
        if meter.usd() >= told_usd + CENT {
            told_usd = meter.usd();
            driver.journal.costs(told_usd);
        }
        if driver.signals.interrupted().is_some() || driver.is_urgent() {
            end(child);
            return Ok((Ended::Interrupted, None));
        }
        if began.elapsed() >= limit {
            end(child);
            return Ok((Ended::TimedOut(deadline), None));
        }
        if began.elapsed() >= canary::PASSED {
            // It was not refused: the other runs may start.
            driver.probe = None;
        }
        let look = match driver.probe {
            Some(_) => limit.min(canary::PASSED),
            None => limit,
        };
        // Messages come as files, which nothing announces.
        driver
            .signals
            .wait((began + look).min(Instant::now() + LISTEN));
    }
}

/// Ends the agent's group, TERM first, and reaps the agent.
fn end(child: &mut Child) {
    let group = child.id();
    process::signal_group(group, Signal::TERM);
    let asked = Instant::now();
    while asked.elapsed() < GRACE && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(5));
    }
    process::signal_group(group, Signal::KILL);
    let _ = child.wait();
}

/// The nearest of the iteration's, the session's and the run's deadline.
fn time_left(state: &State) -> (Duration, Deadline) {
    let config = &state.config;
    let elapsed = state
        .run
        .as_ref()
        .map_or(0, |run| clock::wall_ms().saturating_sub(run.started));
    let run = config
        .max_duration_ms
        .map_or(u64::MAX, |limit| limit.saturating_sub(elapsed));
    let limits = [
        (config.task_timeout_ms, Deadline::Task),
        (config.session_timeout_ms, Deadline::Session),
        (run, Deadline::Run),
    ];
    let nearest = limits.into_iter().min_by_key(|(limit, _)| *limit);
    let (limit, deadline) = nearest.unwrap_or((config.task_timeout_ms, Deadline::Task));
    (Duration::from_millis(limit), deadline)
}

fn ended(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Signalled(signal),
        (None, None) => Ended::Lost,
    }
}

/// What came of the attempt: how it ended, what the client says went wrong, what it claims, what
/// it changed.
fn read_outcome(
    driver: &mut Driver,
    (ended, took): (Ended, Duration),
    decision: &Path,
    prints: &Prints,
) -> Result<Outcome, Fault> {
    let open = driver.journal.state().open.as_ref();
    let check_id = open.map(|open| open.check_id.clone()).unwrap_or_default();
    let by_itself = matches!(ended, Ended::Exited(_));
    let mut printed = printed::read(&driver.agent, &prints.stdout, prints.offset, ended.clone())?;
    if by_itself && driver.agent.streams_json() && prints.are_empty() {
        // A client that says nothing at all never came to its agent: the service or the network failed.
        (printed.ended, printed.class) = (ended, Class::Transient);
    }
    let task = open.map(|open| open.task.clone()).unwrap_or_default();
    let started = open.map_or(u64::MAX, |open| open.started);
    let (seen, commits) = look(driver);
    let claim = round::claim(decision, &check_id, &printed.said)?;
    let state = driver.journal.state();
    let unseen = seen.is_none();
    let seen = seen.unwrap_or_default();
    Ok(Outcome {
        unseen,
        duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        tree: seen.tree,
        changed: seen.changed.len() as u64,
        files: state
            .task(&task)
            .map_or_else(Vec::new, |task| scope::files(seen.changed, &task.spec)),
        commits,
        plan: round::plan(&driver.place),
        failing_set: LastRun::failing_set(&driver.place, started),
        refused: printed
            .session
            .as_deref()
            .map_or(0, |session| repeats::highest(&driver.place, session)),
        ..printed.outcome(claim, state)
    })
}

/// The paths that the cell refused, and the limit that it kept, by what the agent printed.
fn walled(driver: &Driver, prints: &Prints) -> (BTreeSet<String>, Option<String>) {
    let (mut walled, mut told) = (BTreeSet::new(), None);
    let Some(cells) = &driver.cells else {
        return (walled, told);
    };
    let top = &driver.place.top;
    for (path, offset) in [(&prints.stdout, prints.offset), (&prints.stderr, 0)] {
        // What cannot be read says nothing.
        let _ = client::each_line(path, offset, |line| {
            let text = String::from_utf8_lossy(line);
            walled.extend(cells.refusals(&text, top));
            told = told.take().or_else(|| cells.told(&text));
        });
    }
    (walled.into_iter().take(REFUSED_MAX).collect(), told)
}

/// Looks at the work tree after an attempt: what changed, where that can be seen, and in how many
/// commits.
pub(super) fn look(driver: &mut Driver) -> (Option<Snapshot>, u64) {
    let seen = driver.snapshots.take();
    let seen = seen.inspect_err(|fault| (driver.say)(&fault.to_string()));
    let seen = seen.ok();
    let head = driver.snapshots.head();
    let commits = driver.snapshots.commits(&driver.head, &head);
    driver.head = head;
    (seen, commits)
}

fn append_to(path: &Path) -> Result<File, Fault> {
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(files::PRIVATE)
        .open(path)
        .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display())))
}

fn open_for_reading(path: &Path) -> Result<File, Fault> {
    File::open(path)
        .map_err(|error| Fault::new(Code::FileRead, format!("{}: {error}", path.display())))
}
