//! What `task-lock` prints.

use super::args::{Common, Held};
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::cli;
use overnight_host::leases::{Check, Diagnosis, Entry, Grant, Kept};
use overnight_lease::record::Phase;
use overnight_lease::utc::utc;
use overnight_lease::{Record, Why};
use serde_json::{Value, json};

/// How results are printed, and of which remote.
pub(crate) struct Show {
    json: bool,
    remote: Option<String>,
}

impl Show {
    pub(crate) fn new(common: &Common, remote: Option<&str>) -> Self {
        Self {
            json: common.json,
            remote: remote.map(str::to_owned),
        }
    }

    /// A lease that was acquired.
    pub(crate) fn granted(&self, grant: &Grant) -> Result<Exit, Fault> {
        let how = match grant.why {
            None => "already held, renewed",
            Some(Why::New | Why::Released) => "acquired",
            Some(Why::OwnerDied) => "acquired; its last holder's process has ended",
            Some(Why::Elapsed | Why::Watched | Why::LongPast) => {
                "acquired; its last holder's time ran out"
            }
        };
        self.done(grant, how)
    }

    /// What became of a lease that the caller held.
    pub(crate) fn kept(&self, kept: Kept, lease: &Held, done: &str) -> Result<Exit, Fault> {
        match kept {
            Kept::Done(grant) => self.done(&grant, done),
            Kept::Lost(loss) => Err(loss.fault(&lease.task, lease.token)),
        }
    }

    fn done(&self, grant: &Grant, done: &str) -> Result<Exit, Fault> {
        for note in &grant.notes {
            cli::note(note);
        }
        let record = &grant.record;
        if self.json {
            let mut value = facts(record);
            value["remote"] = json!(self.remote);
            value["outcome"] = json!(done);
            cli::print_json(&value)?;
        } else {
            let (task, token) = (&record.task, record.token);
            let until = match record.state {
                Phase::Held => format!(", until {}", utc(record.expires_ms())),
                Phase::Free => String::new(),
            };
            cli::print(&format!("{task}: {done}, token {token}{until}\n"))?;
        }
        Ok(Exit::Yes)
    }

    /// Whether a token is good.
    pub(crate) fn checked(&self, record: Option<&Record>, lease: &Held) -> Result<Exit, Fault> {
        let held = record.is_some();
        let id = lease.task.as_str();
        if self.json {
            let until = record.map(|record| record.expires_ms() / 1_000);
            let token = lease.token;
            cli::print_json(
                &json!({"task": id, "token": token, "held": held, "expires_at": until}),
            )?;
        } else {
            let word = if held {
                "held"
            } else {
                "not held under this token"
            };
            cli::print(&format!("{id}: {word}\n"))?;
        }
        Ok(if held { Exit::Yes } else { Exit::No })
    }

    /// Every lease; those given back are only in the JSON form.
    pub(crate) fn listed(
        &self,
        (entries, notes): &(Vec<Entry>, Vec<String>),
    ) -> Result<Exit, Fault> {
        for note in notes {
            cli::note(note);
        }
        if self.json {
            let leases: Vec<_> = entries.iter().map(entry).collect();
            cli::print_json(&json!({"leases": leases}))?;
            return Ok(Exit::Yes);
        }
        let shown: String = entries
            .iter()
            .filter(|entry| entry.state != "free")
            .map(line)
            .collect();
        let shown = if shown.is_empty() {
            "no task is held\n"
        } else {
            &shown
        };
        cli::print(shown)?;
        Ok(Exit::Yes)
    }

    /// One lease.
    pub(crate) fn status(&self, found: &Entry) -> Result<Exit, Fault> {
        if self.json {
            cli::print_json(&entry(found))?;
        } else {
            cli::print(&line(found))?;
        }
        Ok(Exit::Yes)
    }

    /// What the remote allows.
    pub(crate) fn diagnosed(&self, diagnosis: &Diagnosis) -> Result<Exit, Fault> {
        let usable = diagnosis.usable;
        if self.json {
            let check =
                |check: &Check| json!({"name": check.name, "ok": check.ok, "detail": check.detail});
            let checks: Vec<_> = diagnosis.checks.iter().map(check).collect();
            cli::print_json(&json!({
                "usable": usable,
                "namespace": diagnosis.namespace,
                "swept": diagnosis.swept,
                "checks": checks,
            }))?;
        } else {
            cli::print(&diagnosis_text(diagnosis))?;
        }
        Ok(if usable { Exit::Yes } else { Exit::Unavailable })
    }
}

fn diagnosis_text(diagnosis: &Diagnosis) -> String {
    let mut text = String::new();
    for check in &diagnosis.checks {
        let word = if check.ok { "ok  " } else { "no  " };
        let colon = if check.detail.is_empty() { "" } else { ": " };
        text.extend([word, check.name, colon, &check.detail, "\n"]);
    }
    let place = diagnosis.namespace;
    let verdict = if diagnosis.usable {
        format!(
            "leases live in {place}; {} old ones swept\n",
            diagnosis.swept
        )
    } else {
        "leases cannot be used here\n".to_owned()
    };
    text + &verdict
}

/// A record for machines; times in unix seconds.
fn facts(record: &Record) -> Value {
    json!({
        "task": record.task,
        "agent": record.agent,
        "host": record.host,
        "token": record.token,
        "ttl": record.ttl_s,
        "acquired_at": record.acquired_ms / 1_000,
        "renewed_at": record.renewed_ms / 1_000,
        "expires_at": record.expires_ms() / 1_000,
    })
}

fn entry(found: &Entry) -> Value {
    let mut value = found.record.as_ref().map_or_else(|| json!({}), facts);
    value["task"] = json!(found.task);
    value["state"] = json!(found.state);
    value["mine"] = json!(found.mine);
    value
}

fn line(found: &Entry) -> String {
    let (task, state) = (&found.task, found.state);
    match &found.record {
        Some(record) if state != "free" => {
            let (agent, host, token) = (&record.agent, &record.host, record.token);
            let (since, until) = (utc(record.acquired_ms), utc(record.expires_ms()));
            format!(
                "{task}: {state} by {agent} on {host} since {since} until {until}, token {token}\n"
            )
        }
        _ => format!("{task}: {state}\n"),
    }
}
