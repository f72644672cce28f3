//! A person is told through the client's own terminal: once for each run.

use super::session::working;
use super::stage::Stage;

/// What a run whose iterations are used up makes a terminal say (OSC 9).
const TOLD: &str = "\u{1b}]9;Overnight: finished: stopped: the iterations are used up\u{7}";

fn ended(stage: &Stage) -> usize {
    let journals = stage.journals();
    let last = journals.iter().filter_map(|events| events.last());
    last.filter(|event| event["event"] == "finished").count()
}

#[test]
fn the_clients_terminal_is_told_once_for_each_run() {
    let Some(stage) = Stage::new(working("INCOMPLETE: more is left")) else {
        return;
    };
    let Some(terminal) = stage.terminal() else {
        return;
    };
    let written = terminal.record();
    let told = || {
        let bytes = std::fs::read(&written).unwrap_or_default();
        String::from_utf8_lossy(&bytes).matches(TOLD).count()
    };
    let mut runs = 0;
    let mut run = |goal: &str| {
        runs += 1;
        terminal.line(&format!("/flow {goal} --autonomous --max-iterations 1"));
        terminal.until("end of the run", || ended(&stage) == runs);
    };
    run("port the parser");
    terminal.until("notice", || told() == 1);
    run("port the printer");
    terminal.until("notice of the second run", || told() >= 2);
    assert_eq!(told(), 2);
}
