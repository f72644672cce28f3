//! Reading every lease ref at once.

use super::Leases;
use super::store::{WORK_LIMIT, failed, record_of};
use crate::git;
use overnight_base::fault::Fault;
use overnight_lease::State;
use overnight_lease::record::Standing;
use overnight_lease::refname::{self, LISTED};
use overnight_tasks::TaskId;
use std::collections::BTreeMap;

impl Leases {
    /// Every lease ref with what stands on it. What stands where the table saw it is not asked for
    /// again; the caller holds the list's lock.
    pub(super) fn standings(
        &self,
        known: &BTreeMap<TaskId, State>,
    ) -> Result<Vec<(TaskId, Standing)>, Fault> {
        let namespace = self.store.namespace();
        let Some(remote) = self.remote() else {
            return self.read_refs(&format!("{namespace}/"));
        };
        if !known.is_empty() {
            let prefix = format!("{namespace}/");
            let refs = self.store.refs(&format!("{prefix}*"))?;
            let unmoved = |(oid, name): &(String, String)| {
                let task = refname::decode(name.strip_prefix(&prefix)?)?;
                let standing = known.get(&task)?.standing.clone()?;
                (standing.oid() == Some(oid)).then_some((task, standing))
            };
            let is_lease = |(_, name): &&(String, String)| {
                name.strip_prefix(&prefix)
                    .is_some_and(|name| refname::decode(name).is_some())
            };
            let refs: Vec<_> = refs.iter().filter(is_lease).collect();
            let standings: Option<Vec<_>> = refs.into_iter().map(unmoved).collect();
            if let Some(standings) = standings {
                return Ok(standings);
            }
        }
        let copies = format!("{LISTED}/{}/", refname::encode(remote));
        let refspec = format!("+{namespace}/*:{copies}*");
        // Thousands of records over a slow line take their time; a remote that is gone says so.
        let done = self
            .store
            .fetch(remote, (&["--prune"], WORK_LIMIT), &refspec)?;
        if !done.ok() {
            return Err(self.store.unreachable(&done));
        }
        self.read_refs(&copies)
    }

    /// The leases among the refs with this prefix.
    fn read_refs(&self, prefix: &str) -> Result<Vec<(TaskId, Standing)>, Fault> {
        let mut command = self.store.command();
        let format = "--format=%(refname)%00%(objectname)%00%(objecttype)%00%(contents)%00%00";
        command.args(["for-each-ref", format, prefix]);
        let done = git::output(&mut command, &[])?;
        if !done.ok() {
            return Err(failed("git for-each-ref", &done));
        }
        let entries = split(&done.stdout, b"\0\0\n");
        Ok(entries
            .into_iter()
            .filter_map(|entry| lease(entry, prefix))
            .collect())
    }
}

/// One entry of `for-each-ref`: name, object id, kind, message.
fn lease(entry: &[u8], prefix: &str) -> Option<(TaskId, Standing)> {
    let mut parts = entry.splitn(4, |byte| *byte == 0);
    let mut word = || {
        parts
            .next()
            .map(|part| String::from_utf8_lossy(part).into_owned())
    };
    let (name, oid, kind) = (word()?, word()?, word()?);
    let task = refname::decode(name.strip_prefix(prefix)?)?;
    let standing = record_of(&oid, &kind, parts.next()?, &task);
    Some((task, standing))
}

fn split<'b>(bytes: &'b [u8], by: &[u8]) -> Vec<&'b [u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(by.len()).position(|window| window == by) {
        parts.push(&rest[..at]);
        rest = &rest[at + by.len()..];
    }
    parts
}
