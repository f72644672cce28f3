//! One batch of the queue: candidates in a chain, the proof of its tip, the move of the line.

use super::candidate::{self, Made, Wanted};
use super::line::{Line, Moved};
use super::objects::Objects;
use super::room::{Merge, Proof, Room};
use super::turn;
use super::ways::Ways;
use crate::clock;
use crate::leases::{Acquired, Leases};
use globset::GlobSet;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_run::members::again_at;
use overnight_run::members::event::{Elsewhere, MergeAnswer, Refuted};
use overnight_run::members::line::{message, together};
use overnight_run::queue::proof::{Verdict, refuted, suspects, verdict};
use overnight_run::queue::{Entry, halves};
use overnight_run::task::TaskSpec;
use overnight_tasks::TaskId;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One batch, with everything it needs.
pub(super) struct Batch {
    pub(super) line: Line,
    pub(super) leases: Leases,
    pub(super) objects: Objects,
    pub(super) room: Room,
    pub(super) run: String,
    /// The clone's machine state.
    pub(super) state: PathBuf,
    pub(super) wanted: Vec<Finished>,
    /// The whole list: of those tasks that the line holds no gate may turn red, whoever landed them.
    pub(super) tasks: Vec<TaskSpec>,
    /// The person's own gates.
    pub(super) always: Vec<String>,
    /// Merges that count no more.
    pub(super) refuted: BTreeSet<String>,
    pub(super) ttl_s: u64,
    pub(super) union: bool,
    /// Files that only their tool may write, with its command.
    pub(super) tools: Vec<(GlobSet, String)>,
}

/// A branch of the batch.
pub(super) struct Finished {
    pub(super) spec: TaskSpec,
    pub(super) entry: Entry,
}

/// What a batch came to.
#[derive(Default)]
pub(super) struct Outcome {
    /// An answer for each task, in the order of the batch.
    pub(super) answers: Vec<(String, MergeAnswer)>,
    /// What a person should know beside it.
    pub(super) notes: Vec<String>,
    /// Landed tasks whose gates fail on the line itself.
    pub(super) refuted: Vec<Refuted>,
    /// Tasks of the batch that another run has landed.
    pub(super) elsewhere: Vec<Elsewhere>,
    /// Where the line stood.
    pub(super) line: Option<String>,
}

impl Outcome {
    /// Has the task an answer already?
    fn knows(&self, task: &str) -> bool {
        self.answers.iter().any(|(known, _)| known == task)
    }
}

/// Tasks that have landed, with their gates.
type Landed = Vec<(String, Vec<String>)>;

/// A link of the chain.
struct Link<'b> {
    finished: &'b Finished,
    commit: String,
    way: String,
}

impl Batch {
    /// Runs to an answer for each task; a fault of the world is one.
    pub(super) fn run(mut self) -> Outcome {
        let mut outcome = Outcome::default();
        if let Err(fault) = self.tries(&mut outcome) {
            let silent = is_of_remote(&fault);
            let why = fault.to_string();
            self.rest(&mut outcome, |_| match why.clone() {
                why if silent => MergeAnswer::Unreachable { why },
                why => MergeAnswer::World { why },
            });
        }
        outcome
    }

    /// The same answer for every task that has none.
    fn rest(&self, outcome: &mut Outcome, answer: impl Fn(usize) -> MergeAnswer) {
        let open = self.wanted.iter().map(|finished| finished.spec.id.clone());
        let open: Vec<String> = open.filter(|task| !outcome.knows(task)).collect();
        for (at, task) in open.into_iter().enumerate() {
            outcome.answers.push((task, answer(at)));
        }
    }

    fn tries(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let Some(_turn) = turn::take(&self.state, &self.line, &self.leases)? else {
            self.rest(outcome, |_| moved_later());
            return Ok(());
        };
        let (base, note) = self.line.sync(&self.leases, &self.objects)?;
        outcome.notes.extend(note);
        outcome.line = Some(base.clone());
        self.hold_leases(outcome)?;
        let landed = self.known(&base, outcome)?;
        let links = self.chain(&base, outcome);
        let Some(last) = links.last() else {
            self.rest(outcome, |_| MergeAnswer::Moved { until: None });
            return Ok(());
        };
        let tip = last.commit.clone();
        let proof = self.prove((&base, &tip), &links, &landed)?;
        match verdict(proof.passed(), links.len()) {
            Verdict::Land => self.land(&base, &links, &proof, outcome)?,
            Verdict::Blame => self.refuse(&base, (&links[0], &landed), &proof, outcome)?,
            Verdict::Halve => {
                let tasks = links.iter().map(|link| link.finished.spec.id.clone());
                let halved = halves(links.len()).map(|half| MergeAnswer::Halve { half });
                outcome.answers.extend(tasks.zip(halved));
            }
        }
        // What conflicted with a neighbour only is tried on the line as it will be.
        self.rest(outcome, |_| MergeAnswer::Moved { until: None });
        Ok(())
    }

    /// A task that another driver has taken over meanwhile is not ours to merge.
    fn hold_leases(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        for finished in &mut self.wanted {
            let task = id(&finished.spec)?;
            if self.leases.check(&task, finished.entry.token)?.is_some() {
                continue;
            }
            match self.leases.acquire(&task, self.ttl_s)? {
                Acquired::Granted(grant) => finished.entry.token = grant.record.token,
                Acquired::Held(_) => outcome
                    .answers
                    .push((finished.spec.id.clone(), moved_later())),
            }
        }
        Ok(())
    }

    /// What the line holds. Of those that wait some may be among it: when the driver died before it wrote
    /// that down, or when another run did the task, too.
    fn known(&self, base: &str, outcome: &mut Outcome) -> Result<Landed, Fault> {
        let mut done = self.line.done(base, self.tasks.iter())?;
        done.retain(|seen| !self.refuted.contains(&seen.commit));
        for seen in &done {
            let mut wanted = self.wanted.iter();
            let waits = wanted.any(|finished| finished.spec.id == seen.task);
            if !waits || outcome.knows(&seen.task) {
                continue;
            }
            outcome.notes.extend(self.give_back(&seen.task));
            let answer = if seen.run.is_empty() || seen.run == self.run {
                MergeAnswer::Merged {
                    commit: seen.commit.clone(),
                    gates: Vec::new(),
                    way: String::new(),
                }
            } else {
                outcome.elsewhere.push(seen.clone());
                MergeAnswer::Moved { until: None }
            };
            outcome.answers.push((seen.task.clone(), answer));
        }
        let holds = |spec: &&TaskSpec| done.iter().any(|seen| seen.task == spec.id);
        let landed = self.tasks.iter().filter(holds);
        Ok(landed
            .map(|spec| (spec.id.clone(), spec.gates.clone()))
            .collect())
    }

    /// Candidates one on the other; who conflicts with the line itself has an answer.
    fn chain(&self, base: &str, outcome: &mut Outcome) -> Vec<Link<'_>> {
        let mut links: Vec<Link<'_>> = Vec::new();
        for finished in &self.wanted {
            let task = &finished.spec.id;
            if outcome.knows(task) {
                continue;
            }
            let onto = links
                .last()
                .map_or(base, |link| link.commit.as_str())
                .to_owned();
            let wanted = Wanted {
                tip: finished
                    .entry
                    .tip
                    .as_deref()
                    .unwrap_or(&finished.entry.branch),
                message: &message(&finished.spec, &self.run, finished.entry.token),
                ways: &Ways {
                    union: self.union,
                    tools: &self.tools,
                    write: &|commit, command, path| self.room.written(commit, command, path),
                },
            };
            let answer = match candidate::make(&self.objects, &onto, &wanted) {
                Ok(Made::Candidate { commit, way }) => {
                    links.push(Link {
                        finished,
                        commit,
                        way,
                    });
                    continue;
                }
                Ok(Made::Conflict { .. }) if onto != base => continue,
                Ok(Made::Conflict { why, paths }) => MergeAnswer::Conflict { why, paths },
                Ok(Made::Doubtful(why)) => MergeAnswer::Red { why },
                // Of this one alone: the others go on.
                Err(fault) => MergeAnswer::World {
                    why: fault.to_string(),
                },
            };
            outcome.answers.push((task.clone(), answer));
        }
        links
    }

    /// The gates of the candidates, the person's, and those of everything that has landed.
    fn prove(
        &self,
        (base, tip): (&str, &str),
        links: &[Link<'_>],
        landed: &Landed,
    ) -> Result<Proof, Fault> {
        let own = links.iter().flat_map(|link| &link.finished.spec.gates);
        let landed = landed.iter().flat_map(|(_, gates)| gates);
        let commands = distinct(own.chain(&self.always).chain(landed));
        let may_change: Vec<String> = links
            .iter()
            .flat_map(|link| link.finished.spec.may_change.iter().cloned())
            .collect();
        let merge = Merge {
            base,
            tip,
            may_change: &may_change,
        };
        let proof = self.room.try_merge(merge, &commands)?;
        if proof.passed() {
            return Ok(proof);
        }
        self.room.try_merge(merge, &commands)
    }

    /// Only what holds without the newcomer can be held against it.
    fn refuse(
        &self,
        base: &str,
        (link, landed): (&Link<'_>, &Landed),
        proof: &Proof,
        outcome: &mut Outcome,
    ) -> Result<(), Fault> {
        let suspects = suspects(&proof.red(), &link.finished.spec.gates, &self.always);
        if !suspects.is_empty() {
            let before = self.room.prove(base, &suspects)?;
            let before = self.room.again(base, before)?.red();
            outcome.refuted.extend(refuted(landed, &before));
        }
        let task = link.finished.spec.id.clone();
        outcome.answers.push((
            task,
            if outcome.refuted.is_empty() {
                MergeAnswer::Red { why: proof.why() }
            } else {
                MergeAnswer::Moved { until: None }
            },
        ));
        Ok(())
    }

    fn land(
        &self,
        base: &str,
        links: &[Link<'_>],
        proof: &Proof,
        outcome: &mut Outcome,
    ) -> Result<(), Fault> {
        let tip = &links[links.len() - 1].commit;
        let specs: Vec<&TaskSpec> = links.iter().map(|link| &link.finished.spec).collect();
        let commit = if links.len() == 1 {
            tip.clone()
        } else {
            // Every commit of the line's own history is one that was proved.
            let tree = self.objects.tree_of(tip)?;
            self.objects
                .commit(&tree, &[base, tip], &together(&specs, &self.run))?
        };
        self.line.note((base, &commit), &specs, &self.run);
        for link in links {
            if self
                .leases
                .check(&id(&link.finished.spec)?, link.finished.entry.token)?
                .is_none()
            {
                return Ok(());
            }
        }
        let fence = &links[0].finished;
        let (moved, note) = self.line.publish(
            &self.leases,
            (&id(&fence.spec)?, fence.entry.token),
            (base, &commit),
        )?;
        outcome.notes.extend(note);
        match moved {
            Moved::Done => outcome.line = Some(commit.clone()),
            Moved::There => {}
            Moved::Raced | Moved::Lost => return Ok(()),
        }
        self.give_all_back(&specs, outcome);
        for link in links {
            let gates = of_task(&proof.outcomes, &link.finished.spec, &self.always);
            let task = link.finished.spec.id.clone();
            let answer = MergeAnswer::Merged {
                commit: commit.clone(),
                gates,
                way: link.way.clone(),
            };
            outcome.answers.push((task, answer));
        }
        Ok(())
    }

    /// Gives the leases of what has landed back, all at the same time: the queue waits for one round trip.
    fn give_all_back(&self, landed: &[&TaskSpec], outcome: &mut Outcome) {
        let notes: Vec<String> = std::thread::scope(|scope| {
            let give = |spec: &&TaskSpec| {
                let task = spec.id.clone();
                scope.spawn(move || self.give_back(&task))
            };
            let given: Vec<_> = landed.iter().map(give).collect();
            let said = given
                .into_iter()
                .filter_map(|one| one.join().ok().flatten());
            said.collect()
        });
        outcome.notes.extend(notes);
    }

    /// Gives a lease back, if it is ours; what went wrong, in words.
    fn give_back(&self, task: &str) -> Option<String> {
        let task = TaskId::parse(task).ok()?;
        let token = self.leases.own_token(&task).ok()??;
        let given = self.leases.release(&task, token);
        given.err().map(|fault| fault.to_string())
    }
}

/// What the gates of one task said, and the person's.
fn of_task(outcomes: &[GateOutcome], spec: &TaskSpec, always: &[String]) -> Vec<GateOutcome> {
    let its = |outcome: &&GateOutcome| {
        spec.gates.contains(&outcome.command) || always.contains(&outcome.command)
    };
    outcomes.iter().filter(its).cloned().collect()
}

fn distinct<'g>(commands: impl Iterator<Item = &'g String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for command in commands {
        if !all.contains(command) {
            all.push(command.clone());
        }
    }
    all
}

/// Is it that the remote does not answer?
pub(super) fn is_of_remote(fault: &Fault) -> bool {
    matches!(fault.code, Code::LockAcquire | Code::LockOutcome)
}

fn id(spec: &TaskSpec) -> Result<TaskId, Fault> {
    TaskId::parse(&spec.id).map_err(|reason| Fault::new(Code::InputInvalid, reason))
}

/// Somebody else is at it: asked again soon, and not counted.
fn moved_later() -> MergeAnswer {
    MergeAnswer::Moved {
        until: Some(again_at(0, clock::wall_ms())),
    }
}
