//! The rules of [`super::next`], by name: what a person is told who asks why.

use super::step::Step;
use serde::Serialize;

/// A step, and the rule behind it.
pub(super) type Decision = (Rule, Step);

macro_rules! rules {
    ($($variant:ident = $name:literal, $sentence:literal;)*) => {
        /// A rule by which a step is decided.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
        pub enum Rule { $(#[doc = $sentence] #[serde(rename = $name)] $variant,)* }

        impl Rule {
            /// Every rule, in the order in which an attempt's end and a new iteration meet them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Its stable name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it says.
            pub fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $sentence,)* }
            }
        }
    };
}

rules! {
    Ended = "ended", "A run that ended does nothing more.";
    Paused = "paused", "A person paused the run or speaks in its session, or that session ended: nothing is begun until somebody says go on.";
    UnderWay = "under-way", "An attempt is under way; its outcome is waited for.";
    Interrupted = "interrupted", "An attempt that a person interrupted is made again.";
    Lost = "lost", "An attempt that was killed or lost is made again, so often in a row as the run allows.";
    LimitLeave = "limit-leave", "At the account's usage limit the run leaves, because it was told so.";
    LimitWait = "limit-wait", "At the account's usage limit the run waits for the stated reset, at least a minute; then it probes, with growing pauses.";
    Transient = "transient", "A passing error of the service or network is tried again, with growing pauses.";
    Resumed = "resumed", "What stopped the run has been seen to: somebody resumed it, and the attempt is made again.";
    LogIn = "log-in", "Only a person can log the client in.";
    Credit = "credit", "Only a person can give the account credit.";
    Proof = "proof", "A claim to be done is believed only after its gates: they are run.";
    Review = "review", "Everything speaks for the claim: a reviewer reads the work, who can refuse it and proves nothing.";
    BrokeOff = "broke-off", "The claim of an agent that broke off, with no gate to prove it, does not count.";
    Proved = "proved", "The claim is complete: every gate passed for real, the checklist is answered, the scope is kept.";
    Refuted = "refuted", "The claim is refuted by a gate, the checklist or the scope.";
    ExitSignal = "exit-signal", "Exit signals stand in for a claim: the plan file came to be all ticked, two done signals in a row, or three iterations that only ran passing tests; and every gate passed for real.";
    NoClaim = "no-claim", "Nobody claims that the task is done.";
    AllDone = "all-done", "Every task is done.";
    Closing = "closing", "Every task is done: their gates must hold once more on what the run leaves behind.";
    Hunk = "hunk", "Every task is done, and every gate holds: parts of the change are taken back one at a time, to see which of them no gate misses.";
    Broken = "broken", "Every task is done, and yet a gate fails on what the run leaves behind.";
    Budget = "budget", "The budget is spent, in dollars or tokens.";
    Velocity = "velocity", "More dollars were spent within the last hour than the run allows.";
    Duration = "duration", "The run's longest time passed.";
    MaxIterations = "max-iterations", "The iterations are used up.";
    BreakerOpen = "breaker-open", "No task is left that may be worked on, and a circuit breaker is open.";
    Blocked = "blocked", "No task is left that may be worked on.";
    Baseline = "baseline", "What the gates say before the work is seen first: a later pass with fewer tests is none.";
    CallRate = "call-rate", "The sliding hour has no room for another start.";
    Interval = "interval", "The least time between two starts has not passed.";
    Look = "look", "The branch that finished work is merged into says what others have done.";
    Assigned = "hand-out", "A free member gets the next task whose dependencies are merged.";
    Merge = "merge", "What is finished is brought to the line first, proved together; what is red together is tried in halves.";
    FinalProof = "final-proof", "Before the run ends, the gates of everything that is done run once more on the line.";
    Stopped = "stopped", "A member met a limit or a need that concerns all of them.";
    Attend = "attend", "Nothing can be done before a member or a merge ends, or another driver gives a task back.";
    Take = "take", "A task that other agents may work on too is taken by lease before an iteration begins on it.";
    Elsewhere = "elsewhere", "Every task that could be worked on is with other agents; it is asked for again later.";
    NextIteration = "next-iteration", "The next task that is ready gets an iteration.";
}
