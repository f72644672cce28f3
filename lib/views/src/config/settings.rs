//! The settings that files, plugin options and the environment set: the one place where they are
//! declared.

use crate::notify;
use overnight_base::section;
use overnight_base::setting::{Section, Setting, is_command};
use overnight_base::value::{Kind, Value};
use std::time::Duration;

section! {
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
        /// A topic of ntfy, for example `https://ntfy.sh/my-topic`: notices are posted there as text.
        ntfy: Option<String> = "", Kind::Text("an address that begins with https://, or http:// on this machine", notify::is_address), Never;
        /// The access token of that topic.
        ntfy_token: Option<String> = "", Kind::Text("a token of letters, digits, _ and -", is_token), Never;
        /// An incoming webhook of Slack, or of a service that takes the same (`{"text": …}`).
        slack: Option<String> = "", Kind::Text("an address that begins with https://, or http:// on this machine", notify::is_address), Never;
        /// The hours of the day in which nothing is told, for example `22:00-07:00`; what happened in them is told in one notice at their end.
        quiet: Option<String> = "", Kind::Text("hours such as \"22:00-07:00\"", is_quiet), Never;
    }
}

macro_rules! settings {
    ($($section:ident: $Section:ty;)*) => {
        /// Every setting, in its typed form.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Settings {$(
            #[doc = concat!("The section `", stringify!($section), "`.")]
            pub $section: $Section,
        )*}

        /// The sections: name, what it is about, and its settings.
        pub const SECTIONS: &[(&str, &str, &[Setting])] = &[$((
            <$Section>::NAME,
            <$Section>::ABOUT,
            <$Section>::SETTINGS,
        ),)*];

        impl Settings {
            /// The typed form; `value` gives what holds for a setting.
            pub(super) fn typed(value: &dyn Fn(&'static Setting) -> Option<Value>) -> Self {
                Self {$($section: <$Section>::typed(value),)*}
            }
        }
    };
}

settings! {
    run: overnight_run::settings::Run;
    proof: overnight_run::settings::Proof;
    breaker: overnight_run::settings::Breaker;
    filter: overnight_filter::section::Filter;
    logs: overnight_filter::section::Logs;
    members: overnight_run::settings::Members;
    lock: overnight_run::settings::Lock;
    sample: overnight_sample::settings::Sample;
    progress: overnight_run::settings::Progress;
    notify: Notify;
    guard: overnight_guard::settings::Guard;
    cell: overnight_run::cell::Cell;
}

/// Every setting, as it is declared, in the order of the reference page.
pub fn all() -> impl Iterator<Item = &'static Setting> {
    SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter())
}

impl Settings {
    /// The limits of a new run.
    pub fn run_config(&self) -> overnight_run::Config {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (limits, breaker) = (&self.run, &self.breaker);
        overnight_run::Config {
            max_iterations: limits.max_iterations,
            failures_max: limits.blocked_after,
            task_timeout_ms: ms(limits.task_timeout),
            session_timeout_ms: ms(limits.session_timeout),
            max_duration_ms: limits.max_duration.map(ms),
            interval_ms: ms(limits.interval),
            calls_per_hour: limits.calls_per_hour,
            budget_usd: limits.budget_usd,
            usd_per_hour: limits.usd_per_hour,
            on_limit: limits.on_limit,
            breaker: overnight_run::breaker::Config {
                no_progress: breaker.no_progress,
                same_error: breaker.same_error,
                output_decline: breaker.output_decline,
                denials: breaker.denials,
                cool_down_ms: ms(breaker.cool_down),
            },
            push: limits.push,
            leave_out: limits.blocked == "leave-out",
            model: limits.model.clone(),
            specialists: limits.specialists,
            escalate: limits.escalate.clone(),
            done_signals: limits.done_signals,
            test_loops: limits.test_loops,
            cell: limits.cell,
            gates: limits.gates.clone(),
            setup: limits.setup.clone(),
            review: limits.review.clone(),
            review_model: limits.review_model.clone(),
            turn: overnight_run::config::TURN,
            closes: true,
            protect: self.proof.protect.clone(),
            proof_minutes: self.proof.minutes,
            lease_ttl_s: self.lock.ttl.as_secs(),
            union: self.members.union,
            lock_files: self.members.lock_files.clone(),
            ..overnight_run::Config::default()
        }
    }
}

/// The setting of this name.
pub fn find(section: &str, name: &str) -> Option<&'static Setting> {
    all().find(|setting| setting.section == section && setting.name == name)
}

fn is_token(text: &str) -> bool {
    const BYTES_MAX: usize = 200;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    !text.is_empty() && text.len() <= BYTES_MAX && text.bytes().all(plain)
}

fn is_quiet(text: &str) -> bool {
    notify::Quiet::parse(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_default_is_in_its_range_and_no_name_is_used_twice() {
        let mut keys = BTreeSet::new();
        let mut options = BTreeSet::new();
        for setting in all() {
            let none = setting.default.is_empty();
            assert!(none || setting.default_value().is_some(), "{setting:?}");
            assert!(keys.insert(setting.key()), "{setting:?}");
            assert!(setting.option().is_none_or(|name| options.insert(name)));
        }
    }

    #[test]
    fn the_defaults_are_those_of_the_parts_that_use_them() {
        let settings = Settings::default();
        let config = overnight_run::Config {
            turn: overnight_run::config::TURN,
            closes: true,
            proof_minutes: 10,
            ..overnight_run::Config::default()
        };
        assert_eq!(settings.run_config(), config);
        assert_eq!(
            settings.filter.max_lines,
            overnight_digest::LINES_MAX as u64
        );
        assert_eq!(
            overnight_guard::setup::Setup::of(&settings.guard),
            overnight_guard::setup::Setup::default()
        );
    }
}
