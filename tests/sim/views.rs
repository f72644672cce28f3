//! Every view of the nights that the simulation makes says the same.

use crate::world::{Mutant, World};
use overnight_judge::Decision;
use overnight_run::event::Event;
use overnight_run::journal::Record;
use overnight_run::progress::{self, Files, Language, Progress, Stamp};
use overnight_run::{State, fold};
use overnight_views::report::terminal::Paper;
use overnight_views::report::{Clock, Facts, figures, html, markdown, terminal};
use overnight_views::review::Desk;
use overnight_views::status::{self, Seen};
use overnight_views::summary::progress::snapshot;
use overnight_views::summary::{self, Need, NeedKind, Standing, Summary, screen};
use overnight_views::watch::{self, Choice, Subject};
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
        ("screen", screen::lines(&summary, "", paper).join("\n")),
        (
            "status",
            status::text(&told, &summary, seen.now, &|ms| ms.to_string()),
        ),
        ("markdown", markdown::render(&report, &facts, &clock)),
        ("page", for_people(&html::render(&report, &facts, &clock))),
        ("terminal", terminal::render(&report, &facts, &clock, paper)),
        (
            "pull request",
            summary::markdown::body(&summary, "g", &clock),
        ),
        (
            "progress",
            [files.readme, files.blocked, files.next_actions].join("\n"),
        ),
        ("stats", stats::text(&stats_of(records, seen))),
        ("desk", desk(&summary)),
        ("watch", live(records, seen, &clock)),
        (
            "notice",
            notices.last().map(notify::Notice::body).unwrap_or_default(),
        ),
    ]
}

/// The desk in a terminal.
fn desk(night: &Summary) -> String {
    let page = Desk::new(night, Vec::new()).page();
    let lines = page.head.iter().chain(&page.body);
    lines.map(|line| line.text.clone() + "\n").collect()
}

/// The live view, without what happened before.
fn live(records: &[Record], seen: &Seen, clock: &Clock) -> String {
    let mut subject = Subject::new("sim".to_owned(), String::new());
    for record in records {
        subject.add(record.clone(), clock);
    }
    subject.seen = seen.clone();
    let view = watch::view(&[subject], &Choice::default(), clock);
    let row = view.agents.iter().map(|row| row.text.clone());
    let lines: Vec<String> = row.chain(view.details).collect();
    format!("{}\n{}", view.head, lines.join("\n"))
}

/// A page without its data for programs, which holds everything.
fn for_people(page: &str) -> String {
    let (before, data) = page
        .split_once("<SCRIPT type=\"application/json\"")
        .unwrap();
    let (_, after) = data.split_once("</SCRIPT>").unwrap();
    before.to_owned() + after
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

/// What a view says of how much more there is than it shows, and with which command.
fn rest(text: &str) -> bool {
    let more = |line: &str| {
        let counted = line.contains(" more") && line.chars().any(|c| c.is_ascii_digit());
        counted
            && ["overnight status", "overnight report", "overnight stats"]
                .iter()
                .any(|command| line.contains(command))
    };
    text.lines().any(more)
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
    // What does not stand there is counted, with the command that shows it.
    let has = |what: &str| text.contains(&beginning(what)) || rest(&text);
    for need in &night.needs {
        let what = need.beside(night.about(need));
        assert!(has(what), "seed {seed}, {name} has no {what:?}:\n{text}");
    }
    for task in night.open() {
        let message = task.refuted_by.as_ref().and_then(|gate| gate.lines.first());
        assert!(
            message.is_none_or(|line| has(line)),
            "seed {seed}, {name} has no {message:?}:\n{text}"
        );
    }
    unproved(seed, (name, &text), night);
}

/// No text says proved of what is not: neither of all, nor in a line about one task.
fn unproved(seed: u64, (name, text): (&str, &str), night: &Summary) {
    let said = text.replace("unproved", "").replace("not proved", "");
    if night.done.proved == 0 {
        assert!(!said.contains("proved"), "seed {seed}, {name}:\n{text}");
    }
    let about = |line: &str, id: &str| {
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
        words.any(|word| word == id)
    };
    for line in said.lines().filter(|line| line.contains("proved")) {
        let named: Vec<_> = night
            .tasks
            .iter()
            .filter(|task| about(line, &task.id))
            .collect();
        if let [task] = named.as_slice() {
            let proved = task.standing == Standing::Proved;
            assert!(
                proved,
                "seed {seed}, {name} calls {} proved: {line}",
                task.id
            );
        }
    }
}

/// The statistics of this night alone.
fn stats_of(records: &[Record], seen: &Seen) -> stats::Stats {
    let mut reading = stats::Reading::default();
    for record in records {
        reading.add(record.clone());
    }
    let guard = overnight_guard::tally::Tally::default();
    stats::of(
        &[reading.run(seen.clone(), guard)],
        overnight_filter::stats::Stats::default(),
    )
}

/// The same night with agents that say in some of their verdicts what they need of a person.
fn asking(mut records: Vec<Record>, seed: u64) -> Vec<Record> {
    for (at, record) in (seed..).zip(&mut records) {
        if let Event::Judged(judged) = &mut record.event
            && judged.verdict.decision == Decision::Incomplete
            && at % 5 == 0
        {
            let needs = format!("KEY_{at} is not set: a person must give it");
            judged.verdict.needs = Some(needs);
        }
    }
    records
}

#[test]
fn every_view_of_a_simulated_night_says_the_same() {
    let (mut asked, mut messages) = (0, 0);
    for seed in 0..NIGHTS {
        let mut records = World::new(seed, Mutant::None).records();
        if seed % 2 == 1 {
            records = asking(records, seed);
        }
        let state = fold(&records);
        let seen = Seen {
            now: state.updated,
            ..Seen::default()
        };
        let night = summary::of(&state, &seen, None);
        let agents = |need: &&Need| need.kind == NeedKind::Agent;
        asked += night.needs.iter().filter(agents).count();
        messages += night
            .open()
            .filter(|task| task.refuted_by.is_some())
            .count();
        for view in views(&records, &state, &seen) {
            agree(seed, &view, &night);
        }
        let all = stats_of(&records, &seen);
        let refuted = night.open().filter(|task| task.refuted_by.is_some());
        assert_eq!(
            (
                all.tasks_done,
                all.tasks_all_done,
                all.tasks_total,
                all.tasks_proved
            ),
            (
                night.done.by_this_run(),
                night.done.all(),
                night.total,
                night.done.proved
            ),
            "seed {seed}"
        );
        assert_eq!(
            (all.needs.len(), all.refuted.len(), all.cost_usd.to_bits()),
            (night.needs.len(), refuted.count(), night.cost.usd.to_bits()),
            "seed {seed}"
        );
    } // Nights in which there is something to lose.
    assert!(asked > 10 && messages > 50, "{asked} {messages}");
}
