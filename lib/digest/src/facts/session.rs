//! A run of a tool, of which one output may hold several.

use super::super::count::{Category, Counts};

/// The name under which a result stands that anybody might print: it is the result of no tool.
pub(in super::super) const ANYBODY: &str = "tests";

/// One run of one tool: from its header, if it has one, to its result line.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about where the run begins or ends"
)]
pub(in super::super) struct Session {
    pub(in super::super) tool: &'static str,
    /// What the result line said.
    pub(in super::super) stated: Option<Counts>,
    /// What the lines of single tests said.
    pub(in super::super) seen: Counts,
    /// The same of lines below the result line: of the next run, should it state its own.
    pub(in super::super) later: Counts,
    /// So often the tool had said of a test that it failed when the run began, and when it had stated
    /// its result.
    pub(in super::super) told: (u64, u64),
    /// Nothing but what stands below the result of the run before says that it is one.
    pub(in super::super) follows: bool,
    /// What it had stated when, without further tests, it stated something else: maybe the result of
    /// a suite above that of all suites.
    pub(in super::super) part: Option<Counts>,
    pub(in super::super) duration_ms: Option<u64>,
    /// Its result is final; what follows belongs to another session.
    pub(in super::super) closed: bool,
    pub(in super::super) lane: usize,
    /// It began with a header of its tool.
    pub(in super::super) headed: bool,
    /// A result line that only this tool prints was read.
    pub(in super::super) firm: bool,
    /// The line of the log with the last result line.
    pub(in super::super) stated_at: u64,
}

impl Session {
    /// The run after this one, of which nothing else is known; so often its tool has said of a test that it
    /// failed.
    pub(super) fn follower(&self, told: u64) -> Self {
        Self {
            follows: self.stated.is_some() && !self.headed,
            ..Self::new(self.tool, self.lane, (self.told.1, told))
        }
    }

    /// A run of which nothing is known but how often its tool had said of a test that it failed.
    pub(super) fn new(tool: &'static str, lane: usize, told: (u64, u64)) -> Self {
        Self {
            tool,
            stated: None,
            seen: Counts::default(),
            later: Counts::default(),
            told,
            follows: false,
            part: None,
            duration_ms: None,
            closed: false,
            lane,
            headed: false,
            firm: false,
            stated_at: 0,
        }
    }

    /// What the lines of single tests say that come now.
    pub(super) fn singles(&mut self) -> &mut Counts {
        if self.stated.is_some() {
            &mut self.later
        } else {
            &mut self.seen
        }
    }

    /// The run that began below its result, of which this has been seen.
    pub(super) fn next(&mut self) -> Self {
        self.closed = true;
        Self {
            seen: std::mem::take(&mut self.later),
            follows: true,
            ..Self::new(self.tool, self.lane, (self.told.1, self.told.1))
        }
    }

    /// Whether this was stated before (any of it: `None`) and tests have run since: then another run
    /// states it. A run with a header ends at the next, and what does not fit the tests before it was
    /// no result of theirs.
    pub(super) fn is_over(&self, category: Option<Category>, told: u64) -> bool {
        let backed = self.firm || !self.seen.is_empty() || self.is_told();
        let again = self.has(category) && self.runs_since(told);
        again && backed && !self.headed && self.tool != ANYBODY && self.fits()
    }

    /// Whether this was stated before; any of it: `None`.
    fn has(&self, category: Option<Category>) -> bool {
        self.stated.as_ref().is_some_and(|stated| match category {
            Some(category) => stated.get(category).is_some(),
            None => true,
        })
    }

    /// Whether tests have run since it stated its result.
    fn runs_since(&self, told: u64) -> bool {
        self.later.iter().any(|(_, number)| number > 0) || told > self.told.1
    }

    /// This is stated now, in place of what was before.
    pub(super) fn replace(&mut self, category: Option<Category>, told: u64) {
        if self.runs_since(told) {
            self.part = None;
        } else if self.part.is_none() && self.has(category) {
            self.part.clone_from(&self.stated);
        }
    }

    /// Whether tests were said to fail before it stated its result.
    pub(in super::super) fn is_told(&self) -> bool {
        self.told.1 > self.told.0
    }

    /// Whether its single tests can be those that its result line counts: there may be more of them,
    /// and failing ones that are known from a run before are not seen again.
    fn fits(&self) -> bool {
        use Category::{Errors, Failed, Passed, Total};
        let Some(stated) = &self.stated else {
            return true;
        };
        let seen = |category| self.seen.get(category).unwrap_or(0);
        if let Some(passed) = stated.get(Passed).filter(|_| seen(Passed) > 0) {
            return seen(Passed) <= passed;
        }
        let bad = [Failed, Errors].map(|category| stated.get(category));
        let bad = bad.into_iter().flatten().reduce(u64::saturating_add);
        let all: u64 = self.seen.iter().map(|(_, number)| number).sum();
        bad.is_none_or(|bad| seen(Failed) <= bad)
            && stated.get(Total).is_none_or(|total| all <= total)
    }

    /// Failing tests that are known from a run before have been seen too, as many as the result line
    /// says.
    pub(in super::super) fn recall(&mut self) {
        use Category::{Failed, Passed, Total};
        let Some(stated) = self.stated.as_ref().filter(|_| self.follows) else {
            return;
        };
        let rest = || Some(stated.get(Total)?.saturating_sub(stated.get(Passed)?));
        let failed = stated.get(Failed).or_else(rest).unwrap_or(0);
        let seen = self.seen.get(Failed).unwrap_or(0);
        let again = failed.saturating_sub(seen).min(self.told.1 - self.told.0);
        if again > 0 {
            self.seen.add(Failed, again);
        }
    }

    /// There is no other run below its result.
    pub(in super::super) fn settle(&mut self) {
        let later = std::mem::take(&mut self.later);
        self.seen.merge(&later);
    }

    /// Adds another session of the same tool.
    pub(in super::super) fn absorb(&mut self, other: &Self) {
        if let Some(stated) = &other.stated {
            self.stated.get_or_insert_default().merge(stated);
        }
        self.seen.merge(&other.seen);
        self.later.merge(&other.later);
        self.headed |= other.headed;
        self.firm |= other.firm;
        self.stated_at = self.stated_at.max(other.stated_at);
        if let Some(more) = other.duration_ms {
            self.duration_ms = Some(self.duration_ms.unwrap_or(0).saturating_add(more));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::count::Category::{Failed, Passed, Total};
    use super::super::Facts;

    const TOOL: &str = "toy";

    /// A run: what its single tests say, and what it states.
    fn run(facts: &mut Facts, passed: u64, failing: &[&str], stated: [u64; 2]) {
        (0..passed).for_each(|_| facts.saw(TOOL, Passed));
        for name in failing {
            if facts.known(name).is_none() {
                facts.saw(TOOL, Failed);
            }
            facts.fail(TOOL, name, 1);
        }
        state(facts, stated);
    }

    fn state(facts: &mut Facts, [passed, failed]: [u64; 2]) {
        facts.now.sums = true;
        facts.part(TOOL, Passed, passed);
        facts.part(TOOL, Failed, failed);
        facts.part(TOOL, Total, passed + failed);
        facts.now.sums = false;
    }

    fn words(facts: &mut Facts) -> String {
        facts.sessions.iter_mut().for_each(super::Session::settle);
        super::super::super::tally::of(facts, true, (100, false))
            .counts
            .words()
    }

    #[test]
    fn tests_below_a_result_are_of_the_next_run() {
        let mut facts = Facts::default();
        run(&mut facts, 3, &["a"], [3, 1]);
        run(&mut facts, 3, &["a"], [3, 1]);
        run(&mut facts, 0, &["a", "b"], [0, 2]);
        assert_eq!(words(&mut facts), "4 failed, 6 passed, 0 skipped, 10 total");
        assert_eq!(facts.failures.len(), 2);
    }

    #[test]
    fn a_result_that_is_said_again_is_the_same() {
        let mut facts = Facts::default();
        run(&mut facts, 3, &["a"], [3, 1]);
        state(&mut facts, [3, 1]);
        assert_eq!(words(&mut facts), "1 failed, 3 passed, 0 skipped, 4 total");
    }

    #[test]
    fn what_does_not_fit_the_tests_above_it_is_no_result() {
        let mut facts = Facts::default();
        run(&mut facts, 9, &[], [2, 3]);
        run(&mut facts, 5, &["a"], [14, 1]);
        assert_eq!(
            words(&mut facts),
            "1 failed, 14 passed, 0 skipped, 15 total"
        );
    }

    #[test]
    fn the_result_of_all_suites_is_not_added_to_theirs() {
        let mut facts = Facts::default();
        for _ in 0..2 {
            run(&mut facts, 3, &["a"], [3, 1]);
            run(&mut facts, 5, &[], [5, 0]);
            state(&mut facts, [8, 1]);
        }
        assert_eq!(
            words(&mut facts),
            "2 failed, 16 passed, 0 skipped, 18 total"
        );
    }
}
