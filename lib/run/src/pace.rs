//! When the next agent may start: the least interval, and the sliding hour of calls.

use super::config::Config;
use super::state::State;
use super::step::WaitCause;

const HOUR_MS: u64 = 3_600_000;

/// Until when the sliding hour has no room for another call.
pub(super) fn call_rate(state: &State, config: &Config, now: u64) -> Option<(u64, WaitCause)> {
    hold(state, by_rate(state, config), HOUR_MS, now)
}

/// Until when the interval or the call rate holds the next start back.
pub(super) fn next_start(state: &State, config: &Config, now: u64) -> Option<(u64, WaitCause)> {
    let last = state.starts.back().copied();
    let by_interval =
        last.map(|last| (last.saturating_add(config.interval_ms), WaitCause::Interval));
    let by_interval = hold(state, by_interval, config.interval_ms, now);
    let by_rate = call_rate(state, config, now);
    let holds = [by_interval, by_rate].into_iter().flatten();
    holds.max_by_key(|(until, _)| *until)
}

/// When the sliding hour has room for another call.
fn by_rate(state: &State, config: &Config) -> Option<(u64, WaitCause)> {
    let calls = config.calls_per_hour as usize;
    let at = state.starts.len().checked_sub(calls.max(1))?;
    let oldest = state.starts.get(at)?;
    Some((oldest.saturating_add(HOUR_MS), WaitCause::CallRate))
}

/// A wait that is not over. A start in the future means that the clock was set back: it must not
/// hold the run for longer than `most`, and not once more after that.
fn hold(
    state: &State,
    until: Option<(u64, WaitCause)>,
    most: u64,
    now: u64,
) -> Option<(u64, WaitCause)> {
    let (until, cause) = until?;
    let waited = state
        .waiting
        .is_some_and(|(over, why)| why == cause && over <= now);
    let sane = until.min(now.saturating_add(most));
    (now < sane && !waited).then_some((sane, cause))
}
