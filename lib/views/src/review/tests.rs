use super::*;
use crate::status::Seen;
use crate::summary;
use overnight_run::State;
use overnight_run::state::TaskState;
use overnight_run::task::{Status, TaskSpec};
use std::collections::BTreeMap;

const PATCH: &str = "diff --git a/src/a.rs b/src/a.rs
index 1..2 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,2 +1,2 @@ fn a() {
 kept
--- a/src/not-a-file.rs
+one\u{202e}\u{1b}[2J
@@ -9 +9 @@
-two
+three
diff --git a/bin b/bin
new file mode 100644
Binary files /dev/null and b/bin differ
";

fn night() -> Summary {
    let mut task = TaskState::new(TaskSpec::named("parse", "does it"));
    task.status = Status::Blocked;
    task.needs = Some("a key".to_owned());
    let state = State {
        tasks: vec![task],
        ..State::default()
    };
    summary::of(&state, &Seen::default(), None)
}

fn desk() -> Desk {
    let touched = BTreeMap::from([("src/a.rs".to_owned(), vec!["parse".to_owned()])]);
    let night = night();
    Desk::new(&night, hunks(PATCH, &touched, &night))
}

fn press(desk: &mut Desk, keys: &str) -> Wish {
    let mut last = Wish::Nothing;
    for c in keys.chars() {
        last = desk.press(match c {
            '\n' => Key::Enter,
            '\u{1b}' => Key::Escape,
            c => Key::Char(c),
        });
    }
    last
}

#[test]
fn a_patch_becomes_hunks_that_cannot_move_a_cursor() {
    let all = desk().hunks;
    let files: Vec<&str> = all.iter().map(|hunk| hunk.file.as_str()).collect();
    assert_eq!(files, ["src/a.rs", "src/a.rs", "bin"]);
    assert_eq!(
        all[0].lines[1..],
        [
            " kept",
            "--- a/src/not-a-file.rs",
            "+one<U+202E><U+001B>[2J"
        ]
    );
    assert!(
        all[0].standing.contains("parse needs you"),
        "{}",
        all[0].standing
    );
    assert_eq!(all[2].standing, "outside any task");
}

#[test]
fn what_was_read_is_known_by_its_content() {
    let moved = PATCH.replace("@@ -9 +9 @@", "@@ -90 +95 @@");
    let other = PATCH.replace("three", "four");
    let night = night();
    let keys = |patch: &str| -> Vec<String> {
        let all = hunks(patch, &BTreeMap::new(), &night);
        all.into_iter().map(|hunk| hunk.key).collect()
    };
    assert_eq!(keys(PATCH), keys(&moved));
    assert_ne!(keys(PATCH)[1], keys(&other)[1]);
}

#[test]
fn hunks_are_read_one_by_one_and_a_task_goes_back_with_the_comments() {
    let mut desk = desk();
    assert!(matches!(press(&mut desk, "h"), Wish::Nothing));
    assert!(matches!(press(&mut desk, "a"), Wish::Read(keys) if keys.len() == 1));
    assert_eq!(desk.unread(), 2);
    desk.request = Some("https://forge.example/7".to_owned());
    press(&mut desk, "r");
    let asked = desk.page().foot;
    assert!(
        asked.ends_with("/7 for review with 2 hunks not read? y or n"),
        "{asked}"
    );
    press(&mut desk, "n");
    assert!(matches!(press(&mut desk, "cwhy three\n"), Wish::Nothing));
    let back = press(&mut desk, "bdo it again\n");
    let wished = Wish::SendBack {
        task: "parse".to_owned(),
        comments: vec!["src/a.rs: why three".to_owned(), "do it again".to_owned()],
    };
    assert_eq!(back, wished);
    press(&mut desk, "aa");
    assert_eq!((desk.unread(), desk.place), (0, Screen::Desk));
}

#[test]
fn needs_are_answered_and_what_cannot_be_done_says_why() {
    let mut desk = desk();
    let answer = press(&mut desk, "a42\n");
    let wished = Wish::Answer {
        task: "parse".to_owned(),
        text: "42".to_owned(),
    };
    assert_eq!(answer, wished);
    assert!(matches!(press(&mut desk, "uy"), Wish::TakeOut { task } if task == "parse"));
    assert!(matches!(press(&mut desk, "un"), Wish::Nothing));
    press(&mut desk, "r");
    assert!(desk.page().foot.contains("no pull request"));
    let page = desk.page();
    assert!(page.body.iter().any(|line| line.text.contains("a key")));
    assert!(matches!(press(&mut desk, "q"), Wish::Leave));
}
