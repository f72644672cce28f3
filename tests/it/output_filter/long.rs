use super::*;

/// What a run prints that waits twice until somebody has read what was said of it.
const RUN: &str = r#"echo "running 100 tests"
for i in $(seq 60); do echo "test a::t$i ... ok"; done
echo "test a::broken ... FAILED"
while [ ! -e seen ]; do sleep 0.2; done
echo "test a::late ... FAILED"
while [ ! -e counted ]; do sleep 0.2; done
echo "test result: FAILED. 60 passed; 2 failed; 0 ignored; 0 measured"
exit 101"#;

#[test]
fn a_long_run_names_failing_tests_as_they_appear_and_counts_every_twenty_seconds() {
    let folder = project();
    let mut child = filter()
        .current_dir(folder.path())
        .args(["--", "sh", "-c", RUN])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    let mut until = |wanted: &dyn Fn(&str) -> bool| {
        let line = lines.find_map(|line| {
            let line = line.unwrap();
            said.push(line.clone());
            wanted(&line).then_some(line)
        });
        line.unwrap_or_else(|| panic!("it ended: {said:#?}"))
    };
    // The command goes on only once this was read: it runs meanwhile.
    until(&|line| line == "FAILED a::broken");
    fs::write(folder.path().join("seen"), "").unwrap();
    until(&|line| line == "FAILED a::late");
    let count = until(&|line| line.starts_with("… "));
    assert!(
        count.contains("2 failed, 60 passed, 63 lines so far"),
        "{count}"
    );
    let seconds: u64 = count[4..].split(' ').next().unwrap().parse().unwrap();
    assert!(seconds >= 20, "{count}");
    fs::write(folder.path().join("counted"), "").unwrap();
    until(&|line| line.starts_with("FAILED (exit 101) · cargo test: 2 failed, 60 passed"));
    assert_eq!(child.wait().unwrap().code(), Some(101));
}

#[test]
fn a_slow_command_with_little_output_shows_it_as_it_comes() {
    let folder = project();
    let script = "for i in 1 2 3 4 5; do echo line $i; done; while [ ! -e seen ]; do sleep 0.2; done; echo end";
    let mut child = filter()
        .current_dir(folder.path())
        .args(["--", "sh", "-c", script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap)
        .inspect(|line| {
            // The command goes on only once its fifth line was read.
            if line == "line 5" {
                fs::write(folder.path().join("seen"), "").unwrap();
            }
        })
        .collect();
    let all = ["line 1", "line 2", "line 3", "line 4", "line 5", "end"];
    assert_eq!(lines, all);
    assert!(child.wait().unwrap().success());
}
