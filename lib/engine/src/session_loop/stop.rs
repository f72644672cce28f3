//! The session's model wants to stop.

use super::{SessionLoop, StopAnswer, classified, snapshots};
use crate::cell::armed::{self, Left};
use crate::guard::repeats;
use crate::logs::last::LastRun;
use crate::notify::{self, Way};
use crate::state::Place;
use crate::worktree::Snapshot;
use crate::{client, clock, env, pull_request, round, session, wish};
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_base::vars;
use overnight_judge::Message;
use overnight_judge::marker::Marker;
use overnight_run::classify::{Channel, Class, ClientLimit};
use overnight_run::event::{Ended, Intent, Outcome};
use overnight_run::hold::Pause;
use overnight_run::state::Open;
use overnight_run::step::Nudge;
use overnight_run::{State, budget, continuity, scope};
use overnight_views::notify::{Kind, Notice, trial};
use std::path::Path;

/// How much of the last words is kept in the journal.
const SAID_BYTES_MAX: usize = 2048;

/// What the person is told where shells of their session live in no cell.
const UNLED: &str = "the shells of this session live in no cell: the client was not told at its start to lead them there; \
                     start it anew (claude --resume)";

/// May the session stop? `None`: it is not ours to say. A subagent's stop is not an iteration's
/// end, and while a background task runs the session will be woken by it.
pub fn stop(place: &Place, id: &str, event: &Event) -> Result<Option<StopAnswer>, Fault> {
    let Some(run) = session::armed(place, id)? else {
        return Ok(None);
    };
    if event.in_subagent() || event.background_tasks() > 0 {
        return Ok(None);
    }
    let folder = crate::runs::folder(place, &run.run)?;
    if run.is_with_another_client() {
        let line = format!(
            "overnight: run {} is with another client of this session",
            run.run
        );
        return Ok(Some(StopAnswer::Ended(line, None)));
    }
    // git looks at the work tree while the journal is read.
    let (session_loop, seen) = std::thread::scope(|scope| {
        let seen = scope.spawn(|| snapshots(place, &folder).take());
        (SessionLoop::open(place, id, run), seen.join())
    });
    let mut session_loop = session_loop?;
    let seen = match seen {
        Ok(Ok(seen)) => Some(seen),
        Ok(Err(fault)) => {
            crate::cli::note(&fault.to_string());
            None
        }
        Err(_) => None,
    };
    let held = session_loop
        .journal
        .state()
        .paused
        .is_some_and(|why| why != Pause::Asked);
    wish::hear(&mut session_loop.journal, &session_loop.folder)?;
    if let Some(told) = session_loop.stopped()? {
        return Ok(Some(told));
    }
    if !session_loop.is_ours() {
        session::disarm(place, id)?;
        let run = &session_loop.armed.run;
        let line = format!(
            "overnight: run {run} is no longer this session's (see: overnight status {run})"
        );
        return Ok(Some(StopAnswer::Ended(line, None)));
    }
    // A turn between a pause and its end is the person's, not an iteration's.
    if held {
        return match session_loop.journal.state().paused {
            Some(_) => Ok(None),
            None => session_loop.go_on().map(Some),
        };
    }
    session_loop.record(event, seen, (Class::None, None))?;
    let told = session_loop.advance()?;
    if event.held() && matches!(told, StopAnswer::Next(_)) && session_loop.idle() > cap() {
        return Ok(Some(session_loop.cut_off()));
    }
    Ok(Some(told))
}

/// How many stops in a row without a tool call the client lets a hook hold.
fn cap() -> usize {
    const DEFAULT: usize = 8;
    match env::get(&vars::STOP_HOOK_BLOCK_CAP).map(|text| text.parse()) {
        Some(Ok(0)) => usize::MAX,
        Some(Ok(cap)) => cap,
        Some(Err(_)) | None => DEFAULT,
    }
}

/// Tokens of the session that no iteration has counted yet, and the same by what they cost; read
/// only where a limit asks for it. The client writes its transcripts a little late: what comes
/// after this event counts in the next iteration.
pub(super) fn spent(state: &State, session: &str, event: &Event) -> (u64, u64, f64) {
    let config = &state.config;
    let limited = config.budget_usd.is_some()
        || config.budget_tokens.is_some()
        || config.usd_per_hour.is_some();
    let transcript = event.text("transcript_path").filter(|_| limited);
    let begun = state.run.as_ref().map(|run| run.started);
    let Some((path, begun)) = transcript.zip(begun) else {
        return (0, 0, 0.0);
    };
    let spending = client::spent_since(Path::new(path), begun);
    let (tokens, weight) = spending.total();
    let (known, known_weight) = continuity::known(&state.sessions, Some(session));
    let weight = weight.saturating_sub(known_weight);
    let usd = budget::reckoned(state.priced, spending.listed(), weight);
    (tokens.saturating_sub(known.tokens), weight, usd)
}

/// What the service's message to a worker means: its iteration had no chance, though the main thread's turn
/// ended well.
fn failed_worker(said: &str) -> (Class, Option<i64>) {
    let failure = classified(Channel::Plain, said);
    (failure.class, failure.resets_at)
}

impl SessionLoop<'_> {
    /// The client would end the turn now: the run pauses, and the person is told.
    fn cut_off(&self) -> StopAnswer {
        let line = format!(
            "overnight: run {} pauses, because Claude Code would end this turn now: {} stops without a result; write \"continue\"",
            self.armed.run,
            self.idle()
        );
        let notice = Notice {
            key: format!(
                "{}/pause-{}",
                self.armed.run,
                self.journal.state().iterations
            ),
            kind: Kind::NeedsYou,
            run: self.armed.run.clone(),
            text: "the run pauses: write \"continue\" in the session".to_owned(),
            commands: vec![format!("overnight resume {}", self.armed.run)],
            ..trial(&notify::project(self.place))
        };
        let sequence = notify::pass_on(self.place, &notice, Way::Client);
        StopAnswer::Ended(line, sequence)
    }

    /// Iterations in a row of which nothing came: no change, no decision. A hook is not told about
    /// tool calls; these are the ones that may have had none.
    fn idle(&self) -> usize {
        let history = self.journal.state().history.iter().rev();
        let idle =
            history.take_while(|iteration| iteration.changed == 0 && iteration.verdict.undecided());
        idle.count()
    }

    /// Carries out what the shells in their cell asked for, and puts back what they bent.
    fn look_after(&mut self) -> Result<Left, Fault> {
        let push = |branch: &str| {
            pull_request::push_meanwhile(self.place, branch)?;
            crate::cli::note(&format!("pushed {branch}, as the agent asked"));
            Ok(())
        };
        let left = armed::look(self.session, push, crate::cli::note)?;
        for path in &left.restored {
            let path = path.display();
            crate::cli::note(&format!("put back what the agent changed: {path}"));
        }
        if left.unled {
            self.notes.push(UNLED.to_owned());
        }
        Ok(left)
    }

    /// Begins the next attempt of the open iteration.
    fn attempt_again(&mut self, open: &Open, now: u64) -> Result<(), Fault> {
        let again = Intent {
            iteration: open.iteration,
            attempt: open.attempt + 1,
            task: open.task.clone(),
            check_id: open.check_id.clone(),
            epoch: self.armed.epoch,
            nudge: Nudge::None,
            model: open.model.clone(),
            continues: None,
        };
        self.journal.write_at(again, now)
    }

    /// Records what the iteration came to; durable with the step that follows.
    pub(super) fn record(
        &mut self,
        event: &Event,
        seen: Option<Snapshot>,
        (class, limit): (Class, Option<ClientLimit>),
    ) -> Result<(), Fault> {
        let now = clock::wall_ms();
        let Some(open) = self.journal.state().open.clone() else {
            return Ok(());
        };
        match open.outcome.as_ref().map(|outcome| outcome.class) {
            // The hook before this one died after recording: its steps are still to be taken.
            Some(Class::None) => return Ok(()),
            // The service failed, and the person let the session go on: that was the next attempt.
            Some(_) => self.attempt_again(&open, now)?,
            None => {}
        }
        let text = event.text("last_assistant_message").unwrap_or_default();
        let said = if text.is_empty() {
            Message::nothing("the last reply was empty")
        } else {
            Message::of_text(text, &Marker::new("DONE")?)
        };
        let left = self.look_after()?;
        let claim = round::claim(&self.decision_file(), &open.check_id, &said)?;
        let task = self.journal.state().task(&open.task);
        let unseen = seen.is_none();
        let seen = seen.unwrap_or_default();
        let transcript = event.text("transcript_path").map(Path::new);
        if let Some(path) = transcript.filter(|_| !text.is_empty()) {
            client::await_message(path, text, open.started);
        }
        let (tokens, weight, cost_usd) = spent(self.journal.state(), self.session, event);
        let end = transcript.map(|path| client::transcript_end(path, open.started));
        let end = end.unwrap_or_default();
        let failed = end
            .failed_agent
            .filter(|_| class == Class::None && !claim.complete());
        let (class, resets_at) = failed.map_or((class, None), |said| failed_worker(&said));
        let outcome = Outcome {
            cost_usd,
            estimated: weight > 0,
            tokens,
            weight,
            context: end.context,
            resets_at,
            session: Some(self.session.to_owned()),
            output_bytes: text.len() as u64,
            duration_ms: now.saturating_sub(open.started),
            unseen,
            tree: seen.tree,
            changed: seen.changed.len() as u64,
            files: task.map_or_else(Vec::new, |task| scope::files(seen.changed, &task.spec)),
            refused: repeats::take(self.place, self.session),
            plan: round::plan(self.place),
            failing_set: LastRun::failing_set(self.place, open.started),
            walled: left.walled,
            limited: left.limited.map(String::into_boxed_str),
            said: text[text.ceil_char_boundary(text.len().saturating_sub(SAID_BYTES_MAX))..]
                .to_owned(),
            limit,
            ..Outcome::of(Ended::Exited(0), class, claim)
        };
        self.journal.write_at(outcome, now)
    }
}
