//! What a journal records.

use super::config::{Config, OnLimit};
use super::hold::{Paused, Released};
use super::hunks::Hunk;
use super::joined::{Joined, Others};
use super::leased::{LeaseLost, Taken};
use super::members::event::{
    Assigned, LineProved, LineSeen, Looked, MemberEnded, MergeEnded, Merging,
};
use super::placed::{LeftOut, Placed, Published};
use super::review::Reviewed;
use super::scope::Change;
use super::steer::{GoalChanged, Instruction, SentBack, TasksChanged};
use super::step::{Nudge, Reason, WaitCause};
use super::task::TaskSpec;
use crate::classify::{Class, ClientLimit};
use overnight_judge::proof::{Dusk, Proof};
use overnight_judge::signals::plan::Plan;
use overnight_judge::{GateOutcome, Verdict};
use serde::de::Error;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Which door a run came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// `/flow --autonomous`: iterations are handed out by the Stop hook.
    Session,
    /// `overnight run`: iterations are processes.
    Driver,
}

/// A run begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The run's id.
    pub run: String,
    /// Its door.
    pub door: Door,
    /// The goal's text, bounded.
    pub goal: String,
    /// Top of the work tree it works in.
    pub top: String,
    /// The commit it starts from, if any.
    #[serde(default)]
    pub head: Option<String>,
    /// The branch it starts on, if any.
    #[serde(default)]
    pub branch: Option<String>,
    /// The limits that it was begun with: they hold also where no driver came to work on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Config>,
}

/// A driver takes the run over; its number is the fencing token of its agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriverStarted {
    /// Only grows.
    pub epoch: u64,
    /// Process id of the driver (of the client, in a session).
    pub pid: u32,
    /// Its start in clock ticks since boot: tells a re-used process id.
    pub pid_start: u64,
    /// The client session, when the door is a session.
    #[serde(default)]
    pub session: Option<String>,
    /// The limits in force from here on.
    pub config: Config,
    /// The tasks as they stand in the task list now.
    pub tasks: Vec<TaskSpec>,
}

/// An agent is about to be started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// Counts from 1 over the whole run.
    pub iteration: u32,
    /// Counts from 1 within the iteration.
    pub attempt: u32,
    /// The task it works on.
    pub task: String,
    /// The nonce that its decision must carry.
    pub check_id: String,
    /// The driver that starts it.
    pub epoch: u64,
    /// What it is told about being stuck.
    pub nudge: Nudge,
    /// The model that works on it; none: the client's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The client session that it goes on in; none: a fresh one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<String>,
}

/// The agent's process exists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentStarted {
    /// Process id and id of its process group.
    pub pid: u32,
    /// Its start in clock ticks since boot.
    pub pid_start: u64,
    /// Length of the iteration's output before it: what stands behind is this attempt's.
    #[serde(default)]
    pub offset: u64,
}

/// How an agent's process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal, not ours.
    Signalled(i32),
    /// By us, at this deadline.
    TimedOut(Deadline),
    /// Nobody saw: the driver died, or the client broke off without a result.
    Lost,
    /// By us, because the run was interrupted.
    Interrupted,
}

/// Which deadline passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deadline {
    /// The iteration's.
    Task,
    /// The client session's.
    Session,
    /// The run's.
    Run,
}

/// How full an agent's context window was, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// What its last message took in and gave.
    pub tokens: u64,
    /// What the window holds; `None` where the client does not say so: in its transcripts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How its process ended.
    pub ended: Ended,
    /// What went wrong with the client, if anything.
    pub class: Class,
    /// The client's own limit that ended it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<ClientLimit>,
    /// When the usage limit resets, in Unix seconds.
    #[serde(default)]
    pub resets_at: Option<i64>,
    /// What the agent claims; gates are not asked yet.
    pub claim: Verdict,
    /// Dollars by the client's own figures; of a killed client, by its tokens.
    #[serde(default)]
    pub cost_usd: f64,
    /// Is `cost_usd` reckoned from tokens, because the client was ended before it said?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Tokens of all kinds.
    #[serde(default)]
    pub tokens: u64,
    /// The same tokens by what they cost, in input tokens.
    #[serde(default)]
    pub weight: u64,
    /// How full its context window was at the end, where the client said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// The client's session.
    #[serde(default)]
    pub session: Option<String>,
    /// Bytes that it printed.
    #[serde(default)]
    pub output_bytes: u64,
    /// How long it ran.
    #[serde(default)]
    pub duration_ms: u64,
    /// Hash of the work tree's content after it, our own files left out; empty without git.
    #[serde(default)]
    pub tree: String,
    /// Files that differ from before the attempt.
    #[serde(default)]
    pub changed: u64,
    /// Could the work tree not be looked at after it? What changed is unknown then, not nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// Those files, where the task's scope asks for their names; bounded, outside ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Change>,
    /// Commits that changed files.
    #[serde(default)]
    pub commits: u64,
    /// Fingerprints of the errors it met.
    #[serde(default)]
    pub errors: Vec<String>,
    /// The hash of the set of tests that failed in the last test run it made, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_set: Option<String>,
    /// Tool calls that were refused.
    #[serde(default)]
    pub denials: u32,
    /// How often the guard refused one and the same call, at most.
    #[serde(default)]
    pub refused: u32,
    /// Numbers of the questions to a person that it came upon and that nobody has answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<u64>,
    /// Paths that its cell refused, as far as outputs name them; bounded.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub walled: BTreeSet<String>,
    /// The limit of its cell that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<Box<str>>,
    /// The end of its last message, bounded: told to the next iteration.
    #[serde(default)]
    pub said: String,
    /// The boxes of the plan file after it, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
}

impl Outcome {
    /// An attempt that ended so and claims that; of everything else nothing is known.
    pub fn of(ended: Ended, class: Class, claim: Verdict) -> Self {
        Self {
            ended,
            class,
            limit: None,
            resets_at: None,
            claim,
            cost_usd: 0.0,
            estimated: false,
            tokens: 0,
            weight: 0,
            context: None,
            session: None,
            output_bytes: 0,
            duration_ms: 0,
            tree: String::new(),
            changed: 0,
            unseen: false,
            files: Vec::new(),
            commits: 0,
            errors: Vec::new(),
            failing_set: None,
            denials: 0,
            refused: 0,
            walled: BTreeSet::new(),
            limited: None,
            asks: Vec::new(),
            said: String::new(),
            plan: None,
        }
    }

    /// Did the client end at a limit that it was given? That is an iteration's end like any other.
    pub fn at_own_limit(&self) -> bool {
        self.class == Class::Budget
    }
}

/// The gates of a claim were run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gates {
    /// One outcome a command, in order.
    pub outcomes: Vec<GateOutcome>,
    /// Content hashes of the gate scripts by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pins: BTreeMap<String, String>,
    /// What was found in the proof room; `None` where the gates ran in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// Every task is done: their gates were run once more on what the run leaves behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Closing {
    /// One outcome a command.
    pub outcomes: Vec<GateOutcome>,
    /// The commit they ran on; empty in place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// By failing command, the commit that broke it, where that could be found.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub broke: BTreeMap<String, Broke>,
}

/// What broke a gate that held before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broke {
    /// The commit.
    pub commit: String,
    /// The task that was worked on then, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

impl Broke {
    /// `5f2c1a0b9d3e (task b)`.
    pub fn words(&self) -> String {
        let short: String = self.commit.chars().take(12).collect();
        match &self.task {
            Some(task) => format!("{short} (task {task})"),
            None => short,
        }
    }
}

/// What the gates say before the work begins: a later pass with fewer tests is no pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// One outcome a command, in order.
    pub outcomes: Vec<GateOutcome>,
    /// Content hashes of the gate scripts by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pins: BTreeMap<String, String>,
    /// What a proof compares with; `None` where the gates run in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dusk: Option<Dusk>,
}

/// The iteration was judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Claim and gates together.
    pub verdict: Verdict,
    /// Specialist agents that were to look at what is done here and did not report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreported: Vec<String>,
}

impl From<Verdict> for Judged {
    fn from(verdict: Verdict) -> Self {
        let unreported = Vec::new();
        Self {
            verdict,
            unreported,
        }
    }
}

/// The driver waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Unix time in milliseconds.
    pub until: u64,
    /// Why.
    pub cause: WaitCause,
}

/// Another run on this machine found the usage limit still in force: nobody else needs to try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitHeard {
    /// Unix time in milliseconds until which it waits.
    pub until: u64,
}

/// The person at the terminal chose what to do at the usage limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitChosen {
    /// What.
    pub on_limit: OnLimit,
}

/// A person answered a question that a task came upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// The question's number: 4 for `ask-4`.
    pub ask: u64,
    /// Was it approved?
    pub approved: bool,
}

/// A person is asked whether a task's changed tests may count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contested {
    /// The task.
    pub task: String,
    /// The question's number.
    pub ask: u64,
}

/// The run was interrupted by a signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupted {
    /// The signal's number.
    pub signal: i32,
}

/// The run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// Why.
    pub reason: Reason,
}

/// A torn end was cut off when the journal was opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Torn {
    /// How many bytes.
    pub bytes: u64,
}

macro_rules! events {
    ($($name:literal => $variant:ident,)*) => {
        /// An event of a run.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each variant is documented at its struct")]
        pub enum Event { $($variant($variant),)* }

        impl Event {
            /// The value of the record's `event` field.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }

            /// Its own fields as a JSON object.
            pub fn fields(&self) -> String {
                // Only maps with keys that are no strings cannot be written; there are none.
                match self { $(Self::$variant(event) => serde_json::to_string(event).unwrap_or_default(),)* }
            }

            /// Reads the event of this name from its own fields, a JSON object.
            pub fn read(name: &str, fields: &str) -> serde_json::Result<Self> {
                match name {
                    $($name => serde_json::from_str(fields).map(Self::$variant),)*
                    _ => Err(serde_json::Error::custom("unknown event")),
                }
            }
        }

        $(impl From<$variant> for Event {
            fn from(event: $variant) -> Self { Self::$variant(event) }
        })*
    };
}

events! {
    "run_started" => RunStarted,
    "driver_started" => DriverStarted,
    "intent" => Intent,
    "agent_started" => AgentStarted,
    "outcome" => Outcome,
    "baseline" => Measured,
    "gates" => Gates,
    "reviewed" => Reviewed,
    "judged" => Judged,
    "closing" => Closing,
    "hunk" => Hunk,
    "waiting" => Waiting,
    "heard" => LimitHeard,
    "limit_chosen" => LimitChosen,
    "answered" => Answered,
    "contested" => Contested,
    "interrupted" => Interrupted,
    "paused" => Paused,
    "released" => Released,
    "finished" => Finished,
    "hand_out" => Assigned,
    "member_ended" => MemberEnded,
    "merging" => Merging,
    "merge_ended" => MergeEnded,
    "line_seen" => LineSeen,
    "line_proved" => LineProved,
    "looked" => Looked,
    "taken" => Taken,
    "lease_lost" => LeaseLost,
    "placed" => Placed,
    "published" => Published,
    "left_out" => LeftOut,
    "told" => Instruction,
    "sent_back" => SentBack,
    "goal_changed" => GoalChanged,
    "tasks_changed" => TasksChanged,
    "joined" => Joined,
    "others" => Others,
    "torn" => Torn,
}
