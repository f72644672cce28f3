//! Publishing work under a lease: both refs move in one atomic push, or none.

use super::keep::{PAUSES_MS, Put, unanswered};
use super::store::WORK_LIMIT;
use super::{Kept, Leases};
use crate::git::{self, Output};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_lease::push::{self, Pushed};
use overnight_lease::record::Standing;
use overnight_lease::{Record, State, refspec};
use overnight_tasks::TaskId;
use std::cell::Cell;
use std::time::Duration;

/// This repository as the remote of a push to itself.
const HERE: &str = ".";
/// Told when a remote is not able to move two refs at once.
const NOT_ATOMIC: &str = "this remote cannot push atomically: the lease was checked before and after the work was pushed";

/// What one try to push work and lease came to.
enum Try {
    Arrived,
    Moved,
    NotAtomic,
    Refused(Fault),
    Open(Fault),
}

/// The next record of a lease and what it replaces.
struct Step<'s> {
    task: &'s TaskId,
    standing: &'s Standing,
    record: Record,
    refspecs: &'s [String],
}

impl Leases {
    /// Pushes work under a lease that is held under `token`; the lease is renewed by the same
    /// push, which is what fences: a ref that is not moved is not compared. A remote without
    /// atomic pushes gets the lease, the work, and another look at the lease, and a note says so.
    pub fn publish(&self, task: &TaskId, token: u64, refspecs: &[String]) -> Result<Kept, Fault> {
        for refspec in refspecs {
            refspec::check(refspec).map_err(|reason| Fault::new(Code::InputInvalid, reason))?;
        }
        let refspecs = refspecs.iter().map(|refspec| self.store.resolved(refspec));
        let refspecs: Vec<String> = refspecs.collect::<Result<_, _>>()?;
        let atomic = Cell::new(true);
        let put = |record: Record, standing: &Standing, state: &mut State| {
            let step = Step {
                task,
                standing,
                record,
                refspecs: &refspecs,
            };
            if atomic.get()
                && let Some(put) = self.put_with_work(&step, state)?
            {
                return Ok(put);
            }
            atomic.set(false);
            self.put_then_work(step, state)
        };
        let renew = |old: &Record, now| self.renewed(old, now, None);
        let mut kept = self.while_held(task, token, &renew, &put)?;
        if let (Kept::Done(grant), false) = (&mut kept, atomic.get()) {
            grant.notes.push(NOT_ATOMIC.to_owned());
        }
        Ok(kept)
    }

    /// The atomic push, repeated while its outcome is open; `None` when the remote cannot do it.
    fn put_with_work(&self, step: &Step<'_>, state: &mut State) -> Result<Option<Put>, Fault> {
        let oid = self.store.write(&step.record, step.standing.oid())?;
        let mut open = None;
        for pause_ms in PAUSES_MS {
            match self.try_with_work(step, &oid)? {
                Try::NotAtomic => return Ok(None),
                Try::Moved => return Ok(Some(Put::Moved)),
                Try::Arrived => {
                    let put = self.arrived(step.task, oid, step.record.clone(), state)?;
                    return Ok(Some(put));
                }
                Try::Refused(fault) => return Err(fault),
                Try::Open(fault) => open = Some(fault),
            }
            std::thread::sleep(Duration::from_millis(pause_ms));
        }
        Err(open.unwrap_or_else(|| Fault::new(Code::LockOutcome, "the remote gives no answer")))
    }

    fn try_with_work(&self, step: &Step<'_>, oid: &str) -> Result<Try, Fault> {
        let name = self.store.lease_ref(step.task);
        let expected = step.standing.oid();
        let remote = self.store.remote().unwrap_or(HERE);
        let lease = format!("--force-with-lease={name}:{}", expected.unwrap_or_default());
        let mut command = self.store.push_command(remote);
        command.args([
            "--atomic",
            lease.as_str(),
            "--",
            remote,
            &format!("{oid}:{name}"),
        ]);
        command.args(step.refspecs);
        let done = git::output_within(&mut command, &[], WORK_LIMIT)?;
        if push::lacks_atomic(&done.stderr) {
            return Ok(Try::NotAtomic);
        }
        let said = done.text();
        let refused = match push::outcome(&said, &name) {
            Pushed::Moved | Pushed::There if done.ok() => return Ok(Try::Arrived),
            Pushed::Stale => return Ok(Try::Moved),
            Pushed::Refused(reason) => Some(reason),
            Pushed::Moved | Pushed::There | Pushed::Unknown => None,
        };
        if let Some(fault) = refused_work(&done, &said, &name, remote) {
            return Ok(Try::Refused(fault));
        }
        Ok(match self.store.peek(&name) {
            Ok(Some(found)) if found == oid => Try::Arrived,
            Ok(found) if found.as_deref() != expected => Try::Moved,
            Ok(_) => Try::Open(self.unmoved(refused, &done)),
            Err(fault) => return Err(unanswered(fault, refused.is_none(), &done)),
        })
    }

    /// Without atomic pushes: lease, work, and a look whether the lease was still ours after it.
    fn put_then_work(&self, step: Step<'_>, state: &mut State) -> Result<Put, Fault> {
        let name = self.store.lease_ref(step.task);
        let put = self.put(step.task, step.standing, step.record, state)?;
        if matches!(put, Put::Moved) {
            return Ok(put);
        }
        let remote = self.store.remote().unwrap_or(HERE);
        let mut command = self.store.push_command(remote);
        command.args(["--", remote]).args(step.refspecs);
        let done = git::output_within(&mut command, &[], WORK_LIMIT)?;
        if !done.ok() {
            let fault = refused_work(&done, &done.text(), &name, remote);
            return Err(fault.unwrap_or_else(|| self.store.unreachable(&done)));
        }
        let ours = state.standing.as_ref().and_then(Standing::oid);
        if self.store.peek(&name)?.as_deref() == ours {
            return Ok(put);
        }
        Ok(Put::Moved)
    }
}

/// The remote, or git before sending, refuses the work itself; the lease stays ours.
fn refused_work(done: &Output, stdout: &str, lease: &str, remote: &str) -> Option<Fault> {
    let refusals = push::refusals(stdout, lease);
    let told: Vec<_> = refusals
        .iter()
        .filter(|(_, reason)| !reason.contains("atomic"))
        .map(|(name, reason)| format!("{name}: {reason}"))
        .collect();
    let unknown_source =
        done.stderr.contains("src refspec") || done.stderr.contains("not a valid ref");
    if told.is_empty() && !unknown_source {
        return None;
    }
    let why = if told.is_empty() {
        text::one_line(&done.stderr, 200)
    } else {
        told.join("; ")
    };
    let reason = format!("{remote} did not take the work: {why}");
    Some(
        Fault::new(Code::GitFailed, reason)
            .hint("the lease is still held: fetch, merge and publish again"),
    )
}
