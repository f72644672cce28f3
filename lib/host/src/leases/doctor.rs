//! What a remote allows, found out by trying it on refs of our own.

use super::Leases;
use crate::git;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_lease::refname::{NAMESPACE, NAMESPACE_HEADS};

/// One thing that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was tried, in words.
    pub name: &'static str,
    /// Did it work?
    pub ok: bool,
    /// What git said, or what follows from it.
    pub detail: String,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// What was tried, in order.
    pub checks: Vec<Check>,
    /// Can leases be used here?
    pub usable: bool,
    /// Where they live.
    pub namespace: &'static str,
    /// Tombstones that were swept.
    pub swept: usize,
}

impl Leases {
    /// Tries whether leases work here: the remote answers, accepts our refs, refuses a stale
    /// compare-and-swap, and pushes atomically. A remote that accepts only branches is remembered
    /// as such. Sweeps tombstones of long ago.
    pub fn doctor(&mut self) -> Result<Diagnosis, Fault> {
        let mut checks = Vec::new();
        let version = git::read(&self.place.top, &["--version"])?;
        checks.push(check("git is there", true, version));
        let answer = self.store.peek("refs/overnight/none");
        let reached = answer.is_ok();
        let remote = self.remote().unwrap_or("this repository").to_owned();
        let detail = answer.err().map_or(remote, |fault| fault.reason);
        checks.push(check("the remote answers", reached, detail));
        let mut usable = false;
        for namespace in [NAMESPACE, NAMESPACE_HEADS] {
            if reached && !usable {
                self.store.set_namespace(namespace, &self.folder)?;
                usable = self.probe(&mut checks)?;
            }
        }
        if !usable {
            self.store.set_namespace(NAMESPACE, &self.folder)?;
        }
        let swept = if usable { self.sweep()? } else { 0 };
        checks.push(self.pack());
        Ok(Diagnosis {
            checks,
            usable,
            namespace: self.store.namespace(),
            swept,
        })
    }
}

impl Leases {
    /// Packs this repository's refs and loose objects: git never does so by itself for ours, and
    /// each of thousands of small files costs every command something. Nothing is deleted.
    fn pack(&self) -> Check {
        let steps: [&[&str]; 3] = [
            &["pack-refs", "--all", "--prune"],
            &["maintenance", "run", "--quiet", "--task=loose-objects"],
            // The second time it removes the loose copies of what the first one packed.
            &["maintenance", "run", "--quiet", "--task=loose-objects"],
        ];
        let failed = steps
            .iter()
            .find_map(|step| match git::run(&self.place.top, step) {
                Ok(done) if done.ok() => None,
                Ok(done) => Some(text::one_line(&done.stderr, 200)),
                Err(fault) => Some(fault.reason),
            });
        let detail = failed
            .clone()
            .unwrap_or_else(|| "refs and objects".to_owned());
        check("what is loose is packed", failed.is_none(), detail)
    }
}

pub(super) fn check(name: &'static str, ok: bool, detail: String) -> Check {
    Check { name, ok, detail }
}
