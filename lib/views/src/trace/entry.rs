//! One event of the trace format, as it is written.

use crate::report::clean;
use overnight_run::classify::Class;
use serde::Serialize;

/// An event of Chrome's trace format.
#[derive(Debug, Serialize)]
pub struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<About>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    name: String,
    ph: &'static str,
    pid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<&'static str>,
    tid: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<u64>,
}

/// What is said of an event.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum About {
    Nothing {},
    Name {
        name: String,
    },
    Task {
        end: &'static str,
        rework: u32,
    },
    Tool {
        id: String,
    },
    Open {
        ended: &'static str,
    },
    Attempt {
        class: Class,
        cost_usd: f64,
        ended: String,
        files_changed: u64,
        output_bytes: u64,
    },
    Verdict {
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        verdict: &'static str,
    },
    Gates {
        gates: usize,
    },
    Merge {
        answer: &'static str,
        why: String,
    },
}

/// The name of the process or of a track.
pub(super) fn name(kind: &str, track: u32, name: &str) -> Entry {
    Entry {
        args: Some(About::Name { name: clean(name) }),
        ..bare(kind.to_owned(), "M", track)
    }
}

/// What lasts, from and until a Unix time in milliseconds.
pub(super) fn slice(
    track: u32,
    (name, category): (&str, &'static str),
    (from, until): (u64, u64),
    about: About,
) -> Entry {
    Entry {
        args: Some(about),
        cat: Some(category),
        dur: Some(until.saturating_sub(from).saturating_mul(1_000)),
        ts: Some(from.saturating_mul(1_000)),
        ..bare(clean(name), "X", track)
    }
}

/// What happens at a time.
pub(super) fn mark(track: u32, name: &str, at: u64) -> Entry {
    Entry {
        cat: Some("run"),
        s: Some("t"),
        ts: Some(at.saturating_mul(1_000)),
        ..bare(clean(name), "i", track)
    }
}

fn bare(name: String, ph: &'static str, tid: u32) -> Entry {
    Entry {
        args: None,
        cat: None,
        dur: None,
        name,
        ph,
        pid: 1,
        s: None,
        tid,
        ts: None,
    }
}
