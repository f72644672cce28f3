use super::{Answer, LeaseLost, Taken};
use crate::classify::Class;
use crate::event::{Door, Ended, Intent, Judged, Outcome};
use crate::rehearsal::{World, spec};
use crate::replay::{Decided, replay};
use crate::step::{Nudge, WaitCause};
use crate::task::{Status, TaskSpec};
use crate::{Config, Reason, Step};
use overnight_judge::{Decision, Verdict};

fn leased() -> Config {
    Config {
        leased: true,
        ..Config::default()
    }
}

fn world(needs: &[(&str, &[&str])]) -> World {
    let tasks = needs.iter().map(|(id, needs)| spec(id, needs));
    World::new(Door::Session, leased(), tasks.collect())
}

impl World {
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
            model: None,
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
        self.push(Judged::from(verdict));
    }
}

#[test]
fn a_task_is_taken_once_before_its_first_iteration_and_given_back_when_it_is_done() {
    let mut world = world(&[("a", &[]), ("b", &[])]);
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
    let mut world = world(&[("a", &[]), ("b", &[]), ("c", &["a"])]);
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
    let mut world = world(&[("a", &[]), ("b", &[])]);
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
    let mut world = world(&[("a", &[]), ("b", &[])]);
    world.take("a", Answer::Granted { token: 7 });
    world.start("a");
    let lost = Outcome::of(Ended::Lost, Class::None, Verdict::nothing("lost"));
    world.push(lost);
    world.drive(
        leased(),
        ["a", "b"].map(|id| TaskSpec::named(id, "do it")).to_vec(),
    );
    // Somebody else took it meanwhile: the open iteration goes with it.
    world.held("a", world.now + 2_000);
    world.take("b", Answer::Granted { token: 8 });
    world.start("b");
}
