//! The ends of members: what came of them, where their work stands, what the last driver left.

use super::{Crew, candidate};
use crate::driver::end_left_over;
use crate::git;
use crate::journal;
use crate::process::{self, Identity};
use crate::state::Place;
use crate::trees;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_lease::refname::encode;
use overnight_run::budget::Amount;
use overnight_run::members::Assignment;
use overnight_run::members::event::{End, MemberEnded};
use overnight_run::queue::WORLD_MAX;
use overnight_run::step::Reason;
use overnight_run::{State, fold};
use overnight_tasks::TaskId;
use rustix::process::Signal;
use std::path::Path;
use std::time::{Duration, Instant};

/// Work that belongs to no branch any more: below it the task and the lease's token.
pub(super) const LOST: &str = "refs/overnight/lost";
/// Half of the first pause before what failed is tried again.
const AGAIN: Duration = Duration::from_millis(50);
/// How much of an agent's last words goes into the run's journal.
const SAID_CHARS_MAX: usize = 1_000;

impl Crew {
    /// Records the members that have ended.
    pub(super) fn reap(&mut self) -> Result<(), Fault> {
        let mut ended = Vec::new();
        self.working.retain_mut(|working| {
            let gone = !matches!(working.child.try_wait(), Ok(None));
            if gone {
                ended.push(working.member);
            }
            !gone
        });
        for member in ended {
            self.member_ended(member, false)?;
        }
        Ok(())
    }

    fn member_ended(&mut self, member: u32, interrupted: bool) -> Result<(), Fault> {
        let at_work = &self.journal.state().members.at_work;
        let Some(assignment) = at_work
            .iter()
            .find(|assignment| assignment.member == member)
            .cloned()
        else {
            return Ok(());
        };
        let folder = self.member_folder(&assignment.task, assignment.round);
        end_left_over(&folder);
        let event = self.what_came_of(&assignment, &folder, interrupted)?;
        (self.say)(&ended_line(&event));
        let again = matches!(event.end, End::Done | End::Lost | End::Interrupted);
        self.journal.append(event)?;
        if !again || self.is_blocked(&assignment.task) {
            self.give_back(&assignment.task);
        }
        self.write_progress();
        Ok(())
    }

    fn what_came_of(
        &self,
        assignment: &Assignment,
        folder: &Path,
        interrupted: bool,
    ) -> Result<MemberEnded, Fault> {
        // A member that was killed before its first record came to nothing.
        let state = if folder.join(journal::FILE).exists() {
            fold(&journal::read(folder)?)
        } else {
            State::default()
        };
        let ours = TaskId::parse(&assignment.task)
            .is_ok_and(|task| matches!(self.leases.check(&task, assignment.token), Ok(Some(_))));
        let mut end = match state.finished.clone() {
            Some(Reason::AllDone) => End::Done,
            Some(reason) => End::Stopped(reason),
            None if interrupted => End::Interrupted,
            None if !ours => End::LeaseLost {
                kept: String::new(),
            },
            None => End::Lost,
        };
        let kept = patiently(|| keep_work(&self.place, assignment, &mut end));
        let tip = kept.unwrap_or_else(|fault| {
            let why = format!(
                "what stands in {} cannot be kept: {fault}",
                assignment.work_tree
            );
            end = End::Stopped(Reason::Blocked(why));
            None
        });
        let last = state.history.last();
        let said = last.map_or("", |last| last.said.as_str());
        Ok(MemberEnded {
            task: assignment.task.clone(),
            member: assignment.member,
            end,
            spent: Amount {
                usd: state.spent_usd,
                tokens: state.spent_tokens,
            },
            iterations: state.iterations,
            said: one_line(said, SAID_CHARS_MAX),
            verdict: last.map(|last| last.verdict.clone()),
            changed: self.changes_of(tip.as_deref()),
            tip,
        })
    }

    /// The paths that a finished branch changes against the line.
    fn changes_of(&self, tip: Option<&str>) -> Option<Vec<String>> {
        let line = self.journal.state().members.queue.line.as_ref()?;
        candidate::changes(&self.objects(), line, tip?)
    }

    /// Ends what the last driver's members left running, and records what came of them.
    pub(super) fn recover(&mut self) -> Result<(), Fault> {
        let at_work = self.journal.state().members.at_work.clone();
        for assignment in &at_work {
            let folder = self.member_folder(&assignment.task, assignment.round);
            if let Some(member) = driver_of(&folder).filter(|member| member.is_alive()) {
                process::signal(member, Signal::TERM);
                let asked = Instant::now();
                while member.is_alive() && asked.elapsed() < super::GRACE {
                    std::thread::sleep(Duration::from_millis(5));
                }
                process::signal(member, Signal::KILL);
            }
        }
        for assignment in &at_work {
            self.member_ended(assignment.member, true)?;
        }
        Ok(())
    }

    /// Asks every member to end, then ends what did not, and records it.
    pub(super) fn end_members(&mut self, grace: Duration) -> Result<(), Fault> {
        let mut working = std::mem::take(&mut self.working);
        for working in &working {
            process::signal(Identity::of(working.child.id()), Signal::TERM);
        }
        let asked = Instant::now();
        for working in &mut working {
            while asked.elapsed() < grace && matches!(working.child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
            // It has ended already, or it does not listen.
            let _ = working.child.kill();
            let _ = working.child.wait();
        }
        for working in &working {
            self.member_ended(working.member, true)?;
        }
        Ok(())
    }

    /// Puts the work trees aside that hold nothing of their own any more.
    pub(super) fn tidy(&mut self) {
        self.yard.settle();
        let Ok(folder) = trees::folder(&self.place, &self.run) else {
            return;
        };
        let Ok(_lock) = trees::lock(&self.place) else {
            return;
        };
        let state = self.journal.state();
        for member in 1..=state.config.members {
            let tree = folder.join(super::yard::name(member));
            match self
                .line
                .here()
                .and_then(|merged| trees::retire(&self.place, &tree, &merged))
            {
                Ok(true) => {}
                Ok(false) => (self.say)(&format!("kept, with work of its own: {}", tree.display())),
                Err(fault) => (self.say)(&fault.to_string()),
            }
        }
        if let Err(fault) = self.line.delete_landed(&self.run) {
            (self.say)(&fault.to_string());
        }
        // Of trees whose folders somebody removed.
        let _ = git::run(&self.place.top, &["worktree", "prune"]);
        match self.line.unmerged(&self.run) {
            Ok(branches) if !branches.is_empty() => (self.say)(&format!(
                "kept, not merged, because another driver did the task or it is not done: {}",
                branches.join(", ")
            )),
            Ok(_) => {}
            Err(fault) => (self.say)(&fault.to_string()),
        }
        // Not empty: something was kept.
        let _ = std::fs::remove_dir(&folder);
    }
}

/// Brings what stands in the work tree onto the branch, or onto a ref of ours when the lease is
/// lost. Gives the branch's commit.
fn keep_work(
    place: &Place,
    assignment: &Assignment,
    end: &mut End,
) -> Result<Option<String>, Fault> {
    let work_tree = Path::new(&assignment.work_tree);
    let stood = (assignment.branch.as_str(), assignment.base.as_str());
    if !trees::recover(place, work_tree, stood)? {
        return Ok(None);
    }
    let side = format!("{LOST}/{}/{}", encode(&assignment.task), assignment.token);
    trees::unlock(work_tree)?;
    let secured = trees::secure(work_tree, &assignment.branch, &side)?;
    if let End::LeaseLost { kept } = end
        && secured.head != assignment.base
    {
        trees::keep(work_tree, &side, &secured.head)?;
        *kept = side;
    }
    // The branch is free for the next member that gets the task.
    trees::keep(work_tree, "HEAD", &secured.head)?;
    trees::graft(
        work_tree,
        (&assignment.branch, &secured.tip),
        &assignment.base,
    )
    .map(Some)
}

/// Tries again what a fault of the world refused: another git of the repository, for one, is soon gone.
fn patiently<T>(mut act: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    let mut came = act();
    for tries in 1..WORLD_MAX {
        if came.is_ok() {
            break;
        }
        std::thread::sleep(AGAIN * (1 << tries));
        came = act();
    }
    came
}

/// The process that a member's journal names as its driver.
fn driver_of(folder: &Path) -> Option<Identity> {
    let state = fold(&journal::read(folder).ok()?);
    let (pid, start) = state.driver?;
    Some(Identity { pid, start })
}

fn ended_line(event: &MemberEnded) -> String {
    let (member, task) = (event.member, &event.task);
    match &event.end {
        End::Done => format!("member {member} has done {task}"),
        End::Stopped(reason) => format!(
            "member {member} stopped on {task}: {}",
            overnight_run::overview::sentence(reason)
        ),
        End::Lost => format!("member {member} was lost on {task}"),
        End::LeaseLost { kept } if kept.is_empty() => {
            format!("member {member} lost the lease of {task}")
        }
        End::LeaseLost { kept } => {
            format!("member {member} lost the lease of {task}; its work is kept at {kept}")
        }
        End::Interrupted => format!("member {member} is stopped on {task}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_base::code::Code;

    #[test]
    fn what_is_in_the_way_for_a_moment_blocks_nothing() {
        let mut tries = 0;
        let came = patiently(|| {
            tries += 1;
            if tries < 3 {
                return Err(Fault::new(Code::GitFailed, "in the way"));
            }
            Ok(tries)
        });
        assert_eq!(came.ok(), Some(3));
    }
}
