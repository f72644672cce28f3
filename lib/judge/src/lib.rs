//! The judge: is the task done? A claim is looked for in the decision file, then in the final
//! message; a claim is believed only when every gate agrees. What cannot be decided is incomplete.

pub mod answers;
pub mod file;
pub mod gates;
mod legacy;
pub mod marker;
pub mod message;
pub mod proof;
pub mod review;
pub mod scan;
pub mod signals;
pub mod status_block;
pub mod stream;
mod talk;

pub use gates::{GateOutcome, TestCounts};
pub use message::Message;

use overnight_base::code::Code;
use serde::{Deserialize, Serialize};

/// What stands at the path of the decision file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState<'a> {
    /// No decision file is part of this judgement.
    NotAsked,
    /// There is none at the path.
    Missing,
    /// Its bytes, within [`file::BYTES_MAX`].
    Bytes(&'a [u8]),
    /// It must not or cannot be read: a link, a folder, a pipe, too large, no permission.
    Refused(&'a str),
}

/// Everything the judge looks at.
#[derive(Debug, Clone)]
pub struct Evidence<'a> {
    /// The decision file.
    pub file: FileState<'a>,
    /// The nonce that a JSON decision must carry; `None` when none was given out.
    pub check_id: Option<&'a str>,
    /// What the agent's final message says.
    pub said: &'a Message,
    /// The gates that were run, in order; empty when there are none.
    pub gates: &'a [GateOutcome],
    /// What the gates and the rest of the run object to: see [`gates::objections`].
    pub objections: &'a [gates::Objection],
}

/// Done or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The task is done.
    Complete,
    /// It is not, or nobody can tell.
    Incomplete,
}

/// Which piece of evidence the decision rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The decision file, as JSON.
    FileJson,
    /// The decision file, as one of the legacy words.
    FileLegacy,
    /// The marker in the final message.
    Marker,
    /// The run's exit signals (`run::signal`); never by the judge alone.
    ExitSignal,
    /// Nothing that decides was found.
    None,
}

/// What one piece of evidence claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Done, with a summary of one line where there is one.
    Complete {
        /// Cleaned by [`marker::one_line`].
        summary: Option<String>,
    },
    /// Not done.
    Incomplete {
        /// Why, in the words of the claim.
        reasons: Vec<String>,
    },
    /// It claims nothing.
    None,
}

/// The judge's conclusion; its serialised form is the contract of `completion-check judge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Done or not.
    pub decision: Decision,
    /// Which evidence decided.
    pub source: Source,
    /// Did the decision file carry the expected check id? `None` without one to compare.
    pub check_id_match: Option<bool>,
    /// The claim's summary, one line of at most 200 characters.
    pub summary: Option<String>,
    /// Why, in order of weight: the claim's own reasons, then what speaks against it.
    pub reasons: Vec<String>,
    /// Fingerprints of the findings that the claim names.
    pub fingerprints: Vec<String>,
    /// The claim's answers to the task's checklist, from the file and the message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// What only a person can give or decide, in the words of a claim that is not done for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// Why no decision could be read from the evidence that comes first; `None` when one could.
    pub failure: Option<String>,
    /// The gates that were run.
    pub gates: Vec<GateOutcome>,
    /// The line that the decision rests on.
    pub evidence: Option<String>,
    /// What the prose around the marker says against it: it counts only where no gate proves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Box<str>>,
    /// How much a complete verdict rests on; `None` where nobody looked at it that way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<proof::Standing>,
    /// Places of the claimed sources that look special-cased: a person should read them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub special: Option<Box<Lines>>,
    /// The claim's new test files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<Box<Lines>>,
    /// Its new tests that pass without its work: a person should know that they prove nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Box<Lines>>,
    /// What a reviewer said of a claim that counts all the same: a person should read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<Box<Lines>>,
    /// Set where only a person can say whether changed tests may count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<Box<proof::contest::Contest>>,
    /// The commit that the gates were run on, in a clean work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

/// Lines for a person, beside a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lines(Vec<String>);

impl Lines {
    /// These lines; `None` where there are none.
    pub fn of(lines: Vec<String>) -> Option<Box<Self>> {
        (!lines.is_empty()).then(|| Box::new(Self(lines)))
    }

    /// Each line.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl Verdict {
    /// Is the task done?
    pub fn complete(&self) -> bool {
        self.decision == Decision::Complete
    }

    /// The claim with its gates: any objection makes it incomplete, prose only where there is no
    /// gate.
    #[must_use]
    pub fn proved(mut self, gates: &[GateOutcome], objections: &[gates::Objection]) -> Self {
        self.gates = gates.to_vec();
        let doubt = self.doubt.take().filter(|_| gates.is_empty());
        if self.complete() && (!objections.is_empty() || doubt.is_some()) {
            self.decision = Decision::Incomplete;
            let reasons = objections.iter().map(|objection| objection.reason.clone());
            self.reasons
                .extend(doubt.map(String::from).into_iter().chain(reasons));
        }
        self
    }

    /// The claim of an agent that broke off: incomplete, for this reason first.
    #[must_use]
    pub fn refused(mut self, reason: String) -> Self {
        self.decision = Decision::Incomplete;
        self.reasons.insert(0, reason);
        self
    }

    /// The verdict where there was nothing to judge.
    pub fn nothing(reason: &str) -> Self {
        Self {
            decision: Decision::Incomplete,
            source: Source::None,
            check_id_match: None,
            summary: None,
            reasons: vec![reason.to_owned()],
            fingerprints: Vec::new(),
            answers: Vec::new(),
            needs: None,
            failure: Some(file::NOTHING.to_owned()),
            gates: Vec::new(),
            evidence: None,
            doubt: None,
            standing: None,
            special: None,
            added: None,
            idle: None,
            review: None,
            contest: None,
            commit: None,
        }
    }

    /// Could nothing be decided? Three of these in a row stop a run.
    pub fn undecided(&self) -> bool {
        self.source == Source::None
    }

    /// The stable code behind an incomplete verdict, for messages.
    pub fn code(&self) -> Option<Code> {
        match (self.complete(), self.failure.as_deref()) {
            (true, _) => None,
            (_, Some(file::MISMATCH | file::NO_ID)) => Some(Code::DecisionStale),
            (_, Some(_)) => Some(Code::DecisionInvalid),
            (_, None) if self.source == Source::None => Some(Code::DecisionInvalid),
            (_, None) => self
                .gates
                .iter()
                .any(|gate| !gate.passed())
                .then_some(Code::GateFailed),
        }
    }
}

/// Judges: decision file first, then the final message, then the gates.
pub fn judge(evidence: &Evidence<'_>) -> Verdict {
    claim(evidence).proved(evidence.gates, evidence.objections)
}

/// What is claimed, by the decision file or else by the final message, before any gate has run: what
/// prose says against it is kept as a doubt.
pub fn claim(evidence: &Evidence<'_>) -> Verdict {
    let read = file::read(evidence.file, evidence.check_id);
    let mut verdict = Verdict {
        decision: Decision::Incomplete,
        source: Source::None,
        check_id_match: read.check_id_match,
        summary: None,
        reasons: Vec::new(),
        fingerprints: read.fingerprints,
        answers: read.answers,
        needs: read.needs,
        failure: read.failure.as_ref().map(|failure| failure.name.to_owned()),
        gates: Vec::new(),
        evidence: read.evidence,
        doubt: None,
        standing: None,
        special: None,
        added: None,
        idle: None,
        review: None,
        contest: None,
        commit: None,
    };
    verdict
        .answers
        .extend(evidence.said.answers.iter().cloned());
    if let Some(failure) = &read.failure {
        verdict.reasons.push(failure.reason.clone());
    }
    match read.claim {
        Claim::None if read.failure.as_ref().is_some_and(|failure| failure.decides) => {}
        Claim::None => fall_back(&mut verdict, evidence),
        claim => accept(&mut verdict, claim, read.source),
    }
    verdict
}

fn fall_back(verdict: &mut Verdict, evidence: &Evidence<'_>) {
    // The legacy words belong to the decision file's protocol (seed 001): without that protocol
    // only the marker counts.
    let words = evidence.file != FileState::NotAsked || evidence.check_id.is_some();
    let (claim, line) = evidence.said.claim(words);
    if claim == Claim::None {
        verdict.reasons.extend(evidence.said.notes.iter().cloned());
        let failure = verdict.failure.get_or_insert_with(|| file::NOTHING.into());
        if verdict.reasons.is_empty() {
            verdict
                .reasons
                .push(format!("{failure}: nothing was claimed"));
        }
        return;
    }
    if verdict.failure.as_deref() == Some(file::NOTHING) {
        // The marker is a channel of its own: with it, a file that is not there is no failure.
        verdict.failure = None;
        verdict.reasons.clear();
    }
    verdict.evidence = line;
    verdict.doubt.clone_from(&evidence.said.doubt);
    accept(verdict, claim, Source::Marker);
}

fn accept(verdict: &mut Verdict, claim: Claim, source: Source) {
    verdict.source = source;
    match claim {
        Claim::Complete { summary } => {
            verdict.decision = Decision::Complete;
            verdict.summary = summary;
        }
        Claim::Incomplete { reasons } => verdict.reasons.extend(reasons),
        Claim::None => {}
    }
}

#[cfg(test)]
mod tests;
