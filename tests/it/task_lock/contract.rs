use super::*;
use crate::project;
use predicates::str::contains;

#[test]
fn a_lease_is_held_by_one_agent_and_given_back() {
    let field = Field::new();
    let (one, two) = (
        field.clone("one", &field.file_url()),
        field.clone("two", &field.file_url()),
    );
    let first = acquired(&one, &["t1", "--agent", "a1"]);
    assert_eq!(
        acquired(&one, &["t1", "--agent", "a1"]),
        first,
        "idempotent for the same agent"
    );
    let (code, told) = json(&two, &["acquire", "t1", "--agent", "a2"]);
    assert_eq!((code, &told["error"]["code"]), (1, &"E2004".into()));
    assert_eq!(told["error"]["context"]["agent"], "a1");
    assert_eq!(
        json(&two, &["acquire", "t1", "--agent", "a2", "--wait", "200ms"]).1["error"]["code"],
        "E2007"
    );
    assert_eq!(status(&one, &["check", "t1", "--token", &first]), 0);
    assert_eq!(status(&one, &["check", "t1", "--token", "1"]), 1);
    assert_eq!(status(&one, &["renew", "t1", "--token", &first]), 0);
    assert_eq!(status(&two, &["release", "t1", "--token", "1"]), 1);
    assert_eq!(status(&one, &["release", "t1", "--token", &first]), 0);
    assert_eq!(
        status(&one, &["release", "t1", "--token", &first]),
        0,
        "giving back twice is one"
    );
    assert_eq!(status(&one, &["check", "t1", "--token", &first]), 1);
    let second = acquired(&two, &["t1", "--agent", "a2"]);
    assert!(second.parse::<u64>().unwrap() > first.parse::<u64>().unwrap());
    assert_eq!(status(&one, &["renew", "t1", "--token", &first]), 1);
}

#[test]
fn the_same_name_in_another_clone_or_process_is_another_agent() {
    let field = Field::new();
    let (one, two) = (
        field.clone("one", &field.file_url()),
        field.clone("two", &field.file_url()),
    );
    acquired(&one, &["t1", "--agent", "a"]);
    assert_eq!(status(&two, &["acquire", "t1", "--agent", "a"]), 1);
    let me = std::process::id().to_string();
    let mut other = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let pid = other.id().to_string();
    let first = acquired(&one, &["t2", "--agent", "a", "--pid", &pid]);
    assert_eq!(
        status(&one, &["acquire", "t2", "--agent", "a", "--pid", &me]),
        1
    );
    assert_eq!(status(&two, &["acquire", "t2", "--agent", "b"]), 1);
    other.kill().unwrap();
    other.wait().unwrap();
    let second = acquired(&two, &["t2", "--agent", "b"]);
    assert_ne!(
        first, second,
        "a lease whose process died on this machine is taken at once"
    );
    assert_eq!(status(&one, &["acquire", "t3", "--pid", &pid]), 64);
}

#[test]
fn a_copied_clone_holds_nothing() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    let first = acquired(&one, &["t1", "--agent", "a"]);
    let copy = field.path("copy");
    assert!(
        std::process::Command::new("cp")
            .arg("-r")
            .args([&one, &copy])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(status(&copy, &["check", "t1", "--token", &first]), 1);
    assert_eq!(status(&copy, &["acquire", "t1", "--agent", "a"]), 1);
}

#[test]
fn nothing_of_the_person_is_touched_and_the_mirror_is_ignored() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    std::fs::write(one.join("file"), "work").unwrap();
    git(&one, &["add", "file"]);
    std::fs::write(one.join("file"), "more work").unwrap();
    let look = || {
        let read = |name: &str| std::fs::read(one.join(".git").join(name)).unwrap();
        let refs = git(&one, &["for-each-ref", "refs/heads", "refs/tags"]);
        (
            git(&one, &["status", "--porcelain"]),
            read("HEAD"),
            read("index"),
            refs,
        )
    };
    let before = look();
    for remote in ["origin", "none"] {
        let held = acquired(&one, &["t1", "--agent", "a", "--remote", remote]);
        let mirror = std::fs::read_to_string(one.join("current_tasks/t1.txt")).unwrap();
        assert!(mirror.contains("Agent: a\n") && mirror.contains(&format!("Token: {held}\n")));
        assert_eq!(status(&one, &["list", "--remote", remote]), 0);
        assert_eq!(
            status(
                &one,
                &["release", "t1", "--token", &held, "--remote", remote]
            ),
            0
        );
        assert!(!one.join("current_tasks/t1.txt").exists());
    }
    assert_eq!(look(), before);
}

#[test]
fn publish_moves_work_and_lease_together_or_nothing() {
    let field = Field::new();
    let (one, two) = (
        field.clone("one", &field.file_url()),
        field.clone("two", &field.file_url()),
    );
    let refs = || git(&field.path("remote.git"), &["for-each-ref", "refs/heads"]);
    let first = acquired(&one, &["t1", "--agent", "a1", "--ttl", "1s"]);
    let publish = |clone: &Path, token: &str, refspec: &str| {
        status(
            clone,
            &["publish", "t1", "--token", token, "--refspec", refspec],
        )
    };
    let second = acquired(&two, &["t1", "--agent", "a2", "--wait", "20s"]);
    assert_eq!(
        publish(&one, &first, "HEAD:refs/heads/auto/t1"),
        1,
        "a stale holder never publishes"
    );
    assert_eq!(refs(), "");
    assert_eq!(publish(&two, &second, "HEAD:refs/heads/auto/t1"), 0);
    assert!(refs().ends_with("refs/heads/auto/t1"));
    let published = refs();
    git(
        &two,
        &[
            "commit",
            "-q",
            "--amend",
            "--allow-empty",
            "-m",
            "rewritten",
        ],
    );
    assert_eq!(
        publish(&two, &second, "HEAD:refs/heads/auto/t1"),
        69,
        "nothing is ever forced"
    );
    for refspec in [
        "+HEAD:refs/heads/auto/t1",
        ":refs/heads/auto/t1",
        "HEAD:refs/overnight/leases/x",
        "--force",
    ] {
        assert_eq!(publish(&two, &second, refspec), 64, "{refspec}");
    }
    assert_eq!(refs(), published);
    assert_eq!(
        status(&two, &["check", "t1", "--token", &second]),
        0,
        "the lease outlives a refused push"
    );
}

#[test]
fn publish_without_a_remote_moves_this_repositorys_refs() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    let held = acquired(&one, &["t1", "--agent", "a", "--remote", "none"]);
    let arguments = [
        "publish",
        "t1",
        "--remote",
        "none",
        "--token",
        &held,
        "--refspec",
        "HEAD:refs/heads/auto/t1",
    ];
    assert_eq!(status(&one, &arguments), 0);
    assert_eq!(
        git(&one, &["rev-parse", "auto/t1"]),
        git(&one, &["rev-parse", "HEAD"])
    );
    assert_eq!(
        status(
            &one,
            &["release", "t1", "--token", &held, "--remote", "none"]
        ),
        0
    );
    assert_eq!(status(&one, &arguments), 1);
}

#[test]
fn hostile_names_are_usage_errors() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    let long = "x".repeat(10_000);
    for task in [
        "../../../.git/hooks/pre-commit",
        "a/b",
        ".",
        "..",
        "",
        &long,
        "con",
        "-rf",
        "t1.txt",
        "A",
        "caf\u{e9}",
    ] {
        let (code, told) = json(&one, &["acquire", "--agent", "a", "--", task]);
        let code_id = told["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        // Behind `--` clap takes the flag of the helper as a word too; the status tells.
        assert!(
            code == 64 && (code_id.starts_with("E4") || told.is_null()),
            "{task}: {code} {told}"
        );
    }
    for remote in ["--upload-pack=x", "ext::sh -c id", "-f", "+main", ""] {
        let remote = format!("--remote={remote}");
        assert_eq!(status(&one, &["acquire", "t1", &remote]), 64, "{remote}");
    }
    git(&one, &["remote", "add", "evil", "ext::sh -c touch% pwned"]);
    assert_eq!(status(&one, &["acquire", "t1", "--remote", "evil"]), 69);
    assert!(!one.join("pwned").exists());
    for ttl in ["0", "8d", "-1", "x", "18446744073709551616"] {
        let ttl = format!("--ttl={ttl}");
        assert_eq!(status(&one, &["acquire", "t1", &ttl]), 64, "{ttl}");
    }
    assert_eq!(
        status(&one, &["acquire", "t1", "--agent", "a\u{1b}[2J"]),
        64
    );
}

#[test]
fn a_strange_mirror_counts_as_locked_and_is_never_followed() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    let mirror = |name: &str| one.join("current_tasks").join(name);
    std::fs::create_dir(one.join("current_tasks")).unwrap();
    std::fs::write(one.join("victim"), "mine").unwrap();
    std::os::unix::fs::symlink(one.join("victim"), mirror("link.txt")).unwrap();
    std::fs::create_dir(mirror("folder.txt")).unwrap();
    std::fs::write(mirror("large.txt"), vec![b'x'; 1 << 20]).unwrap();
    project::named_pipe(&mirror("pipe.txt"));
    for task in ["link", "folder", "large", "pipe"] {
        assert_eq!(
            json(&one, &["acquire", task, "--agent", "a"]).1["error"]["code"],
            "E2004",
            "{task}"
        );
    }
    std::fs::write(
        mirror("merged.txt"),
        "<<<<<<< HEAD\nAgent: a\n=======\nAgent: b\n>>>>>>> x\n",
    )
    .unwrap();
    assert_eq!(
        json(&one, &["acquire", "merged", "--agent", "a"]).1["error"]["code"],
        "E2006"
    );
    assert_eq!(std::fs::read_to_string(one.join("victim")).unwrap(), "mine");
}

#[test]
fn a_forged_record_is_somebody_unknown() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    git(
        &one,
        &["push", "-q", "origin", "HEAD:refs/overnight/leases/t1"],
    );
    let (code, told) = json(&one, &["acquire", "t1", "--agent", "a"]);
    assert_eq!(
        (code, &told["error"]["context"]["agent"]),
        (1, &"unknown".into())
    );
    let listed = json(&one, &["list"]).1;
    assert_eq!(listed["leases"][0]["state"], "unreadable");
}

#[test]
fn hooks_of_the_repository_are_not_run() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    for hook in ["pre-push", "reference-transaction", "post-checkout"] {
        let path = one.join(".git/hooks").join(hook);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(
            &path,
            "#!/bin/sh\ntouch \"$(git rev-parse --git-common-dir)/../pwned\"\n",
        )
        .unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
    }
    git(&one, &["config", "remote.origin.mirror", "true"]);
    git(&one, &["config", "push.pushOption", "x"]);
    let held = acquired(&one, &["t1", "--agent", "a"]);
    assert_eq!(
        status(
            &one,
            &[
                "publish",
                "t1",
                "--token",
                &held,
                "--refspec",
                "HEAD:refs/heads/auto/t1"
            ]
        ),
        0
    );
    assert!(!one.join("pwned").exists());
}

#[test]
fn outside_a_repository_the_answer_is_clear() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        json(folder.path(), &["acquire", "t1"]).1["error"]["code"],
        "E9007"
    );
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    task_lock(&one, &["acquire", "t1"])
        .env("TASK_LOCK_CLOCK_OFFSET", "soon")
        .assert()
        .code(78)
        .stderr(contains("TASK_LOCK_CLOCK_OFFSET"));
    let (code, told) = json(&one, &["doctor"]);
    assert_eq!((code, &told["usable"]), (0, &true.into()));
    assert_eq!(
        git(&field.path("remote.git"), &["for-each-ref"]),
        "",
        "the doctor cleans up"
    );
}

#[test]
fn no_name_of_a_task_stands_in_the_way_of_what_the_clone_keeps() {
    let field = Field::new();
    let (one, two) = (
        field.clone("one", &field.file_url()),
        field.clone("two", &field.file_url()),
    );
    for task in ["all", "one", "list", "instance"] {
        acquired(&one, &[task, "--agent", "a"]);
        // Looks at the ref, lists every ref, looks again.
        for words in [
            &["acquire", task, "--agent", "b"][..],
            &["list"],
            &["status", task],
        ] {
            let expected = i32::from(words[0] == "acquire");
            assert_eq!(status(&two, words), expected, "{words:?}");
        }
    }
}
