//! The budget of a run whose agent is this session: once it is reached, the turn ends before the next call.

use overnight_base::hook::{self, end_turn};
use overnight_engine::session_loop;
use overnight_guard::payload::{Event, Moment};
use overnight_host::failsafe::Deadline;
use overnight_host::guard::CallSite;
use std::time::Duration;

/// How long it may take to reckon what was spent from a long session's transcript.
const WAIT_MAX: Duration = Duration::from_secs(20);

/// The answer that ends the turn. None outside an armed session, as long as there is something left, and where it
/// cannot be told: the turn's end asks again.
pub(super) fn reached(
    event: &Event,
    raw: &[u8],
    call_site: &CallSite,
    deadline: &Deadline,
) -> Option<String> {
    let session = event.session.as_deref()?;
    if event.moment != Moment::BeforeTool || !call_site.armed(Some(session)) {
        return None;
    }
    deadline.extend(WAIT_MAX);
    let (place, raw) = (call_site.place.as_ref()?, hook::Event::parse(raw)?);
    let told = session_loop::midway(place, session, &raw).ok().flatten();
    deadline.extend(super::WAIT_MAX);
    let (line, sequence) = told?;
    let mut answer = end_turn(&line, sequence.as_deref());
    answer["hookSpecificOutput"] = serde_json::json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": line,
    });
    Some(answer.to_string())
}
