use super::*;
use crate::report::facts::FileChange;
use crate::report::terminal::Paper;
use overnight_judge::{Decision, GateOutcome, Source, Verdict};
use overnight_run::classify::Class;
use overnight_run::event::{
    Door, DriverStarted, Ended, Event, Finished, Intent, Judged, Outcome, RunStarted,
};
use overnight_run::journal::{Record, Stamp};
use overnight_run::steer::Instruction;
use overnight_run::step::Nudge;
use overnight_run::task::TaskSpec;
use overnight_run::{Config, fold};

mod nights;
mod once;

const MESSAGE: &str =
    "src/a.ts(3,5): error TS2345: Argument of type 'string' is not assignable to parameter";
const KEY: &str = "PAY_KEY is not set: a person must give the key";

fn start() -> Vec<Event> {
    let gated = |id: &str| TaskSpec {
        gates: vec!["npm run build".to_owned()],
        ..TaskSpec::named(id, "does it")
    };
    let waits = TaskSpec {
        depends_on: vec!["pay".to_owned()],
        ..TaskSpec::named("receipts", "sends them")
    };
    let run = RunStarted {
        run: "r1".to_owned(),
        door: Door::Driver,
        goal: "# The shop\n".to_owned(),
        top: "/p".to_owned(),
        head: None,
        branch: None,
        config: None,
    };
    let driver = DriverStarted {
        epoch: 1,
        pid: 1,
        pid_start: 1,
        session: None,
        config: Config::default(),
        tasks: vec![
            gated("parse"),
            gated("price"),
            TaskSpec::named("words", "writes"),
            gated("pay"),
            waits,
        ],
    };
    vec![run.into(), driver.into()]
}

fn claim(decision: Decision, reason: &str) -> Verdict {
    let mut verdict = Verdict {
        decision,
        source: Source::FileJson,
        failure: None,
        ..Verdict::nothing(reason)
    };
    if decision == Decision::Complete {
        verdict.reasons.clear();
        verdict.summary = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
    }
    verdict
}

fn gate(exit: i32) -> GateOutcome {
    GateOutcome {
        command: "npm run build".to_owned(),
        exit: Some(exit),
        tail: format!("{MESSAGE}\n{}", "noise\n".repeat(50)),
        ..GateOutcome::default()
    }
}

fn iteration(number: u32, task: &str, said: &str, verdict: Verdict) -> Vec<Event> {
    let intent = Intent {
        iteration: number,
        attempt: 1,
        task: task.to_owned(),
        check_id: "c".to_owned(),
        epoch: 1,
        nudge: Nudge::None,
        model: None,
        continues: None,
    };
    let outcome = Outcome {
        cost_usd: 0.5,
        duration_ms: 60_000,
        said: said.to_owned(),
        estimated: task == "price",
        ..Outcome::of(Ended::Exited(0), Class::None, verdict.clone())
    };
    vec![intent.into(), outcome.into(), Judged::from(verdict).into()]
}

fn state(events: Vec<Event>) -> State {
    let record = |(at, event): (u64, Event)| Record {
        seq: at + 1,
        stamp: Stamp {
            t: 1_000_000 + at * 1_000,
            mono: at * 1_000,
            boot: "b".to_owned(),
        },
        event,
    };
    let records: Vec<Record> = (0..).zip(events).map(record).collect();
    fold(&records)
}

fn night() -> State {
    let mut events = start();
    let proved = claim(Decision::Complete, "it parses").proved(&[gate(0)], &[]);
    events.extend(iteration(1, "parse", "all of it", proved));
    let mut refuted = claim(Decision::Complete, "");
    refuted.decision = Decision::Incomplete;
    refuted.gates = vec![gate(2)];
    refuted.reasons = vec!["gate \"npm run build\" failed with exit 2".to_owned()];
    events.extend(iteration(
        2,
        "price",
        "Rounded.\n\nwrote page 2 of 40",
        refuted,
    ));
    let word = claim(Decision::Complete, "chapter one stands");
    events.extend(iteration(3, "words", "", word));
    for number in [4, 5] {
        let key = claim(Decision::Incomplete, &format!("{KEY} (try {number})"));
        events.extend(iteration(number, "pay", "", key));
    }
    events.push(
        Finished {
            reason: Reason::MaxIterations,
        }
        .into(),
    );
    state(events)
}

fn seen() -> Seen {
    Seen {
        now: 1_100_000,
        ..Seen::default()
    }
}

fn of_task<'s>(summary: &'s Summary, id: &str) -> &'s Task {
    summary.tasks.iter().find(|task| task.id == id).unwrap()
}

#[test]
fn each_task_stands_where_it_stands_worst_first() {
    let summary = of(&night(), &seen(), None);
    let standings: Vec<(&str, Standing)> = summary
        .tasks
        .iter()
        .map(|task| (task.id.as_str(), task.standing))
        .collect();
    assert_eq!(
        standings,
        [
            ("price", Standing::Refuted),
            ("pay", Standing::Unfinished),
            ("receipts", Standing::Waiting),
            ("words", Standing::ByWord),
            ("parse", Standing::Proved),
        ]
    );
    assert_eq!((summary.done.all(), summary.total), (2, 5));
    assert_eq!(summary.done.words(), "1 proved, 1 by the agent's word");
}

#[test]
fn a_refuted_task_has_its_gates_message_and_its_agents_words() {
    let summary = of(&night(), &seen(), None);
    let price = of_task(&summary, "price");
    let gate = price.refuted_by.as_ref().unwrap();
    assert!(gate.lines[0].contains("TS2345"), "{gate:?}");
    assert!(price.why.contains("TS2345"), "{}", price.why);
    assert_eq!(price.words.as_deref(), Some("wrote page 2 of 40"));
    assert_eq!(
        of_task(&summary, "words").words.as_deref(),
        Some("chapter one stands")
    );
}

#[test]
fn what_an_agent_says_twice_in_a_row_is_a_need_in_its_words() {
    let summary = of(&night(), &seen(), None);
    let [need] = summary.needs.as_slice() else {
        panic!("{:?}", summary.needs)
    };
    assert_eq!(need.kind, NeedKind::Words);
    assert!(
        need.what.starts_with("pay says: ") && need.what.contains(KEY),
        "{need:?}"
    );
}

#[test]
fn a_need_in_an_agents_words_is_one_need_whatever_number_it_counts_up() {
    let need = |first: u32| {
        let reason = |number| {
            claim(
                Decision::Incomplete,
                &format!("no write access, attempt {number}"),
            )
        };
        let mut events = start();
        for number in [first, first + 1] {
            events.extend(iteration(number, "pay", "", reason(number)));
        }
        let summary = of(&state(events), &seen(), None);
        let mut words = summary.needs.into_iter();
        words.find(|need| need.kind == NeedKind::Words).unwrap()
    };
    assert_ne!(need(1).what, need(7).what);
    assert_eq!(need(1).key(), need(7).key());
}

#[test]
fn costs_are_summed_by_task_and_marked_where_they_are_estimates() {
    let summary = of(&night(), &seen(), None);
    assert_eq!(
        (
            of_task(&summary, "pay").cost_usd,
            of_task(&summary, "pay").tries
        ),
        (1.0, 2)
    );
    assert!(of_task(&summary, "price").estimated && summary.cost.estimated);
    assert!(
        summary.sentence.contains("about $2.50"),
        "{}",
        summary.sentence
    );
}

#[test]
fn a_blocked_task_is_a_need_also_while_the_run_goes_on() {
    let mut events = start();
    for number in 1..=3 {
        let mut refuted = claim(Decision::Complete, "");
        refuted.decision = Decision::Incomplete;
        refuted.gates = vec![gate(1)];
        let mut one = iteration(number, "parse", "", refuted);
        if let Event::Outcome(outcome) = &mut one[1] {
            outcome.claim = claim(Decision::Complete, "done");
        }
        events.extend(one);
    }
    let state = state(events);
    let summary = of(
        &state,
        &Seen {
            alive: true,
            ..seen()
        },
        None,
    );
    assert_eq!(summary.needs[0].kind, NeedKind::Blocked);
    assert!(summary.needs[0].what.contains("parse: 3 failures in a row"));
    let parse = of_task(&summary, "parse");
    assert_eq!((parse.standing, parse.blocked), (Standing::Refuted, true));
}

#[test]
fn the_last_screen_has_the_message_the_words_the_need_and_the_sum_in_24_lines() {
    let work = Changes {
        commits_count: 2,
        branch: Some("auto/r1".to_owned()),
        uncommitted: vec![FileChange {
            path: "src/parser.rs".to_owned(),
            added: 200,
            removed: 0,
            untracked: true,
            bytes: None,
        }],
        uncommitted_count: 1,
        ..Changes::default()
    };
    let summary = of(&night(), &seen(), Some(&work));
    let paper = |colours| Paper {
        width: 100,
        colours,
    };
    let lines = screen::lines(&summary, "run r1: stopped", paper(false));
    let text = lines.join("\n");
    assert!(lines.len() <= screen::LINES_MAX, "{text}");
    for told in [
        "TS2345",
        "wrote page 2 of 40",
        KEY,
        "src/parser.rs (new, +200 -0)",
        "2 of 5 tasks done (1 proved, 1 by the agent's word)",
        "overnight resume r1",
    ] {
        assert!(text.contains(told), "{told:?} is not in\n{text}");
    }
    assert!(!text.contains('\u{1b}'));
    // What needs a person is said once, with its command; a terminal shows the same in colours.
    assert_eq!(text.matches(KEY).count(), 1, "{text}");
    let painted = screen::lines(&summary, "run r1: stopped", paper(true)).join("\n");
    assert!(painted.contains("\u{1b}[1mneeds you\u{1b}[0m"), "{painted}");
    let mut parts = painted.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let bare = parts.fold(first, |bare, part| bare + part.split_once('m').unwrap().1);
    assert_eq!(bare, text);
}

#[test]
fn a_night_without_a_commit_says_why_there_is_no_pull_request() {
    let work = Changes::default();
    let over = of(&night(), &seen(), Some(&work));
    let lines = screen::work(&over).join("\n");
    assert!(lines.contains("no commit, so no pull request"), "{lines}");
    let running = Summary {
        ending: Ending::Running,
        ..over
    };
    let lines = screen::work(&running).join("\n");
    assert!(lines.contains("0 commits on"), "{lines}");
}

#[test]
fn a_question_that_was_answered_is_no_need_any_more() {
    let mut events = start();
    let mut one = iteration(1, "parse", "", claim(Decision::Incomplete, "may not push"));
    if let Event::Outcome(outcome) = &mut one[1] {
        outcome.asks = vec![1];
    }
    events.extend(one);
    let reason =
        Reason::Blocked("parse: stuck; it waits for you: overnight approve ask-1".to_owned());
    events.push(Finished { reason }.into());
    let state = state(events);
    let asked = Seen {
        questions: vec![("ask-1".to_owned(), "git push".to_owned())],
        ..seen()
    };
    let summary = of(&state, &asked, None);
    assert_eq!(of_task(&summary, "parse").standing, Standing::NeedsYou);
    let summary = of(&state, &seen(), None);
    assert_ne!(of_task(&summary, "parse").standing, Standing::NeedsYou);
    assert!(!summary.sentence.contains("ask-1"), "{}", summary.sentence);
}

#[test]
fn what_a_person_answered_is_asked_for_no_more() {
    let mut events = start();
    let needs = Verdict {
        needs: Some(KEY.to_owned()),
        ..claim(Decision::Incomplete, "")
    };
    events.extend(iteration(1, "pay", "", needs));
    let reason = Reason::NeedsPerson(format!("pay needs: {KEY}"));
    events.push(Finished { reason }.into());
    let before = of(&state(events.clone()), &seen(), None);
    assert_eq!((before.ending, before.needs.len()), (Ending::NeedsYou, 1));
    let command = &before.needs[0].commands[0];
    assert!(
        command.starts_with("overnight tell r1 --task pay "),
        "{command}"
    );
    let told = Instruction {
        id: "1".to_owned(),
        text: "it is in the vault".to_owned(),
        task: Some("pay".to_owned()),
        order: None,
        now: false,
        at: 2_000_000,
    };
    events.push(told.into());
    let after = of(&state(events), &seen(), None);
    assert_eq!((after.ending, after.needs.len()), (Ending::Stopped, 0));
    assert!(!after.sentence.contains("PAY_KEY"), "{}", after.sentence);
}

#[test]
fn of_several_tasks_that_were_given_up_the_sentence_names_more_than_the_last() {
    let refuted = || {
        let mut verdict = claim(Decision::Incomplete, "gate failed");
        verdict.gates = vec![gate(2)];
        verdict
    };
    let mut events = start();
    for (at, task) in (1..).zip(["parse", "parse", "parse", "price", "price", "price"]) {
        events.extend(iteration(at, task, "tried", refuted()));
    }
    let reason = Reason::Blocked("price: 3 failures in a row".to_owned());
    events.push(Finished { reason }.into());
    let state = state(events);
    assert_eq!(state.count(overnight_run::task::Status::Blocked), 2);
    let sentence = of(&state, &seen(), None).sentence;
    assert!(
        sentence.starts_with(
            "Not finished: blocked: 2 tasks were given up, one of them price: 3 failures in a row; "
        ),
        "{sentence}"
    );
}

#[test]
fn what_an_agent_declared_hides_nothing_of_what_it_said_last() {
    let words = |declared: &str, said: &str, source| {
        let verdict = Verdict {
            source,
            ..claim(Decision::Complete, declared)
        };
        let mut events = start();
        events.extend(iteration(1, "words", said, verdict));
        let summary = of(&state(events), &seen(), None);
        of_task(&summary, "words").words.clone().unwrap_or_default()
    };
    let both = "it is strict; One call still takes a string.";
    let said = "I read it.\n\nOne call still takes a string.";
    assert_eq!(words("it is strict", said, Source::FileJson), both);
    assert_eq!(words("it is strict", "", Source::FileJson), "it is strict");
    let whole = "Done: it is strict.";
    assert_eq!(words("it is strict", whole, Source::FileJson), whole);
    // Declared in the message itself: what stands beside it counts.
    let marked = "<DONE>made</DONE>";
    assert_eq!(words("made", marked, Source::Marker), "made");
    let more = "One call is left.\n\n<DONE>made</DONE>";
    let both = "made; One call is left.";
    assert_eq!(words("made", more, Source::Marker), both);
}

#[test]
fn a_reason_that_stands_there_already_is_not_repeated_before_the_last_words() {
    let mut events = start();
    let left = claim(Decision::Incomplete, "half of it is left");
    events.extend(iteration(1, "words", "The index is next.", left));
    let summary = of(&state(events), &seen(), None);
    let lines = screen::of_task(of_task(&summary, "words"), 2).join("\n");
    assert_eq!(lines.matches("half of it is left").count(), 1, "{lines}");
    assert!(lines.contains("“The index is next.”"), "{lines}");
}

#[test]
fn what_agents_could_not_merge_is_answered_by_commands_of_their_own() {
    use overnight_run::placed::Placed;
    use overnight_run::state::Block;
    use overnight_run::task::Status;
    let mut events = start();
    let reason = Reason::Blocked("parse: conflicts with merged work".to_owned());
    events.push(Finished { reason }.into());
    let mut state = state(events);
    state.placed = Some(Box::new(Placed {
        tree: "/w".to_owned(),
        home: "/p".to_owned(),
        branch: "auto/r1".to_owned(),
        theirs: false,
        onto: None,
        base: "c".to_owned(),
    }));
    let task = state.tasks.iter_mut().find(|task| task.spec.id == "parse");
    let task = task.unwrap();
    task.status = Status::Blocked;
    task.blocked = Some(Block {
        reason: "conflicts with merged work".to_owned(),
        unmerged: Some("auto/r1/parse".to_owned()),
        ..Block::default()
    });
    let summary = of(&state, &seen(), None);
    let need = &summary.needs[0];
    assert_eq!(need.what, "blocked: parse: conflicts with merged work");
    assert_eq!(
        need.commands[..2],
        [
            "git switch auto/r1 && git merge auto/r1/parse",
            "overnight tasks done parse"
        ]
    );
    let why = &of_task(&summary, "parse").why;
    assert!(why.contains("merge auto/r1/parse by hand"), "{why}");
    let page = crate::review::Desk::new(&summary, Vec::new()).page();
    let desk: Vec<&str> = page.body.iter().map(|line| line.text.trim()).collect();
    for command in &need.commands[..2] {
        assert!(
            desk.contains(&command.as_str()),
            "{command:?} is not in {desk:#?}"
        );
    }
}

#[test]
fn at_the_desk_what_failed_stands_before_what_waits() {
    let summary = of(&once::given_up(), &seen(), None);
    let body = crate::review::Desk::new(&summary, Vec::new()).page().body;
    let at = |what: &str| body.iter().position(|line| line.text.contains(what));
    assert!(at("parse refuted").unwrap() < at("pay needs you").unwrap());
}
