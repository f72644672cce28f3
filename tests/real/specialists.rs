//! AC-6 in autonomous work, through both doors: who looks at what a task changed, on which model, and that the
//! next iteration has what they found.

use super::api::{Api, Kind, Request, Script, Turn};
use super::client::Client;
use super::driver::Night;
use super::session::delegate;
use super::stage::Stage;
use serde_json::json;

const FOUND: &str = "parse() stands in a.rs:3 and in b.rs:9";
const REPORT: &str = "the worker wrote it";

fn ask(agents: &[&str]) -> Turn {
    agents.iter().fold(Turn::say("they look at it"), |turn, agent| {
        let input = json!({"description": agent, "prompt": "look at what changed", "subagent_type": agent, "run_in_background": false});
        turn.and_tool("Agent", input)
    })
}

/// The agents that a text asks for.
fn named(text: &str) -> Vec<&'static str> {
    let all = [
        "overnight:dedup-agent",
        "overnight:perf-agent",
        "overnight:quality-agent",
    ];
    all.into_iter()
        .filter(|agent| {
            text.contains(&format!("\\\"{agent}\\\"")) || text.contains(&format!("\"{agent}\""))
        })
        .collect()
}

/// A specialist reports, a worker works.
fn subagent(_: usize, request: &Request) -> Turn {
    let is_worker = request.first.starts_with("Read /");
    Turn::say(if is_worker { REPORT } else { FOUND })
}

fn specialists(api: &Api) -> Vec<Request> {
    let asked = api.of_kind(Kind::Subagent).into_iter();
    asked
        .filter(|request| !request.first.starts_with("Read /"))
        .collect()
}

fn ran_on_their_model(api: &Api, count: usize) {
    let asked = specialists(api);
    assert_eq!(asked.len(), count, "{asked:#?}");
    for request in asked {
        let model = request.body["model"].as_str().unwrap();
        assert!(model.contains("sonnet"), "{model}");
    }
}

#[test]
fn a_sessions_implementation_is_searched_and_a_refactoring_is_looked_over_by_two() {
    for (goal, agents) in [("add an export to CSV", 1), ("refactor the parser", 2)] {
        let hand_out = delegate(REPORT);
        let script = Script::new()
            .answer(Kind::Main, move |at, request| {
                if request.tool_result.contains(REPORT) {
                    return ask(&named(&request.body.to_string()));
                }
                if request.tool_result.contains(FOUND) {
                    return Turn::say("INCOMPLETE: more is left");
                }
                hand_out(at, request)
            })
            .answer(Kind::Subagent, subagent);
        let Some(stage) = Stage::new(script) else {
            return;
        };
        let done = stage.run(&format!("/flow {goal} --autonomous --max-iterations 2"));
        ran_on_their_model(&stage.api, agents * 2);
        let prompts = std::fs::read_dir(stage.at("agent_logs"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let second = std::fs::read_to_string(prompts.join("2.prompt.md")).unwrap();
        assert!(
            second.contains(&format!("> {FOUND}")) && second.contains("What specialists found"),
            "{second} {done:#?}"
        );
        let first = std::fs::read_to_string(prompts.join("1.prompt.md")).unwrap();
        assert!(!first.contains("What specialists found"), "{first}");
    }
}

#[test]
fn an_agent_behind_the_driver_has_its_implementation_searched_and_the_next_one_is_told() {
    let script = Script::new()
        .answer(Kind::Main, |_, request| {
            if request.tool_result.is_empty() && request.body.to_string().contains("export to CSV")
            {
                return ask(&named(&request.body.to_string()));
            }
            Turn::say("more is left")
        })
        .answer(Kind::Subagent, subagent);
    let api = Api::start(script);
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["add an export to CSV", "--max-iterations", "2"]);
    ran_on_their_model(&api, 2);
    let told: Vec<bool> = api
        .main_requests()
        .iter()
        .filter(|request| request.tool_result.is_empty())
        .map(|request| request.body.to_string().contains("What specialists found"))
        .collect();
    assert_eq!(told, [false, true], "{done:#?}");
}
