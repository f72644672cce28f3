//! Trying a remote out, on refs that are no leases.

use super::Leases;
use super::doctor::{Check, check};
use super::store::Store;
use crate::random;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_lease::Record;
use overnight_lease::push::{self, Pushed};
use overnight_lease::record::Phase;

impl Leases {
    /// Tries every kind of move in the present namespace.
    pub(super) fn probe(&self, checks: &mut Vec<Check>) -> Result<bool, Fault> {
        let nonce = random::hex::<16>()?;
        // No lease: `_` cannot begin a task id.
        let name = format!("{}/_probe-{nonce}", self.store.namespace());
        let first = self.probe_object(None)?;
        let (created, output) = self.store.swap(&name, None, &first)?;
        let made = created == Pushed::Moved;
        let detail = if made {
            name.clone()
        } else {
            text::one_line(&output.stderr, 200)
        };
        checks.push(check("it accepts our refs", made, detail));
        if !made {
            return Ok(false);
        }
        let second = self.probe_object(Some(&first))?;
        let stale = self.store.swap(&name, None, &second)?.0 == Pushed::Stale;
        checks.push(check("it refuses what is stale", stale, String::new()));
        let (swapped, output) = self.store.swap(&name, Some(&first), &second)?;
        let moves = swapped == Pushed::Moved;
        let said = text::one_line(&output.stderr, 200);
        let detail = if moves { String::new() } else { said };
        checks.push(check("it moves a ref that is not", moves, detail));
        let atomic = self.probe_atomic(&name, &second)?;
        let detail = if atomic {
            ""
        } else {
            "publish checks before and after instead"
        };
        checks.push(check(
            "it moves two refs at once",
            atomic,
            detail.to_owned(),
        ));
        for name in [name.clone(), format!("{name}-2")] {
            if let Some(oid) = self.store.peek(&name)? {
                self.store.delete(&[(name, oid)])?;
            }
        }
        Ok(stale && moves)
    }

    fn probe_atomic(&self, name: &str, oid: &str) -> Result<bool, Fault> {
        let Some(remote) = self.remote() else {
            return Ok(true);
        };
        let third = self.probe_object(Some(oid))?;
        let mut command = self.store.push_command(remote);
        let lease = format!("--force-with-lease={name}:{oid}");
        command.args(["--atomic", &lease, "--", remote]);
        command.args([format!("{third}:{name}"), format!("{third}:{name}-2")]);
        let done = self.store.timeout.ask(&mut command)?;
        Ok(push::outcome(&done.text(), name) == Pushed::Moved)
    }

    fn probe_object(&self, parent: Option<&str>) -> Result<String, Fault> {
        let now = self.now();
        let record = Record {
            v: Record::version(),
            task: "_probe".to_owned(),
            state: Phase::Free,
            agent: self.me.agent.clone(),
            host: self.me.host.clone(),
            instance: self.me.instance.clone(),
            boot: self.me.boot.clone(),
            token: 1,
            ttl_s: 1,
            acquired_ms: now.wall_ms,
            renewed_ms: now.wall_ms,
            mono_ms: now.mono_ms,
            nonce: random::hex::<16>()?,
            owner: None,
        };
        Store::write(&self.store, &record, parent)
    }
}
