//! The options that somebody gave.

use super::super::config::Config;
use super::super::members::ITERATIONS_MAX;
use super::{ALL, BUDGET_TOKENS, BUDGET_USD, Flag, MAX_ITERATIONS, MEMBERS};
use overnight_base::value::{Kind, Value};
use std::collections::BTreeMap;

/// Options with their values, each within its range.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given(BTreeMap<&'static str, Value>);

impl Given {
    /// Gives an option; one that can be repeated adds its entries.
    pub fn set(&mut self, flag: &'static Flag, value: Value) {
        let value = match (self.0.remove(flag.name), value) {
            (Some(Value::List(mut list)), Value::List(more)) => {
                list.extend(more);
                Value::List(list)
            }
            (_, value) => value,
        };
        self.0.insert(flag.name, value);
    }

    /// The value of an option.
    pub fn get(&self, flag: &Flag) -> Option<&Value> {
        self.0.get(flag.name)
    }

    /// What is left for another run after one spent so much of the budgets; `None`: nothing of one of them.
    pub fn after(mut self, (spent_usd, spent_tokens): (f64, u64)) -> Option<Self> {
        /// Less buys nothing.
        const CENT: f64 = 0.01;
        if let Some(Value::Decimal(dollars)) = self.get(&BUDGET_USD) {
            let left = dollars - spent_usd;
            if left < CENT {
                return None;
            }
            self.set(&BUDGET_USD, Value::Decimal(left));
        }
        if let Some(Value::Count(tokens)) = self.get(&BUDGET_TOKENS) {
            let left = tokens.checked_sub(spent_tokens).filter(|left| *left > 0)?;
            self.set(&BUDGET_TOKENS, Value::Count(left));
        }
        Some(self)
    }

    /// Is it given? For options without a value.
    pub fn has(&self, flag: &Flag) -> bool {
        self.get(flag).is_some()
    }

    /// The text of an option.
    pub fn text(&self, flag: &Flag) -> Option<&str> {
        match self.get(flag) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The options that were given, in the order of their declaration.
    pub fn flags(&self) -> impl Iterator<Item = &'static Flag> {
        ALL.iter().copied().filter(|flag| self.has(flag))
    }

    /// The limits of a run, changed by what was given.
    pub fn over(&self, mut config: Config) -> Config {
        // What a person set counts; the default is another one for a member.
        if self.has(&MEMBERS)
            && config.members == 0
            && config.max_iterations == Config::default().max_iterations
            && !self.has(&MAX_ITERATIONS)
        {
            config.max_iterations = ITERATIONS_MAX;
        }
        for flag in self.flags() {
            if let Some((limit, value)) = flag.limit.zip(self.get(flag)) {
                limit(&mut config, value);
            }
        }
        config
    }

    /// The arguments that hand it on to a driver in the background.
    pub fn passed_on(&self) -> Vec<String> {
        let passed = self.flags().filter(|flag| flag.passed);
        passed.flat_map(|flag| self.arguments(flag)).collect()
    }

    /// One option as arguments.
    fn arguments(&self, flag: &Flag) -> Vec<String> {
        if matches!(flag.kind, Kind::Flag) {
            return vec![format!("--{}", flag.name)];
        }
        let words = self.get(flag).map(Value::words).unwrap_or_default();
        let argument = |word| format!("--{}={word}", flag.name);
        words.into_iter().map(argument).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FAST, GATE, JSON, TASK_TIMEOUT, find};
    use super::*;

    fn given(words: &[(&'static Flag, &str)]) -> Given {
        let mut given = Given::default();
        for (flag, word) in words {
            given.set(flag, flag.kind.read_word(word).unwrap());
        }
        given
    }

    #[test]
    fn what_one_run_spent_is_gone_for_the_next() {
        let budget = given(&[(&BUDGET_USD, "5"), (&BUDGET_TOKENS, "1000")]);
        let rest = budget.clone().after((2.0, 400)).unwrap();
        assert_eq!(rest.get(&BUDGET_USD), Some(&Value::Decimal(3.0)));
        assert_eq!(rest.get(&BUDGET_TOKENS), Some(&Value::Count(600)));
        for spent in [(5.0, 0), (4.995, 0), (6.0, 0), (0.0, 1_000), (0.0, 2_000)] {
            assert_eq!(budget.clone().after(spent), None, "{spent:?}");
        }
        assert!(Given::default().after((9.0, 9)).is_some());
    }

    #[test]
    fn what_is_handed_on_reads_back_as_what_was_given() {
        let given = given(&[
            (&FAST, "true"),
            (&GATE, "make check"),
            (&GATE, "test -f 'a b'"),
            (&TASK_TIMEOUT, "300ms"),
        ]);
        let mut again = Given::default();
        for word in given.passed_on() {
            let (name, value) = word.split_once('=').unwrap_or((&word, "true"));
            let flag = find(&name[2..]).unwrap();
            again.set(flag, flag.kind.read_word(value).unwrap());
        }
        assert_eq!(again, given);
        let config = again.over(Config::default());
        assert_eq!(config.gates, ["make check", "test -f 'a b'"]);
        assert!(config.fast && config.task_timeout_ms == 300);
    }

    #[test]
    fn what_only_the_foreground_needs_is_not_handed_on() {
        assert!(given(&[(&JSON, "true")]).passed_on().is_empty());
    }

    #[test]
    fn members_have_more_iterations_unless_somebody_said_how_many() {
        let two = given(&[(&MEMBERS, "2")]);
        assert_eq!(two.over(Config::default()).max_iterations, ITERATIONS_MAX);
        let counted = Config {
            max_iterations: 7,
            ..Config::default()
        };
        assert_eq!(two.over(counted.clone()).max_iterations, 7);
        let old = Config {
            members: 2,
            ..Config::default()
        };
        assert_eq!(
            two.over(old).max_iterations,
            Config::default().max_iterations
        );
    }
}
