//! Every view of the nights that the simulation makes says the same.

use crate::world::{Mutant, World};
use overnight_run::journal::Record;
use overnight_run::progress::{self, Files, Language, Progress, Stamp};
use overnight_run::{State, fold};
use overnight_views::report::terminal::Paper;
use overnight_views::report::{Clock, Facts, figures, html, markdown, terminal};
use overnight_views::status::{self, Seen};
use overnight_views::summary::progress::snapshot;
use overnight_views::summary::{self, Summary, screen};
use overnight_views::{notify, stats};

/// Nights that are looked at.
const NIGHTS: u64 = 300;

/// Every view of a night, by name.
fn views(records: &[Record], state: &State, seen: &Seen) -> Vec<(&'static str, String)> {
    let (summary, clock) = (
        summary::of(state, seen, None),
        Clock(overnight_host::clock::zone()),
    );
    let report = figures(records, seen);
    let facts = Facts::default();
    let paper = Paper {
        width: 2_000,
        colours: false,
    };
    let mut model = Progress::default();
    let stamp = Stamp {
        session: "sim".to_owned(),
        when: "2026-01-01 00:00:00".to_owned(),
    };
    model.apply(&snapshot(state, &summary), &stamp);
    let files = progress::render(&model, &Files::default(), Language::English);
    let notices = notify::notices(state, &summary, "sim", &clock);
    let told = status::of(state, seen);
    vec![
        ("screen", screen::lines(&summary, 2_000).join("\n")),
        (
            "status",
            status::text(&told, &summary, seen.now, &|ms| ms.to_string()),
        ),
        ("markdown", markdown::render(&report, &facts, &clock)),
        ("page", html::render(&report, &facts, &clock)),
        ("terminal", terminal::render(&report, &facts, &clock, paper)),
        ("pull request", summary::markdown::body(&summary, "g")),
        (
            "progress",
            [files.readme, files.blocked, files.next_actions].join("\n"),
        ),
        (
            "notice",
            notices.last().map(notify::Notice::body).unwrap_or_default(),
        ),
    ]
}

/// Characters that are looked for: a view may cut what is longer.
const CHARS: usize = 80;

/// The beginning of a text as a person reads it.
fn beginning(text: &str) -> String {
    plain(text).chars().take(CHARS).collect()
}

/// As a person reads it, whatever the form.
fn plain(text: &str) -> String {
    let escapes = [
        ("&#58;", ":"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&amp;", "&"),
    ];
    let text = text.replace('\\', "");
    escapes
        .iter()
        .fold(text, |text, (from, to)| text.replace(from, to))
}

fn agree(seed: u64, (name, text): &(&str, String), night: &Summary) {
    let text = plain(text);
    let done = format!("{} of {} task", night.done.all(), night.total);
    assert!(
        text.contains(&done),
        "seed {seed}, {name} has no {done:?}:\n{text}"
    );
    let cost = screen::sum(night);
    let cost = cost.rsplit(" · ").next().unwrap();
    assert!(
        text.contains(cost),
        "seed {seed}, {name} has no {cost:?}:\n{text}"
    );
    // A notice and the last screen are bounded: they say how many more there are.
    let bounded = ["notice", "screen"].contains(name) && night.needs.len() > 2;
    for need in &night.needs {
        let what = beginning(&need.what);
        assert!(
            bounded || text.contains(&what),
            "seed {seed}, {name} has no {what:?}:\n{text}"
        );
    }
    for task in night.open().filter(|_| !bounded) {
        let message = task.refuted_by.as_ref().and_then(|gate| gate.lines.first());
        if let Some(line) = message.map(|line| beginning(line)) {
            assert!(
                text.contains(&line),
                "seed {seed}, {name} has no {line:?}:\n{text}"
            );
        }
    }
    if night.done.proved == 0 {
        let said = text.replace("unproved", "");
        assert!(!said.contains("proved"), "seed {seed}, {name}:\n{text}");
    }
}

#[test]
fn every_view_of_a_simulated_night_says_the_same() {
    for seed in 0..NIGHTS {
        let records = World::new(seed, Mutant::None).records();
        let state = fold(&records);
        let seen = Seen {
            now: state.updated,
            ..Seen::default()
        };
        let night = summary::of(&state, &seen, None);
        for view in views(&records, &state, &seen) {
            agree(seed, &view, &night);
        }
        let mut reading = stats::Reading::default();
        for record in &records {
            reading.add(record);
        }
        let run = reading.run(false, overnight_guard::tally::Tally::default(), seen.now);
        assert_eq!(
            (run.tasks_done, run.iterations, run.cost_usd.to_bits()),
            (
                night.done.by_this_run(),
                night.iterations,
                night.cost.usd.to_bits()
            ),
            "seed {seed}"
        );
    }
}
