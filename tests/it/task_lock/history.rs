//! Many processes in several clones, faults all the time; afterwards the history is checked: never
//! two holders, tokens only grow, and every lease can be had again.

use super::remotes::{Daemon, http};
use super::*;
use std::process::{Command as Process, Stdio};
use std::sync::Mutex;
use std::time::Instant;

const TTL: Duration = Duration::from_secs(2);
const TASKS: [&str; 3] = ["t1", "t2", "a.b"];

/// One stretch of time in which an agent may have believed to hold a task.
#[derive(Debug, Clone)]
struct Held {
    task: &'static str,
    agent: String,
    token: u64,
    /// When the call that got it began, and when it had returned.
    asked: Instant,
    from: Instant,
    /// When it was given back, or its time had run out by the holder's own clock.
    until: Instant,
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

struct Agent<'f> {
    clone: &'f Path,
    name: String,
    skew: &'static str,
    dice: Dice,
}

impl Agent<'_> {
    fn run(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let output = self.start(arguments).wait_with_output().unwrap();
        let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output.status.code(), value)
    }

    fn start(&self, arguments: &[&str]) -> std::process::Child {
        Process::new(assert_cmd::cargo::cargo_bin!("task-lock"))
            .args(arguments)
            .arg("--json")
            .current_dir(self.clone)
            .env("OVERNIGHT_AGENT_ID", &self.name)
            .env("TASK_LOCK_CLOCK_OFFSET", self.skew)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// One round: take a task, work, and end in one of many ways.
    fn round(&mut self, history: &Mutex<Vec<Held>>) {
        let task = TASKS[usize::try_from(self.dice.below(3)).unwrap()];
        let acquire = ["acquire", task, "--ttl", "2s", "--agent", &self.name];
        if self.dice.below(5) == 0 {
            // Killed somewhere between its first and its last step.
            let mut child = self.start(&acquire);
            std::thread::sleep(Duration::from_micros(self.dice.below(60_000)));
            child.kill().unwrap();
            child.wait().unwrap();
            return;
        }
        let asked = Instant::now();
        let (code, value) = self.run(&acquire);
        if code != Some(0) {
            assert!(matches!(code, Some(1 | 69 | 75)), "{code:?} {value}");
            return;
        }
        let from = Instant::now();
        let number = value["token"].as_u64().unwrap();
        let note = |until: Instant| {
            let until = until.min(asked + TTL);
            let agent = self.name.clone();
            history.lock().unwrap().push(Held {
                task,
                agent,
                token: number,
                asked,
                from,
                until,
            });
        };
        let token = number.to_string();
        match self.dice.below(4) {
            // Forgets it: the lease must run out by itself.
            0 => note(asked + TTL),
            // Sleeps through its time, then comes back as a stale holder.
            1 => {
                note(asked + TTL);
                std::thread::sleep((from + TTL).saturating_duration_since(Instant::now()));
                let (renewed, value) = self.run(&["renew", task, "--token", &token]);
                assert!(
                    matches!(renewed, Some(1 | 69)),
                    "a stale holder renewed: {value}"
                );
                let work = format!("HEAD:refs/heads/stale/{number}");
                let (published, value) =
                    self.run(&["publish", task, "--token", &token, "--refspec", &work]);
                assert!(
                    matches!(published, Some(1 | 69)),
                    "a stale holder published: {value}"
                );
            }
            _ => {
                std::thread::sleep(Duration::from_millis(self.dice.below(40)));
                note(Instant::now());
                // An earlier round may have got the same lease and forgotten it: it ends here too.
                for held in history.lock().unwrap().iter_mut() {
                    if held.token == number && held.task == task {
                        held.until = held.until.min(Instant::now());
                    }
                }
                let _ = self.run(&["release", task, "--token", &token]);
            }
        }
    }
}

fn check(history: &[Held]) {
    for task in TASKS {
        let mut held: Vec<_> = history.iter().filter(|held| held.task == task).collect();
        held.sort_by_key(|held| held.from);
        for (index, first) in held.iter().enumerate() {
            for second in &held[index + 1..] {
                let same = first.agent == second.agent && first.token == second.token;
                assert!(
                    same || second.from >= first.until,
                    "two holders: {first:?} {second:?}"
                );
                assert!(
                    same || first.token != second.token,
                    "one token twice: {first:?} {second:?}"
                );
                let after = second.asked >= first.from;
                assert!(
                    same || !after || second.token > first.token,
                    "a token fell: {first:?} {second:?}"
                );
            }
        }
    }
}

fn run(field: &Field, url: &str, rounds: usize) {
    let clones: Vec<_> = (0..3)
        .map(|number| field.clone(&format!("clone-{number}"), url))
        .collect();
    let history = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (number, skew) in ["-600", "0", "600", "0", "600", "-600"]
            .into_iter()
            .enumerate()
        {
            let clone = &clones[number % clones.len()];
            let history = &history;
            scope.spawn(move || {
                // One name twice, in different clones.
                let name = format!("a{}", number % 5);
                let seed = 0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1);
                let mut agent = Agent {
                    clone,
                    name,
                    skew,
                    dice: Dice(seed),
                };
                for _ in 0..rounds {
                    agent.round(history);
                }
            });
        }
    });
    let history = history.into_inner().unwrap();
    assert!(history.len() >= 3, "too little happened: {}", history.len());
    check(&history);
    let refs = git(
        &field.path("remote.git"),
        &["for-each-ref", "refs/heads/stale"],
    );
    assert_eq!(refs, "", "stale work was published");
    for task in TASKS {
        let last = history
            .iter()
            .filter(|held| held.task == task)
            .map(|held| held.token)
            .max();
        let token = acquired(&clones[0], &[task, "--agent", "last", "--wait", "30s"]);
        assert!(Some(token.parse().unwrap()) > last);
    }
}

#[test]
fn over_a_file_remote_there_is_never_a_second_holder() {
    let field = Field::new();
    run(&field, &field.file_url(), 8);
}

#[test]
fn over_git_daemon_there_is_never_a_second_holder() {
    let field = Field::new();
    let daemon = Daemon::start(&field);
    run(&field, &daemon.url, 6);
}

#[test]
fn over_http_that_loses_answers_there_is_never_a_second_holder() {
    let field = Field::new();
    let url = http(&field, 5);
    run(&field, &url, 6);
}

#[test]
fn the_checker_finds_a_second_holder() {
    let start = Instant::now();
    let held = |token, from: u64, until: u64| Held {
        task: "t1",
        agent: format!("a{token}"),
        token,
        asked: start + Duration::from_millis(from),
        from: start + Duration::from_millis(from + 1),
        until: start + Duration::from_millis(until),
    };
    let fails = |history: Vec<Held>| std::panic::catch_unwind(move || check(&history)).is_err();
    assert!(!fails(vec![held(1, 0, 10), held(2, 20, 30)]));
    assert!(fails(vec![held(1, 0, 10), held(2, 5, 30)]));
    assert!(fails(vec![held(2, 0, 10), held(1, 20, 30)]));
}
