//! What a remote allows, found out by trying it on refs of our own.

use super::Leases;
use crate::git;
use overnight_base::fault::Fault;
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
        checks.push(match self.pack() {
            Ok(what) => check("what is loose is packed", true, what),
            Err(fault) => check("what is loose is packed", false, fault.reason),
        });
        Ok(Diagnosis {
            checks,
            usable,
            namespace: self.store.namespace(),
            swept,
        })
    }
}

pub(super) fn check(name: &'static str, ok: bool, detail: String) -> Check {
    Check { name, ok, detail }
}
