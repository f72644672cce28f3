//! The line as the world knows it: what each of its commits holds, and whose gates pass there.

use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// What an agent made.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub(super) task: usize,
    /// The file that it changes.
    pub(super) path: &'static str,
    /// Whose work was there when it was made.
    pub(super) knows: BTreeSet<usize>,
    /// Does its own gate fail in a clean tree?
    pub(super) wrong: bool,
    pub(super) breaks: Option<usize>,
}

/// The files of a commit.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    works: BTreeMap<usize, Work>,
    /// Tasks whose gates the person broke.
    broken: BTreeSet<usize>,
}

#[derive(Debug, Clone)]
struct Commit {
    id: u64,
    tree: Tree,
    brings: Vec<usize>,
}

pub(super) struct Line {
    commits: Vec<Commit>,
    ids: u64,
    /// How often a task was put on it, by itself or after a person's act.
    resets: usize,
}

impl Tree {
    /// The work on top of it; `None` where both changed the same and do not know of each other.
    pub(super) fn with(&self, work: &Work) -> Option<Self> {
        let known = |other: &Work| other.task == work.task || work.knows.contains(&other.task);
        let conflicts = self
            .works
            .values()
            .any(|other| other.path == work.path && !known(other));
        if conflicts {
            return None;
        }
        let mut tree = self.clone();
        tree.works.insert(work.task, work.clone());
        tree.broken.remove(&work.task);
        Some(tree)
    }

    /// Does the task's gate pass?
    pub(super) fn holds(&self, task: usize) -> bool {
        let Some(own) = self.works.get(&task) else {
            return false;
        };
        let breaks = |other: &Work| {
            other.breaks == Some(task) && other.task != task && !own.knows.contains(&other.task)
        };
        !own.wrong && !self.broken.contains(&task) && !self.works.values().any(breaks)
    }
}

impl Line {
    pub(super) fn new() -> Self {
        let first = Commit {
            id: 0,
            tree: Tree::default(),
            brings: Vec::new(),
        };
        Self {
            commits: vec![first],
            ids: 0,
            resets: 0,
        }
    }

    pub(super) fn tip(&self) -> usize {
        self.commits.len() - 1
    }

    /// The name of a commit.
    pub(super) fn id(&self, at: usize) -> String {
        format!("c{}", self.commits[at].id)
    }

    /// Where a commit stands, if the line has it.
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        (0..self.commits.len()).find(|at| self.id(*at) == id)
    }

    pub(super) fn tree(&self, at: usize) -> &Tree {
        &self.commits[at].tree
    }

    pub(super) fn holds(&self, at: usize, task: usize) -> bool {
        self.commits[at].tree.holds(task)
    }

    pub(super) fn known_at(&self, at: usize) -> BTreeSet<usize> {
        self.commits[at].tree.works.keys().copied().collect()
    }

    /// The tasks that a commit's history calls done.
    pub(super) fn marks(&self, at: usize) -> BTreeSet<usize> {
        self.commits[..=at]
            .iter()
            .flat_map(|commit| commit.brings.iter().copied())
            .collect()
    }

    /// The newest commit that brought a task.
    pub(super) fn brought(&self, task: usize) -> Option<String> {
        let at = self
            .commits
            .iter()
            .rposition(|commit| commit.brings.contains(&task))?;
        Some(self.id(at))
    }

    /// Moves the line from `base`; `false` where it stands elsewhere.
    pub(super) fn land(&mut self, base: &str, tree: Tree, brings: Vec<usize>) -> bool {
        if self.id(self.tip()) != base {
            return false;
        }
        self.push(tree, brings);
        true
    }

    fn push(&mut self, tree: Tree, brings: Vec<usize>) {
        self.ids += 1;
        let id = self.ids;
        self.commits.push(Commit { id, tree, brings });
    }

    /// Forgets what came after `base`.
    pub(super) fn overwrite(&mut self, base: &str, tree: Tree, brings: Vec<usize>) {
        let base = self.find(base).unwrap_or(self.tip());
        self.commits.truncate(base + 1);
        self.push(tree, brings);
    }

    /// The person takes the last commit away; gives what it brought.
    pub(super) fn reset(&mut self) -> Vec<usize> {
        if self.tip() == 0 {
            return Vec::new();
        }
        self.resets += 1;
        self.commits.pop().unwrap().brings
    }

    /// The person commits what breaks a task's gate.
    pub(super) fn break_one(&mut self, random: &mut Random) -> Option<usize> {
        let landed: Vec<usize> = self.marks(self.tip()).into_iter().collect();
        let at = usize::try_from(random.below(landed.len() as u64)).unwrap();
        let task = *landed.get(at)?;
        let mut tree = self.commits[self.tip()].tree.clone();
        tree.broken.insert(task);
        self.resets += 1;
        self.push(tree, Vec::new());
        Some(task)
    }

    /// Nothing is brought twice unless a person had a hand in it.
    pub(super) fn brought_once(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        let all = self.commits.iter().flat_map(|commit| &commit.brings);
        let twice = all.filter(|task| !seen.insert(**task)).count();
        if twice > 0 && self.resets == 0 {
            return Err(format!("{twice} tasks were brought twice"));
        }
        Ok(())
    }
}
