//! What each judged iteration came to. Views ask for those of one task, for each task: of a long night that is a
//! look-up, not a search.

use super::state::Iteration;
use std::collections::BTreeMap;
use std::ops::Deref;

/// Judged iterations, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    all: Vec<Iteration>,
    /// Where those on a task stand among all.
    of: BTreeMap<String, Vec<usize>>,
}

impl History {
    /// One more was judged.
    pub(super) fn push(&mut self, iteration: Iteration) {
        let of = self.of.entry(iteration.task.clone()).or_default();
        of.push(self.all.len());
        self.all.push(iteration);
    }

    /// Those on this task, oldest first.
    pub fn on(&self, task: &str) -> impl DoubleEndedIterator<Item = &Iteration> {
        let of = self.of.get(task).map_or(&[][..], Vec::as_slice);
        of.iter().filter_map(|at| self.all.get(*at))
    }

    /// The last one on this task, whose verdict changed since.
    pub(super) fn last_on_mut(&mut self, task: &str) -> Option<&mut Iteration> {
        let at = self.of.get(task)?.last()?;
        self.all.get_mut(*at)
    }
}

impl Deref for History {
    type Target = [Iteration];

    fn deref(&self) -> &[Iteration] {
        &self.all
    }
}

impl FromIterator<Iteration> for History {
    fn from_iter<I: IntoIterator<Item = Iteration>>(iterations: I) -> Self {
        let mut history = Self::default();
        for iteration in iterations {
            history.push(iteration);
        }
        history
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_judge::Verdict;

    fn judged(number: u32, task: &str) -> Iteration {
        Iteration {
            number,
            attempts: 1,
            task: task.to_owned(),
            model: None,
            started: 0,
            ended: 0,
            verdict: Verdict::nothing("x"),
            unreported: Vec::new(),
            timed_out: None,
            changed: 0,
            cost_usd: 0.0,
            said: String::new(),
        }
    }

    #[test]
    fn what_was_judged_is_found_by_its_task_as_by_a_search() {
        let tasks = ["a", "b", "a", "c", "b", "a"];
        let all: Vec<Iteration> = (1..)
            .zip(tasks)
            .map(|(at, task)| judged(at, task))
            .collect();
        let mut history: History = all.iter().cloned().collect();
        assert_eq!(*history, all);
        for task in ["a", "b", "c", "nobody's"] {
            let own = all.iter().filter(|past| past.task == task);
            assert!(history.on(task).eq(own), "{task}");
        }
        history.last_on_mut("b").unwrap().said = "changed".to_owned();
        assert_eq!(history[4].said, "changed");
        assert!(history.last_on_mut("nobody's").is_none());
    }
}
