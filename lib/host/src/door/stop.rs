//! The session's model wants to stop.

use super::{Door, Told};
use crate::state::Place;
use crate::{clock, round, session};
use overnight_core::classify::Class;
use overnight_core::fault::Fault;
use overnight_core::hook::Event;
use overnight_core::judge::Said;
use overnight_core::judge::marker::Marker;
use overnight_core::run::event::{Ended, Intent, Outcome};
use overnight_core::run::step::Nudge;

/// How much of the last words is kept in the journal.
const SAID_BYTES_MAX: usize = 2048;

/// May the session stop? `None`: it is not ours to say. A subagent's stop is not an iteration's
/// end, and while a background task runs the session will be woken by it.
pub fn stop(place: &Place, id: &str, event: &Event) -> Result<Option<Told>, Fault> {
    let Some(armed) = session::armed(place, id)? else {
        return Ok(None);
    };
    if event.in_subagent() || event.background_tasks() > 0 {
        return Ok(None);
    }
    let mut door = Door::open(place, id, armed)?;
    if !door.is_ours() {
        session::disarm(place, id)?;
        let run = &door.armed.run;
        let line = format!(
            "overnight: run {run} is no longer this session's (see: overnight status {run})"
        );
        return Ok(Some(Told::Ended(line)));
    }
    door.record(event)?;
    door.advance().map(Some)
}

impl Door<'_> {
    /// Records what the iteration came to.
    fn record(&mut self, event: &Event) -> Result<(), Fault> {
        let Some(open) = self.journal.state().open.clone() else {
            return Ok(());
        };
        match open.outcome.as_ref().map(|outcome| outcome.class) {
            // The hook before this one died after recording: its steps are still to be taken.
            Some(Class::None) => return Ok(()),
            // The service failed, and the person let the session go on: that was the next attempt.
            Some(_) => {
                self.journal.append(Intent {
                    iteration: open.iteration,
                    attempt: open.attempt + 1,
                    task: open.task.clone(),
                    check_id: open.check_id.clone(),
                    epoch: self.armed.epoch,
                    nudge: Nudge::None,
                })?;
            }
            None => {}
        }
        let text = event.text("last_assistant_message").unwrap_or_default();
        let said = if text.is_empty() {
            Said::nothing("the last reply was empty")
        } else {
            Said::of_text(text, &Marker::new("DONE")?)
        };
        let claim = round::claim(&round::decision_file(&self.folder), &open.check_id, &said)?;
        let (tree, changed) = self.snapshot()?;
        self.journal.append(Outcome {
            ended: Ended::Exited(0),
            class: Class::None,
            resets_at: None,
            claim,
            cost_usd: 0.0,
            session: Some(self.session.to_owned()),
            output_bytes: text.len() as u64,
            duration_ms: clock::wall_ms().saturating_sub(open.started),
            tree,
            changed,
            errors: Vec::new(),
            denials: 0,
            said: text[text.ceil_char_boundary(text.len().saturating_sub(SAID_BYTES_MAX))..]
                .to_owned(),
        })?;
        Ok(())
    }
}
