//! `kill -9` of the driver at any moment: the next start goes on to the same result.

use crate::project::Project;
use std::time::Duration;

/// How often the driver is killed (issue: 50).
const KILLS: u64 = 50;
/// Iterations of an undisturbed run.
const ITERATIONS: u32 = 6;

fn script() -> String {
    let step = |visit: u32| {
        let decision = if visit == ITERATIONS {
            "complete"
        } else {
            "incomplete"
        };
        format!(
            r#"{{"when":{{"visit":{visit}}},"steps":[{{"write":{{"path":"out/{visit}","text":"{visit}"}}}},{{"sleep_ms":10}},
               {{"declare":{{"decision":"{decision}","reason":"visit {visit}"}}}},{{"sleep_ms":5}}]}}"#
        )
    };
    let sessions: Vec<String> = (1..=ITERATIONS).map(step).collect();
    format!(r#"{{"sessions":[{}]}}"#, sessions.join(","))
}

#[test]
fn killed_at_any_moment_it_continues_to_the_same_result() {
    let moments: Vec<u64> = (0..KILLS).map(|kill| kill * 7919 % 260).collect();
    let (left, right) = moments.split_at(moments.len() / 2);
    std::thread::scope(|scope| {
        for half in [left, right] {
            scope.spawn(move || half.iter().for_each(|ms| killed_after(*ms)));
        }
    });
}

fn killed_after(ms: u64) {
    let project = Project::new();
    std::fs::write(project.path(".git/script.json"), script()).unwrap();
    let script = project.path(".git/script.json");
    let agent = format!("scripted:{}", script.display());
    let mut driver = project.start(&["--agent", &agent]);
    std::thread::sleep(Duration::from_millis(ms));
    let _ = driver.kill();
    driver.wait().unwrap();
    // A run is there once its first record is; before that, beginning again is all there is to do.
    match begun(&project) {
        Some(run) => project
            .run(&["--agent", &agent, "--resume", &run])
            .success(),
        None => project.run(&["--agent", &agent]).success(),
    };
    let run = begun(&project).unwrap();
    let text = std::fs::read_to_string(project.journal(&run)).unwrap();
    let judged = text
        .lines()
        .filter(|line| line.contains(r#""event":"judged""#))
        .count();
    assert_eq!(judged, ITERATIONS as usize, "killed after {ms} ms:\n{text}");
    assert_eq!(
        project.left_over(),
        Vec::<u32>::new(),
        "killed after {ms} ms"
    );
    // An agent that was killed while it wrote leaves its temporary file behind, and nothing else.
    let names = std::fs::read_dir(project.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let written = names
        .filter(|name| !name.to_string_lossy().starts_with('.'))
        .count();
    assert_eq!(written, ITERATIONS as usize, "killed after {ms} ms");
    project.overnight(&["replay", &run]).success();
}

/// The run whose first record is whole.
fn begun(project: &Project) -> Option<String> {
    let whole = |run: &String| {
        std::fs::read_to_string(project.journal(run)).is_ok_and(|text| text.contains('\n'))
    };
    project.runs().into_iter().find(whole)
}
