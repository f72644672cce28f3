//! The harness itself: the real client talks to the script and to nobody else.

use super::api::{Api, Script, Turn};
use super::client::Client;
use super::terminal::Terminal;

#[test]
fn a_headless_run_plays_the_script_with_a_tool_call() {
    let script = Script::new().session(vec![
        Turn::bash("echo 6 times 7 is $((6*7))"),
        Turn::say("finished"),
    ]);
    let api = Api::start(script);
    let Some(client) = Client::new(&api) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut command = client.print(folder.path(), "go");
    let done = client.finish(command.args(["--allowedTools", "Bash(echo:*)"]));
    let result = done.result();
    assert!(done.status.success(), "{done:#?}");
    assert_eq!(result["result"], "finished", "{done:#?}");
    assert_eq!(result["terminal_reason"], "completed");
    let requests = api.main_requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].first, "go");
    assert!(
        requests[1].tool_result.contains("6 times 7 is 42"),
        "{:?}",
        requests[1].tool_result
    );
}

#[test]
fn errors_limits_and_lost_connections_reach_the_client() {
    let script = Script::new().in_order(vec![
        Turn::error(403),
        Turn::usage_limit("five_hour", 4_102_444_800),
        Turn::reset(),
        Turn::say("after the reset"),
    ]);
    let api = Api::start(script);
    let Some(client) = Client::subscriber(&api) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let run = || client.finish(&mut client.print(folder.path(), "go"));

    let refused = run();
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(refused.result()["api_error_status"], 403, "{refused:#?}");

    let limited = run();
    assert_eq!(limited.status.code(), Some(1));
    let lines = limited.lines();
    let event = lines.iter().find(|line| line["type"] == "rate_limit_event");
    let event = event.unwrap_or_else(|| panic!("{limited:#?}"));
    assert_eq!(event["rate_limit_info"]["resetsAt"], 4_102_444_800_u64);

    let recovered = run();
    assert_eq!(
        recovered.result()["result"],
        "after the reset",
        "{recovered:#?}"
    );
    assert!(recovered.stdout.contains("\"api_retry\""), "{recovered:#?}");
}

#[test]
fn an_interactive_session_runs_in_a_terminal() {
    let api = Api::start(Script::new().session(vec![Turn::say("scripted greeting")]));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let Some(terminal) = Terminal::start(&client, folder.path(), &[]) else {
        return;
    };
    terminal.wait("prompt", |screen| screen.contains('❯'));
    terminal.line("hello there");
    terminal.wait("answer", |screen| screen.contains("scripted greeting"));
}
