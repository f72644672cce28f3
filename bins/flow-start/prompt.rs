//! A prompt of the person's.

use overnight_base::fault::Fault;
use overnight_base::hook::{Event, context, message, shown};
use overnight_engine::session_loop::{self, PromptEffect, StopAnswer};
use overnight_host::{hook, state};
use serde_json::Value;

/// A prompt in the middle of the session's run.
pub(crate) fn heard(event: &Event) -> Result<Option<Value>, Fault> {
    let place = state::locate(&hook::folder(event))?;
    let prompt = event.text("prompt").unwrap_or_default();
    let heard = session_loop::prompted(&place, hook::session(event)?, prompt)?;
    Ok(heard.map(|heard| match heard {
        PromptEffect::Held(told, line) => shown(context(event.name(), &told), line),
        PromptEffect::GoesOn(StopAnswer::Next(text)) => context(event.name(), &text),
        PromptEffect::GoesOn(StopAnswer::Ended(line, sequence)) => {
            message(&line, sequence.as_deref())
        }
    }))
}
