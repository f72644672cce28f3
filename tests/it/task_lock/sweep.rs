//! Tombstones of long ago are removed, and tokens grow all the same.

use super::*;

const DAY_MS: u64 = 24 * 3_600 * 1_000;
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Gives a task's lease back and makes the tombstone as old as this, with the token of then or
/// another one.
fn bury(field: &Field, clone: &Path, task: &str, (days, token): (u64, Option<u64>)) -> u64 {
    let held = acquired(clone, &[task, "--agent", "a"]);
    assert_eq!(status(clone, &["release", task, "--token", &held]), 0);
    let remote = field.path("remote.git");
    let name = format!("refs/overnight/leases/{task}");
    let said = git(&remote, &["for-each-ref", "--format=%(contents)", &name]);
    let mut record: Value = serde_json::from_str(said.trim()).unwrap();
    let then = record["renewed_ms"].as_u64().unwrap() - days * DAY_MS;
    let token = token.unwrap_or(then);
    record["renewed_ms"] = then.into();
    record["token"] = token.into();
    let commit = git(
        &remote,
        &["commit-tree", EMPTY_TREE, "-m", &record.to_string()],
    );
    git(&remote, &["update-ref", &name, &commit]);
    token
}

#[test]
fn old_tombstones_are_swept_and_the_next_token_is_larger_than_theirs() {
    let field = Field::new();
    let (one, two) = (
        field.clone("one", &field.file_url()),
        field.clone("two", &field.file_url()),
    );
    let old = bury(&field, &one, "old", (31, None));
    bury(&field, &one, "young", (29, None));
    // A clock was wrong: a new token would not be larger than this one.
    let ahead = bury(&field, &one, "ahead", (31, Some(1 << 52)));
    let held = acquired(&one, &["held", "--agent", "a"]);
    // This clone knows the tombstone and is not told of the sweep.
    assert_eq!(status(&one, &["status", "old"]), 0);
    let (code, told) = json(&two, &["doctor"]);
    assert_eq!((code, &told["swept"]), (0, &1.into()), "{told}");
    let refs = [
        "for-each-ref",
        "--format=%(refname:lstrip=3)",
        "refs/overnight/",
    ];
    let left = git(&field.path("remote.git"), &refs);
    assert_eq!(left, "ahead\nheld\nyoung");
    for (task, before) in [("old", old), ("ahead", ahead)] {
        for clone in [&one, &two] {
            let token = acquired(clone, &[task, "--agent", "b"]);
            assert!(token.parse::<u64>().unwrap() > before, "{task}");
            assert_eq!(status(clone, &["release", task, "--token", &token]), 0);
        }
    }
    assert_eq!(status(&one, &["renew", "held", "--token", &held]), 0);
}
