//! Which model works on a task: the one that was named for it, and a stronger one after two
//! refutations.

use super::config::Config;
use super::task::TaskSpec;

/// Refutations after which the next model has its turn.
const REFUTATIONS_MAX: u32 = 2;

/// How far a task has climbed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rung {
    /// Models that were given up for it.
    above: usize,
    /// Refutations of the one at work.
    refuted: u32,
}

/// The models for a task, the first one first. One that was named begins where it stands among
/// those to escalate to, or before them.
fn ladder<'c>(config: &'c Config, spec: &'c TaskSpec) -> Vec<&'c str> {
    let named = spec.model.as_deref().or(config.model.as_deref());
    let all = || config.escalate.iter().map(String::as_str);
    let Some(named) = named else {
        return all().collect();
    };
    let at = all().position(|model| model == named);
    let rest = all().skip(at.map_or(0, |at| at + 1));
    std::iter::once(named).chain(rest).collect()
}

/// The model that works next on a task that climbed so far; none: the client's own choice.
pub fn next<'c>(config: &'c Config, spec: &'c TaskSpec, rung: Rung) -> Option<&'c str> {
    let ladder = ladder(config, spec);
    ladder.get(rung.above).or(ladder.last()).copied()
}

impl Rung {
    /// Is no other model left to work on the task?
    pub(super) fn is_last(self, config: &Config, spec: &TaskSpec) -> bool {
        self.above + 1 >= ladder(config, spec).len()
    }

    /// Counts a refutation, if it is one. Says whether the next model has its turn, where one is left: after
    /// two refutations, or when the task would be given up (`stuck`).
    pub(super) fn climbs(
        &mut self,
        (config, spec): (&Config, &TaskSpec),
        failed: bool,
        stuck: bool,
    ) -> bool {
        self.refuted += u32::from(failed);
        let due = stuck || self.refuted >= REFUTATIONS_MAX;
        if !due || self.above + 1 >= ladder(config, spec).len() {
            return false;
        }
        *self = Self {
            above: self.above + 1,
            refuted: 0,
        };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(model: Option<&str>, escalate: &[&str]) -> Config {
        Config {
            model: model.map(str::to_owned),
            escalate: escalate.iter().map(|name| (*name).to_owned()).collect(),
            ..Config::default()
        }
    }

    /// The models of so many failed iterations in a row.
    fn played(config: &Config, spec: &TaskSpec, iterations: usize) -> Vec<String> {
        let mut rung = Rung::default();
        let mut models = Vec::new();
        for _ in 0..iterations {
            models.push(next(config, spec, rung).unwrap_or("-").to_owned());
            rung.climbs((config, spec), true, false);
        }
        models
    }

    #[test]
    fn after_two_refutations_the_next_one_has_its_turn() {
        let spec = TaskSpec::named("t", "x");
        let all = config(None, &["haiku", "sonnet", "opus"]);
        let expected = ["haiku", "haiku", "sonnet", "sonnet", "opus", "opus", "opus"];
        assert_eq!(played(&all, &spec, 7), expected);
        let named = TaskSpec {
            model: Some("sonnet".to_owned()),
            ..spec.clone()
        };
        assert_eq!(played(&all, &named, 3), ["sonnet", "sonnet", "opus"]);
        let other = config(Some("fable"), &["opus"]);
        assert_eq!(played(&other, &spec, 3), ["fable", "fable", "opus"]);
        assert_eq!(played(&config(None, &[]), &spec, 3), ["-", "-", "-"]);
    }

    #[test]
    fn one_that_is_stuck_climbs_at_once_and_the_last_one_stays() {
        let (all, spec) = (config(None, &["haiku", "opus"]), TaskSpec::named("t", "x"));
        let mut rung = Rung::default();
        assert!(rung.climbs((&all, &spec), false, true));
        assert!(!rung.climbs((&all, &spec), true, true));
        assert_eq!(next(&all, &spec, rung), Some("opus"));
    }
}
