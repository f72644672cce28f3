//! `--review` with the real client: it reads, it can do nothing else, and its answer is taken.

use super::api::{Api, Kind, Script, Turn};
use super::client::Client;
use super::driver::{Night, iteration};
use serde_json::json;

/// The last one is the client's own, and does nothing.
const ALLOWED: [&str; 4] = ["Read", "Grep", "Glob", "DeferredToolPlaceholder"];

#[test]
fn a_reviewer_only_reads_and_its_objection_reaches_the_next_iteration() {
    let refusal = r#"{"accept": false, "objections": [{"file": "count.txt", "line": 1, "why": "it does not begin at zero"}]}"#;
    let first = iteration(1, true);
    let second = iteration(2, true);
    let turns = first
        .into_iter()
        .chain([
            Turn::tool("Glob", json!({"pattern": "*.txt"})),
            Turn::say(refusal),
        ])
        .chain(second)
        .chain([Turn::say("I like it."), Turn::say(r#"{"accept": true}"#)]);
    let api = Api::start(Script::new().in_order(turns.collect::<Vec<_>>()));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--review", "Does it count?", "--max-iterations", "3"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let verdicts = night.verdicts();
    assert_eq!(verdicts.len(), 2, "{verdicts:#?}");
    let reasons = verdicts[0]["reasons"].to_string();
    assert!(reasons.contains("it does not begin at zero"), "{reasons}");
    let asked: Vec<_> = api
        .requests()
        .into_iter()
        .filter(|request| request.kind == Kind::Main && request.first.contains("# Review"))
        .collect();
    assert!(!asked.is_empty());
    for request in &asked {
        let other = request
            .tools
            .iter()
            .find(|tool| !ALLOWED.contains(&tool.as_str()));
        assert_eq!(other, None, "{:?}", request.tools);
    }
    assert!(asked[0].first.contains("Does it count?"));
    assert!(asked[0].first.contains("> +1"), "{}", asked[0].first);
    let answers = night.field("reviewed", "answers");
    assert_eq!(answers, ["1", "2"]);
    let costs = night.field("reviewed", "cost_usd");
    assert!(costs[0].parse::<f64>().unwrap() > 0.0, "{costs:?}");
}
