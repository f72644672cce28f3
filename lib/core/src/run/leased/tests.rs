use super::{Answer, LeaseLost, Taken};
use crate::classify::Class;
use crate::journal::{Record, Stamp};
use crate::judge::{Decision, Verdict};
use crate::run::event::{Door, DriverStarted, Ended, Event, Intent, Judged, Outcome, RunStarted};
use crate::run::replay::{Decided, replay};
use crate::run::step::{Nudge, WaitCause};
use crate::run::task::{Status, TaskSpec};
use crate::run::{Config, Reason, State, Step, fold, next};

const T0: u64 = 1_795_000_000_000;

struct World {
    records: Vec<Record>,
    now: u64,
}

impl World {
    fn new(needs: &[(&str, &[&str])]) -> Self {
        let mut world = Self {
            records: Vec::new(),
            now: T0,
        };
        world.push(RunStarted {
            run: "r".into(),
            door: Door::Session,
            goal: "g".into(),
            top: "/p".into(),
            head: None,
            branch: None,
        });
        let spec = |(id, needs): &(&str, &[&str])| TaskSpec {
            depends_on: needs.iter().map(|id| (*id).to_owned()).collect(),
            ..TaskSpec::named(id, "do it")
        };
        world.drive(needs.iter().map(spec).collect());
        world
    }

    fn drive(&mut self, tasks: Vec<TaskSpec>) {
        let config = Config {
            leased: true,
            ..Config::default()
        };
        self.push(DriverStarted {
            epoch: 1,
            pid: 1,
            pid_start: 1,
            session: None,
            config,
            tasks,
        });
    }

    fn push(&mut self, event: impl Into<Event>) {
        self.records.push(Record {
            seq: self.records.len() as u64 + 1,
            stamp: Stamp {
                t: self.now,
                mono: self.now - T0,
                boot: "b".into(),
            },
            event: event.into(),
        });
    }

    fn state(&self) -> State {
        fold(&self.records)
    }

    fn next(&self) -> Step {
        let state = self.state();
        next(&state, &state.config, self.now)
    }

    fn take(&mut self, task: &str, answer: Answer) {
        let expected = Step::Take { task: task.into() };
        assert_eq!(self.next(), expected);
        self.push(Taken {
            task: task.into(),
            answer,
        });
    }

    fn held(&mut self, task: &str, until: u64) {
        let by = "other".into();
        self.take(task, Answer::Held { by, until });
    }

    fn start(&mut self, task: &str) {
        let Step::Start {
            iteration,
            attempt,
            task: started,
            ..
        } = self.next()
        else {
            panic!("{:?}", self.next());
        };
        assert_eq!(started, task);
        self.push(Intent {
            iteration,
            attempt,
            task: started,
            check_id: "c".into(),
            epoch: 1,
            nudge: Nudge::None,
            continues: None,
        });
    }

    fn judge(&mut self, complete: bool) {
        let decision = if complete {
            Decision::Complete
        } else {
            Decision::Incomplete
        };
        let verdict = Verdict {
            decision,
            ..Verdict::nothing("it is so")
        };
        let claim = verdict.clone();
        self.push(Outcome::of(Ended::Exited(0), Class::None, claim));
        self.push(Judged { verdict });
    }
}

#[test]
fn a_task_is_taken_once_before_its_first_iteration_and_given_back_when_it_is_done() {
    let mut world = World::new(&[("a", &[]), ("b", &[])]);
    world.take("a", Answer::Granted { token: 7 });
    world.start("a");
    world.judge(false);
    world.start("a");
    world.judge(true);
    assert!(world.state().leased.had.is_empty());
    world.take("b", Answer::Granted { token: 8 });
    world.start("b");
    world.judge(true);
    assert_eq!(world.next(), Step::Finish(Reason::AllDone));
    let decided = replay(&world.records, std::convert::identity);
    assert!(
        decided
            .iter()
            .filter(|one| matches!(one.recorded, Step::Take { .. }))
            .all(Decided::same)
    );
}

#[test]
fn what_others_have_is_left_to_them_and_asked_for_again() {
    let mut world = World::new(&[("a", &[]), ("b", &[]), ("c", &["a"])]);
    let until = world.now + 2_000;
    world.held("a", until);
    world.take("b", Answer::Granted { token: 8 });
    world.start("b");
    world.judge(true);
    let cause = WaitCause::Elsewhere;
    assert_eq!(world.next(), Step::Wait { until, cause });
    world.now = until;
    world.held("a", until + 4_000);
    assert_eq!(world.state().leased.times("a"), 2);
    world.now += 4_000;
    world.take("a", Answer::Done);
    world.take("c", Answer::Granted { token: 9 });
    world.start("c");
}

#[test]
fn a_lost_lease_ends_what_was_begun_and_another_task_comes_next() {
    let mut world = World::new(&[("a", &[]), ("b", &[])]);
    world.take("a", Answer::Granted { token: 7 });
    world.start("a");
    world.judge(false);
    world.push(LeaseLost {
        task: "a".into(),
        by: "other".into(),
        until: world.now + 2_000,
    });
    assert_eq!(world.state().task("a").unwrap().status, Status::Todo);
    world.take("b", Answer::Granted { token: 8 });
}

#[test]
fn a_new_driver_takes_the_task_of_the_attempt_that_is_open() {
    let mut world = World::new(&[("a", &[]), ("b", &[])]);
    world.take("a", Answer::Granted { token: 7 });
    world.start("a");
    let lost = Outcome::of(Ended::Lost, Class::None, Verdict::nothing("lost"));
    world.push(lost);
    world.drive(["a", "b"].map(|id| TaskSpec::named(id, "do it")).to_vec());
    // Somebody else took it meanwhile: the open iteration goes with it.
    world.held("a", world.now + 2_000);
    world.take("b", Answer::Granted { token: 8 });
    world.start("b");
}
