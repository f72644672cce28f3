//! An ordinary session of fifty calls, beside one without the plugin: what it leaves, what it puts into the
//! environment, what it costs in tokens, questions and time.

use super::api::{Kind, Script, Turn};
use super::stage::Stage;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What `lib-docs/guest.md` promises of the tokens that are always there.
const TOKENS_MAX: usize = 200;
/// Characters of a token, about: what the client reckons with where it has no other figure.
const TOKEN_CHARS: usize = 4;

/// Fifty calls as they come in a day's work.
fn calls(stage: &Stage) -> Vec<Turn> {
    let file = |name: String| stage.at(&name).to_str().unwrap().to_owned();
    let mut turns = vec![Turn::bash("env | sort")];
    for round in 0..7 {
        let path = file(format!("file-{round}.txt"));
        turns.extend([
            Turn::tool("Write", json!({"file_path": path, "content": "one\ntwo\n"})),
            Turn::tool("Read", json!({"file_path": path})),
            Turn::tool(
                "Edit",
                json!({"file_path": path, "old_string": "two", "new_string": "three"}),
            ),
            Turn::tool(
                "Grep",
                json!({"pattern": "three", "path": file(String::new())}),
            ),
            Turn::bash("git status --short"),
            Turn::bash("seq 200"),
            Turn::bash("ls no-such-file"),
        ]);
    }
    assert_eq!(turns.len(), 50);
    turns.push(Turn::say("end"));
    turns
}

/// What a session left and showed.
struct Seen {
    files: BTreeSet<PathBuf>,
    excluded: String,
    environment: BTreeSet<String>,
    results: Vec<String>,
    /// Characters of the first request's tools, system prompt and messages.
    context: usize,
    refused: usize,
    took: Duration,
}

fn session(with_plugin: bool) -> Option<Seen> {
    // The calls name the folder that is made with the script's answers.
    let turns = std::sync::Arc::new(std::sync::Mutex::new(Vec::<Turn>::new()));
    let told = std::sync::Arc::clone(&turns);
    let script = Script::new().answer(Kind::Main, move |at, _| told.lock().unwrap()[at].clone());
    let stage = Stage::new(script)?;
    *turns.lock().unwrap() = calls(&stage);
    let mut command = stage.client.print(stage.folder.path(), "go");
    if with_plugin {
        command.arg("--plugin-dir").arg(&stage.plugin.folder);
    }
    command.args([
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Bash,Grep,Write,Edit",
    ]);
    let began = Instant::now();
    let done = stage.client.finish(&mut command);
    let took = began.elapsed();
    assert_eq!(done.result()["result"], "end", "{done:#?}");
    let requests = stage.api.main_requests();
    let results: Vec<String> = requests[1..]
        .iter()
        .map(|request| request.tool_result.clone())
        .collect();
    let first = &requests[0].body;
    let context = ["tools", "system", "messages"]
        .iter()
        .map(|part| first[part].to_string().len())
        .sum();
    let place = stage.folder.path().to_str().unwrap();
    let home = stage.client.home.to_str().unwrap();
    let mut files = listing(stage.folder.path(), stage.folder.path());
    // What the client keeps for itself, whoever is its guest.
    files.extend(
        listing(&stage.client.home, &stage.client.home)
            .into_iter()
            .filter(|path| !path.starts_with(".claude")),
    );
    let plain = |line: &str| line.replace(place, "PLACE").replace(home, "HOME");
    Some(Seen {
        environment: results[0]
            .lines()
            .map(plain)
            .filter(|line| !is_of_this_session(line))
            .collect(),
        results: results[1..].iter().map(|result| plain(result)).collect(),
        excluded: stage.read(".git/info/exclude"),
        refused: done.result()["permission_denials"]
            .as_array()
            .map_or(0, Vec::len),
        files,
        context,
        took,
    })
}

/// A variable that no two sessions have alike, or the PATH, at whose end the client puts a plugin's programs.
fn is_of_this_session(line: &str) -> bool {
    const NAMES: [&str; 8] = [
        "ANTHROPIC_BASE_URL",
        "CLAUDE_CODE_CHILD_NOTES_DIR",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PID",
        "PATH",
        "_",
    ];
    NAMES.contains(&line.split('=').next().unwrap_or_default())
}

fn listing(folder: &Path, top: &Path) -> BTreeSet<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().flatten();
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    let inner = files.map(|entry| entry.path().strip_prefix(top).unwrap().to_owned());
    // What the test itself keeps of the client's output.
    inner
        .filter(|path| {
            !path.to_str().unwrap().starts_with("out-")
                && !path.to_str().unwrap().starts_with("err-")
        })
        .collect()
}

#[test]
fn fifty_calls_leave_show_and_ask_nothing_that_they_would_not_without_the_plugin() {
    let (Some(bare), Some(guest)) = (session(false), session(true)) else {
        return;
    };
    assert_eq!(guest.files, bare.files);
    assert_eq!(guest.excluded, bare.excluded);
    assert_eq!(guest.environment, bare.environment);
    assert_eq!(guest.results, bare.results, "each output came as it was");
    assert_eq!((guest.refused, bare.refused), (0, 0));
    let more = guest.context.saturating_sub(bare.context);
    let _ = writeln!(
        std::io::stderr(),
        "50 calls: {more} characters more in each request (about {} tokens), {:.2} s beside {:.2} s",
        more / TOKEN_CHARS,
        guest.took.as_secs_f64(),
        bare.took.as_secs_f64(),
    );
    assert!(more <= TOKENS_MAX * TOKEN_CHARS, "{more} characters");
}

#[test]
fn a_long_output_of_a_session_is_the_clients_own_until_it_cuts_it_and_a_failing_one_too() {
    let turns = vec![
        Turn::bash("seq 3000"),
        Turn::bash("seq 90000"),
        Turn::say("end"),
    ];
    let Some(stage) = Stage::new(Script::new().session(turns)) else {
        return;
    };
    let mut command = stage.client.print(stage.folder.path(), "go");
    command
        .arg("--plugin-dir")
        .arg(&stage.plugin.folder)
        .args(["--allowedTools", "Bash"]);
    let done = stage.client.finish(&mut command);
    assert_eq!(done.result()["result"], "end", "{done:#?}");
    let results: Vec<String> = stage.api.main_requests()[1..]
        .iter()
        .map(|request| request.tool_result.clone())
        .collect();
    assert!(results[0].lines().count() == 3_000 && !results[0].contains("logs/"));
    assert!(
        results[1].lines().count() <= 52 && results[1].contains("logs/"),
        "{}",
        results[1]
    );
}

/// A person's `overnight off` is the only other way to have none of it.
#[test]
fn a_run_in_the_session_leads_its_shells_and_its_end_gives_them_back() {
    let script = Script::new()
        .answer(Kind::Main, |at, request| match at {
            0 => Turn::bash("echo before; seq 3000"),
            1 => Turn::say("seen"),
            _ if request.tool_result.is_empty() && request.last.contains("Read /") => {
                Turn::tool("Agent", json!({"description": "i", "prompt": "Read /x", "subagent_type": "overnight:flow-worker", "run_in_background": false}))
            }
            _ if request.last.contains("once more") => Turn::bash("seq 3000"),
            _ => Turn::say("INCOMPLETE: more is left"),
        })
        .answer(Kind::Subagent, |at, _| match at {
            0 => Turn::bash("seq 3000"),
            _ => Turn::say("worked"),
        });
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let Some(terminal) = terminal(&stage) else {
        return;
    };
    terminal.line("look around");
    terminal.wait("the first answer", |screen| screen.contains("seen"));
    terminal.line("/flow port it --autonomous --max-iterations 1");
    terminal.wait("the end of the run", |screen| {
        screen.contains("the iterations are used up")
    });
    terminal.line("once more");
    terminal.until("the last output", || outputs(&stage, Kind::Main).len() >= 2);
    let own = outputs(&stage, Kind::Main);
    assert!(
        own.iter().all(|result| result.lines().count() > 2_000),
        "{own:#?}"
    );
    let workers = outputs(&stage, Kind::Subagent);
    assert!(
        workers[0].lines().count() <= 52 && workers[0].contains("logs/"),
        "{workers:#?}"
    );
}

fn terminal(stage: &Stage) -> Option<super::terminal::Terminal> {
    let plugin = stage.plugin.folder.to_str().unwrap();
    let arguments = [
        "--plugin-dir",
        plugin,
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Agent,Bash",
    ];
    let terminal =
        super::terminal::Terminal::start(&stage.client, stage.folder.path(), &arguments)?;
    terminal.wait("prompt", |screen| screen.contains('❯'));
    Some(terminal)
}

/// What commands printed.
fn outputs(stage: &Stage, kind: Kind) -> Vec<String> {
    let all = stage
        .api
        .of_kind(kind)
        .into_iter()
        .map(|request| request.tool_result);
    all.filter(|result| result.contains("2999") || result.contains("logs/"))
        .collect()
}
