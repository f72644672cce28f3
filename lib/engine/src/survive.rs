//! A night that survives its machine: units of the person's service manager look after it, an inhibitor
//! keeps the machine awake while it works, and who looks tells when nothing was heard.

use crate::agent::own_program;
use crate::client::find_program;
use crate::files::{self, Content};
use crate::state::Place;
use crate::{clock, detach, env, git, homes, notify, runs, sight};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::State;
use overnight_run::options::{NO_PR, OWN_SESSION, RESUME};
use overnight_run::survive::{self, Job, Look, Seen};
use overnight_views::notify::{Kind, Notice};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

/// How long the service manager may take to answer.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// In the run's folder: that it is to survive, and how often it came back.
const MARK: &str = "survive";
/// What of the environment a run that comes back needs. No credential is among it.
const ENVIRONMENT: [&vars::Var; 6] = [
    &vars::PATH,
    &vars::HOME,
    &vars::TZ,
    &vars::CONFIG_HOME,
    &vars::STATE_HOME,
    &vars::CLIENT_HOME,
];

/// Has the service manager look after a run; gives what the person is told.
pub fn install(place: &Place, run: &str, no_pr: bool) -> Result<String, Fault> {
    files::write_atomic(&mark(place, run), b"0", files::PRIVATE)?;
    let mut command = vec![own_program()?.display().to_string(), "keep".to_owned()];
    command.push(run.to_owned());
    if no_pr {
        command.push(format!("--{}", NO_PR.name));
    }
    let environment: Vec<(String, String)> = ENVIRONMENT
        .into_iter()
        .filter_map(|var| Some((var.name.to_owned(), env::get(var)?)))
        .collect();
    let folder = place.home.display().to_string();
    let job = Job {
        run,
        command: &command,
        folder: &folder,
        environment: &environment,
    };
    let odd = |text: &str| text.contains(['\n', '\r']);
    let units = units(&job).filter(|_| !odd(&folder) && !command.iter().any(|word| odd(word)));
    let Some(units) = units else {
        return Ok(alone(run));
    };
    for (path, text) in &units {
        if let Some(folder) = path.parent() {
            files::create_folder(folder)?;
        }
        files::write_atomic(path, text.as_bytes(), files::PRIVATE)?;
    }
    if started(run, &units) {
        return Ok(format!(
            "run {run} comes back after a kill, and after a reboot as soon as you log in{}",
            if cfg!(target_os = "macos") {
                ""
            } else {
                " (at once with: loginctl enable-linger)"
            }
        ));
    }
    delete(&units);
    Ok(alone(run))
}

fn alone(run: &str) -> String {
    format!("no service manager of yours answers: after a kill or a reboot, overnight resume {run}")
}

/// The units' files with their texts; `None` where no service manager is known.
fn units(job: &Job) -> Option<Vec<(PathBuf, String)>> {
    let name = survive::name(job.run);
    if cfg!(target_os = "macos") {
        find_program("launchctl")?;
        let home = PathBuf::from(env::get_os(&vars::HOME)?);
        let path = home
            .join("Library/LaunchAgents")
            .join(format!("{name}.plist"));
        return Some(vec![(path, job.plist())]);
    }
    find_program("systemctl")?;
    let folder = homes::config()?.parent()?.join("systemd/user");
    Some(vec![
        (folder.join(format!("{name}.service")), job.service()),
        (folder.join(format!("{name}.timer")), job.timer()),
    ])
}

/// The files of a run's units that are there.
fn there(run: &str) -> Vec<(PathBuf, String)> {
    let job = Job {
        run,
        command: &[],
        folder: "",
        environment: &[],
    };
    let mut units = units(&job).unwrap_or_default();
    units.retain(|(path, _)| path.exists());
    units
}

fn started(run: &str, units: &[(PathBuf, String)]) -> bool {
    if cfg!(target_os = "macos") {
        let path = units.first().map(|(path, _)| path.display().to_string());
        return path.is_some_and(|path| asked("launchctl", &["load", "-w", &path]));
    }
    let timer = format!("{}.timer", survive::name(run));
    asked("systemctl", &["--user", "daemon-reload"])
        && asked("systemctl", &["--user", "enable", "--now", &timer])
}

/// Nobody need look after a run any longer. What cannot be taken away finds at the next look that it is
/// over.
pub fn remove(place: &Place, run: &str) {
    let _ = std::fs::remove_file(mark(place, run));
    let units = there(run);
    if units.is_empty() {
        return;
    }
    if cfg!(target_os = "macos") {
        // The file goes first: launchd may end whoever asks for this.
        delete(&units);
        asked("launchctl", &["remove", &survive::name(run)]);
        return;
    }
    let timer = format!("{}.timer", survive::name(run));
    asked("systemctl", &["--user", "disable", "--now", &timer]);
    delete(&units);
    asked("systemctl", &["--user", "daemon-reload"]);
}

fn delete(units: &[(PathBuf, String)]) {
    for (path, _) in units {
        let _ = std::fs::remove_file(path);
    }
}

fn asked(program: &str, words: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).process_group(0);
    git::output_within(&mut command, &[], WAIT_MAX).is_ok_and(|done| done.ok())
}

fn mark(place: &Place, run: &str) -> PathBuf {
    place.run_folder(run).join(MARK)
}

/// How often a run came back; `None` for one that need not survive.
fn times(place: &Place, run: &str) -> Option<u32> {
    match files::read_bounded(&mark(place, run), 32) {
        Ok(Content::Bytes(bytes)) => String::from_utf8_lossy(&bytes).trim().parse().ok(),
        _ => None,
    }
}

/// One look after a run: one whose driver died goes on.
pub fn keep(place: &Place, run: &str, no_pr: bool) -> Result<Look, Fault> {
    let Some(times) = times(place, run) else {
        // A person stopped it.
        remove(place, run);
        return Ok(Look::Over);
    };
    let state = runs::state(place, run)?;
    let seen = Seen {
        alive: runs::driver_lives(&state),
        heard: last_written(place, run),
        times,
        now: clock::wall_ms(),
    };
    let look = survive::look(&state, seen);
    match look {
        Look::Well => {}
        Look::Over => remove(place, run),
        Look::GoOn => {
            let count = (times + 1).to_string();
            files::write_atomic(&mark(place, run), count.as_bytes(), files::PRIVATE)?;
            go_on(place, run, no_pr)?;
        }
        Look::GiveUp => {
            let text = format!("its driver died {times} times: it is not started again by itself");
            tell(place, run, &state, (&text, "gave-up".to_owned()));
            remove(place, run);
        }
        Look::Quiet => {
            let text = "nothing was heard of it for an hour, and its driver still lives";
            tell(place, run, &state, (text, format!("quiet-{}", seen.heard)));
        }
    }
    Ok(look)
}

fn go_on(place: &Place, run: &str, no_pr: bool) -> Result<(), Fault> {
    let mut words = vec!["run".to_owned(), format!("--{}", OWN_SESSION.name)];
    words.push(format!("--{}={run}", RESUME.name));
    if no_pr {
        words.push(format!("--{}", NO_PR.name));
    }
    let log = place.home.join("agent_logs").join(run).join("driver.log");
    detach::driver(&words, &log).map(drop)
}

/// When anything of the run was written last: journals, and what its agents print.
fn last_written(place: &Place, run: &str) -> u64 {
    const DEPTH: u32 = 3;
    let folders = [
        place.run_folder(run),
        place.home.join("agent_logs").join(run),
    ];
    let newest = folders
        .iter()
        .filter_map(|folder| newest(folder, DEPTH))
        .max();
    newest.unwrap_or(0)
}

fn newest(folder: &Path, depth: u32) -> Option<u64> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let times = entries.filter_map(|entry| {
        let about = entry.metadata().ok()?;
        if about.is_dir() {
            return if depth > 0 {
                newest(&entry.path(), depth - 1)
            } else {
                None
            };
        }
        // Who looks writes these.
        let ours = [MARK, "glance.json"]
            .iter()
            .any(|name| entry.file_name() == *name);
        let since = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        (about.is_file() && !ours).then(|| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    });
    times.max()
}

fn tell(place: &Place, run: &str, state: &State, (text, key): (&str, String)) {
    let seen = sight::seen(place, run, state, 0);
    let summary = sight::summary(place, state, &seen);
    let notice = Notice {
        key: format!("{run}/{key}"),
        kind: Kind::Failed,
        project: notify::project(place),
        run: run.to_owned(),
        text: text.to_owned(),
        sentence: summary.sentence.clone(),
        done: summary.done.all(),
        total: summary.total,
        cost_usd: summary.cost.usd,
        estimated: summary.cost.estimated,
        needs: Vec::new(),
        commands: vec![
            format!("overnight status {run}"),
            format!("overnight stop {run}"),
        ],
        link: None,
        ask: None,
    };
    notify::pass_on(place, &notice, notify::Way::Desktop);
}

/// Keeps the machine awake as long as it is held, for a run that is to survive it. Its end is that of the
/// driver, too: it reads from a pipe, or waits for the process.
#[derive(Debug)]
pub struct Awake(Child);

impl Awake {
    /// `None` where nothing is to be kept awake, or cannot be.
    pub fn hold(place: &Place, run: &str) -> Option<Self> {
        times(place, run)?;
        let mut command = if cfg!(target_os = "macos") {
            let mut caffeinate = Command::new(find_program("caffeinate")?);
            caffeinate.args(["-i", "-w", &std::process::id().to_string()]);
            caffeinate
        } else {
            let mut inhibit = Command::new(find_program("systemd-inhibit")?);
            inhibit.args(["--what=idle:sleep", "--who=Overnight", "--mode=block"]);
            inhibit.args([&format!("--why=run {run} is at work"), "cat"]);
            inhibit
        };
        let quiet = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        quiet.process_group(0).spawn().ok().map(Self)
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
