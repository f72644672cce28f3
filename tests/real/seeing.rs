//! What the client's own transcripts add to what is seen: when tools ran, how full the context is.

use super::api::Script;
use super::driver::iteration;
use super::session::working;
use super::stage::Stage;
use serde_json::Value;

/// What `overnight` prints in the stage's repository.
fn overnight(stage: &Stage, arguments: &[&str]) -> Value {
    let program = stage.plugin.folder.join("bin/overnight");
    let mut command = stage.client.dressed(program, stage.folder.path());
    let done = command.args(arguments).output().unwrap();
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"))
}

/// The tools of a trace, in the order of time; each lies within the attempts that it has.
fn tools(trace: &Value) -> Vec<String> {
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| {
        let slices = events.iter().filter(|event| event["cat"] == category);
        let mut slices: Vec<(u64, u64, String)> = slices
            .map(|slice| {
                let at = slice["ts"].as_u64().unwrap();
                let name = slice["name"].as_str().unwrap().to_owned();
                (at, at + slice["dur"].as_u64().unwrap(), name)
            })
            .collect();
        slices.sort();
        slices
    };
    let attempts = of("attempt");
    let tools = of("tool");
    for (from, until, name) in &tools {
        let within = attempts
            .iter()
            .any(|(begin, end, _)| begin <= from && until <= end);
        assert!(within, "{name} in {attempts:?}");
    }
    tools.into_iter().map(|(.., name)| name).collect()
}

#[test]
fn the_tools_of_a_sessions_run_and_of_its_workers_are_traced_and_its_context_is_told() {
    let Some(stage) = Stage::new(working("INCOMPLETE: more is left")) else {
        return;
    };
    let done = stage.run("/flow port the parser --autonomous --max-iterations 2");
    assert!(done.status.success(), "{done:#?}");
    let each = ["Agent", "Read", "Write"];
    let called = tools(&overnight(&stage, &["trace"]));
    assert_eq!(called, [each, each].concat());
    let status = overnight(&stage, &["status", "--json"]);
    assert!(status["context"]["tokens"].as_u64() > Some(0), "{status}");
}

#[test]
fn the_tools_of_a_drivers_agents_are_traced() {
    let turns = [iteration(1, false), iteration(2, true)].concat();
    let script = Script::new().in_order(turns);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    std::fs::write(stage.at("AGENT_PROMPT.md"), "# Count\n").unwrap();
    let outcome = overnight(&stage, &["run", "--json", "--agent", "claude"]);
    assert_eq!(outcome["exit"], 0, "{outcome}");
    let called = tools(&overnight(&stage, &["trace"]));
    let expected = ["Bash: echo 1 >> count.txt", "Bash: echo 2 >> count.txt"];
    assert_eq!(called, expected);
    let status = overnight(&stage, &["status", "--json"]);
    let window = status["context"]["window"].as_u64();
    assert!(window > Some(0), "{status}");
}
