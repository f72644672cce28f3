//! `command-guard hook`: one event in, one answer out. Whatever goes wrong, it blocks.

use overnight_core::exit::Exit;
use overnight_core::guard::answer::{Answer, Asked, answer, unreadable};
use overnight_core::guard::epoch::Standing;
use overnight_core::guard::payload::{self, EVENT_BYTES_MAX, Event};
use overnight_core::guard::{Mode, NoFacts, tool};
use overnight_host::guard::{self, Scene};
use overnight_host::{cli, failsafe};
use std::time::Duration;

/// How long the client may take to send the event: it sends it as it starts the hook.
const EVENT_PATIENCE: Duration = Duration::from_millis(750);
/// How long deciding may take; in practice a millisecond. Far below the hook's time-out, after
/// which the client would let the call through.
const DECISION_PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn run() -> Exit {
    let deadline = match failsafe::arm(Exit::Block.status(), EVENT_PATIENCE) {
        Ok(deadline) => deadline,
        Err(fault) => return finish(&unreadable(&fault.reason)),
    };
    let bytes = failsafe::stdin(EVENT_BYTES_MAX);
    deadline.extend(DECISION_PATIENCE);
    finish(&match bytes {
        Ok(Some(bytes)) => match payload::parse(&bytes) {
            Ok(event) => decide(&event),
            Err(malformed) => unreadable(&malformed.to_string()),
        },
        Ok(None) => unreadable(&format!("the event is larger than {EVENT_BYTES_MAX} bytes")),
        Err(error) => unreadable(&format!("stdin: {error}")),
    })
}

fn decide(event: &Event) -> Answer {
    let standing = guard::caller();
    let scene = Scene::look(event.cwd.as_deref());
    let armed = standing == Standing::Current || scene.armed(event.session.as_deref());
    let verdict = match standing {
        Standing::Stale(verdict) => verdict,
        Standing::Free | Standing::Current => {
            tool::judge(event, &scene.context(Mode::Normal, "auto/", &NoFacts))
        }
    };
    answer(
        &verdict,
        &Asked {
            moment: event.moment,
            unattended: armed,
            dialog: guard::dialog_opens(),
            may_allow: armed,
            question: None,
            repeats: 1,
        },
    )
}

fn finish(answer: &Answer) -> Exit {
    let said = answer.json.as_deref().map_or(Ok(()), failsafe::say);
    if let Some(note) = &answer.note {
        cli::note(note);
    }
    if answer.block || said.is_err() {
        Exit::Block
    } else {
        Exit::Yes
    }
}
