//! What was typed behind `/flow`, turned into an order, one pass, an armed run, or a refusal.

use overnight_base::fault::Fault;
use overnight_base::hook::{Event, block, context, shown};
use overnight_engine::session_loop::{self, StopAnswer};
use overnight_host::{hook, state};
use overnight_run::flow::{brief, order, request};
use serde_json::Value;

/// What the client is told about it.
pub(crate) fn answer(event: &Event) -> Result<Value, Fault> {
    let typed = event.text("command_args").unwrap_or_default();
    if let Some(order) = order(typed) {
        let place = state::locate(&hook::folder(event))?;
        return Ok(
            match session_loop::obey(&place, hook::session(event)?, order)? {
                StopAnswer::Next(text) => context("UserPromptExpansion", &text),
                StopAnswer::Ended(line, _) => block(&line),
            },
        );
    }
    let request = match request::parse(typed) {
        Ok(request) => request,
        Err(message) => return Ok(block(&message)),
    };
    let folder = hook::folder(event);
    let (told, found) = if !request.autonomous {
        (StopAnswer::Next(brief::one_pass(&request)), Vec::new())
    } else if request.leaves_session() {
        let said = session_loop::detach(&folder, &request)?;
        (StopAnswer::Ended(said, None), Vec::new())
    } else {
        let place = state::locate(&folder)?;
        session_loop::arm(&place, hook::session(event)?, &folder, &request)?
    };
    let answer = match told {
        StopAnswer::Next(text) => context("UserPromptExpansion", &text),
        StopAnswer::Ended(line, _) => block(&line),
    };
    let found = (!found.is_empty()).then(|| format!("overnight: {}", found.join("\novernight: ")));
    Ok(shown(answer, brief::taken_as(&request).or(found)))
}
