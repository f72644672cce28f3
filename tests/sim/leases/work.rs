//! What an agent does with a lease: it confirms, works, renews, publishes, gives back.

use super::{Doing, Event, For, MINUTE, TTL_S, World};
use overnight_lease::judge::is_live;
use overnight_lease::record::Phase;

impl World {
    /// Puts the next record of what it holds; a token that ran out is worth nothing.
    pub(super) fn with_lease(&mut self, agent: usize, what: For) {
        let (me, now) = (self.me(agent), self.clock(self.agents[agent].machine));
        let state = &self.agents[agent];
        let held = state.holds.clone();
        let Some(held) = held.filter(|held| state.reckless || is_live(held, &me, now)) else {
            return self.let_go(agent);
        };
        let phase = if what == For::Release {
            Phase::Free
        } else {
            Phase::Held
        };
        let expected = Some(state.oid);
        if what == For::Release {
            // Whoever sends it back has stopped before.
            self.agents[agent].holds = None;
        }
        let record = self.record(agent, (held.token, phase), (&me, now));
        self.put(agent, what, record, expected);
    }

    /// The work begins: some minutes, in which it may die, pause, or its machine may start anew.
    pub(super) fn begin(&mut self, agent: usize) {
        if self.agents[agent].finished {
            return self.with_lease(agent, For::Publish);
        }
        let now = self.now;
        let lasts = MINUTE + self.random.below(14 * MINUTE);
        let state = &mut self.agents[agent];
        state.phase = Doing::Working;
        (state.until, state.next_renewal) = (now + lasts, now + TTL_S * 1_000 / 3);
        match self.random.below(100) {
            0..3 => {
                let at = self.random.below(lasts);
                self.later(agent, at, Event::Die);
            }
            3..5 => {
                // Stopped for up to three times its lease; then it goes on as if nothing was.
                let pause = self.random.below(3 * TTL_S * 1_000);
                self.figures.pauses += 1;
                let state = &mut self.agents[agent];
                (state.until, state.next_renewal) = (now + pause, now + pause);
                state.reckless = self.random.chance(50);
                return self.later(agent, pause, Event::Act);
            }
            _ => {}
        }
        self.work_later(agent);
    }

    pub(super) fn work_later(&mut self, agent: usize) {
        let state = &self.agents[agent];
        let next = state.until.min(state.next_renewal);
        let wait = next.saturating_sub(self.now);
        self.later(agent, wait, Event::Act);
    }

    pub(super) fn work_on(&mut self, agent: usize) {
        if self.now >= self.agents[agent].until {
            self.agents[agent].finished = true;
            self.with_lease(agent, For::Publish);
        } else {
            self.with_lease(agent, For::Renew);
        }
    }
}
