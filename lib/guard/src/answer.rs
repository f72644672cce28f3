//! From a verdict to what the client is told: one JSON line, one line for people, block or not.

use super::epoch;
use super::payload::Moment;
use overnight_shell::shown;
use overnight_shell::{Decision, Verdict};
use serde_json::{Value, json};

/// Bytes of a reason at most: a longer one only fills the model's context.
const REASON_BYTES_MAX: usize = 600;
/// From this many identical blocks on the text changes (tests/cases/hostile.md X02).
pub const REPEATS_MANY: u32 = 3;

/// Under which circumstances the guard answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// When the guard is asked.
    pub moment: Moment,
    /// Does nobody wait for this session's questions (an armed run)?
    pub unattended: bool,
    /// Would "ask" open a dialog in a terminal? In an unattended run that would stop the night.
    pub dialog: bool,
    /// May "allow" be said, so that the client asks nobody?
    pub may_allow: bool,
    /// The number under which the question waits for a person.
    pub question: Option<u64>,
    /// How often this session was refused exactly this call, this time included.
    pub repeats: u32,
}

/// What the hook's process does last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The JSON document for stdout; `None`: say nothing, the client's own rules decide.
    pub json: Option<String>,
    /// The line for stderr.
    pub note: Option<String>,
    /// Exit with 2?
    pub block: bool,
}

/// Chooses the client's answer.
pub fn answer(verdict: &Verdict, asked: &Asked) -> Answer {
    let reason = reason(verdict, asked);
    match (verdict.decision, asked.moment) {
        (Decision::Allow, _) if !asked.may_allow => Answer {
            json: None,
            note: None,
            block: false,
        },
        (Decision::Allow, moment) => output(moment, "allow", &reason),
        (Decision::Ask, Moment::Permission) if !asked.unattended => Answer {
            json: None,
            note: None,
            block: false,
        },
        (Decision::Ask, Moment::Permission) => output(Moment::Permission, "deny", &reason),
        (Decision::Ask, moment) if asked.unattended && asked.dialog => blocked(moment, &reason),
        (Decision::Ask, moment) => output(moment, "ask", &reason),
        (Decision::Deny, moment) => blocked(moment, &reason),
    }
}

/// The answer when there is no event to judge.
pub fn unreadable(reason: &str) -> Answer {
    let reason = shown(
        &format!("E8004: {reason}; blocked, because the guard cannot know what would run"),
        REASON_BYTES_MAX,
    );
    blocked(Moment::BeforeTool, &reason)
}

fn blocked(moment: Moment, reason: &str) -> Answer {
    Answer {
        block: true,
        note: Some(reason.to_owned()),
        ..output(moment, "deny", reason)
    }
}

fn output(moment: Moment, decision: &str, reason: &str) -> Answer {
    let output: Value = match moment {
        Moment::BeforeTool => json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }),
        Moment::Permission if decision == "allow" => json!({
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow"},
        }),
        Moment::Permission => json!({
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "deny", "message": reason},
        }),
    };
    Answer {
        json: Some(json!({"hookSpecificOutput": output}).to_string()),
        note: None,
        block: false,
    }
}

/// What, why, one safe way, and how to go on; the last is never cut off.
fn reason(verdict: &Verdict, asked: &Asked) -> String {
    let rule = verdict.rule;
    let (head, tail) = match verdict.decision {
        Decision::Allow => (format!("overnight ({rule})"), String::new()),
        // Nothing is to be done another way: the agent is to end.
        Decision::Deny if rule == epoch::RULE => (format!("Forbidden ({rule})"), String::new()),
        Decision::Deny => (
            format!("Forbidden ({rule})"),
            "No approval makes this possible; do the task another way.".to_owned(),
        ),
        Decision::Ask => match asked.question {
            Some(number) => (
                format!("Waits for a person ({rule})"),
                format!(
                    "Take another task or wait for approval ask-{number} (a person runs: overnight approve ask-{number})."
                ),
            ),
            None => (format!("A person must decide ({rule})"), String::new()),
        },
    };
    let tail = if verdict.decision != Decision::Allow && asked.repeats >= REPEATS_MANY {
        let pending = asked
            .question
            .filter(|_| verdict.decision == Decision::Ask)
            .map(|number| format!(" It waits as ask-{number}."));
        format!(
            "Blocked {}x: do not try it again; record it in blocked.md and take another task.{}",
            asked.repeats,
            pending.unwrap_or_default()
        )
    } else {
        tail
    };
    let alternative = verdict
        .alternative
        .as_deref()
        .map(|text| format!(" Instead: {text}."))
        .unwrap_or_default();
    // 8: the separators, and the room that `presentable` keeps for its mark of a cut.
    let room = REASON_BYTES_MAX.saturating_sub(head.len() + tail.len() + 8);
    let why = shown(&format!("{}.{alternative}", verdict.reason), room);
    let full = format!("{head}: {why} {tail}");
    shown(full.trim_end(), REASON_BYTES_MAX)
}

#[cfg(test)]
mod tests;
