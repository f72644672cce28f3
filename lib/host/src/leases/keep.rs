//! Moving the ref with a known outcome, and what only a holder may do: renew and release.

use super::{Grant, Holder, Kept, Leases, Loss};
use crate::git::Output;
use crate::{clock, random};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_lease::judge::is_live;
use overnight_lease::push::Pushed;
use overnight_lease::record::{Phase, Standing};
use overnight_lease::{Now, Record, State};
use overnight_tasks::TaskId;
use std::time::Duration;

/// Pauses after an unclear answer; the same object is sent again, so that whichever try arrives,
/// the holder is the same.
pub(super) const PAUSES_MS: [u64; 4] = [15, 60, 200, 500];

/// What became of a try to move the ref.
pub(super) enum Put {
    /// It carries our record now.
    Done(Box<Record>),
    /// Somebody else moved it first.
    Moved,
}

impl Leases {
    /// Moves the ref from what stands there to `record`. An unclear answer is resolved by reading
    /// back: only an object of ours on the ref counts as success.
    pub(super) fn put(
        &self,
        task: &TaskId,
        standing: &Standing,
        record: Record,
        state: &mut State,
    ) -> Result<Put, Fault> {
        let expected = standing.oid();
        let oid = self.store.write(&record, expected)?;
        let name = self.store.lease_ref(task);
        let mut last = None;
        for pause_ms in PAUSES_MS {
            let (outcome, output) = self.store.swap(&name, expected, &oid)?;
            let refused = match outcome {
                Pushed::Moved | Pushed::There => return self.arrived(task, oid, record, state),
                Pushed::Stale => return Ok(Put::Moved),
                Pushed::Refused(reason) => Some(reason),
                Pushed::Unknown => None,
            };
            match self.store.peek(&name) {
                Ok(Some(found)) if found == oid => return self.arrived(task, oid, record, state),
                Ok(found) if found.as_deref() != expected => return Ok(Put::Moved),
                Ok(_) => last = Some(self.unmoved(refused, &output)),
                // Reading back fails too. Whether the push arrived is open unless git never sent it.
                Err(fault) => return Err(unanswered(fault, refused.is_none(), &output)),
            }
            // Contenders of one ref must not come back in step.
            let jitter = u64::from(std::process::id()) % (pause_ms / 2 + 1);
            std::thread::sleep(Duration::from_millis(pause_ms + jitter));
        }
        Err(last.unwrap_or_else(|| Fault::new(Code::LockOutcome, "the remote gives no answer")))
    }

    pub(super) fn arrived(
        &self,
        task: &TaskId,
        oid: String,
        record: Record,
        state: &mut State,
    ) -> Result<Put, Fault> {
        let standing = Standing::Record {
            oid,
            record: Box::new(record.clone()),
        };
        state.observe(standing, &self.me.boot, clock::mono_ms());
        self.save(task, state)?;
        self.wrote();
        Ok(Put::Done(Box::new(record)))
    }

    /// The ref stands where it stood: refused for good, or an answer that never came.
    pub(super) fn unmoved(&self, refused: Option<String>, output: &Output) -> Fault {
        let remote = self.store.remote().unwrap_or("this repository");
        let said = text::one_line(&output.stderr, 300);
        let fault = if let Some(reason) = refused {
            let reason = format!("{remote} refuses the lease: {reason}: {said}");
            Fault::new(Code::LockAcquire, reason)
                .hint("task-lock doctor finds out what the remote allows")
        } else {
            let reason = format!("{remote} did not say whether it took the lease: {said}");
            Fault::new(Code::LockOutcome, reason)
        };
        fault.with("remote", remote)
    }

    /// Runs the lease on under its token, from now.
    pub fn renew(&self, task: &TaskId, token: u64, ttl_s: Option<u64>) -> Result<Kept, Fault> {
        let put = |record: Record, standing: &Standing, state: &mut State| {
            self.put(task, standing, record, state)
        };
        let kept = self.while_held(task, token, &|old, now| self.renewed(old, now, ttl_s), &put)?;
        Ok(match kept {
            // The answer took longer than the lease lasts.
            Kept::Done(grant) if !is_live(&grant.record, &self.me, self.now()) => {
                Kept::Lost(Loss::Expired)
            }
            kept => kept,
        })
    }

    /// Gives the lease back; a record stays, so that tokens only grow. Giving back twice is one.
    pub fn release(&self, task: &TaskId, token: u64) -> Result<Kept, Fault> {
        let _lock = self.lock(task)?;
        let mut state = self.load(task)?;
        let mut fresh = false;
        loop {
            let standing = state.standing.clone().unwrap_or(Standing::Absent);
            match standing.record() {
                Some(record) if record.token == token && record.state == Phase::Free => {
                    return Ok(self.done(record.clone()));
                }
                Some(record) if record.token == token => {
                    let tombstone = Record {
                        state: Phase::Free,
                        ..self.renewed(record, self.now(), None)?
                    };
                    match self
                        .put(task, &standing, tombstone, &mut state)
                        .map_err(release_fault)?
                    {
                        Put::Done(record) => return Ok(self.done(*record)),
                        Put::Moved => {}
                    }
                }
                other if fresh => return Ok(Kept::Lost(lost(other))),
                _ => {}
            }
            self.look(task, &mut state).map_err(release_fault)?;
            fresh = true;
        }
    }

    /// Changes the record of a lease that is held under `token`: `change` makes the next record,
    /// `put` brings it onto the ref.
    pub(super) fn while_held(
        &self,
        task: &TaskId,
        token: u64,
        change: &dyn Fn(&Record, Now) -> Result<Record, Fault>,
        put: &dyn Fn(Record, &Standing, &mut State) -> Result<Put, Fault>,
    ) -> Result<Kept, Fault> {
        let _lock = self.lock(task)?;
        let mut state = self.load(task)?;
        let mut fresh = false;
        loop {
            let now = self.now();
            let standing = state.standing.clone().unwrap_or(Standing::Absent);
            match standing.record() {
                Some(record) if record.token == token && record.state == Phase::Held => {
                    if self.has_run_out(record, now) {
                        return Ok(Kept::Lost(Loss::Expired));
                    }
                    match put(change(record, now)?, &standing, &mut state)? {
                        Put::Done(record) => return Ok(self.done(*record)),
                        Put::Moved => {}
                    }
                }
                other if fresh => return Ok(Kept::Lost(lost(other))),
                _ => {}
            }
            self.look(task, &mut state)?;
            fresh = true;
        }
    }

    /// A token is good until its time to live has passed: on this boot's clock where it counts,
    /// else (another machine or boot continues the work) on the wall clock.
    fn has_run_out(&self, record: &Record, now: Now) -> bool {
        if record.boot == self.me.boot {
            return !is_live(record, &self.me, now);
        }
        now.wall_ms >= record.expires_ms()
    }

    /// The same lease from now on, as this clone writes it.
    pub(super) fn renewed(
        &self,
        old: &Record,
        now: Now,
        ttl_s: Option<u64>,
    ) -> Result<Record, Fault> {
        Ok(Record {
            host: self.me.host.clone(),
            instance: self.me.instance.clone(),
            boot: self.me.boot.clone(),
            ttl_s: ttl_s.unwrap_or(old.ttl_s),
            renewed_ms: now.wall_ms,
            mono_ms: now.mono_ms,
            nonce: random::hex::<16>()?,
            owner: self.me.owner.clone().or_else(|| self.local_owner(old)),
            ..old.clone()
        })
    }

    /// The old record's process, where its id still means something.
    fn local_owner(&self, old: &Record) -> Option<overnight_lease::Owner> {
        let here = old.boot == self.me.boot && old.host == self.me.host;
        old.owner.clone().filter(|_| here)
    }

    pub(super) fn done(&self, record: Record) -> Kept {
        let notes = self.mirror(&record);
        let why = None;
        Kept::Done(Box::new(Grant { record, why, notes }))
    }
}

fn lost(found: Option<&Record>) -> Loss {
    Loss::Other(
        found
            .filter(|record| record.state == Phase::Held)
            .map(Holder::of),
    )
}

/// Nothing was read back. If git says that it could not even connect, nothing was sent.
pub(super) fn unanswered(fault: Fault, sent: bool, output: &Output) -> Fault {
    const NOT_SENT: [&str; 6] = [
        "does not appear to be a git repository",
        "Could not resolve host",
        "Connection refused",
        "unable to connect",
        "Failed to connect",
        "Could not connect",
    ];
    if !sent || NOT_SENT.iter().any(|words| output.stderr.contains(words)) {
        return fault;
    }
    Fault::new(Code::LockOutcome, fault.reason.clone()).with("sent", true)
}

/// The codes of acquiring say the wrong verb for a release.
fn release_fault(fault: Fault) -> Fault {
    match fault.code {
        Code::LockAcquire => Fault {
            code: Code::LockRelease,
            ..fault
        },
        _ => fault,
    }
}
