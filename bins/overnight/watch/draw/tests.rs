#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use super::*;
use overnight_views::watch::Column;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn row(urgency: Urgency, name: &str, text: &str, selected: bool) -> Row {
    Row {
        urgency,
        name: name.to_owned(),
        text: text.to_owned(),
        doing: String::new(),
        selected,
    }
}

/// Two agents, some iterations, a question in Japanese.
fn a_view(iterations: usize) -> View {
    let cell = |at| Cell {
        mark: [Mark::Incomplete, Mark::TimedOut, Mark::Complete][at % 3],
        selected: at + 1 == iterations,
    };
    View {
        head: "overnight: 1 needs you, 1 working".to_owned(),
        agents: vec![
            row(Urgency::NeedsYou, "r2", "3/10 · 日本語タスク", true),
            row(Urgency::Working, "r1", "1/10 · parser", false),
        ],
        strip: (0..iterations).map(cell).collect(),
        details: vec![
            "needs you: 質問 ask-1".to_owned(),
            "  overnight approve ask-1".to_owned(),
        ],
        events: (0..30)
            .map(|at| format!("15:00:{at:02} event {at}"))
            .collect(),
        output: Vec::new(),
        foot: "following  q quit".to_owned(),
        target: None,
    }
}

fn screen(view: &View, width: u16, height: u16, colours: bool) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, view, colours)).unwrap();
    terminal
}

#[test]
fn on_a_usual_terminal_everything_has_its_place() {
    let shown = screen(&a_view(7), 80, 24, true).backend().to_string();
    insta::assert_snapshot!(shown, @r#"
    "overnight: 1 needs you, 1 working                                               "
    "> needs you  3/10 · 日本語タスク  r2                                            " Hidden by multi-width symbols: [(21, " "), (23, " "), (25, " "), (27, " "), (29, " "), (31, " ")]
    "  working  1/10 · parser  r1                                                    "
    "x!+x!+x                                                                         "
    "needs you: 質問 ask-1                                                           " Hidden by multi-width symbols: [(12, " "), (14, " ")]
    "  overnight approve ask-1                                                       "
    "15:00:13 event 13                                                               "
    "15:00:14 event 14                                                               "
    "15:00:15 event 15                                                               "
    "15:00:16 event 16                                                               "
    "15:00:17 event 17                                                               "
    "15:00:18 event 18                                                               "
    "15:00:19 event 19                                                               "
    "15:00:20 event 20                                                               "
    "15:00:21 event 21                                                               "
    "15:00:22 event 22                                                               "
    "15:00:23 event 23                                                               "
    "15:00:24 event 24                                                               "
    "15:00:25 event 25                                                               "
    "15:00:26 event 26                                                               "
    "15:00:27 event 27                                                               "
    "15:00:28 event 28                                                               "
    "15:00:29 event 29                                                               "
    "following  q quit                                                               "
    "#);
}

#[test]
fn a_runs_id_is_whole_in_80_columns_whatever_its_task_is_called() {
    let mut view = a_view(1);
    let id = "20261127-141909-0af3";
    view.agents[0].name = id.to_owned();
    for task in [
        "parser",
        "a-task-with-a-long-name-of-its-own",
        "日本語の長いタスクの名前",
    ] {
        view.agents[0].text = format!("12/50 · 12/40 done · about $12.25 · 12 min 05 s · {task}");
        let shown = screen(&view, 80, 24, false).backend().to_string();
        let row = shown.lines().nth(1).unwrap();
        assert!(row.contains(id) && row.contains("about $12.25"), "{row}");
    }
}

#[test]
fn on_the_smallest_one_who_needs_you_stays() {
    let shown = screen(&a_view(200), 20, 5, true).backend().to_string();
    insta::assert_snapshot!(shown, @r#"
    "overnight: 1 needs y"
    "> needs you  3/10 · "
    "x!+x!+x!+x!+x!+x!+x!"
    "needs you: 質問 ask-" Hidden by multi-width symbols: [(12, " "), (14, " ")]
    "  overnight approve…"
    "#);
}

#[test]
fn no_size_is_too_small_or_too_large() {
    let mut empty = View::default();
    for view in [a_view(300), std::mem::take(&mut empty)] {
        for (width, height) in [(1, 1), (2, 2), (20, 1), (1, 40), (500, 3), (300, 100)] {
            screen(&view, width, height, true);
        }
    }
}

#[test]
fn the_selected_iteration_is_always_on_the_strip() {
    for selected in [0, 10, 57, 198, 199] {
        let mut view = a_view(200);
        for (at, cell) in view.strip.iter_mut().enumerate() {
            cell.selected = at == selected;
        }
        let terminal = screen(&view, 20, 24, true);
        let cells = terminal.backend().buffer().content();
        let reversed = |cell: &&ratatui::buffer::Cell| cell.modifier.contains(Modifier::REVERSED);
        assert_eq!(cells.iter().filter(reversed).count(), 1, "{selected}");
    }
}

#[test]
fn without_colours_there_are_none() {
    for colours in [true, false] {
        let terminal = screen(&a_view(7), 80, 24, colours);
        let coloured = terminal
            .backend()
            .buffer()
            .content()
            .iter()
            .any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
        assert_eq!(coloured, colours);
    }
}

#[test]
fn what_did_not_change_is_not_drawn_again() {
    let mut terminal = screen(&a_view(7), 80, 24, true);
    let before = terminal.backend().buffer().clone();
    let mut view = a_view(7);
    view.head.push('!');
    terminal.draw(|frame| draw(frame, &view, true)).unwrap();
    let changed = before.diff(terminal.backend().buffer());
    assert_eq!(changed.len(), 1);
}

fn said(head: &str, word: &str) -> Column {
    Column {
        head: head.to_owned(),
        lines: (0..30).map(|at| format!("{word} {at}")).collect(),
    }
}

#[test]
fn members_stand_side_by_side_as_far_as_they_fit() {
    let mut view = a_view(7);
    view.output = ["one", "two", "three"]
        .map(|word| said(&format!("member {word}"), word))
        .into();
    let row = |width| {
        let shown = screen(&view, width, 24, false).backend().to_string();
        let last = shown.lines().rfind(|row| row.contains("one 29"));
        last.unwrap().to_owned()
    };
    assert!(row(120).contains("two 29") && row(120).contains("three 29"));
    assert!(row(80).contains("two 29") && !row(80).contains("three"));
    assert!(!row(40).contains("two"));
}

#[test]
fn room_below_what_happened_shows_what_the_agent_says() {
    let mut view = a_view(7);
    view.output = vec![said("what it says and runs", "says")];
    let rows = |height| {
        let shown = screen(&view, 80, height, false).backend().to_string();
        shown.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    // In a usual window it has the larger part: what happened last keeps a third.
    let usual = rows(24);
    assert!(usual.iter().any(|row| row.contains("says 29")));
    let [happened, said] = ["event ", "says "].map(|text| {
        let rows = usual.iter();
        rows.filter(|row| row.contains(text)).count()
    });
    assert!(happened >= 2 && said > happened, "{usual:#?}");
    let high = rows(44);
    let at = |text: &str| high.iter().position(|row| row.contains(text)).unwrap();
    assert!(at("event 29") < at("what it says and runs"));
    assert!(at("what it says and runs") < at("says 29"));
    assert_eq!(at("says 29") + 2, high.len(), "{high:#?}");
}

#[test]
fn what_is_too_long_for_a_row_takes_up_to_three_where_there_is_room() {
    let mut view = a_view(7);
    view.details = vec![format!("it says: {}", "word ".repeat(60))];
    let rows = |height| {
        let shown = screen(&view, 80, height, false).backend().to_string();
        shown.lines().filter(|row| row.contains("word")).count()
    };
    assert_eq!((rows(24), rows(5)), (3, 2));
}

#[test]
fn a_detail_without_room_is_cut_with_a_sign_and_not_in_the_middle_of_a_gap() {
    let long = "needs you: the circuit breaker opened after too many iterations";
    let details = vec![long.to_owned(), "next".to_owned()];
    let cut = "needs you: the circuit breaker…";
    assert_eq!(fitted(&details, 32, 2), [cut, "next"]);
    let whole = fitted(&details, 32, 9);
    assert_eq!(whole.len(), 4);
    assert!(
        whole[0].len() <= 32 && !whole.concat().contains('…'),
        "{whole:?}"
    );
}
