//! What a view says once, and whole where it has the room.

use super::*;
use crate::report::Clock;

const LONG: &str = "src/a.ts(3,5): error TS2345: Argument of type 'string | undefined' is not assignable to parameter of type 'Cents': under exactOptionalPropertyTypes it must be a string";

/// A task that is given up, and one whose agent needs something.
pub(super) fn given_up() -> State {
    let mut refuted = claim(Decision::Incomplete, "gate failed");
    let tail = format!("{LONG}\n");
    refuted.gates = vec![GateOutcome { tail, ..gate(2) }];
    let needs = Verdict {
        needs: Some(format!(
            "{KEY}, {}",
            "which is kept elsewhere ".repeat(6).trim()
        )),
        ..claim(Decision::Incomplete, "a key is missing")
    };
    let mut events = start();
    for number in 1..=3 {
        events.extend(iteration(number, "parse", "I tried it.", refuted.clone()));
    }
    events.extend(iteration(4, "pay", "I need a key.", needs));
    let reason = Reason::NeedsPerson(format!("pay needs: {KEY}"));
    events.push(Finished { reason }.into());
    state(events)
}

#[test]
fn the_message_of_a_task_that_was_given_up_stands_once_and_whole() {
    let state = given_up();
    let summary = of(&state, &seen(), None);
    let clock = Clock(jiff::tz::TimeZone::UTC);
    let paper = Paper {
        width: 80,
        colours: false,
    };
    let report = crate::report::of_state(&state, &seen());
    let facts = crate::report::Facts::default();
    let notices = crate::notify::notices(&state, &summary, "shop", &clock);
    let screen = screen::lines(&summary, "run r1: stopped", paper);
    assert!(screen.len() <= screen::LINES_MAX, "{screen:#?}");
    assert!(
        screen.iter().all(|line| line.chars().count() <= 80),
        "{screen:#?}"
    );
    for (name, view) in [
        ("screen", screen.join("\n")),
        (
            "terminal",
            crate::report::terminal::render(&report, &facts, &clock, paper),
        ),
        ("pull request", markdown::body(&summary, "g", &clock)),
        ("notice", notices.last().unwrap().body()),
    ] {
        let words = view.replace('\\', "");
        let words: Vec<&str> = words.split_whitespace().collect();
        let words = words.join(" ");
        assert_eq!(words.matches(LONG).count(), 1, "{name}:\n{view}");
    }
}

#[test]
fn how_the_run_goes_on_stands_once_however_many_needs_it_answers() {
    let mut events = start();
    for (number, task) in (1..).zip(["parse", "price", "pay"]) {
        let needs = Verdict {
            needs: Some(format!("the key of {task}")),
            ..claim(Decision::Incomplete, "a key is missing")
        };
        events.extend(iteration(number, task, "", needs));
    }
    let reason = Reason::NeedsPerson(format!("pay needs: {KEY}"));
    events.push(Finished { reason }.into());
    let state = state(events);
    let summary = of(&state, &seen(), None);
    assert_eq!(summary.needs.len(), 3);
    let clock = Clock(jiff::tz::TimeZone::UTC);
    let paper = Paper {
        width: 80,
        colours: false,
    };
    let report = crate::report::of_state(&state, &seen());
    let facts = crate::report::Facts::default();
    let status = status::of(&state, &seen());
    for (name, view) in [
        (
            "screen",
            screen::lines(&summary, "run r1", paper).join("\n"),
        ),
        (
            "terminal",
            crate::report::terminal::render(&report, &facts, &clock, paper),
        ),
        (
            "report",
            crate::report::markdown::render(&report, &facts, &clock),
        ),
        ("pull request", markdown::body(&summary, "g", &clock)),
        (
            "status",
            status::text(&status, &summary, 0, &|ms| clock.time(ms)),
        ),
    ] {
        let needs = view.split("Done:").next().unwrap_or_default();
        assert_eq!(
            needs.matches("overnight resume r1").count(),
            1,
            "{name}:\n{view}"
        );
        assert_eq!(
            view.matches("overnight tell r1 --task").count(),
            3,
            "{name}:\n{view}"
        );
    }
}

#[test]
fn an_iteration_that_came_to_a_need_says_so() {
    let verdict = Verdict {
        needs: Some(KEY.to_owned()),
        reasons: Vec::new(),
        ..claim(Decision::Incomplete, "")
    };
    assert_eq!(
        came_to(&verdict, "I tried it."),
        "it asked you for something"
    );
}

#[test]
fn a_sum_of_dollars_has_no_digits_behind_its_millionths() {
    let mut events = start();
    for (number, usd) in (1..).zip([0.1, 0.7, 3.1, 3.2]) {
        let mut iteration = iteration(number, "words", "", claim(Decision::Incomplete, "more"));
        let Event::Outcome(outcome) = &mut iteration[1] else {
            panic!("{iteration:?}")
        };
        outcome.cost_usd = usd;
        events.extend(iteration);
    }
    let summary = of(&state(events), &seen(), None);
    let json = serde_json::to_string(&summary).unwrap();
    assert_eq!(json.matches("\"cost_usd\":7.1,").count(), 1, "{json}");
    assert!(json.contains("\"usd\":7.1,"), "{json}");
}
