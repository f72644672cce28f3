//! What an agent does about one task's lease, in the steps of `host::leases`.

use super::{Answer, Doing, Event, For, Mutant, Oid, Request, TTL_S, World, is_set, oid_of, set};
use overnight_lease::backoff::{self, Asked};
use overnight_lease::record::Phase;
use overnight_lease::{Evidence, Me, Now, Record, Standing, State, Why, judge};

/// Between two looks at the line.
const LOOK: u64 = 30_000;

impl World {
    pub(super) fn act(&mut self, agent: usize) {
        match self.agents[agent].phase {
            Doing::Working => self.work_on(agent),
            _ => self.seek(agent),
        }
    }

    /// Chooses the next task that is not known to be done and may be asked for.
    pub(super) fn seek(&mut self, agent: usize) {
        let now = self.now;
        let state = &mut self.agents[agent];
        state.phase = Doing::Idle;
        if state.looked.is_none_or(|at| now > at + LOOK) {
            state.phase = Doing::Looking;
            return self.send(agent, Request::Line);
        }
        // Each begins elsewhere, as drivers that start at different times do.
        let words = state.done.len();
        let first = state.cursor.unwrap_or(agent * 7_919 % words);
        let may = |task: &usize| state.asked.get(task).is_none_or(|(_, again)| *again <= now);
        let open = (0..words).map(|at| (first + at) % words).find_map(|word| {
            let mut left = !state.done[word];
            while left != 0 {
                let task = word * 64 + left.trailing_zeros() as usize;
                if may(&task) {
                    return Some(task);
                }
                left &= left - 1;
            }
            None
        });
        let Some(task) = open else {
            // Until one may be asked for again, or it is time to look at the line.
            let next = state.asked.values().map(|(_, again)| *again).min();
            let look = state.looked.unwrap_or(now) + LOOK;
            let wait = next.unwrap_or(look).min(look).saturating_sub(now);
            let wait = wait + 1 + self.random.below(2_000);
            return self.later(agent, wait, Event::Act);
        };
        // What it has just asked for in vain it does not look at again at once.
        state.cursor = Some(task / 64);
        (state.task, state.rounds, state.fresh) = (task, 0, false);
        self.ask(agent);
    }

    /// `host::leases::acquire`: decides by what is known, looks, and decides again.
    pub(super) fn ask(&mut self, agent: usize) {
        let (me, now) = (self.me(agent), self.clock(self.agents[agent].machine));
        let task = self.agents[agent].task;
        // Taken out and put back: it is too large to be copied at each of a million questions.
        let state = self.agents[agent].states.remove(&task).unwrap_or_default();
        let absent = Standing::Absent;
        let standing = state.standing.as_ref().unwrap_or(&absent);
        let evidence = self.evidence(agent, &state, standing);
        let verdict = match judge(standing, &me, now, evidence) {
            overnight_lease::Answer::Take { why, .. } if self.mutant == Mutant::OldToken => {
                overnight_lease::Answer::Take {
                    token: standing.record().map_or(1, |record| record.token),
                    why,
                }
            }
            overnight_lease::Answer::Take { why, .. }
                if self.mutant == Mutant::Timid && !matches!(why, Why::New | Why::Released) =>
            {
                overnight_lease::Answer::Held
            }
            verdict => verdict,
        };
        let known = oid_of(standing);
        let mine = standing.record().map_or(0, |record| record.token);
        let expected = oid_of(standing);
        let agent_state = &mut self.agents[agent];
        agent_state.states.insert(task, state);
        agent_state.rounds += 1;
        let (token, why) = match verdict {
            overnight_lease::Answer::Take { token, why } => (token, Some(why)),
            overnight_lease::Answer::Mine => (mine, None),
            overnight_lease::Answer::Held if !agent_state.fresh && agent_state.rounds <= 4 => {
                agent_state.phase = Doing::Reading;
                return self.send(agent, Request::Read { task, known });
            }
            overnight_lease::Answer::Held => return self.refused(agent),
        };
        if agent_state.rounds > 4 {
            return self.refused(agent);
        }
        agent_state.why = why;
        let record = self.record(agent, (token, Phase::Held), (&me, now));
        self.put(agent, For::Acquire, record, expected);
    }

    /// Asked in vain: again when the core says so.
    pub(super) fn refused(&mut self, agent: usize) {
        let now = self.now;
        let state = &mut self.agents[agent];
        let times = state.asked.get(&state.task).map_or(0, |(times, _)| *times);
        let asked = Asked {
            times,
            held: u32::try_from(state.asked.len()).unwrap(),
            ttl_s: TTL_S,
        };
        let again = backoff::again_at(asked, &format!("{agent} {}", state.task), now);
        state.asked.insert(state.task, (times + 1, again));
        self.later(agent, 10, Event::Act);
    }

    pub(super) fn evidence(&self, agent: usize, state: &State, standing: &Standing) -> Evidence {
        let owner = standing.record().and_then(|record| record.owner.as_ref());
        let dead = owner.is_some_and(|owner| {
            let other = &self.agents[usize::try_from(owner.pid).unwrap() - 2];
            let here = owner.space == format!("h{}", self.agents[agent].machine);
            here && (other.life.to_string() != owner.start || !other.alive)
        });
        Evidence {
            watched_ms: match self.mutant {
                Mutant::Impatient => u64::MAX / 4_000,
                _ => state.watched_ms(),
            },
            owner_dead: dead,
        }
    }

    pub(super) fn record(
        &mut self,
        agent: usize,
        (token, state): (u64, Phase),
        (me, now): (&Me, Now),
    ) -> Box<Record> {
        Box::new(Record {
            v: Record::version(),
            task: format!("t{}", self.agents[agent].task),
            state,
            agent: me.agent.clone(),
            host: me.host.clone(),
            instance: me.instance.clone(),
            boot: me.boot.clone(),
            token,
            ttl_s: TTL_S,
            acquired_ms: now.wall_ms,
            renewed_ms: now.wall_ms,
            mono_ms: now.mono_ms,
            nonce: format!("{agent}-{}", self.random.next()),
            owner: me.owner.clone(),
        })
    }

    pub(super) fn put(
        &mut self,
        agent: usize,
        what: For,
        record: Box<Record>,
        expected: Option<Oid>,
    ) {
        let oid = self.random.next();
        self.push_again(agent, (what, record, expected, oid, 1));
    }

    pub(super) fn push_again(
        &mut self,
        agent: usize,
        sent: (For, Box<Record>, Option<Oid>, Oid, u32),
    ) {
        let (what, record, expected, oid, times) = sent;
        let task = self.agents[agent].task;
        self.agents[agent].phase = Doing::Pushing(what, record.clone(), expected, oid, times);
        let done = what == For::Publish;
        self.send(
            agent,
            Request::Push {
                task,
                expected,
                oid,
                record,
                done,
            },
        );
    }

    pub(super) fn observe(&mut self, agent: usize, standing: Standing) {
        let (me, now) = (self.me(agent), self.clock(self.agents[agent].machine));
        let task = self.agents[agent].task;
        let state = self.agents[agent].states.entry(task).or_default();
        state.observe(standing, &me.boot, now.mono_ms);
    }

    /// The ref carries what it carried when this agent looked last.
    fn observe_unmoved(&mut self, agent: usize) {
        let (me, now) = (self.me(agent), self.clock(self.agents[agent].machine));
        let agent = &mut self.agents[agent];
        let state = agent.states.entry(agent.task).or_default();
        state.observe_unmoved(&me.boot, now.mono_ms);
    }

    pub(super) fn reply(&mut self, agent: usize, answer: Answer) {
        if matches!(answer, Answer::Line) {
            let done = self.done.clone();
            let state = &mut self.agents[agent];
            state.asked.retain(|task, _| !is_set(&done, *task));
            (state.done, state.looked) = (done, Some(self.now));
        }
        let phase = std::mem::replace(&mut self.agents[agent].phase, Doing::Idle);
        match (phase, answer) {
            (Doing::Looking, Answer::Line) => self.seek(agent),
            (Doing::Looking, _) => self.later(agent, 5_000, Event::Act),
            (Doing::Confirming, Answer::Line) => {
                let state = &self.agents[agent];
                if is_set(&state.done, state.task) {
                    self.release(agent);
                } else {
                    self.begin(agent);
                }
            }
            // It cannot know; it gives the task back, or lets it run out.
            (Doing::Confirming, _) => self.release(agent),
            (Doing::Reading, Answer::Standing(standing)) => {
                self.observe(agent, standing);
                self.agents[agent].fresh = true;
                self.ask(agent);
            }
            (Doing::Reading, Answer::Unmoved) => {
                self.observe_unmoved(agent);
                self.agents[agent].fresh = true;
                self.ask(agent);
            }
            (Doing::Reading, _) => self.refused(agent),
            (Doing::ReadingOwn(what), Answer::Standing(found)) => {
                self.look_at_own(agent, what, found);
            }
            (Doing::Pushing(what, record, _, oid, _), Answer::Moved) => {
                self.pushed(agent, what, record, oid);
            }
            (Doing::Pushing(what, ..), Answer::Stale) => self.beaten(agent, what),
            (Doing::Pushing(what, record, expected, oid, times), _) => {
                let task = self.agents[agent].task;
                self.agents[agent].phase = Doing::ReadingBack(what, record, expected, oid, times);
                self.send(agent, Request::Read { task, known: None });
            }
            (Doing::ReadingBack(what, record, expected, oid, times), Answer::Standing(found)) => {
                let stands = oid_of(&found);
                if stands == Some(oid) {
                    self.pushed(agent, what, record, oid);
                } else if stands == expected && times < 4 {
                    self.push_again(agent, (what, record, expected, oid, times + 1));
                } else {
                    self.observe(agent, found);
                    self.beaten(agent, what);
                }
            }
            // The outcome stays open (exit status 69).
            (Doing::ReadingBack(what, ..) | Doing::ReadingOwn(what), _) => {
                self.unclear(agent, what);
            }
            (phase, answer) => panic!("{answer:?} in {phase:?}"),
        }
    }

    pub(super) fn pushed(&mut self, agent: usize, what: For, record: Box<Record>, oid: Oid) {
        let standing = Standing::Record {
            oid: oid.to_string(),
            record: record.clone(),
        };
        self.observe(agent, standing);
        let now = self.now;
        let state = &mut self.agents[agent];
        state.oid = oid;
        match what {
            For::Acquire => {
                state.holds = Some(record);
                state.asked.remove(&state.task);
                let (task, why) = (state.task, state.why);
                if let Some(why) = why {
                    if !matches!(why, Why::New | Why::Released) {
                        *self.figures.taken.entry(format!("{why:?}")).or_default() += 1;
                    }
                    if let Some(since) = self.orphaned.remove(&task) {
                        let waited = (now - since) / 1_000;
                        let longest = &mut self.figures.longest_orphaned_s;
                        *longest = waited.max(*longest);
                    }
                }
                self.agents[agent].phase = Doing::Confirming;
                self.send(agent, Request::Line);
            }
            For::Renew => {
                state.holds = Some(record);
                state.next_renewal = now + TTL_S * 1_000 / 3;
                state.phase = Doing::Working;
                self.work_later(agent);
            }
            For::Publish => {
                state.holds = Some(record);
                let task = state.task;
                set(&mut state.done, task);
                self.release(agent);
            }
            For::Release => self.let_go(agent),
        }
    }

    /// The ref is not what it was.
    pub(super) fn beaten(&mut self, agent: usize, what: For) {
        match what {
            For::Acquire => {
                self.agents[agent].phase = Doing::Reading;
                let task = self.agents[agent].task;
                self.send(agent, Request::Read { task, known: None });
            }
            For::Renew | For::Publish | For::Release => {
                self.agents[agent].phase = Doing::ReadingOwn(what);
                let task = self.agents[agent].task;
                self.send(agent, Request::Read { task, known: None });
            }
        }
    }

    /// The ref carries another object: an earlier push of its own, or somebody else's.
    pub(super) fn look_at_own(&mut self, agent: usize, what: For, found: Standing) {
        let oid = oid_of(&found);
        let record = found.record().cloned();
        self.observe(agent, found);
        let state = &mut self.agents[agent];
        let token = state.holds.as_ref().map(|held| held.token);
        match (record, oid) {
            (Some(record), Some(oid))
                if Some(record.token) == token && record.state == Phase::Held =>
            {
                (state.holds, state.oid) = (Some(Box::new(record)), oid);
                if what == For::Publish {
                    // It may have been published by that push.
                    state.phase = Doing::Confirming;
                    self.send(agent, Request::Line);
                } else {
                    self.with_lease(agent, what);
                }
            }
            _ => self.let_go(agent),
        }
    }

    pub(super) fn unclear(&mut self, agent: usize, what: For) {
        match what {
            For::Acquire => self.refused(agent),
            // Tried again at an eighth of the time between two renewals.
            For::Renew => {
                let now = self.now;
                let state = &mut self.agents[agent];
                state.next_renewal = now + TTL_S * 1_000 / 3 / 8;
                state.phase = Doing::Working;
                self.work_later(agent);
            }
            For::Publish => {
                self.agents[agent].phase = Doing::Working;
                self.later(agent, 5_000, Event::Act);
            }
            For::Release => self.let_go(agent),
        }
    }

    pub(super) fn let_go(&mut self, agent: usize) {
        let state = &mut self.agents[agent];
        (state.holds, state.reckless, state.finished) = (None, false, false);
        state.phase = Doing::Idle;
        self.later(agent, 10, Event::Act);
    }

    pub(super) fn release(&mut self, agent: usize) {
        self.with_lease(agent, For::Release);
    }
}
