//! The options of a run, each declared once: `overnight run`, `overnight resume`, the driver that
//! `--detach` starts and `/flow` take theirs from here, and the settings their defaults and ranges.

mod given;

use super::config::Config;
pub use given::Given;
use overnight_base::value::{Kind, Value};
use overnight_lease::TTL_S_MAX;

/// One option.
#[derive(Debug)]
pub struct Flag {
    /// What is typed, without the dashes.
    pub name: &'static str,
    /// Its meaning, without a full stop.
    pub doc: &'static str,
    /// What stands for its value in a usage line; empty for one that takes none.
    pub metavar: &'static str,
    /// What it can hold.
    pub kind: Kind,
    /// What holds where nobody gives it, as text; empty: nothing, or what the doc says.
    pub default: &'static str,
    /// The limit of a run that it sets.
    pub limit: Option<fn(&mut Config, &Value)>,
    /// Who takes it.
    pub door: Offered,
    /// Is it handed on to the driver in the background?
    pub passed: bool,
    /// The option without which it means nothing.
    pub needs: Option<&'static str>,
    /// Is it left out of the help?
    pub hidden: bool,
}

/// Where an option can be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// To `overnight run` and to every run of `/flow`.
    Any,
    /// To `overnight run`, and to `/flow` when it leaves the session.
    Driver,
    /// To `overnight run` alone.
    Run,
}

impl Flag {
    /// An option without a value, for every door.
    const fn new(name: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            doc,
            metavar: "",
            kind: Kind::Flag,
            default: "",
            limit: None,
            door: Offered::Any,
            passed: true,
            needs: None,
            hidden: false,
        }
    }

    /// With a value of this kind.
    const fn takes(self, metavar: &'static str, kind: Kind) -> Self {
        Self {
            metavar,
            kind,
            ..self
        }
    }

    const fn default(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    /// One that is kept in the run's journal.
    const fn limit(self, limit: fn(&mut Config, &Value)) -> Self {
        Self {
            limit: Some(limit),
            ..self
        }
    }

    const fn door(self, door: Offered) -> Self {
        Self { door, ..self }
    }

    const fn needs(self, flag: &'static str) -> Self {
        Self {
            needs: Some(flag),
            ..self
        }
    }

    /// One that the driver in the background has no use for.
    const fn stays(self) -> Self {
        Self {
            passed: false,
            ..self
        }
    }

    const fn hidden(self) -> Self {
        Self {
            hidden: true,
            ..self
        }
    }

    /// The line of the help.
    pub fn help(&self) -> String {
        let repeats = if self.repeats() { " (repeatable)" } else { "" };
        match self.default {
            "" => format!("{}{repeats}", self.doc),
            default => format!("{}{repeats} [default: {default}]", self.doc),
        }
    }

    /// Can it be given several times?
    pub fn repeats(&self) -> bool {
        matches!(self.kind, Kind::List(..))
    }

    /// Does it take a value?
    pub fn is_valued(&self) -> bool {
        !matches!(self.kind, Kind::Flag)
    }
}

/// The option of this name.
pub fn find(name: &str) -> Option<&'static Flag> {
    ALL.iter().copied().find(|flag| flag.name == name)
}

macro_rules! options {
    ($($(#[doc = $doc:literal])+ $const:ident = $flag:expr;)*) => {
        $($(#[doc = $doc])+ pub const $const: Flag = $flag;)*

        /// Every option, in the order of the help.
        pub const ALL: &[&Flag] = &[$(&$const,)*];
    };
}

const SECOND_MS: u64 = 1_000;
const DAY_MS: u64 = 24 * 3_600 * SECOND_MS;
/// More than anybody means for one night.
const DOLLARS: Kind = Kind::Decimal(0.01, 1_000_000.0);

fn is_something(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\0')
}

fn is_task(text: &str) -> bool {
    overnight_tasks::TaskId::parse(text).is_ok()
}

fn is_glob(text: &str) -> bool {
    overnight_tasks::paths::check(text).is_ok()
}

const WORDS: Kind = Kind::Text("a text that is not empty", is_something);

options! {
    /// `--max-iterations`
    MAX_ITERATIONS = Flag::new("max-iterations", "Iterations at most")
        .takes("N", Kind::Count(1, 100_000)).default("10")
        .limit(|config, value| config.max_iterations = value.typed());
    /// `--agent-prompt`
    AGENT_PROMPT = Flag::new("agent-prompt", "The file that says what is to be done")
        .takes("FILE", WORDS).default("AGENT_PROMPT.md").stays();
    /// `--here`
    HERE = Flag::new("here", "Works in this work tree, not in one of its own").door(Offered::Run);
    /// `--with-changes`
    WITH_CHANGES = Flag::new("with-changes", "Takes your uncommitted work along as the first commit")
        .door(Offered::Driver).stays();
    /// `--task`
    TASK = Flag::new("task", "Works on this task of the list only")
        .takes("TASK", Kind::List(1_000, "the id of a task", is_task)).door(Offered::Driver)
        .limit(|config, value| config.only = value.typed());
    /// `--per-task`: which ones belong together is `chosen::groups`.
    PER_TASK = Flag::new(
        "per-task",
        "A run for each task of the list, one after the other, each with a branch and a pull request of its own; tasks that need each other or are of one issue stay together",
    )
        .door(Offered::Run).stays();
    /// `--gate`
    GATE = Flag::new("gate", "A command that proves the work done by its exit status")
        .takes("CMD", Kind::List(50, "a command", is_something))
        .limit(|config, value| config.gates = value.typed());
    /// `--may-change`
    MAY_CHANGE = Flag::new("may-change", "Files that decide, such as tests, and that may change all the same")
        .takes("GLOB", Kind::List(50, "a glob", is_glob))
        .limit(|config, value| config.may_change = value.typed());
    /// `--review`
    REVIEW = Flag::new("review", "What a reviewer shall look at: a fresh agent that only reads; it can refuse, never prove")
        .takes("TEXT", WORDS)
        .limit(|config, value| config.review = value.typed());
    /// `--proof`
    PROOF = Flag::new("proof", "Where gates are run: in a room of their own, or, weaker, where the agent works")
        .takes("WHERE", Kind::Choice(&["room", "in-place"])).default("room")
        .limit(|config, value| config.in_place = value.typed::<String>() == "in-place");
    /// `--cell`
    CELL = Flag::new("cell", "Keeps agent and gates in a cell: on, auto (where the kernel gives one) or off")
        .takes("MODE", super::cell::MODES).default("auto")
        .limit(|config, value| config.cell = value.typed());
    /// `--agent`
    AGENT = Flag::new("agent", "Who works: claude, scripted:FILE or command:CMD")
        .takes("AGENT", WORDS).default("claude").door(Offered::Driver)
        .limit(|config, value| config.agent = value.typed());
    /// `--model`
    MODEL = Flag::new("model", "The model of agents whose task names none; else the client's own choice")
        .takes("MODEL", Kind::Text("the name of a model", overnight_tasks::model::is_name)).door(Offered::Driver)
        .limit(|config, value| config.model = value.typed());
    /// `--resume`: what `overnight resume` hands on, and people wrote before it was there
    RESUME = Flag::new("resume", "Goes on with a run instead of beginning one")
        .takes("RUN", WORDS).door(Offered::Run).stays().hidden();
    /// `--detach`
    DETACH = Flag::new("detach", "Leaves the run at work in the background and prints its id").stays();
    /// `--survive`
    SURVIVE = Flag::new(
        "survive",
        "Comes back after a kill or a reboot, by your service manager, and keeps the machine awake meanwhile",
    )
        .needs("detach").door(Offered::Run).stays();
    /// `--fast`
    FAST = Flag::new("fast", "Lets the agent test with a sample of the tests")
        .limit(|config, value| config.fast = value.typed());
    /// `--budget-usd`
    BUDGET_USD = Flag::new("budget-usd", "Dollars at most")
        .takes("USD", DOLLARS)
        .limit(|config, value| config.budget_usd = value.typed());
    /// `--budget-tokens`
    BUDGET_TOKENS = Flag::new("budget-tokens", "Tokens of all kinds at most; an agent that reaches it is ended")
        .takes("N", Kind::Count(1, u64::MAX))
        .limit(|config, value| config.budget_tokens = value.typed());
    /// `--usd-per-hour`
    USD_PER_HOUR = Flag::new("usd-per-hour", "Dollars within any hour at most: a run that burns faster stops")
        .takes("USD", DOLLARS)
        .limit(|config, value| config.usd_per_hour = value.typed());
    /// `--task-timeout`
    TASK_TIMEOUT = Flag::new("task-timeout", "Longest time of one iteration")
        .takes("TIME", Kind::Time(1, 7 * DAY_MS)).default("30m")
        .limit(|config, value| config.task_timeout_ms = value.ms());
    /// `--max-duration`
    MAX_DURATION = Flag::new("max-duration", "Longest time of the whole run; no limit by default")
        .takes("TIME", Kind::Time(1, 365 * DAY_MS))
        .limit(|config, value| config.max_duration_ms = Some(value.ms()));
    /// `--interval`
    INTERVAL = Flag::new("interval", "Least time between two starts")
        .takes("TIME", Kind::Time(0, DAY_MS)).default("0s")
        .limit(|config, value| config.interval_ms = value.ms());
    /// `--calls-per-hour`
    CALLS_PER_HOUR = Flag::new("calls-per-hour", "Agent starts an hour at most")
        .takes("N", Kind::Count(1, 10_000)).default("100")
        .limit(|config, value| config.calls_per_hour = value.typed());
    /// `--continue-session`
    CONTINUE_SESSION = Flag::new(
        "continue-session",
        "Goes on in the client session of the iteration before, for up to a day; else in a fresh one",
    )
        .door(Offered::Driver)
        .limit(|config, value| config.continue_session = value.typed());
    /// `--on-limit`
    ON_LIMIT = Flag::new("on-limit", "What to do at the account's usage limit")
        .takes("WHAT", Kind::Choice(&["exit", "wait"])).default("wait")
        .limit(|config, value| config.on_limit = value.typed());
    /// `--members`
    MEMBERS = Flag::new("members", "Agents at work at the same time, each in a work tree of its own")
        .takes("N", Kind::Count(1, 64))
        .limit(|config, value| config.members = value.typed());
    /// `--forks`
    FORKS = Flag::new(
        "forks",
        "Tries a stuck task in so many ways at the same time before it is given up; the gates choose",
    )
        .takes("N", Kind::Count(2, 8)).door(Offered::Driver)
        .limit(|config, value| config.forks = value.typed());
    /// `--remote`
    REMOTE = Flag::new(
        "remote",
        "The remote that holds the members' leases and merged work, or none; origin if there is one",
    )
        .takes("NAME", WORDS).needs("members").door(Offered::Driver)
        .limit(|config, value| config.remote = value.typed());
    /// `--ttl`: from 5 s on, so that a third of it is longer than a slow push.
    TTL = Flag::new("ttl", "Time to live of the members' leases, renewed at a third of it")
        .takes("TIME", Kind::Time(5 * SECOND_MS, TTL_S_MAX * SECOND_MS)).default("1h")
        .needs("members").door(Offered::Driver)
        .limit(|config, value| config.lease_ttl_s = value.ms() / SECOND_MS);
    /// `--tmux`
    TMUX = Flag::new("tmux", "Shows the run in tmux: the status in one pane, each member in one of its own")
        .door(Offered::Driver);
    /// `--own-session`
    OWN_SESSION = Flag::new("own-session", "Leaves the terminal's session; given to the driver that --detach starts")
        .door(Offered::Run).stays().hidden();
    /// `--no-pr`
    NO_PR = Flag::new("no-pr", "Pushes nothing and opens no pull request").door(Offered::Driver)
        .limit(|config, _| config.push = 0);
    /// `--json`
    JSON = Flag::new("json", "Prints the outcome as JSON").door(Offered::Run).stays();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_stands_twice_and_every_default_is_in_its_range_and_that_of_a_run() {
        let names: BTreeSet<&str> = ALL.iter().map(|flag| flag.name).collect();
        assert_eq!(names.len(), ALL.len());
        for flag in ALL {
            let Some(limit) = flag.limit.filter(|_| !flag.default.is_empty()) else {
                continue;
            };
            let value = flag.kind.read_word(flag.default);
            let mut config = Config::default();
            limit(&mut config, &value.expect(flag.name));
            assert_eq!(config, Config::default(), "{}", flag.name);
        }
        for flag in ALL {
            assert!(flag.needs.is_none_or(|other| find(other).is_some()));
            assert_eq!(flag.is_valued(), !flag.metavar.is_empty(), "{}", flag.name);
        }
    }
}
