//! What an agent printed in one attempt, read back from its file.

use crate::agent::Agent;
use crate::{client, clock};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::marker::Marker;
use overnight_judge::scan::Scan;
use overnight_judge::{Message, Verdict};
use overnight_run::classify::{Channel, Class, ClientLimit, Failure, Report, classify};
use overnight_run::event::{Context, Ended, Outcome};
use overnight_run::{State, budget, continuity};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// How much of an agent's last words is kept in the journal.
const SAID_BYTES_MAX: usize = 2048;

/// How much of the end of an output is classified: the client's own words about its end are its
/// last lines.
const CLASSIFIED_BYTES_MAX: u64 = 1 << 20;
/// Errors remembered of one attempt.
const ERRORS_MAX: usize = 20;

/// What an attempt printed.
pub(super) struct Printed {
    /// How it ended: a client that broke off without a result was lost.
    pub ended: Ended,
    pub class: Class,
    pub limit: Option<ClientLimit>,
    pub resets_at: Option<i64>,
    pub said: Message,
    /// Dollars that the client named; `None` when it was ended before.
    pub cost_usd: Option<f64>,
    /// Tokens by the result line, and the same by what they cost; the client adds them up over a
    /// continued session, as it does with dollars.
    pub total: (u64, u64),
    /// The same by each message.
    pub seen: (u64, u64),
    /// What the vendor's list says of them.
    pub listed: (f64, u64),
    /// How full its context was at the end.
    pub context: Option<Context>,
    pub session: Option<String>,
    pub bytes: u64,
    pub errors: Vec<String>,
    pub denials: u32,
    pub text: String,
}

impl Printed {
    /// The outcome as far as what was printed tells it; the price of tokens is the run's.
    pub(super) fn outcome(self, claim: Verdict, state: &State) -> Outcome {
        // Only a session that is gone on in adds up what it cost before.
        let continued = state
            .open
            .as_ref()
            .and_then(|open| open.continues.as_deref())
            .filter(|id| self.session.as_deref() == Some(id));
        let (known, known_weight) = continuity::known(&state.sessions, continued);
        let tokens = self.total.0.saturating_sub(known.tokens).max(self.seen.0);
        let weight = self.total.1.saturating_sub(known_weight).max(self.seen.1);
        Outcome {
            limit: self.limit,
            resets_at: self.resets_at,
            cost_usd: self.cost_usd.map_or_else(
                || budget::reckoned(state.priced, self.listed, weight),
                |total| (total - known.usd).max(0.0),
            ),
            estimated: self.cost_usd.is_none(),
            tokens,
            weight,
            context: self.context,
            session: self.session,
            output_bytes: self.bytes,
            errors: self.errors,
            denials: self.denials,
            said: self.text,
            ..Outcome::of(self.ended, self.class, claim)
        }
    }
}

/// Reads what stands in `path` from `offset` on.
pub(super) fn read(
    agent: &Agent,
    path: &Path,
    offset: u64,
    ended: Ended,
) -> Result<Printed, Fault> {
    let marker = Marker::new("DONE")?;
    if agent.streams_json() {
        from_stream(path, offset, ended, &marker)
    } else {
        from_text(path, offset, ended, marker)
    }
}

/// The client's stream: structure first, and without a result line the attempt is lost.
fn from_stream(path: &Path, offset: u64, ended: Ended, marker: &Marker) -> Result<Printed, Fault> {
    let ending = client::read_stream(path, offset)?;
    let lost = !ending.has_result && !matches!(ended, Ended::TimedOut(_) | Ended::Interrupted);
    let failure = classified(Channel::Stream, path, offset, &ended)?;
    // A client that says what stopped it was not lost, result line or not.
    let lost = lost && failure.class == Class::None;
    Ok(Printed {
        ended: if lost { Ended::Lost } else { ended },
        class: failure.class,
        limit: failure.limit,
        resets_at: failure.resets_at,
        said: Message::of_text(&ending.text, marker),
        cost_usd: ending.has_result.then_some(ending.cost_usd),
        total: ending.total(),
        seen: ending.seen(),
        listed: ending.listed(),
        context: ending.context(),
        session: ending.session,
        bytes: length(path)?.saturating_sub(offset),
        errors: fingerprints(&failure),
        denials: ending.denials,
        text: tail(ending.text.as_bytes()),
    })
}

/// Any other agent: its whole stdout is its final message.
fn from_text(path: &Path, offset: u64, ended: Ended, marker: Marker) -> Result<Printed, Fault> {
    let fault =
        |error: std::io::Error| Fault::new(Code::FileRead, format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(fault)?;
    file.seek(SeekFrom::Start(offset)).map_err(fault)?;
    let mut scan = Scan::new(marker);
    let mut last = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut chunk).map_err(fault)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        scan.push(&chunk[..read]);
        last.extend_from_slice(&chunk[..read]);
        let over = last.len().saturating_sub(SAID_BYTES_MAX);
        last.drain(..over);
    }
    let failure = classified(Channel::ToolResult, path, offset, &ended)?;
    Ok(Printed {
        ended,
        // Another agent's words prove nothing about the service.
        class: Class::None,
        limit: None,
        resets_at: None,
        said: scan.finish(),
        cost_usd: Some(0.0),
        total: (0, 0),
        seen: (0, 0),
        listed: (0.0, 0),
        context: None,
        session: None,
        bytes,
        errors: fingerprints(&failure),
        denials: 0,
        text: tail(&last),
    })
}

/// What the end of the output says went wrong.
fn classified(channel: Channel, path: &Path, offset: u64, ended: &Ended) -> Result<Failure, Fault> {
    let bytes = last_bytes(path, offset)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(classify(&Report {
        channel,
        text: &text,
        exit: match ended {
            Ended::Exited(status) => Some(*status),
            _ => None,
        },
        now: i64::try_from(clock::wall_ms() / 1_000).unwrap_or(i64::MAX),
        local: &clock::zone(),
        zones: &clock::zone_named,
    }))
}

/// The last whole lines of a file, at most [`CLASSIFIED_BYTES_MAX`] and not before `offset`.
fn last_bytes(path: &Path, offset: u64) -> Result<Vec<u8>, Fault> {
    let fault =
        |error: std::io::Error| Fault::new(Code::FileRead, format!("{}: {error}", path.display()));
    let mut file = File::open(path).map_err(fault)?;
    let from = length(path)?
        .saturating_sub(CLASSIFIED_BYTES_MAX)
        .max(offset);
    file.seek(SeekFrom::Start(from)).map_err(fault)?;
    let mut bytes = Vec::new();
    file.take(CLASSIFIED_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(fault)?;
    if from > offset {
        let line = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        bytes.drain(..line);
    }
    Ok(bytes)
}

fn fingerprints(failure: &Failure) -> Vec<String> {
    failure
        .errors
        .iter()
        .take(ERRORS_MAX)
        .map(|error| error.fingerprint.clone())
        .collect()
}

fn length(path: &Path) -> Result<u64, Fault> {
    std::fs::metadata(path)
        .map(|about| about.len())
        .map_err(|error| Fault::new(Code::FileRead, format!("{}: {error}", path.display())))
}

/// The end of a text, as UTF-8.
fn tail(bytes: &[u8]) -> String {
    let from = bytes.len().saturating_sub(SAID_BYTES_MAX);
    String::from_utf8_lossy(&bytes[from..]).into_owned()
}
