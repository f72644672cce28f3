//! The driver's side of the queue: begins batches, takes their answers in, proves the line at the
//! end, keeps the line where it was left.

use super::batch::{Batch, Finished, Outcome, is_of_remote};
use super::line::{Line, Seen};
use super::objects::Objects;
use super::room::Room;
use super::{Crew, lease_options};
use crate::clock;
use crate::leases::Leases;
use crate::round::globs;
use globset::GlobSet;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::event::Event;
use overnight_run::members::again_at;
use overnight_run::members::event::{
    LineProved, LineSeen, Looked, MergeAnswer, MergeEnded, Merging, Refuted,
};
use overnight_run::queue::tool;
use overnight_run::state::TaskState;
use overnight_run::task::TaskSpec;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

/// Tries to reach the remote for the last proof: they take half an hour.
const SYNC_TRIES: u32 = 60;

/// What is under way beside the members.
#[derive(Debug)]
pub(super) struct Job {
    receiver: Receiver<Came>,
    what: &'static str,
}

/// What came of it.
enum Came {
    Batch(Outcome),
    Proved(Result<LineProved, Fault>),
}

impl Crew {
    /// Starts a batch on a thread of its own, so that hand-outs go on meanwhile.
    pub(super) fn begin_merge(&mut self, tasks: Vec<String>, now: u64) -> Result<(), Fault> {
        let state = self.journal.state();
        let finished = |task: &String| {
            let spec = state.task(task)?.spec.clone();
            let entry = state
                .members
                .queue
                .entries
                .iter()
                .find(|entry| entry.task == *task)?;
            Some(Finished {
                spec,
                entry: entry.clone(),
            })
        };
        let wanted: Vec<Finished> = tasks.iter().filter_map(finished).collect();
        let batch = Batch {
            line: self.line.clone(),
            leases: self.own_leases()?,
            objects: self.objects(),
            room: self.room()?,
            run: self.run.clone(),
            state: self.place.state.clone(),
            wanted,
            tasks: state.tasks.iter().map(|task| task.spec.clone()).collect(),
            always: state.config.gates.clone(),
            refuted: state.members.queue.refuted.clone(),
            ttl_s: state.config.lease_ttl_s,
            union: state.config.union,
            tools: tools(&state.config.lock_files),
        };
        self.journal.append_at(Merging { tasks }, now)?;
        self.start_job("merge", move || Came::Batch(batch.run()))
    }

    /// Runs every gate of what is done once more, on the line as it stands.
    pub(super) fn begin_final_proof(&mut self) -> Result<(), Fault> {
        if self.job.is_some() {
            return Ok(());
        }
        let final_proof = FinalProof {
            line: self.line.clone(),
            leases: self.own_leases()?,
            objects: self.objects(),
            room: self.room()?,
            done: self.merged().into_iter().cloned().collect(),
            at: self.merged_at(),
            always: self.journal.state().config.gates.clone(),
        };
        (self.say)("running the gates of everything that is done once more");
        self.start_job("final proof", move || Came::Proved(final_proof.run()))
    }

    fn start_job(
        &mut self,
        what: &'static str,
        work: impl FnOnce() -> Came + Send + 'static,
    ) -> Result<(), Fault> {
        let bell = self.signals.bell()?;
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            // Nobody listens any more when the driver ends: the next one does it again.
            let _ = sender.send(work());
            bell.ring();
        });
        self.job = Some(Job { receiver, what });
        Ok(())
    }

    /// Records what came of a batch or a proof that has ended.
    pub(super) fn take_in(&mut self) -> Result<(), Fault> {
        let Some(job) = &self.job else { return Ok(()) };
        let came = match job.receiver.try_recv() {
            Err(TryRecvError::Empty) => return Ok(()),
            Ok(came) => came,
            Err(TryRecvError::Disconnected) => {
                return Err(Fault::new(
                    Code::Defect,
                    format!("the {} was lost", job.what),
                ));
            }
        };
        self.job = None;
        match came {
            Came::Batch(outcome) => self.take_in_batch(outcome)?,
            Came::Proved(proved) => self.take_in_proof(proved)?,
        }
        self.write_progress();
        Ok(())
    }

    fn take_in_batch(&mut self, outcome: Outcome) -> Result<(), Fault> {
        self.tell(&outcome.notes);
        let mut landed = false;
        for (task, answer) in outcome.answers {
            self.tell_merge(&task, &answer);
            landed |= matches!(answer, MergeAnswer::Merged { .. });
            self.journal.append(MergeEnded {
                task: task.clone(),
                answer,
            })?;
            if self.is_blocked(&task) {
                (self.say)(&format!("{task} is blocked"));
                self.give_back(&task);
            }
        }
        if !outcome.elsewhere.is_empty() {
            let done = outcome.elsewhere;
            self.journal.append(Looked { done })?;
        }
        if let Some(commit) = outcome.line {
            self.see(commit, outcome.refuted)?;
        }
        if landed {
            self.line.delete_landed(&self.run)?;
        }
        Ok(())
    }

    fn take_in_proof(&mut self, proved: Result<LineProved, Fault>) -> Result<(), Fault> {
        let event = proved.unwrap_or_else(|fault| LineProved {
            commit: self
                .journal
                .state()
                .members
                .queue
                .line
                .clone()
                .unwrap_or_default(),
            refuted: Vec::new(),
            red: Some(format!("the line could not be proved once more: {fault}")),
        });
        self.tell_refuted(&event.refuted);
        if let Some(red) = &event.red {
            (self.say)(red);
        }
        self.journal.append(event)?;
        Ok(())
    }

    /// Records where the line stands, if that is news, and what is done no more.
    pub(super) fn see(&mut self, commit: String, refuted: Vec<Refuted>) -> Result<(), Fault> {
        let known = self.journal.state().members.queue.line.as_ref();
        if known == Some(&commit) && refuted.is_empty() {
            return Ok(());
        }
        self.tell_refuted(&refuted);
        self.append_any(LineSeen { commit, refuted })
    }

    fn append_any(&mut self, event: impl Into<Event>) -> Result<(), Fault> {
        self.journal.append(event).map(drop)
    }

    fn tell_refuted(&self, refuted: &[Refuted]) {
        for Refuted { task, why } in refuted {
            (self.say)(&format!("{task} is open again: {why}"));
        }
    }

    /// Looks whether the line stands where it was left. What others moved past the queue is put
    /// back; a person is believed, and what that undid is open again.
    pub(super) fn watch_line(&mut self) -> Result<(), Fault> {
        if self.job.is_some() {
            return Ok(());
        }
        let Some(known) = self.journal.state().members.queue.line.clone() else {
            let here = self.line.here()?;
            return self.see(here, Vec::new());
        };
        let side = format!("{}/line/{}", super::reap::LOST, clock::wall_ms());
        match self.line.watch(&known, &side)? {
            Seen::Same => Ok(()),
            Seen::PutBack(said) => {
                (self.say)(&said);
                Ok(())
            }
            Seen::Moved(commit) => {
                let merged = self.merged();
                let held = self.line.done(&commit, merged.iter().copied())?;
                let gone = merged
                    .iter()
                    .filter(|spec| !held.iter().any(|seen| seen.task == spec.id));
                let why = "its commits are no longer on the line".to_owned();
                let refuted = gone
                    .map(|spec| Refuted {
                        task: spec.id.clone(),
                        why: why.clone(),
                    })
                    .collect();
                self.see(commit, refuted)
            }
        }
    }

    /// The tasks that the line holds.
    fn merged(&self) -> Vec<&TaskSpec> {
        let state = self.journal.state();
        let merged = state.members.merged.iter();
        merged
            .filter_map(|merged| state.task(&merged.task))
            .map(|task: &TaskState| &task.spec)
            .collect()
    }

    fn merged_at(&self) -> BTreeMap<String, String> {
        let merged = self.journal.state().members.merged.iter();
        merged
            .map(|merged| (merged.task.clone(), merged.commit.clone()))
            .collect()
    }

    fn own_leases(&self) -> Result<Leases, Fault> {
        let remote = self.journal.state().config.remote.clone();
        Leases::open(&self.place.top, &lease_options(&self.run, remote))
    }

    pub(super) fn objects(&self) -> Objects {
        Objects {
            top: self.place.top.clone(),
            index: self.folder.join("queue-index"),
        }
    }

    fn room(&self) -> Result<Room, Fault> {
        let state = self.journal.state();
        Room::of(&self.place, &self.folder, state, self.cells.clone())
    }

    fn tell_merge(&self, task: &str, answer: &MergeAnswer) {
        (self.say)(&match answer {
            MergeAnswer::Merged { way, .. } if way.is_empty() => format!("{task} is merged"),
            MergeAnswer::Merged { way, .. } => format!("{task} is merged ({way})"),
            MergeAnswer::Conflict { why, .. } | MergeAnswer::Red { why } => {
                format!("{task} cannot be merged: {why}")
            }
            MergeAnswer::World { why } | MergeAnswer::Unreachable { why } => {
                format!("{task} is tried again: {why}")
            }
            MergeAnswer::Moved { .. } | MergeAnswer::Halve { .. } => return,
        });
    }
}

/// The files and commands of these entries.
fn tools(entries: &[String]) -> Vec<(GlobSet, String)> {
    let parts = entries.iter().filter_map(|entry| tool::parts(entry));
    parts
        .map(|(files, command)| (globs(&[files.to_owned()]), command.to_owned()))
        .collect()
}

/// The last proof of a run.
struct FinalProof {
    line: Line,
    leases: Leases,
    objects: Objects,
    room: Room,
    done: Vec<TaskSpec>,
    /// By task, the line's commit that it came with.
    at: BTreeMap<String, String>,
    always: Vec<String>,
}

impl FinalProof {
    /// The line's newest commit. A remote that is silent just now is no reason to call nothing proved.
    fn newest(&self) -> Result<String, Fault> {
        let mut tries = 0;
        loop {
            match self.line.sync(&self.leases, &self.objects) {
                Ok((commit, _)) => return Ok(commit),
                Err(fault) if is_of_remote(&fault) && tries < SYNC_TRIES => {
                    let now = clock::wall_ms();
                    std::thread::sleep(Duration::from_millis(again_at(tries, now) - now));
                    tries += 1;
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    fn run(self) -> Result<LineProved, Fault> {
        let commit = self.newest()?;
        let held = self.line.done(&commit, self.done.iter())?;
        let mut refuted = Vec::new();
        let mut commands = self.always.clone();
        for spec in &self.done {
            if held.iter().any(|seen| seen.task == spec.id) {
                let new = spec.gates.iter().filter(|gate| !commands.contains(gate));
                let new: Vec<String> = new.cloned().collect();
                commands.extend(new);
            } else {
                let why = "its commits are no longer on the line".to_owned();
                refuted.push(Refuted {
                    task: spec.id.clone(),
                    why,
                });
            }
        }
        let proof = self.room.prove(&commit, &commands)?;
        let proof = self.room.again(&commit, proof)?;
        let red = proof.red();
        let (of_person, of_tasks): (Vec<_>, Vec<_>) =
            red.into_iter().partition(|gate| self.always.contains(gate));
        for spec in &self.done {
            let gate = spec.gates.iter().find(|gate| of_tasks.contains(gate));
            if let Some(gate) = gate
                && !refuted
                    .iter()
                    .any(|refuted: &Refuted| refuted.task == spec.id)
            {
                let good = self.at.get(&spec.id);
                let since = good.and_then(|good| self.room.broke((good, &commit), gate));
                let since = since.map_or_else(String::new, |since| format!(" since {since}"));
                let why = format!("its gate {gate:?} fails on the line{since}");
                refuted.push(Refuted {
                    task: spec.id.clone(),
                    why,
                });
            }
        }
        let red =
            (!of_person.is_empty() || (!proof.passed() && refuted.is_empty())).then(|| proof.why());
        Ok(LineProved {
            commit,
            refuted,
            red,
        })
    }
}
