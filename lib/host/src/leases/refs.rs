//! Reading every lease ref at once.

use super::Leases;
use super::store::{WORK_LIMIT, failed, record_of};
use crate::git;
use overnight_base::fault::Fault;
use overnight_lease::State;
use overnight_lease::push;
use overnight_lease::record::Standing;
use overnight_lease::refname::{self, LISTED};
use overnight_tasks::TaskId;
use std::collections::BTreeMap;

/// So many refs that moved are fetched one by one; more are cheaper all at once.
const FEW: usize = 100;

/// Leases with what stands on them, and encoded names.
type Compared = (Vec<(TaskId, Standing)>, Vec<String>);

impl Leases {
    /// Every lease ref with what stands on it. What stands where the table saw it is not asked for
    /// again; the caller holds the list's lock.
    pub(super) fn standings(
        &self,
        known: &BTreeMap<TaskId, State>,
    ) -> Result<Vec<(TaskId, Standing)>, Fault> {
        let namespace = self.store.namespace();
        let Some(remote) = self.remote() else {
            let all = format!("{namespace}/");
            return self.read_refs(std::slice::from_ref(&all), &all);
        };
        let (mut standings, moved) = self.compare(known)?;
        if moved.is_empty() && !known.is_empty() {
            return Ok(standings);
        }
        let few = !known.is_empty() && moved.len() <= FEW;
        let options: &[&str] = if few { &[] } else { &["--prune"] };
        let wanted = if few {
            moved
        } else {
            standings.clear();
            vec!["*".to_owned()]
        };
        let copies = format!("{LISTED}/{}/", refname::encode(remote));
        let refspec = |name: &String| format!("+{namespace}/{name}:{copies}{name}");
        let refspecs: Vec<String> = wanted.iter().map(refspec).collect();
        // Thousands of records over a slow line take their time; a remote that is gone says so.
        let done = self.store.fetch(remote, (options, WORK_LIMIT), &refspecs)?;
        if few && push::is_missing_ref(&done.stderr) {
            // It went since: what is there now is asked for as a whole.
            return self.standings(&BTreeMap::new());
        }
        if !done.ok() {
            return Err(self.store.unreachable(&done));
        }
        let pattern = |name: &String| format!("{copies}{}", name.trim_end_matches('*'));
        let patterns: Vec<String> = wanted.iter().map(pattern).collect();
        standings.extend(self.read_refs(&patterns, &copies)?);
        Ok(standings)
    }

    /// The leases that stand on the remote where they were seen, and the names of the others.
    fn compare(&self, known: &BTreeMap<TaskId, State>) -> Result<Compared, Fault> {
        let (mut unmoved, mut moved) = (Vec::new(), Vec::new());
        if known.is_empty() {
            return Ok((unmoved, moved));
        }
        let prefix = format!("{}/", self.store.namespace());
        for (oid, name) in self.store.refs(&format!("{prefix}*"))? {
            let name = name.strip_prefix(&prefix).unwrap_or_default();
            let Some(task) = refname::decode(name) else {
                continue;
            };
            let standing = known.get(&task).and_then(|state| state.standing.clone());
            match standing.filter(|standing| standing.oid() == Some(&oid)) {
                Some(standing) => unmoved.push((task, standing)),
                None => moved.push(name.to_owned()),
            }
        }
        Ok((unmoved, moved))
    }

    /// The leases among the refs that match, whose names begin with this prefix.
    fn read_refs(
        &self,
        patterns: &[String],
        prefix: &str,
    ) -> Result<Vec<(TaskId, Standing)>, Fault> {
        let mut command = self.store.command();
        let format = "--format=%(refname)%00%(objectname)%00%(objecttype)%00%(contents)%00%00";
        command.args(["for-each-ref", format]).args(patterns);
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
