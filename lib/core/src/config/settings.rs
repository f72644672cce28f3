//! The settings that files, plugin options and the environment set: the one place where they are
//! declared.

use super::value::{Kind, Typed, Value};
use super::{Project, Setting, vars};
use crate::guard::{Mode, setup};
use crate::lease::TTL_S_MAX;
use crate::notify;
use crate::run::config::OnLimit;
use std::time::Duration;

const HOUR_S: u64 = 3_600;
const DAY_S: u64 = 24 * HOUR_S;
const DOLLARS: Kind = Kind::Decimal(0.01, 1_000_000.0);

macro_rules! settings {
    ($(
        $(#[doc = $about:literal])+
        $section:ident: $Section:ident {$(
            $(#[doc = $doc:literal])+
            $field:ident: $type:ty = $default:literal, $kind:expr, $project:ident
                $(, $var:ident $(option $title:literal)?)?;
        )*}
    )*) => {
        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone, PartialEq)]
            pub struct $Section {$(
                $(#[doc = $doc])+
                pub $field: $type,
            )*}
        )*

        /// Every setting, in its typed form.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {$(
            $(#[doc = $about])+
            pub $section: $Section,
        )*}

        /// Every setting, as it is declared, in the order of the reference page.
        pub const ALL: &[Setting] = &[$($(Setting {
            section: stringify!($section),
            name: stringify!($field),
            default: $default,
            kind: $kind,
            project: Project::$project,
            var: settings!(@var $($var)?),
            title: settings!(@title $($($title)?)?),
            doc: concat!($($doc),+),
        },)*)*];

        /// The sections, each with what it is about.
        pub const SECTIONS: &[(&str, &str)] = &[$((stringify!($section), concat!($($about),+)),)*];

        impl Settings {
            /// The typed form; `value` gives what stands for a section's key.
            pub(super) fn typed(value: impl Fn(&str, &str) -> Option<Value>) -> Self {
                Self {$($section: $Section {$(
                    $field: Typed::typed(value(stringify!($section), stringify!($field))),
                )*},)*}
            }
        }
    };
    (@var) => { None };
    (@var $var:ident) => { Some(&vars::$var) };
    (@title) => { None };
    (@title $title:literal) => { Some($title) };
}

settings! {
    /// Limits of a run.
    run: Run {
        /// Iterations at most.
        max_iterations: u32 = "10", Kind::Count(1, 100_000), Less, MAX_ITERATIONS option "Iterations of a run";
        /// Failed iterations in a row after which a task is blocked.
        blocked_after: u32 = "3", Kind::Count(1, 1_000), Less;
        /// Longest time of one iteration.
        task_timeout: Duration = "30m", Kind::Time(1, 7 * DAY_S), Less, TASK_TIMEOUT;
        /// Longest time of one client session.
        session_timeout: Duration = "2h", Kind::Time(1, 7 * DAY_S), Less;
        /// Longest time of the whole run; none by default.
        max_duration: Option<Duration> = "", Kind::Time(1, 365 * DAY_S), Less, MAX_DURATION;
        /// Least time from one start of an agent to the next.
        interval: Duration = "0s", Kind::Time(0, DAY_S), More;
        /// Agent starts an hour at most.
        calls_per_hour: u32 = "100", Kind::Count(1, 10_000), Less;
        /// Dollars at most; no limit by default.
        budget_usd: Option<f64> = "", DOLLARS, Less, BUDGET_USD option "Dollars of a run";
        /// Dollars within any hour at most; no limit by default.
        usd_per_hour: Option<f64> = "", DOLLARS, Less;
        /// What to do at the account's usage limit.
        on_limit: OnLimit = "wait", Kind::Choice(&["exit", "wait"]), Less;
        /// Commands that prove any task done, beside its own.
        gates: Vec<String> = "", Kind::List(50, "a command on one line of at most 2000 bytes", is_command), AddsTrusted;
    }
    /// When a task's circuit breaker opens.
    breaker: Breaker {
        /// After so many iterations in a row without progress.
        no_progress: u32 = "3", Kind::Count(1, 1_000), Less;
        /// After so many iterations in a row with the same error.
        same_error: u32 = "5", Kind::Count(1, 1_000), Less;
        /// When an iteration that changed nothing prints less than those before, by this many per cent; 0: never.
        output_decline: u32 = "70", Kind::Count(0, 100), Never;
        /// After so many iterations in a row that were denied permissions and changed nothing.
        denials: u32 = "2", Kind::Count(1, 1_000), Less;
        /// The first cool-down; it doubles with each failed probe.
        cool_down: Duration = "30m", Kind::Time(1, DAY_S), More;
    }
    /// How long outputs are shortened.
    filter: Filter {
        /// Whether they are.
        enabled: bool = "true", Kind::Flag, Never, FILTER_ENABLED option "Shorten long outputs";
        /// The most lines that an output has afterwards.
        max_lines: u64 = "50", Kind::Count(5, 1_000), Free, OUTPUT_LINES option "Lines of a shortened output";
        /// The one line that a digest ends with when the command failed; fields `{code}`, `{name}`, `{reason}`.
        error_format: String = "ERROR: {reason}", Kind::Text("one line of at most 200 bytes", is_short_line), Never, ERROR_FORMAT option "Error line";
    }
    /// What is kept of logs.
    logs: Logs {
        /// Megabytes that `logs/` takes at most, and as many `agent_logs/`; the oldest go first.
        quota_mb: u64 = "500", Kind::Count(1, 1_000_000), Less;
    }
    /// Leases on tasks.
    lock: Lock {
        /// Time to live of a lease that names none; it is renewed at a third of it.
        ttl: Duration = "1h", Kind::Time(5, TTL_S_MAX), Less;
    }
    /// Which tests `sample-tests` takes.
    sample: Sample {
        /// Share of the tests.
        rate: f64 = "0.1", Kind::Decimal(0.001, 1.0), More, SAMPLE_RATE option "Share of the tests";
        /// Orders the tests instead of the agent's id.
        seed: Option<String> = "", Kind::Text("one line of at most 1024 bytes", is_seed), Never, SEED;
    }
    /// How you are told at once what a run needs or came to.
    notify: Notify {
        /// Notifications of the desktop, by `notify-send` or `osascript`.
        desktop: bool = "true", Kind::Flag, Never;
        /// Notifications of your terminal, through the client, for a run in a session.
        terminal: bool = "true", Kind::Flag, Never;
        /// A program and its arguments, started for each notice without a shell, with the notice as JSON on its standard input.
        command: Vec<String> = "", Kind::List(50, "a word on one line of at most 2000 bytes", is_command), Never;
        /// Where each notice is posted as JSON, by `curl`; `https`, or `http` on this machine.
        webhook: Option<String> = "", Kind::Text("an address that begins with https://, or http:// on this machine", notify::is_address), Never;
        /// The hours of the day in which nothing is told, for example `22:00-07:00`.
        quiet: Option<String> = "", Kind::Text("hours such as \"22:00-07:00\"", is_quiet), Never;
    }
    /// What the guard lets through.
    guard: Guard {
        /// `strict`: programs that the guard does not know wait for you too. `fast`: a command that discards work in git's reach runs after everything was kept.
        mode: Mode = "normal", Kind::Choice(&["strict", "normal", "fast"]), Less;
        /// Outside a run the guard never says allow; your permission rules decide. With `allow` it does.
        attended: String = "silent", Kind::Choice(&["silent", "allow"]), Less;
        /// The agent may push branches that start with this.
        branch_prefix: String = "auto/", Kind::Text("a branch prefix such as \"auto/\"", setup::is_prefix), Never;
        /// Patterns that are denied, with `*` for anything.
        deny: Vec<String> = "", Kind::List(setup::PATTERNS_MAX, setup::PATTERN, setup::is_pattern), Adds;
        /// Patterns that wait for you.
        ask: Vec<String> = "", Kind::List(setup::PATTERNS_MAX, setup::PATTERN, setup::is_pattern), Adds;
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::typed(|section, name| find(section, name)?.default_value())
    }
}

/// The setting of this name.
pub fn find(section: &str, name: &str) -> Option<&'static Setting> {
    ALL.iter()
        .find(|setting| setting.section == section && setting.name == name)
}

fn is_quiet(text: &str) -> bool {
    notify::Quiet::parse(text).is_some()
}

fn is_command(text: &str) -> bool {
    const BYTES_MAX: usize = 2_000;
    !text.trim().is_empty() && text.len() <= BYTES_MAX && !text.chars().any(char::is_control)
}

fn is_short_line(text: &str) -> bool {
    const BYTES_MAX: usize = 200;
    !text.is_empty() && text.len() <= BYTES_MAX && !text.chars().any(char::is_control)
}

fn is_seed(text: &str) -> bool {
    crate::sample::hash::check_seed("", text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_default_is_in_its_range_and_no_name_is_used_twice() {
        let mut keys = BTreeSet::new();
        let mut options = BTreeSet::new();
        for setting in ALL {
            let none = setting.default.is_empty();
            assert!(none || setting.default_value().is_some(), "{setting:?}");
            assert!(keys.insert(setting.key()), "{setting:?}");
            assert!(setting.option().is_none_or(|name| options.insert(name)));
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_parts_that_use_them() {
        let settings = Settings::default();
        assert_eq!(settings.run_config(), crate::run::Config::default());
        assert_eq!(settings.filter.max_lines, crate::digest::LINES_MAX as u64);
        assert_eq!(setup::Setup::of(&settings.guard), setup::Setup::default());
    }
}
