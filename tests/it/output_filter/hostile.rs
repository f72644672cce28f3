use super::*;

#[test]
fn a_log_that_cannot_be_written_is_said_and_costs_nothing_else() {
    let long = format!("{LONG}; exit 7");
    let said = |done: &Output| {
        assert_eq!(done.status.code(), Some(7));
        assert!(
            text(&done.stdout).contains("FAILED (exit 7)"),
            "{}",
            text(&done.stdout)
        );
        assert!(
            text(&done.stderr).starts_with("ERROR [E9001]: log write failed"),
            "{}",
            text(&done.stderr)
        );
        assert_eq!(text(&done.stderr).lines().count(), 1);
    };
    let linked = project();
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), linked.path().join("logs")).unwrap();
    said(&wrapped(linked.path(), &long));
    assert_eq!(
        fs::read_dir(elsewhere.path()).unwrap().count(),
        0,
        "nothing is written through the link"
    );
    let file = project();
    fs::write(file.path().join("logs"), "a file").unwrap();
    said(&wrapped(file.path(), &long));
}

#[test]
fn a_full_disk_costs_the_log_only() {
    let folder = project();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let mount = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(&logs)
        .output();
    if !mount.is_ok_and(|done| done.status.success()) {
        return crate::support::skip("a small file system cannot be mounted");
    }
    let done = wrapped(
        folder.path(),
        "i=0; while [ $i -lt 3000 ]; do echo \"line $i of something long enough to fill it\"; i=$((i+1)); done; exit 7",
    );
    Command::new("umount").arg(&logs).status().unwrap();
    assert_eq!(done.status.code(), Some(7));
    assert!(
        text(&done.stdout).contains("FAILED (exit 7)") && text(&done.stdout).contains("line 2999"),
        "{}",
        text(&done.stdout)
    );
    assert!(
        text(&done.stderr).contains("No space left on device"),
        "{}",
        text(&done.stderr)
    );
}

#[test]
fn a_read_only_folder_costs_the_log_only() {
    let folder = tempfile::tempdir().unwrap();
    let mount = |options: &str| {
        Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(folder.path())
            .output()
            .is_ok_and(|done| done.status.success())
    };
    if !mount("size=64k") {
        return crate::support::skip("a small file system cannot be mounted");
    }
    fs::create_dir(folder.path().join(".git")).unwrap();
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let read_only = mount("remount,ro");
    let done = wrapped(folder.path(), &format!("{LONG}; exit 7"));
    Command::new("umount").arg(folder.path()).status().unwrap();
    assert!(read_only);
    assert_eq!(done.status.code(), Some(7));
    assert!(text(&done.stdout).contains("FAILED (exit 7)"), "{done:?}");
    let said = text(&done.stderr);
    assert!(
        said.starts_with("ERROR [E9001]") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn one_line_of_many_megabytes_is_survived() {
    const BYTES: u64 = 150_000_000;
    let folder = project();
    let done = wrapped(
        folder.path(),
        &format!("head -c {BYTES} /dev/zero | tr '\\0' x; exit 3"),
    );
    assert_eq!(done.status.code(), Some(3));
    assert!(
        done.stdout.len() <= 8_000 && text(&done.stdout).contains("FAILED (exit 3)"),
        "{}",
        done.stdout.len()
    );
    let log = logs(folder.path()).pop().unwrap();
    assert_eq!(fs::metadata(log).unwrap().len(), BYTES);
}

#[test]
fn output_that_never_ends_takes_bounded_memory_and_its_signal_ends_it() {
    const RESIDENT_MAX_KB: u64 = 32_000;
    let folder = project();
    let child = filter()
        .current_dir(folder.path())
        .args(["--", "yes", "and so it goes on"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    eventually(|| {
        let grown = |log: &PathBuf| fs::metadata(log).is_ok_and(|about| about.len() > 40_000_000);
        logs(folder.path()).iter().any(grown)
    });
    let keeper = keeper_of(child.id()).as_raw_nonzero();
    let status = fs::read_to_string(format!("/proc/{keeper}/status")).unwrap();
    let peak = status.lines().find_map(|line| {
        let number = line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?;
        number.parse::<u64>().ok()
    });
    rustix::process::kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.signal(), Some(15));
    let shown = text(&done.stdout);
    assert!(
        shown.contains("ended by signal 15") && shown.lines().count() <= 50,
        "{shown}"
    );
    assert!(peak.unwrap() <= RESIDENT_MAX_KB, "{peak:?} kB");
}

#[test]
fn interleaved_streams_keep_their_order_where_they_are_one() {
    let folder = project();
    let script = "i=0; while [ $i -lt 100 ]; do echo \"out $i\"; echo \"err $i\" >&2; i=$((i+1)); done; exit 2";
    let expected: Vec<String> = (0..100)
        .map(|number| format!("out {number}\nerr {number}\n"))
        .collect();
    let one = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", "exec \"$0\" -- sh -c \"$1\" 2>&1"])
        .arg(assert_cmd::cargo::cargo_bin!("output-filter"))
        .arg(script)
        .output()
        .unwrap();
    assert_eq!(one.status.code(), Some(2));
    let log = logs(folder.path()).pop().unwrap();
    assert_eq!(fs::read_to_string(&log).unwrap(), expected.concat());
    fs::remove_file(log).unwrap();
    let two = wrapped(folder.path(), script);
    assert_eq!(two.status.code(), Some(2));
    let log = fs::read_to_string(logs(folder.path()).pop().unwrap()).unwrap();
    let of = |start: &str| log.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((of("out "), of("err ")), (100, 100));
}

#[test]
fn two_at_once_have_a_log_each() {
    let folder = project();
    let start = || {
        filter()
            .current_dir(folder.path())
            .args(["--", "sh", "-c", LONG])
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut both = [start(), start()];
    for child in &mut both {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(logs(folder.path()).len(), 2);
}

#[test]
fn bad_settings_are_named_by_tools_and_survived_by_the_shell() {
    let folder = project();
    for value in ["-1", "1e9", "50; rm -rf ~"] {
        let done = filter()
            .current_dir(folder.path())
            .env("MAX_OUTPUT_LINES", value)
            .args(["--", "true"])
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(78));
        assert!(text(&done.stderr).contains("MAX_OUTPUT_LINES"));
        let done = in_shell("/bin/bash", folder.path(), "echo x; exit 5")
            .env("MAX_OUTPUT_LINES", value)
            .output()
            .unwrap();
        assert_eq!(
            (done.status.code(), text(&done.stdout)),
            (Some(5), "x\n".to_owned())
        );
    }
    let twenty = filter()
        .current_dir(folder.path())
        .env("MAX_OUTPUT_LINES", "20")
        .args(["--", "sh", "-c", LONG])
        .output()
        .unwrap();
    assert!(text(&twenty.stdout).lines().count() <= 20);
}

#[test]
fn binary_output_passes_unchanged() {
    let folder = project();
    let bytes: Vec<u8> = (0..200_000_u32)
        .map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[3])
        .collect();
    fs::write(folder.path().join("picture"), &bytes).unwrap();
    let done = filter()
        .current_dir(folder.path())
        .args(["--", "cat", "picture"])
        .output()
        .unwrap();
    assert!(done.stdout == bytes);
}

#[test]
fn hostile_output_is_survived_within_the_budget() {
    let folder = project();
    let inputs: [Vec<u8>; 4] = [
        vec![b'x'; 20_000_000],
        b"\x1b[31m".repeat(1_000_000),
        b"step 1\rstep 2\r".repeat(100_000),
        b"\xff\xfe line \0 with odd bytes\n".repeat(1_000),
    ];
    for input in inputs {
        let done = piped(folder.path(), &[], &input);
        assert_eq!(done.status.code(), Some(0));
        let shown = text(&done.stdout);
        assert!(
            shown.lines().count() <= 50 && done.stdout.len() <= 8_000,
            "{}",
            shown.len()
        );
        let log = logs(folder.path()).pop().unwrap();
        assert!(fs::read(&log).unwrap() == input);
        fs::remove_file(log).unwrap();
    }
}
