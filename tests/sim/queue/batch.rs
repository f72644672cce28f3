//! A batch of a queue: its turn, the chain of its candidates, their proof, the move of the line.

use super::line::Tree;
use super::{Mutant, World, gate, name, number};
use overnight_run::event::Event;
use overnight_run::members::again_at;
use overnight_run::members::event::{LineSeen, MergeAnswer, MergeEnded, Refuted};
use overnight_run::queue::halves;
use overnight_run::queue::proof::{Verdict, refuted, suspects, verdict};
use std::collections::BTreeSet;

/// Candidates that are proved together.
pub(super) struct Batch {
    pub(super) ends: u64,
    base: String,
    below: Tree,
    landed: Vec<usize>,
    wanted: Vec<String>,
    links: Vec<(String, Tree)>,
    answers: Vec<(String, MergeAnswer)>,
    has_turn: bool,
}

impl Batch {
    /// This is the answer to what has none yet.
    fn rest(&mut self, answer: &MergeAnswer) {
        for task in &self.wanted {
            if !self.answers.iter().any(|(known, _)| known == task) {
                self.answers.push((task.clone(), answer.clone()));
            }
        }
    }
}

impl World {
    /// Takes the turn, and chains the candidates.
    pub(super) fn begin(&mut self, at: usize, wanted: Vec<String>) -> Batch {
        let base = self.line.tip();
        let refuted = &self.drivers[at].state.members.queue.refuted;
        let counts = |task: &usize| {
            let commit = self.line.brought(*task);
            commit.is_some_and(|commit| !refuted.contains(&commit))
        };
        let landed = self.line.marks(base).into_iter().filter(counts).collect();
        let mut batch = Batch {
            ends: self.time + self.random.below(20_000),
            base: self.line.id(base),
            below: self.line.tree(base).clone(),
            landed,
            wanted,
            links: Vec::new(),
            answers: Vec::new(),
            has_turn: false,
        };
        let taken = self.turn.is_some_and(|holder| holder != at);
        // A lease of a queue that its machine lost: two prove at once.
        if taken && !self.random.chance(10) {
            let until = Some(again_at(0, self.drivers[at].now(self.time)));
            batch.rest(&self.moved(until));
            return batch;
        }
        self.turn = Some(at);
        batch.has_turn = true;
        if self.full || self.happens(|world| &mut world.faults, 10) {
            let answer = match self.mutant {
                Mutant::RetryForever => MergeAnswer::Moved { until: None },
                _ => MergeAnswer::World {
                    why: "disk full".into(),
                },
            };
            batch.rest(&answer);
            return batch;
        }
        self.chain(at, &mut batch);
        batch
    }

    fn moved(&self, until: Option<u64>) -> MergeAnswer {
        match self.mutant {
            Mutant::CountMoves => MergeAnswer::Conflict {
                why: "moved".into(),
                paths: Vec::new(),
            },
            _ => MergeAnswer::Moved { until },
        }
    }

    fn chain(&mut self, at: usize, batch: &mut Batch) {
        let known = self.mutant != Mutant::BelieveJournal;
        for task in batch.wanted.clone() {
            let number = number(&task);
            if known && batch.landed.contains(&number) {
                let commit = self.line.brought(number).unwrap();
                batch.answers.push((task, merged(commit)));
                continue;
            }
            if self.leases.get(&number) != Some(&at) {
                if self.leases.contains_key(&number) {
                    let until = Some(again_at(0, self.drivers[at].now(self.time)));
                    batch.answers.push((task, self.moved(until)));
                    continue;
                }
                self.leases.insert(number, at);
            }
            let driver = &self.drivers[at];
            let entries = &driver.state.members.queue.entries;
            let entry = entries.iter().find(|entry| entry.task == task).unwrap();
            let work = &driver.tips[entry.tip.as_ref().unwrap()];
            let onto = batch.links.last().map_or(&batch.below, |(_, tree)| tree);
            match onto.with(work) {
                Some(tree) => batch.links.push((task, tree)),
                None if !batch.links.is_empty() => {}
                None => {
                    let reserves = self.mutant != Mutant::ReserveNothing;
                    let paths = reserves.then(|| work.path.to_owned());
                    let answer = MergeAnswer::Conflict {
                        why: "conflict".into(),
                        paths: paths.into_iter().collect(),
                    };
                    batch.answers.push((task, answer));
                }
            }
        }
    }

    /// The tasks whose gates are red on a tree; what is red is run once more.
    pub(super) fn red(&mut self, tree: &Tree, tasks: &[usize]) -> Vec<usize> {
        let truth: Vec<usize> = tasks
            .iter()
            .copied()
            .filter(|task| !tree.holds(*task))
            .collect();
        let flickers = self.happens(|world| &mut world.flickers, 20);
        if flickers && self.mutant == Mutant::BelieveFlickers {
            return tasks.iter().copied().take(1).chain(truth).collect();
        }
        truth
    }

    /// Proves the end of the chain and lands it.
    pub(super) fn finish(&mut self, at: usize, mut batch: Batch) -> Result<(), String> {
        let mut line = None;
        let mut opened = Vec::new();
        if let Some((_, tree)) = batch.links.last().cloned() {
            let own: Vec<usize> = batch.links.iter().map(|(task, _)| number(task)).collect();
            let mut tried: BTreeSet<usize> = own.iter().copied().collect();
            if self.mutant == Mutant::BelieveClaims {
                tried.clear();
            }
            if self.mutant != Mutant::ForgetLanded {
                tried.extend(&batch.landed);
            }
            let tried: Vec<usize> = tried.into_iter().collect();
            let red = self.red(&tree, &tried);
            match verdict(red.is_empty(), own.len()) {
                Verdict::Land => line = self.land(at, &mut batch, tree)?,
                Verdict::Halve if self.mutant == Mutant::BlameFirst => {
                    let first = batch.links[0].0.clone();
                    batch.answers.push((first, blamed()));
                }
                Verdict::Halve => {
                    let tasks = batch.links.iter().map(|(task, _)| task.clone());
                    let halved = halves(own.len()).map(|half| MergeAnswer::Halve { half });
                    batch.answers.extend(tasks.zip(halved));
                }
                Verdict::Blame => {
                    opened = self.suspected(&batch, &red, own[0]);
                    let answer = if opened.is_empty() {
                        blamed()
                    } else {
                        MergeAnswer::Moved { until: None }
                    };
                    batch.answers.push((name(own[0]), answer));
                }
            }
        }
        self.tell(at, batch, line, opened);
        Ok(())
    }

    /// What its driver hears of the batch, one event after the other.
    fn tell(&mut self, at: usize, mut batch: Batch, line: Option<String>, refuted: Vec<Refuted>) {
        let has_turn = batch.has_turn;
        batch.rest(&if has_turn {
            self.moved(None)
        } else {
            MergeAnswer::Moved { until: None }
        });
        if has_turn && self.turn == Some(at) {
            self.turn = None;
        }
        let mut unsaid: Vec<Event> = batch
            .answers
            .into_iter()
            .map(|(task, answer)| MergeEnded { task, answer }.into())
            .collect();
        let commit = line.unwrap_or(batch.base);
        if has_turn
            && (!refuted.is_empty()
                || self.drivers[at].state.members.queue.line.as_ref() != Some(&commit))
        {
            unsaid.push(LineSeen { commit, refuted }.into());
        }
        unsaid.reverse();
        self.drivers[at].unsaid = unsaid;
    }

    /// The landed tasks whose gates are red without the newcomer.
    fn suspected(&mut self, batch: &Batch, red: &[usize], own: usize) -> Vec<Refuted> {
        let red: Vec<String> = red.iter().map(|task| gate(*task)).collect();
        let mut foreign = suspects(&red, &[gate(own)], &[]);
        if self.mutant == Mutant::BlameNewcomer {
            foreign.clear();
        }
        let before: Vec<usize> = batch.landed.clone();
        let before = self.red(&batch.below, &before);
        let before: Vec<String> = before
            .into_iter()
            .map(gate)
            .filter(|gate| foreign.contains(gate))
            .collect();
        let landed: Vec<(String, Vec<String>)> = batch
            .landed
            .iter()
            .map(|task| (name(*task), vec![gate(*task)]))
            .collect();
        refuted(&landed, &before)
    }

    fn land(&mut self, at: usize, batch: &mut Batch, tree: Tree) -> Result<Option<String>, String> {
        let brings: Vec<usize> = batch.links.iter().map(|(task, _)| number(task)).collect();
        if brings.iter().any(|task| self.leases.get(task) != Some(&at)) {
            return Ok(None);
        }
        if self.mutant == Mutant::ForgetSwap {
            self.line.overwrite(&batch.base, tree, brings.clone());
        } else if !self.line.land(&batch.base, tree, brings.clone()) {
            return Ok(None);
        }
        let tip = self.line.tip();
        self.check_landed(tip - 1)?;
        let commit = self.line.id(tip);
        for task in brings {
            self.leases.remove(&task);
            batch.answers.push((name(task), merged(commit.clone())));
        }
        Ok(Some(commit))
    }
}

fn merged(commit: String) -> MergeAnswer {
    MergeAnswer::Merged {
        commit,
        gates: Vec::new(),
        way: String::new(),
    }
}

fn blamed() -> MergeAnswer {
    MergeAnswer::Red { why: "red".into() }
}
