//! Two runs of one repository share its task list, as sessions and as drivers: no task is ever
//! with both.

use crate::members::list;
use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};

/// A client: the process that a session's leases live with.
pub(crate) struct Client(Child);

impl Client {
    fn new() -> Self {
        let child = Command::new("sleep").arg("600").spawn();
        Self(child.unwrap())
    }

    pub(crate) fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A session in a terminal.
pub(crate) struct Session<'p> {
    project: &'p Project,
    id: &'static str,
    environment: &'p [(&'p str, &'p str)],
    pub(crate) client: Client,
}

impl<'p> Session<'p> {
    pub(crate) fn new(project: &'p Project, id: &'static str) -> Self {
        let client = Client::new();
        Self {
            project,
            id,
            environment: &[],
            client,
        }
    }

    /// The same, with more in its environment.
    pub(crate) fn with(self, environment: &'p [(&'p str, &'p str)]) -> Self {
        Self {
            environment,
            ..self
        }
    }

    pub(crate) fn hook(&self, binary: &str, event: Value) -> Option<Value> {
        self.call(binary, &[], event)
    }

    /// Does the guard refuse this call?
    pub(crate) fn is_refused(&self, event: Value) -> bool {
        let answer = self.call("command-guard", &["hook"], event);
        let denied = |answer: Value| answer["hookSpecificOutput"]["permissionDecision"] == "deny";
        answer.is_some_and(denied)
    }

    pub(crate) fn call(&self, binary: &str, arguments: &[&str], mut event: Value) -> Option<Value> {
        let binary = std::path::Path::new(cargo_bin!("flow-start")).with_file_name(binary);
        let mut command = self.project.command(binary);
        command
            .args(arguments)
            .envs(self.environment.iter().copied());
        command.env("CLAUDE_PID", self.client.0.id().to_string());
        event["session_id"] = json!(self.id);
        event["cwd"] = json!(self.project.path(""));
        let done = assert_cmd::Command::from_std(command)
            .write_stdin(event.to_string())
            .output()
            .unwrap();
        assert!(matches!(done.status.code(), Some(0 | 2)), "{done:?}");
        let stdout = done.stdout;
        (!stdout.is_empty()).then(|| serde_json::from_slice(&stdout).unwrap())
    }

    /// Types this behind `/flow`.
    pub(crate) fn typed(&self, arguments: &str) -> Value {
        let event = json!({"hook_event_name": "UserPromptExpansion", "command_name": "overnight:flow",
            "command_args": arguments, "command_source": "plugin"});
        self.hook("flow-start", event).unwrap()
    }

    /// Types `/flow --autonomous`; gives the task that comes first.
    pub(crate) fn flow(&self) -> String {
        task(&self.typed("do the list --autonomous"))
    }

    /// Writes to the model.
    pub(crate) fn prompt(&self, text: &str) -> Option<Value> {
        let event = json!({"hook_event_name": "UserPromptSubmit", "prompt": text});
        self.hook("flow-start", event)
    }

    /// The session begins anew, in the client it has now.
    pub(crate) fn resumed(&self) -> Value {
        let event = json!({"hook_event_name": "SessionStart", "source": "resume"});
        self.hook("session-start", event).unwrap()
    }

    /// The task is done, and the session's model says so; what the session is told.
    pub(crate) fn done(&self, task: &str) -> Value {
        std::fs::create_dir_all(self.project.path("out")).unwrap();
        std::fs::write(self.project.path(&format!("out/{task}")), "x").unwrap();
        self.stop("<DONE>written</DONE>")
    }

    pub(crate) fn stop(&self, said: &str) -> Value {
        self.try_stop(said).unwrap()
    }

    /// The model stops; `None`: it is let go without a word.
    pub(crate) fn try_stop(&self, said: &str) -> Option<Value> {
        let event = json!({"hook_event_name": "Stop", "background_tasks": [], "last_assistant_message": said});
        self.hook("stop-gate", event)
    }
}

/// The task that an answer hands out.
pub(crate) fn task(answer: &Value) -> String {
    let text = answer["hookSpecificOutput"]["additionalContext"].as_str();
    let text = text.unwrap_or_else(|| panic!("nothing is handed out: {answer}"));
    let (_, rest) = text
        .split_once(", task ")
        .unwrap_or_else(|| panic!("{text}"));
    rest.split(')').next().unwrap().to_owned()
}

pub(crate) fn project(tasks: &[(&str, &[&str])]) -> Project {
    let project = Project::new();
    std::fs::write(project.path("tasks.json"), list(tasks)).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    project
}

fn statuses(project: &Project) -> BTreeMap<String, String> {
    let list: Value = serde_json::from_str(&project.read("tasks.json")).unwrap();
    let status = |task: &Value| task["status"].as_str().unwrap_or("todo").to_owned();
    let list = list.as_object().unwrap().iter();
    list.map(|(id, task)| (id.clone(), status(task))).collect()
}

fn states_of_leases(project: &Project) -> Vec<String> {
    let mut command = project.command(cargo_bin!("task-lock"));
    command.args(["list", "--remote", "none", "--json"]);
    let listed: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let leases = listed["leases"].as_array().unwrap().iter();
    leases
        .map(|lease| lease["state"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn two_sessions_never_work_on_the_same_task_and_both_learn_what_is_done() {
    let project = project(&[("a", &[]), ("b", &[]), ("c", &["a"]), ("d", &["b"])]);
    let (one, two) = (Session::new(&project, "s1"), Session::new(&project, "s2"));
    assert_eq!((one.flow().as_str(), two.flow().as_str()), ("a", "b"));
    let doing = statuses(&project);
    assert_eq!(
        (doing["a"].as_str(), doing["b"].as_str()),
        ("doing", "doing")
    );
    assert!(
        project
            .read("current_tasks/a.txt")
            .contains("Agent: overnight-")
    );
    // It goes on with its own task while that is not done.
    assert_eq!(task(&one.stop("INCOMPLETE: more is left")), "a");
    assert_eq!(task(&one.done("a")), "c");
    assert_eq!(
        statuses(&project)["b"],
        "doing",
        "what the other wrote stays"
    );
    assert_eq!(task(&two.done("b")), "d");
    // The last task is with the other session: this one waits for what comes of it.
    let told = std::thread::scope(|scope| {
        let waits = scope.spawn(|| one.done("c"));
        let ends = scope.spawn(|| two.done("d"));
        [waits.join().unwrap(), ends.join().unwrap()]
    });
    for told in told {
        let line = told["systemMessage"]
            .as_str()
            .unwrap_or_else(|| panic!("{told}"));
        assert!(line.contains("every task is"), "{line}");
    }
    assert!(statuses(&project).values().all(|status| status == "done"));
    assert!(
        states_of_leases(&project)
            .iter()
            .all(|state| state == "free")
    );
    for run in project.runs() {
        project.overnight(&["replay", &run]).success();
    }
}

#[test]
fn what_a_killed_client_held_another_session_takes_at_once() {
    let project = project(&[("a", &[])]);
    let (mut one, two) = (Session::new(&project, "s1"), Session::new(&project, "s2"));
    assert_eq!(one.flow(), "a");
    one.client.kill();
    assert_eq!(two.flow(), "a");
}

#[test]
fn what_a_cleared_or_ended_session_held_is_free() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let (one, two) = (Session::new(&project, "s1"), Session::new(&project, "s2"));
    assert_eq!(one.flow(), "a");
    one.hook(
        "session-end",
        json!({"hook_event_name": "SessionEnd", "reason": "other"}),
    );
    assert_eq!(two.flow(), "a");
    // The first session comes back: its task is the other's now.
    one.resumed();
    assert_eq!(task(&one.prompt("continue").unwrap()), "b");
}

#[test]
fn a_session_leaves_what_is_leased_on_the_remote_by_this_clone() {
    let project = project(&[("a", &[]), ("b", &[])]);
    project.git(&["init", "-q", "--bare", "../remote.git"]);
    project.git(&["remote", "add", "origin", "../remote.git"]);
    let mut lease = project.command(cargo_bin!("task-lock"));
    lease
        .args(["acquire", "a", "--agent", "member"])
        .stdout(Stdio::null());
    assert!(lease.status().unwrap().success());
    assert_eq!(Session::new(&project, "s1").flow(), "b");
}

#[test]
fn two_drivers_of_one_repository_do_each_task_once() {
    let ids: Vec<String> = (0..6).map(|at| format!("t{at}")).collect();
    let tasks: Vec<(&str, &[&str])> = ids.iter().map(|id| (id.as_str(), &[][..])).collect();
    let project = project(&tasks);
    let agent = format!(
        "command:mkdir -p out; echo $OVERNIGHT_TASK >> {}; sleep 0.05; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'",
        project.meeting("worked").display()
    );
    // Each in a work tree of its own; the list is one.
    let words = |at: usize| project.home().join(format!("driver-{at}"));
    let mut drivers = [0, 1].map(|at| {
        let said = std::fs::File::create(words(at)).unwrap();
        let mut command = project.command(cargo_bin!("overnight"));
        command.args(["run", "--no-pr", "--agent", &agent]);
        command.stdout(said.try_clone().unwrap()).stderr(said);
        command.spawn().unwrap()
    });
    for (at, driver) in drivers.iter_mut().enumerate() {
        let said = |at| std::fs::read_to_string(words(at)).unwrap();
        assert_eq!(driver.wait().unwrap().code(), Some(0), "{}", said(at));
    }
    let mut worked: Vec<String> = project
        .read("../home/.cache/worked")
        .lines()
        .map(str::to_owned)
        .collect();
    worked.sort();
    assert_eq!(worked, ids);
    assert!(statuses(&project).values().all(|status| status == "done"));
    for run in project.runs() {
        project.overnight(&["replay", &run]).success();
    }
}
