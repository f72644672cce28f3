//! Giving a task to a member: lease, work tree, process.

use super::{Crew, Working};
use crate::agent::own_program;
use crate::clock;
use crate::files;
use crate::furnish;
use crate::leases::{Acquired, Leases};
use crate::ports;
use crate::submodules;
use crate::trees;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_filter::rotate::MEMBER_LOG;
use overnight_lease::backoff::{self, Asked};
use overnight_lease::refname::encode;
use overnight_run::budget::Limits;
use overnight_run::members::event::{Answer, Assigned};
use overnight_run::members::{again_at, name};
use overnight_run::task::Status;
use overnight_tasks::TaskId;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Task, member, round, share of the budget.
type Wanted = (String, u32, u32, Limits);

impl Crew {
    /// Asks for a task and, if it is had, starts the member.
    pub(super) fn assign(&mut self, wanted: Wanted, now: u64) -> Result<(), Fault> {
        let (task, member, round, share) = wanted;
        let answer = self.ask(&task, member, round)?;
        self.tell_assigned(&task, member, &answer);
        let granted = matches!(answer, Answer::Granted { .. });
        self.journal.append_at(
            Assigned {
                task: task.clone(),
                member,
                round,
                share,
                answer,
            },
            now,
        )?;
        if granted {
            self.start(&task, member, round)?;
        } else if self.is_blocked(&task) {
            self.give_back(&task);
        }
        self.write_progress();
        Ok(())
    }

    fn ask(&mut self, task: &str, member: u32, round: u32) -> Result<Answer, Fault> {
        let id = TaskId::parse(task).map_err(|reason| Fault::new(Code::InputInvalid, reason))?;
        let state = self.journal.state();
        let times = state.members.asked.get(task).map_or(0, |asked| asked.times);
        let until = again_at(times, clock::wall_ms());
        let held = state.members.asked.values().filter(|asked| asked.held);
        let asked = Asked {
            times,
            held: u32::try_from(held.count()).unwrap_or(u32::MAX),
            ttl_s: state.config.lease_ttl_s,
        };
        // Of many drivers without work none comes in step with another, and all ask seldom.
        let seed = format!("{} {task}", self.run);
        let free_again = backoff::again_at(asked, &seed, clock::wall_ms());
        let token = match self.leases.acquire(&id, state.config.lease_ttl_s) {
            Ok(Acquired::Granted(grant)) => grant.record.token,
            Ok(Acquired::Held(holder)) => {
                return Ok(Answer::Held {
                    by: holder.agent,
                    until: free_again,
                });
            }
            Err(fault) => return answer_to(fault, until),
        };
        if let Some(holder) = self.leases.held_beside(&id)? {
            self.give_back(task);
            let (by, until) = (holder.agent, free_again);
            return Ok(Answer::Held { by, until });
        }
        let outcome = self.prepare(task, (member, round), token);
        if !matches!(outcome, Ok(Answer::Granted { .. })) {
            self.give_back(task);
        }
        outcome.or_else(|fault| answer_to(fault, until))
    }

    /// The work tree of a task whose lease is ours; unless the line holds the task already, which
    /// it must show now if anybody merged it under an earlier lease.
    fn prepare(
        &mut self,
        task: &str,
        (member, round): (u32, u32),
        token: u64,
    ) -> Result<Answer, Fault> {
        let (base, note) = self.line.sync(&self.leases, &self.objects())?;
        self.tell(note.as_slice());
        self.see(base.clone(), Vec::new())?;
        let done = self.known_done(&base)?;
        if done.iter().any(|elsewhere| elsewhere.task == task) {
            return Ok(Answer::Done { tasks: done });
        }
        let prefix = self.line.own_prefix();
        let branch = format!("{prefix}{}/{}", self.run, encode(task));
        let state = self.journal.state();
        let open = state.tasks.iter();
        let open = open.filter(|task| !matches!(task.status, Status::Done | Status::Blocked));
        let open = u32::try_from(open.count()).unwrap_or(u32::MAX);
        let members = (member, open.clamp(member, state.config.members.max(member)));
        let made = || -> Result<Answer, Fault> {
            let folder = trees::folder(&self.place, &self.run)?;
            let tree = self.yard.tree((&self.place, &folder), members, &base)?;
            let _lock = trees::lock(&self.place)?;
            trees::mark(&tree)?;
            let repair = self.journal.state().members.queue.repair(task);
            let stands = match repair.filter(|_| round > 0) {
                Some(repair) => self.begin_repair(repair, (&tree, &branch, &base))?,
                None => trees::stand(&tree, &branch, &base)?,
            };
            furnish::furnish(&self.place, &self.folder, &tree)?;
            submodules::provide(&self.place.home, &tree)?;
            Ok(Answer::Granted {
                token,
                branch,
                work_tree: tree.to_string_lossy().into_owned(),
                base: stands,
            })
        };
        // A tree that cannot be made now is no reason to end the others' work.
        made().or_else(|fault| {
            Ok(Answer::Refused {
                why: fault.to_string(),
            })
        })
    }

    /// Starts the member's process: it ends when its stdin does, so that no member outlives its
    /// driver.
    fn start(&mut self, task: &str, member: u32, round: u32) -> Result<(), Fault> {
        let name = name(task, round);
        let logs = self
            .place
            .home
            .join("agent_logs")
            .join(&self.run)
            .join(&name);
        files::create_private_folder(&logs)?;
        let path = logs.join(MEMBER_LOG);
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .mode(files::PRIVATE)
            .open(&path)
            .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display())))?;
        let mut command = Command::new(own_program()?);
        command
            .args(["member", &self.run, &name])
            .env(vars::MEMBER.name, member.to_string())
            .env(vars::PORT.name, ports::block(&self.run, member).to_string())
            .current_dir(&self.place.top)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .process_group(0);
        let mut child = command.spawn().map_err(|error| {
            Fault::new(
                Code::CommandStart,
                format!("cannot start a member: {error}"),
            )
        })?;
        let alive = child.stdin.take();
        self.working.push(Working {
            member,
            child,
            _alive: alive,
        });
        Ok(())
    }

    fn tell_assigned(&self, task: &str, member: u32, answer: &Answer) {
        let said = match answer {
            Answer::Granted { .. } => format!("member {member} works on {task}"),
            Answer::Held { by, .. } => format!("{task} is held by {by}"),
            Answer::Done { .. } => format!("{task} was done by another driver"),
            Answer::Unreachable { why, .. } => format!("{task} cannot be asked for: {why}"),
            Answer::Refused { why } => format!("{task} cannot be worked on: {why}"),
        };
        (self.say)(&said);
    }

    /// Gives a lease back, if it is ours.
    pub(super) fn give_back(&self, task: &str) {
        give_back(&self.leases, task, self.say);
    }

    /// Gives back what this driver still holds, all at the same time: one round trip.
    pub(super) fn give_all_back(&self) {
        let members = &self.journal.state().members;
        let tasks = self.journal.state().tasks.iter();
        let tasks: Vec<&str> = tasks
            .map(|task| task.spec.id.as_str())
            .filter(|task| !members.elsewhere.contains_key(*task))
            .collect();
        let (leases, say) = (&self.leases, self.say);
        std::thread::scope(|scope| {
            for task in tasks {
                scope.spawn(move || give_back(leases, task, say));
            }
        });
    }
}

/// Gives a lease back. One that cannot be given back runs out, or falls to others when this
/// process ends.
fn give_back(leases: &Leases, task: &str, say: fn(&str)) {
    let Ok(id) = TaskId::parse(task) else { return };
    if let Ok(Some(token)) = leases.own_token(&id)
        && let Err(fault) = leases.release(&id, token)
    {
        say(&fault.to_string());
    }
}

/// A fault of the leases as an answer; what is no matter of this one task ends the driver.
fn answer_to(fault: Fault, until: u64) -> Result<Answer, Fault> {
    match fault.code {
        Code::LockAcquire | Code::LockOutcome | Code::LockWait | Code::GitFailed => {
            Ok(Answer::Unreachable {
                why: fault.to_string(),
                until,
            })
        }
        Code::LockCorrupt => Ok(Answer::Refused {
            why: fault.to_string(),
        }),
        _ => Err(fault),
    }
}
