//! Asks an agent for a task list: one process a question, the raw answers kept.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_host::agent::Agent;
use overnight_host::client::{self, find_program};
use overnight_host::files::{self, Content};
use overnight_host::process;
use overnight_host::signals::Signals;
use overnight_host::state::Place;
use overnight_host::{clock, random};
use overnight_tasks::issue::{self, Issue};
use overnight_tasks::plan::{self, RETRIES_MAX};
use overnight_tasks::{TaskList, problem};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A leader that has not answered by then is ended (the iteration's default).
const LIMIT: Duration = Duration::from_mins(30);
/// How long a leader that was told to end may take.
const GRACE: Duration = Duration::from_secs(5);
/// More than this is no answer.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// A plan that passed.
#[derive(Debug)]
pub struct Planned {
    /// The list.
    pub list: TaskList,
    /// Its text, as the agent wrote it.
    pub text: String,
    /// How many answers it took.
    pub answers: u32,
}

/// Asks until an answer passes: at most twice more with the problems told, or once when `retry`
/// is off; each task is for one of the issues, where there are any. Then a clear stop, with the last answer in a file.
pub fn ask(
    place: &Place,
    (agent, model): (&Agent, Option<&str>),
    (prompt, issues): (&str, &[Issue]),
    retry: bool,
) -> Result<Planned, Fault> {
    let signals = Signals::install()?;
    let folder = place.state.join("plans");
    files::create_private_folder(&folder)?;
    let most = if retry { RETRIES_MAX + 1 } else { 1 };
    let mut question = prompt.to_owned();
    let mut number = 1;
    loop {
        let name = format!("{}-{}-{number}", clock::wall_ms(), random::hex::<2>()?);
        let leader = Leader {
            place,
            agent,
            model,
            signals: &signals,
        };
        let answer = leader.answer(&question, &folder.join(name))?;
        let problems = match issue::read_plan(&answer.text, issues) {
            Ok((list, text)) => {
                return Ok(Planned {
                    list,
                    text,
                    answers: number,
                });
            }
            Err(problems) => problems,
        };
        if number == most {
            let kept = answer.file.display();
            let told = problem::fault("the answer", &problems);
            let reason = format!("{} ({} of {most} answers refused)", told.reason, number);
            let mut fault = Fault::new(Code::PlanInvalid, reason)
                .hint(format!(
                    "read the last answer in {kept}, then plan again or write tasks.json by hand"
                ))
                .with("answer", kept.to_string());
            fault.context.extend(told.context);
            return Err(fault);
        }
        question = plan::again(prompt, &problems);
        number += 1;
    }
}

/// What the agent said, and the file that keeps it.
struct Answer {
    text: String,
    file: PathBuf,
}

/// Who is asked, where.
struct Leader<'a> {
    place: &'a Place,
    agent: &'a Agent,
    model: Option<&'a str>,
    signals: &'a Signals,
}

impl Leader<'_> {
    fn answer(&self, question: &str, stem: &Path) -> Result<Answer, Fault> {
        let (place, agent) = (self.place, self.agent);
        let (asked, raw) = (stem.with_extension("prompt.md"), stem.with_extension("out"));
        files::write_atomic(&asked, question.as_bytes(), files::PRIVATE)?;
        files::write_atomic(&raw, b"", files::PRIVATE)?;
        let mut command = command((agent, self.model), question)?;
        let open = |path: &Path, write: bool| {
            std::fs::OpenOptions::new()
                .read(!write)
                .append(write)
                .open(path)
                .map_err(|error| Fault::new(Code::FileRead, format!("{}: {error}", path.display())))
        };
        let stdin = if agent.reads_stdin() {
            Stdio::from(open(&asked, false)?)
        } else {
            Stdio::null()
        };
        let child = command
            .current_dir(&place.top)
            .stdin(stdin)
            .stdout(open(&raw, true)?)
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| {
                let program = command.get_program().to_string_lossy().into_owned();
                Fault::new(Code::CommandStart, format!("{program}: {error}"))
            })?;
        let code = wait(child, self.signals)?;
        let text = if agent.streams_json() {
            let ending = client::read_stream(&raw, 0)?;
            if !ending.has_result {
                let reason = format!("the client ended with status {code:?} and without a result");
                return Err(Fault::new(Code::ClientFailed, reason)
                    .with("answer", raw.display().to_string()));
            }
            ending.text
        } else {
            answer(&raw)?
        };
        let file = stem.with_extension("txt");
        files::write_atomic(&file, text.as_bytes(), files::PRIVATE)?;
        Ok(Answer { text, file })
    }
}

/// The leader's process. It may read the project; nothing else is allowed, and nobody is asked.
fn command((agent, model): (&Agent, Option<&str>), question: &str) -> Result<Command, Fault> {
    let mut command = match agent {
        Agent::Claude(_) => {
            let missing = || Fault::new(Code::ClientMissing, "no program `claude` on the PATH");
            let mut command = Command::new(find_program("claude").ok_or_else(missing)?);
            command.arg("-p").arg(question);
            command.args(["--output-format", "stream-json", "--verbose"]);
            command.args([
                "--permission-mode",
                "default",
                "--permission-prompts",
                "none",
            ]);
            command.args(["--allowedTools", "Read"]);
            command.args(model.iter().flat_map(|model| ["--model", model]));
            command
        }
        Agent::Command(text) => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", text]);
            command.envs(model.map(|model| (vars::MODEL.name, model)));
            command
        }
        Agent::Scripted(_) => {
            let reason = "a scripted agent plays iterations, it does not plan";
            return Err(Fault::new(Code::InputInvalid, reason)
                .hint("use --agent claude or --agent command:CMD"));
        }
    };
    command.process_group(0);
    Ok(command)
}

/// Waits for the leader and ends it at its limit, or when we are asked to end.
fn wait(mut child: Child, signals: &Signals) -> Result<Option<i32>, Fault> {
    let end = Instant::now() + LIMIT;
    loop {
        let status = child.try_wait().map_err(|error| {
            Fault::new(Code::Defect, format!("cannot wait for the leader: {error}"))
        })?;
        if let Some(status) = status {
            return Ok(status.code());
        }
        let interrupted = signals.interrupted().is_some();
        if interrupted || Instant::now() >= end {
            process::end_group(child.id(), GRACE);
            let _ = child.wait();
            return Err(if interrupted {
                Fault::new(
                    Code::ClientFailed,
                    "interrupted while the leader was at work",
                )
            } else {
                Fault::new(Code::TaskTimeout, "the leader did not answer in 30 minutes")
            });
        }
        signals.wait(end);
    }
}

fn answer(raw: &Path) -> Result<String, Fault> {
    match files::read_bounded(raw, ANSWER_BYTES_MAX)? {
        Content::Bytes(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Content::Missing => Ok(String::new()),
        Content::Refused(what) => {
            let reason = format!("the answer in {} is {what}", raw.display());
            Err(Fault::new(Code::PlanInvalid, reason))
        }
    }
}
