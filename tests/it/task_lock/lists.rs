//! Lists of many leases: one table, written where something is new, and small files packed into it.

use super::*;
use std::time::SystemTime;

fn known(clone: &Path) -> PathBuf {
    clone.join(".git/overnight/leases/at-origin")
}

/// The names in the folder of what the clone knows, and when the table was written.
fn remembered(clone: &Path) -> (Vec<String>, SystemTime) {
    let listing = std::fs::read_dir(known(clone)).unwrap().flatten();
    let mut names: Vec<String> = listing
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    let table = std::fs::metadata(known(clone).join("listed.txt")).unwrap();
    (names, table.modified().unwrap())
}

fn states(clone: &Path) -> Vec<(String, String)> {
    let (status, listed) = json(clone, &["list"]);
    assert_eq!(status, 0, "{listed}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let leases = listed["leases"].as_array().unwrap().iter();
    leases
        .map(|lease| (text(&lease["task"]), text(&lease["state"])))
        .collect()
}

#[test]
fn leases_of_others_are_one_table_that_is_written_only_where_something_is_new() {
    let field = Field::new();
    let (one, two) = (
        field.clone("one", &field.file_url()),
        field.clone("two", &field.file_url()),
    );
    let tokens = ["a", "b", "c"].map(|task| acquired(&one, &[task, "--agent", "x", "--ttl", "1h"]));
    let all_held = ["a", "b", "c"].map(|task| (task.to_owned(), "held".to_owned()));
    assert_eq!(states(&two), all_held);
    let first = remembered(&two);
    assert_eq!(first.0, ["list.flock", "listed.txt"]);
    assert_eq!(states(&two), all_held);
    assert_eq!(remembered(&two), first, "nothing is new");
    assert_eq!(status(&one, &["release", "b", "--token", &tokens[1]]), 0);
    assert_eq!(states(&two)[1], ("b".into(), "free".into()));
    assert!(remembered(&two).1 > first.1);
    git(
        &field.path("remote.git"),
        &["update-ref", "-d", "refs/overnight/leases/a"],
    );
    let tasks: Vec<String> = states(&two).into_iter().map(|(task, _)| task).collect();
    assert_eq!(tasks, ["b", "c"]);
}

#[test]
fn the_doctor_packs_what_the_clone_does_not_hold_and_nothing_is_forgotten() {
    let field = Field::new();
    let (one, two) = (
        field.clone("one", &field.file_url()),
        field.clone("two", &field.file_url()),
    );
    let held = acquired(&one, &["mine", "--agent", "x"]);
    let given = acquired(&one, &["given", "--agent", "x"]);
    assert_eq!(status(&one, &["release", "given", "--token", &given]), 0);
    acquired(&two, &["theirs", "--agent", "y"]);
    assert_eq!(status(&one, &["status", "theirs"]), 0);
    let (code, told) = json(&one, &["doctor"]);
    assert_eq!(code, 0, "{told}");
    let names = remembered(&one).0;
    assert_eq!(
        names,
        [
            "list.flock",
            "listed.txt",
            "mine.json",
            "mine.lock",
            "writes"
        ]
    );
    assert_eq!(status(&one, &["check", "mine", "--token", &held]), 0);
    assert_eq!(status(&one, &["acquire", "theirs", "--agent", "x"]), 1);
    let next = acquired(&one, &["given", "--agent", "z"]);
    assert!(next.parse::<u64>().unwrap() > given.parse::<u64>().unwrap());
    let loose = field.path("remote.git/refs/overnight/leases");
    let left = std::fs::read_dir(loose).map_or(0, Iterator::count);
    assert_eq!(left, 1, "the remote's refs were packed before this acquire");
}
