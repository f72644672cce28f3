//! `/flow` in the session: the same core behind the Stop hook.

use super::api::{Api, Kind, Request, Script, Turn};
use super::client::{Client, Finished};
use super::plugin::Plugin;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project with git, a plugin, and a client that talks to the script.
struct Stage {
    api: Api,
    client: Client,
    plugin: Plugin,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new(script: Script) -> Option<Self> {
        let api = Api::start(script);
        let client = Client::new(&api)?;
        let folder = tempfile::tempdir().unwrap();
        let git = client
            .dressed("git", folder.path())
            .args(["init", "-q"])
            .status();
        assert!(git.unwrap().success());
        Some(Self {
            api,
            client,
            plugin: Plugin::assemble("market"),
            folder,
        })
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap_or_default()
    }

    fn flow(&self, typed: &str) -> Command {
        let mut command = self.client.print(self.folder.path(), typed);
        command.arg("--plugin-dir").arg(&self.plugin.folder);
        command.args([
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "Agent",
        ]);
        command
    }

    #[track_caller]
    fn run(&self, typed: &str) -> Finished {
        self.client.finish(&mut self.flow(typed))
    }

    /// The journals' events, run by run.
    fn journals(&self) -> Vec<Vec<Value>> {
        let Ok(runs) = std::fs::read_dir(self.at(".git/overnight/runs")) else {
            return Vec::new();
        };
        let mut folders: Vec<PathBuf> = runs.map(|run| run.unwrap().path()).collect();
        folders.sort();
        folders.iter().map(|folder| events(folder)).collect()
    }

    fn journal(&self) -> Vec<Value> {
        let mut journals = self.journals();
        assert_eq!(journals.len(), 1);
        journals.remove(0)
    }
}

fn events(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn count(events: &[Value], name: &str) -> usize {
    events.iter().filter(|event| event["event"] == name).count()
}

/// The session's own conversation: delegates what it is handed, then reports.
fn delegate(report: &'static str) -> impl Fn(usize, &Request) -> Turn {
    move |_, request| {
        if !request.tool_result.is_empty() {
            return Turn::say(report);
        }
        let start = request.last.find("Read /").map(|at| &request.last[at..]);
        let Some(prompt) = start.and_then(|text| text.lines().next()) else {
            return Turn::say("nothing was handed out");
        };
        let input = json!({"description": "iteration", "prompt": prompt, "subagent_type": "overnight:flow-worker", "run_in_background": false});
        Turn::tool("Agent", input)
    }
}

/// A worker that changes a file each time, named after the iteration.
fn work(at: usize, request: &Request) -> Turn {
    let prompt = request.first.split_whitespace().nth(1).unwrap_or_default();
    match at {
        0 => Turn::tool("Read", json!({"file_path": prompt})),
        1 => {
            let top = prompt.split("/agent_logs/").next().unwrap();
            let name = Path::new(prompt).file_name().unwrap().to_str().unwrap();
            Turn::tool(
                "Write",
                json!({"file_path": format!("{top}/work-{name}"), "content": "done\n"}),
            )
        }
        _ => Turn::say("a piece of it is done"),
    }
}

fn working(report: &'static str) -> Script {
    Script::new()
        .answer(Kind::Main, delegate(report))
        .answer(Kind::Subagent, work)
}

#[test]
fn twelve_iterations_headless_each_in_a_fresh_worker_with_progress_updated() {
    let Some(stage) = Stage::new(working("INCOMPLETE: more is left")) else {
        return;
    };
    let done = stage.run("/flow port the parser --autonomous --max-iterations 12");
    assert!(done.status.success(), "{done:#?}");
    let events = stage.journal();
    assert_eq!(count(&events, "judged"), 12, "{done:#?} {events:#?}");
    assert_eq!(
        events.last().unwrap()["reason"],
        "max_iterations",
        "{events:#?}"
    );
    let readme = stage.read("progress/README.md");
    assert!(readme.contains("- 反復: 12/12"), "{readme}");
    assert!(
        done.stdout.contains("the iterations are used up"),
        "{done:#?}"
    );
    let workers = stage.api.of_kind(Kind::Subagent);
    assert_eq!(workers.len(), 36);
    let mut tools = workers[0].tools.clone();
    tools.sort();
    assert_eq!(tools, ["Bash", "Edit", "Read", "Write"]);
}
