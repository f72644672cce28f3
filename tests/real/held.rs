//! Stop, pause, resume, prompts in the middle, Esc, a closed terminal: at a real terminal no client is ended,
//! no two work in one tree, and nothing is handed out after a stop.

use super::api::{Kind, Request, Script, Turn};
use super::session::{delegate, hand_to_worker, work};
use super::stage::Stage;
use super::terminal::Terminal;
use serde_json::Value;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long Esc gets to show before it is pressed again.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the model answers to a person.
const TALK: &str = "that is what I did and why";

/// A conversation that delegates what it is handed and answers what it is asked.
fn talking() -> Script {
    let hand_out = delegate("INCOMPLETE: more is left");
    Script::new()
        .answer(Kind::Main, move |at, request| {
            if request.last.contains("tell me") {
                return Turn::say(TALK);
            }
            hand_out(at, request)
        })
        .answer(Kind::Subagent, worker)
}

/// A worker that takes its time, so that there is a middle.
fn worker(at: usize, request: &Request) -> Turn {
    work(at, request).after(Duration::from_millis(100))
}

fn events(stage: &Stage) -> Vec<Value> {
    stage.journals().pop().unwrap_or_default()
}

fn count(stage: &Stage, name: &str) -> usize {
    events(stage)
        .iter()
        .filter(|event| event["event"] == name)
        .count()
}

fn overnight(stage: &Stage, words: &[&str]) -> (Option<i32>, String) {
    let program = stage.plugin.folder.join("bin/overnight");
    let mut command = stage.client.dressed(program, stage.folder.path());
    let done = command.args(words).output().unwrap();
    let said = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8(said).unwrap())
}

/// The terminal is at its prompt and answers: its client lives, and the run handed out nothing meanwhile.
fn answers(stage: &Stage, terminal: &Terminal) {
    let before = count(stage, "intent");
    let asked = stage.api.main_requests().len();
    terminal.line("tell me what you did");
    terminal.until("answer", || stage.api.main_requests().len() > asked);
    terminal.wait("the answer on the screen", |screen| screen.contains(TALK));
    assert_eq!(count(stage, "intent"), before, "{}", terminal.screen());
}

/// Presses Esc until the turn is interrupted, as a person does: between two requests the client takes none.
fn interrupt(terminal: &Terminal) {
    let pressed = Cell::new(None::<Instant>);
    terminal.wait("the interruption", |screen| {
        let done = is_interrupted(screen);
        // Twice at once would open the client's list of turns.
        if !done && pressed.get().is_none_or(|at| at.elapsed() > PATIENCE) {
            terminal.press("Escape");
            pressed.set(Some(Instant::now()));
        }
        done
    });
}

/// The turn was interrupted, and nothing came after it.
fn is_interrupted(screen: &str) -> bool {
    let lines: Vec<&str> = screen
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let end = lines.len().saturating_sub(6);
    lines[end..].iter().any(|line| line.contains("Interrupted"))
}

fn begin(stage: &Stage) -> Option<Terminal> {
    let terminal = stage.terminal()?;
    terminal.line("/flow port the parser --autonomous --max-iterations 90");
    terminal.until("two iterations", || count(stage, "judged") >= 2);
    Some(terminal)
}

#[test]
fn paused_from_outside_talked_to_resumed_and_stopped_a_client_lives_and_nothing_comes_after() {
    let Some(stage) = Stage::new(talking()) else {
        return;
    };
    let Some(terminal) = begin(&stage) else {
        return;
    };
    let (status, said) = overnight(&stage, &["pause"]);
    assert_eq!(status, Some(0), "{said}");
    terminal.wait("the pause", |screen| {
        screen.contains("/flow resume goes on")
    });
    answers(&stage, &terminal);
    let before = count(&stage, "judged");
    terminal.line("/flow resume");
    terminal.until("two more", || count(&stage, "judged") >= before + 2);
    let (status, said) = overnight(&stage, &["stop"]);
    assert_eq!(status, Some(0), "{said}");
    terminal.wait("the stop", |screen| screen.contains("is stopped"));
    answers(&stage, &terminal);
    assert_eq!(events(&stage).last().unwrap()["event"], "finished");
    assert_eq!(overnight(&stage, &["status"]).0, Some(1));
}

/// A conversation that puts its workers into the background and reports when the client wakes it.
fn in_background() -> Script {
    Script::new()
        .answer(Kind::Main, |_, request| {
            if request.last.contains("<task-notification>") {
                return Turn::say("INCOMPLETE: more is left");
            }
            if !request.tool_result.is_empty() {
                return Turn::say("a worker is at it");
            }
            hand_to_worker(request, true)
        })
        .answer(Kind::Subagent, worker)
}

#[test]
fn a_worker_in_the_background_is_waited_for_and_its_iteration_counts_once() {
    let Some(stage) = Stage::new(in_background()) else {
        return;
    };
    let Some(terminal) = stage.terminal() else {
        return;
    };
    terminal.line("/flow port the parser --autonomous --max-iterations 3");
    terminal.until("the end", || count(&stage, "finished") == 1);
    assert_eq!(count(&stage, "judged"), 3, "{:#?}", events(&stage));
    assert_eq!(count(&stage, "paused"), 0, "{:#?}", events(&stage));
}

#[test]
fn esc_holds_a_run_until_its_person_goes_on_or_ends_it_by_typing() {
    let Some(stage) = Stage::new(talking()) else {
        return;
    };
    let Some(terminal) = begin(&stage) else {
        return;
    };
    interrupt(&terminal);
    // No hook is told of Esc: the run is seen to stand still all the same.
    let stands = |view: &str| overnight(&stage, &[view]).1.contains("you pressed Esc");
    terminal.until("the pause in the status", || stands("status"));
    assert!(stands("report"), "{}", overnight(&stage, &["report"]).1);
    let line = overnight(&stage, &["statusline"]).1;
    assert!(line.starts_with("overnight: paused by Esc"), "{line}");
    let watched = overnight(&stage, &["watch", "--plain"]).1;
    assert!(watched.contains("you pressed Esc"), "{watched}");
    answers(&stage, &terminal);
    let before = count(&stage, "judged");
    terminal.line("continue");
    terminal.until("two more", || count(&stage, "judged") >= before + 2);
    assert!(!stands("status"), "{}", overnight(&stage, &["status"]).1);
    interrupt(&terminal);
    terminal.line("/flow stop");
    terminal.wait("the stop", |screen| screen.contains("is stopped"));
    answers(&stage, &terminal);
}

#[test]
fn a_prompt_while_it_works_holds_it_and_a_closed_terminal_is_taken_up_by_nobody_else() {
    let Some(stage) = Stage::new(talking()) else {
        return;
    };
    let Some(terminal) = begin(&stage) else {
        return;
    };
    terminal.line("tell me what you do");
    terminal.until("the hold", || count(&stage, "paused") >= 1);
    terminal.wait("the answer", |screen| screen.contains(TALK));
    answers(&stage, &terminal);
    let before = count(&stage, "judged");
    terminal.line("continue");
    terminal.until("one more", || count(&stage, "judged") > before);
    let session = events(&stage)[1]["session"].as_str().unwrap().to_owned();
    let run = std::fs::read_dir(stage.at(".git/overnight/runs"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let run = run.file_name().into_string().unwrap();
    // While a session works on it nobody else does.
    let (status, said) = overnight(&stage, &["run", "--resume", &run]);
    assert_eq!(status, Some(75), "{said} {:#?}", events(&stage));
    drop(terminal);
    let ended = Instant::now();
    while !overnight(&stage, &["status"])
        .1
        .contains("its session ended")
    {
        assert!(
            ended.elapsed().as_secs() < 60,
            "{}",
            overnight(&stage, &["status"]).1
        );
    }
    let before = count(&stage, "judged");
    let plugin = stage.plugin.folder.to_str().unwrap();
    let arguments = [
        "--resume",
        &session,
        "--plugin-dir",
        plugin,
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "Agent",
    ];
    let terminal = Terminal::start(&stage.client, stage.folder.path(), &arguments).unwrap();
    terminal.wait("the run", |screen| {
        screen.contains("is back in this session")
    });
    terminal.line("continue");
    terminal.until("two more", || count(&stage, "judged") >= before + 2);
    let epochs = events(&stage)
        .iter()
        .filter(|event| event["event"] == "driver_started")
        .count();
    assert_eq!(epochs, 2);
    terminal.line("/clear");
}
