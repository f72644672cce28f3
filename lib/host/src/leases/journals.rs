//! Journals of the machines that share a list: on the remote that holds the leases, each a chain of
//! commits with words in their messages. One is only ever appended to, by compare-and-swap.

use super::Leases;
use super::store::Store;
use crate::state::Place;
use crate::{clock, git};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_lease::push::Pushed;
use overnight_lease::refname::NAMESPACE_HEADS;
use overnight_run::fleet::{BYTES_MAX, HEARD, JOURNALS, JOURNALS_HEADS, MACHINES_MAX};
use std::io::Read;
use std::time::Duration;

/// A journal as it reached this clone.
#[derive(Debug, Clone)]
pub struct Heard {
    /// The last part of its name: the run.
    pub run: String,
    /// The commit that it ends with.
    pub tip: String,
    /// When that was made, in Unix milliseconds of the clock that made it.
    pub made_ms: u64,
}

impl Leases {
    /// The name of this machine.
    pub fn machine(&self) -> &str {
        &self.me.host
    }

    /// Appends words to the journal of a run behind the commit that it ends with; gives the new one.
    pub fn pass_on(
        &self,
        (list, run): (&str, &str),
        tip: Option<&str>,
        words: &str,
    ) -> Result<String, Fault> {
        let name = format!("{}/{list}/{run}", space(&self.store));
        let commit = self.store.write_words(tip, words)?;
        let (pushed, done) = self.store.swap(&name, tip, &commit)?;
        match pushed {
            Pushed::Moved | Pushed::There => Ok(commit),
            Pushed::Stale => {
                let reason = format!("{name} was moved by somebody else");
                Err(Fault::new(Code::GitFailed, reason))
            }
            Pushed::Refused(reason) => {
                let reason = format!("the remote does not take {name}: {reason}");
                Err(Fault::new(Code::GitFailed, reason))
            }
            Pushed::Unknown => Err(self.store.unreachable(&done)),
        }
    }

    /// Fetches the journals of a list as they are now; one that does not answer in time is unreachable.
    pub fn listen(&self, list: &str, limit: Duration) -> Result<(), Fault> {
        let Some(remote) = self.remote() else {
            return Ok(());
        };
        let space = space(&self.store);
        let refspec = format!("+{space}/{list}/*:{HEARD}/{list}/*");
        let done = self
            .store
            .fetch(remote, (&["--prune"], limit), &[refspec])?;
        if done.ok() {
            return Ok(());
        }
        Err(self.store.unreachable(&done))
    }
}

fn space(store: &Store) -> &'static str {
    if store.namespace() == NAMESPACE_HEADS {
        JOURNALS_HEADS
    } else {
        JOURNALS
    }
}

impl Store {
    /// Writes the commit that carries words behind another one.
    fn write_words(&self, parent: Option<&str>, words: &str) -> Result<String, Fault> {
        let parent = parent.map_or_else(String::new, |oid| format!("parent {oid}\n"));
        let at = clock::wall_ms() / 1_000;
        let who = format!("overnight <overnight@localhost.invalid> {at} +0000");
        let tree = self.empty_tree();
        let commit = format!("tree {tree}\n{parent}author {who}\ncommitter {who}\n\n{words}");
        self.write_commit(&commit)
    }
}

/// The journals of a list that this clone heard of.
pub fn heard(place: &Place, list: &str) -> Result<Vec<Heard>, Fault> {
    let most = format!("--count={MACHINES_MAX}");
    let space = format!("{HEARD}/{list}/");
    let form = "--format=%(refname) %(objectname) %(committerdate:unix)";
    // The newest runs: their names begin with the time.
    let list = ["for-each-ref", "--sort=-refname", &most, form, &space];
    let listed = git::read(&place.top, &list)?;
    let one = |line: &str| {
        let mut words = line.split(' ');
        let run = words.next()?.rsplit('/').next()?.to_owned();
        let (tip, seconds) = (words.next()?.to_owned(), words.next()?.parse::<u64>().ok()?);
        let made_ms = seconds.saturating_mul(1_000);
        Some(Heard { run, tip, made_ms })
    };
    Ok(listed.lines().filter_map(one).collect())
}

/// What stands in the commits of a journal, oldest first, and no more than may be read.
pub fn words(place: &Place, tip: &str) -> Result<String, Fault> {
    let mut command = git::command(&place.top);
    command.args([
        "rev-list",
        "--first-parent",
        "--reverse",
        "--format=%B",
        tip,
        "--",
    ]);
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::null());
    let start =
        |error: std::io::Error| Fault::new(Code::GitFailed, format!("git rev-list: {error}"));
    let mut child = command.spawn().map_err(start)?;
    let mut bytes = Vec::new();
    let read = child.stdout.take().map(|out| {
        // A commit's id stands before each message.
        out.take(BYTES_MAX + 1).read_to_end(&mut bytes)
    });
    if bytes.len() as u64 > BYTES_MAX {
        let _ = child.kill();
    }
    let status = child.wait().map_err(start)?;
    read.transpose().map_err(start)?;
    if !status.success() && bytes.len() as u64 <= BYTES_MAX {
        return Err(Fault::new(
            Code::GitFailed,
            format!("git rev-list {tip} failed"),
        ));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
