use super::remotes::http;
use super::*;

#[test]
fn a_remote_that_is_down_is_never_a_success() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    let held = acquired(&one, &["t1", "--agent", "a"]);
    let (remote, away) = (field.path("remote.git"), field.path("away.git"));
    std::fs::rename(&remote, &away).unwrap();
    for arguments in [
        &["acquire", "t2", "--agent", "a"][..],
        &["acquire", "t1", "--agent", "a"],
        &["acquire", "t2", "--agent", "a", "--wait", "200ms"],
        &["renew", "t1", "--token", &held],
        &["release", "t1", "--token", &held],
        &[
            "publish",
            "t1",
            "--token",
            &held,
            "--refspec",
            "HEAD:refs/heads/x",
        ],
        &["list"],
        &["status", "t1"],
        &["doctor"],
    ] {
        assert_eq!(status(&one, arguments), 69, "{arguments:?}");
    }
    assert_eq!(
        status(&one, &["check", "t1", "--token", &held]),
        0,
        "check asks nobody"
    );
    std::fs::rename(&away, &remote).unwrap();
    assert_eq!(status(&one, &["renew", "t1", "--token", &held]), 0);
}

#[test]
fn a_lost_answer_is_found_out_by_reading_back() {
    let field = Field::new();
    let one = field.clone("one", &http(&field, 1));
    let held = acquired(&one, &["t1", "--agent", "a"]);
    assert_eq!(status(&one, &["renew", "t1", "--token", &held]), 0);
    assert_eq!(
        status(
            &one,
            &[
                "publish",
                "t1",
                "--token",
                &held,
                "--refspec",
                "HEAD:refs/heads/x"
            ]
        ),
        0
    );
    assert_eq!(status(&one, &["release", "t1", "--token", &held]), 0);
    let refs = git(
        &field.path("remote.git"),
        &["for-each-ref", "--format=%(refname)"],
    );
    assert_eq!(refs, "refs/heads/x\nrefs/overnight/leases/t1");
}

#[test]
fn a_lock_file_left_by_a_killed_git_is_repaired_when_it_is_old() {
    let field = Field::new();
    let one = field.clone("one", &field.file_url());
    let lock = field
        .path("remote.git")
        .join("refs/overnight/leases/t1.lock");
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let left = std::fs::File::create(&lock).unwrap();
    assert_eq!(
        status(&one, &["acquire", "t1", "--agent", "a"]),
        69,
        "a young one may be in use"
    );
    left.set_modified(std::time::SystemTime::now() - Duration::from_mins(10))
        .unwrap();
    acquired(&one, &["t1", "--agent", "a"]);
    let local = one.join(".git/refs/overnight/leases/t1.lock");
    std::fs::create_dir_all(local.parent().unwrap()).unwrap();
    let left = std::fs::File::create(&local).unwrap();
    left.set_modified(std::time::SystemTime::now() - Duration::from_mins(10))
        .unwrap();
    acquired(&one, &["t1", "--agent", "a", "--remote", "none"]);
}

#[test]
fn a_host_that_accepts_only_branches_is_found_out_by_the_doctor() {
    let field = Field::new();
    let remote = field.path("remote.git");
    let hook = remote.join("hooks/update");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(
        &hook,
        "#!/bin/sh\ncase $1 in refs/heads/*) exit 0;; *) echo no; exit 1;; esac\n",
    )
    .unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&hook, mode).unwrap();
    git(&remote, &["config", "receive.denyNonFastForwards", "true"]);
    let one = field.clone("one", &field.file_url());
    let (code, told) = json(&one, &["acquire", "t1", "--agent", "a"]);
    assert_eq!((code, &told["error"]["code"]), (69, &"E2001".into()));
    assert_eq!(
        json(&one, &["doctor"]).1["namespace"],
        "refs/heads/overnight/leases"
    );
    let first = acquired(&one, &["t1", "--agent", "a"]);
    assert_eq!(status(&one, &["renew", "t1", "--token", &first]), 0);
    assert_eq!(status(&one, &["release", "t1", "--token", &first]), 0);
    assert_ne!(acquired(&one, &["t1", "--agent", "b"]), first);
}

#[test]
fn a_remote_without_atomic_pushes_is_told_and_checked_twice() {
    let field = Field::new();
    git(
        &field.path("remote.git"),
        &["config", "receive.advertiseAtomic", "false"],
    );
    let one = field.clone("one", &field.file_url());
    let held = acquired(&one, &["t1", "--agent", "a"]);
    task_lock(
        &one,
        &[
            "publish",
            "t1",
            "--token",
            &held,
            "--refspec",
            "HEAD:refs/heads/x",
        ],
    )
    .assert()
    .success()
    .stderr(predicates::str::contains("cannot push atomically"));
    let refs = git(
        &field.path("remote.git"),
        &["for-each-ref", "--format=%(refname)"],
    );
    assert_eq!(refs, "refs/heads/x\nrefs/overnight/leases/t1");
}

#[test]
fn of_many_at_once_one_wins() {
    let field = Field::new();
    let clones: Vec<_> = (0..4)
        .map(|number| field.clone(&format!("c{number}"), &field.file_url()))
        .collect();
    for remote in ["origin", "none"] {
        let contenders: Vec<_> = (0..16)
            .map(|number| {
                let clone = clones[if remote == "none" { 0 } else { number % 4 }].clone();
                std::thread::spawn(move || {
                    status(
                        &clone,
                        &[
                            "acquire",
                            "t1",
                            "--agent",
                            &format!("a{number}"),
                            "--remote",
                            remote,
                        ],
                    )
                })
            })
            .collect();
        let mut codes: Vec<_> = contenders
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        codes.sort_unstable();
        assert_eq!((codes[0], &codes[1..]), (0, &[1; 15][..]), "{remote}");
    }
}
