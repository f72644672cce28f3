//! Nights of chance, in every view.

use super::*;
use crate::report::Clock;
use overnight_run::placed::Published;
use proptest::prelude::*;

const REQUEST: &str = "https://example.invalid/pull/7";

/// What becomes of a task in a night of chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Proved,
    InPlace,
    Word,
    Refuted,
    Asks,
    Nothing,
}

fn a_fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        Just(Fate::Proved),
        Just(Fate::InPlace),
        Just(Fate::Word),
        Just(Fate::Refuted),
        Just(Fate::Asks),
        Just(Fate::Nothing),
    ]
}

/// A night in which the tasks have these fates; each refuted one has a message of its own.
fn night_of(fates: &[Fate]) -> State {
    let mut events = start();
    let name = |at: usize| format!("task-{at}");
    if let Event::DriverStarted(driver) = &mut events[1] {
        let spec = |at| TaskSpec::named(&name(at), "does it");
        driver.tasks = (0..fates.len()).map(spec).collect();
    }
    let mut number = 0;
    for (at, fate) in fates.iter().enumerate() {
        let gate = |exit| GateOutcome {
            tail: format!("src/{at}.ts(3,5): error TS2345: message of {at}"),
            ..gate(exit)
        };
        let verdict = match fate {
            Fate::Proved => claim(Decision::Complete, "it stands").proved(&[gate(0)], &[]),
            Fate::InPlace => Verdict {
                standing: Some(overnight_judge::proof::Standing::InPlace),
                ..claim(Decision::Complete, "it stands").proved(&[gate(0)], &[])
            },
            Fate::Word => claim(Decision::Complete, "it is written"),
            Fate::Refuted => Verdict {
                decision: Decision::Incomplete,
                gates: vec![gate(2)],
                ..claim(Decision::Complete, "")
            },
            Fate::Asks => Verdict {
                needs: Some(format!("key number {at}")),
                ..claim(Decision::Incomplete, "a key is missing")
            },
            Fate::Nothing => continue,
        };
        number += 1;
        events.extend(iteration(
            number,
            &name(at),
            &format!("words of {at}"),
            verdict,
        ));
    }
    let reason = Reason::MaxIterations;
    events.push(Finished { reason }.into());
    let published = Published {
        branch: "auto/r1".to_owned(),
        remote: Some("origin".to_owned()),
        commit: "c".to_owned(),
        url: Some(REQUEST.to_owned()),
        command: None,
        body: String::new(),
    };
    events.push(published.into());
    state(events)
}

/// The progress files as one text.
fn in_progress(state: &State, summary: &Summary) -> String {
    use overnight_run::progress::{self, Files, Language, Progress, Stamp};
    let mut model = Progress::default();
    let stamp = Stamp {
        session: "r1".to_owned(),
        when: "2026-01-01 00:00:00".to_owned(),
    };
    model.apply(&super::super::progress::snapshot(state, summary), &stamp);
    let files = progress::render(&model, &Files::default(), Language::English);
    [files.readme, files.blocked, files.next_actions].join("\n")
}

/// Every view of a night, by name.
fn views(state: &State) -> Vec<(&'static str, String)> {
    let (seen, clock) = (seen(), Clock(jiff::tz::TimeZone::UTC));
    let summary = of(state, &seen, None);
    let report = crate::report::of_state(state, &seen);
    let facts = crate::report::Facts::default();
    let status = status::of(state, &seen);
    let notices = crate::notify::notices(state, &summary, "shop", &clock);
    let paper = Paper {
        width: 1_000,
        colours: false,
    };
    let goal = state.run.as_ref().map_or("", |run| run.goal.as_str());
    vec![
        ("pull request", markdown::body(&summary, goal, &clock)),
        ("screen", screen::lines(&summary, "", paper).join("\n")),
        (
            "status",
            status::text(&status, &summary, seen.now, &|ms| ms.to_string()),
        ),
        (
            "markdown",
            crate::report::markdown::render(&report, &facts, &clock),
        ),
        (
            "page",
            for_people(&crate::report::html::render(&report, &facts, &clock)),
        ),
        (
            "terminal",
            crate::report::terminal::render(&report, &facts, &clock, paper),
        ),
        ("progress", in_progress(state, &summary)),
        (
            "notice",
            notices
                .last()
                .map(crate::notify::Notice::body)
                .unwrap_or_default(),
        ),
    ]
}

/// A page without its data for programs, which holds everything.
fn for_people(page: &str) -> String {
    let (before, data) = page
        .split_once("<SCRIPT type=\"application/json\"")
        .unwrap();
    let (_, after) = data.split_once("</SCRIPT>").unwrap();
    before.to_owned() + after
}

proptest! {
    #[test]
    fn every_view_of_any_night_says_the_same(fates in proptest::collection::vec(a_fate(), 1..5)) {
        let state = night_of(&fates);
        let count = |fate| fates.iter().filter(|one| **one == fate).count();
        let (proved, word) = (count(Fate::Proved), count(Fate::Word) + count(Fate::InPlace));
        let all = fates.len();
        for (name, text) in views(&state) {
            let text = text.replace("&#58;", ":").replace('\\', "");
            prop_assert!(name == "pull request" || text.contains(REQUEST), "{name}:\n{text}");
            let done = format!("{} of {all} task", proved + word);
            prop_assert!(text.contains(&done), "{name} has no {done:?}:\n{text}");
            for (at, fate) in fates.iter().enumerate() {
                let said = match fate {
                    Fate::Refuted => format!("message of {at}"),
                    Fate::Asks => format!("key number {at}"),
                    _ => continue,
                };
                prop_assert!(text.contains(&said), "{name} has no {said:?}:\n{text}");
            }
            if proved == 0 {
                prop_assert!(!text.contains("proved"), "{name}:\n{text}");
            }
            prop_assert!(!text.contains("Nothing has to be answered") || count(Fate::Asks) == 0);
        }
    }
}

#[test]
fn a_night_of_150_tasks_is_folded_and_shown_small() {
    let fates: Vec<Fate> = (0..150)
        .map(|at| {
            if at % 10 == 0 {
                Fate::Refuted
            } else {
                Fate::Proved
            }
        })
        .collect();
    let state = night_of(&fates);
    let views = views(&state);
    let (report, clock) = (
        crate::report::of_state(&state, &seen()),
        Clock(jiff::tz::TimeZone::UTC),
    );
    let page = crate::report::html::render(&report, &crate::report::Facts::default(), &clock);
    assert!(page.len() < 300_000, "{}", page.len());
    let view = |name: &str| &views.iter().find(|(known, _)| *known == name).unwrap().1;
    let screen = view("screen");
    assert!(screen.lines().count() < screen::LINES_MAX, "{screen}");
    // What failed and what is next is there, however many tasks there are.
    for (name, at) in [("markdown", 65_000), ("pull request", 60_000)] {
        assert!(view(name).len() < at, "{name}: {}", view(name).len());
        for at in (0..150).step_by(10) {
            assert!(view(name).contains(&format!("message of {at}")), "{at}");
        }
    }
}
