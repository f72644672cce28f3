//! Taking a lease: decide by what is known, move the ref, look again when somebody else did.

use super::keep::Put;
use super::{Acquired, Grant, Holder, Leases};
use crate::{clock, owner, random};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_lease::judge::{is_live, is_mine};
use overnight_lease::record::{Phase, Standing};
use overnight_lease::{Answer, Evidence, Now, Record, State, judge};
use overnight_tasks::TaskId;
use std::time::{Duration, Instant};

/// How often a lost race is run again at once: whoever beat us holds it then, as a rule.
const ROUNDS: usize = 4;
/// Between two looks at a lease that is held: first and longest pause.
const POLL_FIRST: Duration = Duration::from_millis(100);
const POLL_MAX: Duration = Duration::from_secs(3);

impl Leases {
    /// Takes the lease of `task` for `ttl_s` seconds, or tells who has it. By the agent that holds
    /// it already: renews it under the same token.
    pub fn acquire(&self, task: &TaskId, ttl_s: u64) -> Result<Acquired, Fault> {
        let asked_ms = clock::mono_ms();
        if let Some(holder) = self.mirror_blocks(task)? {
            return Ok(Acquired::Held(holder));
        }
        let _lock = self.lock(task)?;
        let mut state = self.load(task)?;
        for _ in 0..ROUNDS {
            let now = self.now();
            let standing = state.standing.clone().unwrap_or(Standing::Absent);
            let verdict = judge(&standing, &self.me, now, evidence(&state, &standing));
            let (token, why) = match verdict {
                Answer::Held if state.is_fresh(&self.me.boot, asked_ms) => break,
                Answer::Held => {
                    self.look(task, &mut state)?;
                    continue;
                }
                Answer::Take { token, why } => (token, Some(why)),
                Answer::Mine => (standing.record().map_or(0, |record| record.token), None),
            };
            let before = standing.record().filter(|_| why.is_none());
            let record = self.record(task, before, Terms { token, ttl_s }, now)?;
            match self.put(task, &standing, record, &mut state)? {
                // The answer took longer than the lease lasts.
                Put::Done(record) if !is_live(&record, &self.me, self.now()) => {}
                Put::Done(record) => {
                    let record = *record;
                    let notes = self.mirror(&record);
                    return Ok(Acquired::Granted(Box::new(Grant { record, why, notes })));
                }
                Put::Moved => self.look(task, &mut state)?,
            }
        }
        let held = state.record().filter(|record| record.state == Phase::Held);
        if held.is_some_and(|record| is_mine(record, &self.me)) {
            let reason = "the answers take longer than the lease's time to live";
            return Err(Fault::new(Code::LockAcquire, reason));
        }
        Ok(Acquired::Held(holder(&state)))
    }

    /// Like [`acquire`](Self::acquire), but waits for the lease as long as `wait`. A remote that
    /// cannot be reached is asked again until then.
    pub fn acquire_within(
        &self,
        task: &TaskId,
        ttl_s: u64,
        wait: Duration,
    ) -> Result<Acquired, Fault> {
        let end = Instant::now() + wait;
        let mut pause = POLL_FIRST;
        loop {
            let outcome = self.acquire(task, ttl_s);
            let left = end.saturating_duration_since(Instant::now());
            let again = match &outcome {
                Ok(Acquired::Granted(_)) => false,
                Ok(Acquired::Held(_)) => true,
                Err(fault) => matches!(fault.code, Code::LockAcquire | Code::LockOutcome),
            };
            if !again || left.is_zero() {
                return outcome;
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 3 / 2).min(POLL_MAX);
        }
    }

    /// Looks at the ref: whether it moved, and if so what it says now.
    pub(super) fn look(&self, task: &TaskId, state: &mut State) -> Result<(), Fault> {
        let known = state
            .standing
            .as_ref()
            .and_then(Standing::oid)
            .map(str::to_owned);
        let name = self.store.lease_ref(task);
        let unmoved = known.is_some() && self.store.peek(&name)? == known;
        if unmoved {
            state.observe_unmoved(&self.me.boot, clock::mono_ms());
        } else {
            let standing = self.store.read(task)?;
            state.observe(standing, &self.me.boot, clock::mono_ms());
        }
        self.save(task, state)
    }

    /// The record to put on the ref; `before` is the one that it renews.
    fn record(
        &self,
        task: &TaskId,
        before: Option<&Record>,
        terms: Terms,
        now: Now,
    ) -> Result<Record, Fault> {
        let owner = before.and_then(|record| record.owner.clone());
        Ok(Record {
            v: Record::version(),
            task: task.to_string(),
            state: Phase::Held,
            agent: self.me.agent.clone(),
            host: self.me.host.clone(),
            instance: self.me.instance.clone(),
            boot: self.me.boot.clone(),
            token: terms.token,
            ttl_s: terms.ttl_s,
            acquired_ms: before.map_or(now.wall_ms, |record| record.acquired_ms),
            renewed_ms: now.wall_ms,
            mono_ms: now.mono_ms,
            nonce: random::hex::<16>()?,
            owner: self.me.owner.clone().or(owner),
        })
    }
}

/// What a holder gets.
#[derive(Clone, Copy)]
struct Terms {
    token: u64,
    ttl_s: u64,
}

pub(super) fn evidence(state: &State, standing: &Standing) -> Evidence {
    let owner = standing.record().and_then(|record| record.owner.as_ref());
    Evidence {
        watched_ms: state.watched_ms(),
        owner_dead: owner.is_some_and(owner::is_dead),
    }
}

/// Who has it, by what was last seen.
fn holder(state: &State) -> Holder {
    match &state.standing {
        Some(Standing::Record { record, .. }) => Holder::of(record),
        Some(Standing::Unreadable { .. }) => Holder::unknown("its record cannot be read"),
        _ => Holder::unknown("several agents race for it"),
    }
}
