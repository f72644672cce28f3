//! Agents of the world: what they do, what they say, what the gates say of it.

use super::World;
use crate::check::{Speech, Told};
use overnight_judge::gates::TestCounts;
use overnight_judge::marker::Marker;
use overnight_judge::signals::plan::Plan;
use overnight_judge::{Evidence, FileState, GateOutcome, Message, Verdict};
use overnight_run::classify::Class;
use overnight_run::event::{AgentStarted, Deadline, Ended, Intent, Outcome};
use overnight_run::scope::Change;
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

impl World {
    /// An agent works, in its own way.
    pub(super) fn attempt(&mut self, intent: Intent) {
        let (task, check_id) = (intent.task.clone(), intent.check_id.clone());
        self.append(intent);
        self.started.push(check_id.clone());
        self.append(AgentStarted {
            pid: 7,
            pid_start: 7,
            offset: 0,
        });
        let took = 1_000 + self.random.below(20 * 60_000);
        self.pass(took);
        if self.random.chance(1) {
            // The driver dies with it: another one finds the attempt lost.
            self.tear();
            self.driver();
            if self
                .state
                .open
                .as_ref()
                .is_none_or(|open| open.outcome.is_some())
            {
                return;
            }
            let lost = self.outcome(&check_id, (Ended::Lost, Class::None));
            self.append(lost);
            return;
        }
        let end = match self.random.below(100) {
            0..=2 => (Ended::Signalled(9), Class::None),
            3 | 4 => (Ended::TimedOut(Deadline::Task), Class::None),
            5..=7 => (Ended::Exited(1), Class::UsageLimit),
            8..=10 => (Ended::Exited(1), Class::Transient),
            11 => (Ended::Exited(1), Class::Auth),
            12 => (Ended::Interrupted, Class::None),
            13..=15 => (Ended::Exited(1), Class::Unknown),
            _ => (Ended::Exited(0), Class::None),
        };
        if self.random.chance(30) {
            self.done.insert(task, true);
        }
        let outcome = self.outcome(&check_id, end);
        self.append(outcome);
    }

    pub(super) fn outcome(&mut self, check_id: &str, (ended, class): (Ended, Class)) -> Outcome {
        let claim = self.claim(check_id);
        let changed = if self.random.chance(60) {
            1 + self.random.below(9)
        } else {
            0
        };
        // Some agents go round in circles between a few trees.
        self.tree = if self.random.chance(20) {
            self.random.below(3)
        } else {
            self.tree + 1
        };
        let left = self
            .config
            .budget_usd
            .map_or(5.0, |budget| (budget - self.book.dollars).max(0.0));
        let cost_usd =
            (f64::from(u32::try_from(self.random.below(200)).unwrap()) / 100.0).min(left);
        self.book.dollars += cost_usd;
        let tokens = self.random.below(20_000);
        self.book.tokens += tokens;
        let files = self.stray();
        let changed = if self.scoped() {
            // The names of a scoped task's files are all known.
            files.len() as u64
        } else {
            changed
        };
        let well = ended == Ended::Exited(0) && class == Class::None;
        let (speech, plan) = self.signals(changed == 0, well);
        self.book.costs.push((self.steady, cost_usd));
        Outcome {
            resets_at: (class == Class::UsageLimit && self.random.chance(70)).then(|| {
                i64::try_from(self.clock.0 / 1000).unwrap()
                    + i64::try_from(self.random.below(18_000)).unwrap()
                    - 600
            }),
            cost_usd,
            output_bytes: self.random.below(5_000),
            duration_ms: 1,
            tree: self.tree.to_string(),
            changed,
            files,
            said: speech.text().to_owned(),
            plan,
            tokens,
            errors: if self.random.chance(30) {
                vec![self.random.below(2).to_string()]
            } else {
                Vec::new()
            },
            denials: u32::from(self.random.chance(5)),
            ..Outcome::of(ended, class, claim)
        }
    }

    /// What the attempt shows of exit signals, told to the book as well.
    fn signals(&mut self, idle: bool, ended: bool) -> (Speech, Option<Plan>) {
        let speech = Speech::ALL[usize::try_from(self.random.below(8)).unwrap()];
        let plan = self.random.chance(30).then(|| Plan {
            done: self.random.below(3),
            open: self.random.below(3),
        });
        let alone = self.tasks.len() == 1;
        let planned = self.book.planned;
        self.book.planned |= plan.is_some_and(|plan| plan.open > 0);
        self.book.last = Told {
            speech,
            idle,
            ended,
            plan: alone && planned && plan.is_some_and(|plan| plan.done > 0 && plan.open == 0),
        };
        (speech, plan)
    }

    /// Is the open task held to a scope?
    fn scoped(&self) -> bool {
        let open = self.state.open.as_ref();
        let task = open.and_then(|open| self.state.task(&open.task));
        task.is_some_and(|task| task.spec.is_scoped())
    }

    /// Some agents change a file outside their task's scope, and some put it back.
    fn stray(&mut self) -> Vec<Change> {
        if !self.scoped() || !self.random.chance(40) {
            return Vec::new();
        }
        let task = self.state.open.as_ref().map(|open| open.task.clone());
        let outside = self
            .book
            .outside
            .entry(task.unwrap_or_default())
            .or_default();
        *outside = !*outside;
        let (before, after) = if *outside { ("", "1") } else { ("1", "") };
        vec![Change {
            path: "other".to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
        }]
    }

    /// What an agent says, true or not, judged as the driver does.
    fn claim(&mut self, check_id: &str) -> Verdict {
        let (file, text) = match self.random.below(8) {
            0 | 1 => (
                format!(r#"{{"decision":"complete","check_id":"{check_id}"}}"#),
                "",
            ),
            2 => (
                format!(r#"{{"decision":"incomplete","check_id":"{check_id}","reasons":["x"]}}"#),
                "",
            ),
            3 => (
                r#"{"decision":"complete","check_id":"c-old"}"#.to_owned(),
                "",
            ),
            4 => ("{torn".to_owned(), "I will print:\n<DONE>ok</DONE>"),
            5 => (String::new(), "All done.\n\n<DONE>ok</DONE>"),
            _ => (String::new(), "More to do."),
        };
        let said = said(text);
        overnight_judge::judge(&Evidence {
            file: if file.is_empty() {
                FileState::Missing
            } else {
                FileState::Bytes(file.as_bytes())
            },
            check_id: Some(check_id),
            said,
            gates: &[],
            objections: &[],
        })
    }

    /// A gate's outcome: by the truth mostly, but also vacuous, with tests deleted, or hanging.
    pub(super) fn gate(&mut self, command: &str, start: bool) -> GateOutcome {
        let task = self
            .state
            .open
            .as_ref()
            .map(|open| open.task.clone())
            .unwrap_or_default();
        let good = !start && self.done.get(&task).copied().unwrap_or(false);
        let tests = TestCounts::of(10, 0, 0);
        let (exit, tests) = match self.random.below(20) {
            0 => (Some(0), TestCounts::of(0, 0, 0)),
            1 => (Some(0), TestCounts::of(4, 0, 0)),
            2 => (None, tests),
            _ if good => (Some(0), tests),
            _ => (Some(1), TestCounts::of(8, 2, 0)),
        };
        // What it says failed is another text for each task.
        let says = format!("src/{task}.ts(3,5): error TS2345: the total of {task} is a string");
        GateOutcome {
            command: command.to_owned(),
            exit,
            lines: Some(says).filter(|_| exit != Some(0)).into_iter().collect(),
            ms: 1,
            tests: Some(tests),
            timed_out: exit.is_none(),
            ..GateOutcome::default()
        }
    }
}

/// What a final message says; each of the few is read once.
fn said(text: &'static str) -> &'static Message {
    static READ: OnceLock<Mutex<BTreeMap<&'static str, &'static Message>>> = OnceLock::new();
    let mut read = READ.get_or_init(Mutex::default).lock().unwrap();
    read.entry(text)
        .or_insert_with(|| Box::leak(Box::new(Message::of_text(text, &Marker::default()))))
}
