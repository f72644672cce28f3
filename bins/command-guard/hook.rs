//! `command-guard hook`: one event in, one answer out. Whatever goes wrong, it blocks.

mod budget;
mod settle;

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_guard::allowed;
use overnight_guard::answer::{Answer, Asked, answer, unreadable};
use overnight_guard::epoch::Standing;
use overnight_guard::payload::{self, EVENT_BYTES_MAX, Event, Moment};
use overnight_guard::setup::Setup;
use overnight_guard::tool;
use overnight_host::failsafe::{self, Deadline};
use overnight_host::guard::{self, CallSite, Disk, ledger, repeats, tally};
use overnight_host::state::Place;
use overnight_host::{cli, config, env, off, rewriters, snapshot};
use overnight_shell::{Context, Decision, Losses, Mode, NoFacts, Verdict, fetches, goes_out};
use settle::Settled;
use std::path::Path;
use std::time::Duration;

/// How long the client may take to send the event: it sends it as it starts the hook.
const EVENT_WAIT_MAX: Duration = Duration::from_millis(600);
/// How long after its start the hook has answered, whatever it was given (less than a
/// second); in practice a few milliseconds. Far below the hook's time-out, after which the client
/// would let the call through.
const WAIT_MAX: Duration = Duration::from_millis(930);
/// What is answered when no event has come by then, and when the guard fails.
const UNHEARD: &str = concat!(
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
    r#""permissionDecisionReason":"E8004: no event in time, or a defect; blocked, because the guard cannot "#,
    r#"know what would run. Try again when the machine is less busy."}}"#,
    "\n"
);
/// How long a snapshot of a large work tree may take.
const SNAPSHOT_WAIT_MAX: Duration = Duration::from_secs(20);

pub(crate) fn run() -> Exit {
    let deadline = match failsafe::arm(Exit::Block.status(), EVENT_WAIT_MAX, UNHEARD) {
        Ok(deadline) => deadline,
        Err(fault) => return finish(&unreadable(&fault.reason)),
    };
    let bytes = failsafe::stdin(EVENT_BYTES_MAX);
    deadline.end_after(WAIT_MAX);
    let bytes = match bytes {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(format!("the event is larger than {EVENT_BYTES_MAX} bytes")),
        Err(error) => Err(format!("stdin: {error}")),
    };
    let event = bytes.and_then(|bytes| {
        let event = payload::parse(&bytes).map_err(|malformed| malformed.to_string());
        event.map(|event| (event, bytes))
    });
    match event {
        Ok((event, _)) if off::here(folder(&event), event.session.as_deref()) => Exit::Yes,
        Ok((event, raw)) => decide(&event, &raw, &deadline),
        Err(why) => finish(&unreadable(&why)),
    }
}

fn folder(event: &Event) -> &Path {
    Path::new(event.cwd.as_deref().unwrap_or("."))
}

/// What could not be looked at in time is a question.
fn ask_when_late(moment: Moment, unattended: bool, deadline: &Deadline) {
    deadline.answers(move || {
        let verdict = Verdict::ask("deadline", "the guard could not look at all of it in time")
            .instead("run its steps one by one, or try again when the machine is less busy");
        let late = answer(
            &verdict,
            &Asked {
                moment,
                unattended,
                dialog: guard::dialog_opens(),
                may_allow: false,
                question: None,
                repeats: 1,
            },
        );
        let status = if late.block { Exit::Block } else { Exit::Yes };
        (late.json.unwrap_or_default(), status.status())
    });
}

fn decide(event: &Event, raw: &[u8], deadline: &Deadline) -> Exit {
    ask_when_late(event.moment, false, deadline);
    let call_site = CallSite::look(event.cwd.as_deref());
    let standing = guard::caller_in(call_site.place.as_ref(), event.session.as_deref());
    let unattended = standing != Standing::Free || call_site.armed(event.session.as_deref());
    ask_when_late(event.moment, unattended, deadline);
    if let Some(line) = budget::reached(event, raw, &call_site, deadline) {
        return match failsafe::say(&line, Exit::Yes.status()) {
            Ok(()) => Exit::Yes,
            Err(_) => Exit::Block,
        };
    }
    let configured = config::load(call_site.place.as_ref());
    let setup = Setup::of(&configured.settings.guard);
    let verdict = match standing {
        Standing::Stale(verdict) => Settled::of(verdict),
        Standing::Free | Standing::Current => {
            let verdict = judge(event, &call_site, &setup, unattended, deadline);
            let verdict = bounded(verdict, event, &call_site, &setup, unattended);
            let consume = !(unattended && is_rewritten(event, &call_site));
            settle::with_the_book(verdict, event, &call_site, unattended, consume)
        }
    };
    let said = &verdict.verdict;
    let may_allow = (unattended || setup.attended_allow)
        && !(said.decision == Decision::Allow && is_rewritten(event, &call_site));
    let exit = finish(&answer(
        said,
        &Asked {
            moment: event.moment,
            unattended,
            dialog: guard::dialog_opens(),
            may_allow,
            question: verdict.question,
            repeats: refusals(said, event, &call_site),
        },
    ));
    let ignored =
        configured.strict(|wrong| matches!(wrong.section.as_deref(), None | Some("guard")));
    if let (Exit::Yes, Err(fault)) = (exit, ignored) {
        cli::note(&format!("command-guard: {}", fault.reason));
    }
    let counted = call_site
        .place
        .as_ref()
        .filter(|_| unattended && event.moment == Moment::BeforeTool);
    if unattended && said.decision == Decision::Allow {
        note_fetched(event, &call_site, &setup);
    }
    if let Some(place) = counted {
        tally::note(place, event.session.as_deref(), verdict.verdict.decision);
    }
    settle::note_new_question(&verdict, event, &call_site);
    exit
}

/// The verdict by the core, with what the person and the project configured. What may run only because a
/// copy brings back what it loses runs after the work tree was copied: deleted files in a run, and all that
/// only fast mode allows.
fn judge(
    event: &Event,
    call_site: &CallSite,
    setup: &Setup,
    unattended: bool,
    deadline: &Deadline,
) -> Verdict {
    let disk = disk(event, call_site);
    let grounds = call_site.grounds(unattended);
    let place = call_site.place.as_ref();
    let tools = guard::permitted(place, event.session.as_deref(), event.agent.as_deref());
    let walled = guard::runs_walled(event.session.as_deref(), tool::is_shell(&event.tool));
    let judged = |mode, losses| {
        let context = Context {
            mode,
            losses,
            walled,
            attended: !unattended && !setup.attended_strict,
            ..call_site.context(setup, &disk)
        };
        let verdict = tool::judge(event, &context, &grounds);
        let verdict = match allowed::judge(event, &tools, &context) {
            Some(refused) => verdict.worse(refused),
            None => verdict,
        };
        setup.count_in(verdict, &tool::subject(event))
    };
    let verdict = judged(setup.mode, Losses::ByMode);
    let Some(place) = place.filter(|_| unattended && setup.mode != Mode::Strict) else {
        return verdict;
    };
    let (careful, whole) = match verdict.decision {
        Decision::Allow if setup.mode == Mode::Fast => (judged(Mode::Normal, Losses::Asked), true),
        Decision::Allow if walled => (judged(setup.mode, Losses::Asked), false),
        Decision::Ask if judged(setup.mode, Losses::Kept).decision == Decision::Allow => {
            (verdict.clone(), false)
        }
        _ => return verdict,
    };
    if careful.decision == Decision::Allow {
        return verdict;
    }
    deadline.extend(SNAPSHOT_WAIT_MAX);
    match kept_first(place, &disk, whole) {
        Ok(reason) => Verdict::new(Decision::Allow, careful.rule, &reason),
        Err(fault) => {
            cli::note(&format!("command-guard: {}", fault.reason));
            // In a cell it may run without a copy, too.
            if walled { verdict } else { careful }
        }
    }
}

/// Copies the whole work tree, or the files that the command may delete; says where they are.
fn kept_first(place: &Place, disk: &Disk, whole: bool) -> Result<String, Fault> {
    let (kept, what, files) = if whole {
        (snapshot::take(place)?, "the work tree is", ".")
    } else {
        let files = disk.files_asked_about();
        let kept = snapshot::take_files(place, &files)?;
        (kept, "what it deletes is", "FILE")
    };
    let name = kept.name;
    Ok(format!(
        "{what} kept as {name}: git restore --source={name} -- {files} brings it back"
    ))
}

/// The disk as this session sees it: what it made, and what it brought over the network.
fn disk(event: &Event, call_site: &CallSite) -> Disk {
    let about = call_site.place.as_ref().zip(event.session.as_deref());
    let fetched = about.map_or_else(Vec::new, |(place, session)| ledger::read(place, session));
    let desk = call_site.place.as_ref().and_then(guard::desk_port);
    Disk::new(call_site.root())
        .of_session(call_site.began(event.session.as_deref()), fetched)
        .with_desk(desk)
}

/// Notes what an allowed command brings over the network.
fn note_fetched(event: &Event, call_site: &CallSite, setup: &Setup) {
    let about = call_site.place.as_ref().zip(event.session.as_deref());
    if let Some((place, session)) = about
        && event.moment == Moment::BeforeTool
        && tool::is_shell(&event.tool)
    {
        let facts = disk(event, call_site);
        let paths = fetches(&tool::subject(event), &call_site.context(setup, &facts));
        ledger::note(place, session, &paths);
    }
}

/// Pushes and pull requests of one run that need no person; after that many it is a flood
/// (tests/cases/hostile.md X04). An agent makes a few an iteration.
const OUTGOING_MAX: u32 = 50;

/// What is allowed, unless it is one push or pull request too many.
fn bounded(
    verdict: Verdict,
    event: &Event,
    call_site: &CallSite,
    setup: &Setup,
    unattended: bool,
) -> Verdict {
    let counted = unattended
        && verdict.decision == Decision::Allow
        && event.moment == Moment::BeforeTool
        && tool::is_shell(&event.tool);
    let Some(place) = call_site.place.as_ref().filter(|_| counted) else {
        return verdict;
    };
    // Only its words matter.
    if !goes_out(&tool::subject(event), &call_site.context(setup, &NoFacts)) {
        return verdict;
    }
    let run = env::get(&vars::RUN).or_else(|| event.session.clone());
    if repeats::count(place, "outgoing", &run.unwrap_or_default()) <= OUTGOING_MAX {
        return verdict;
    }
    Verdict::ask(
        "flood",
        &format!("this run pushed or opened pull requests more than {OUTGOING_MAX} times"),
    )
    .instead("commit, and leave the push to the end of the run")
}

/// May another hook replace the command after this answer? Before a permission dialog the client
/// shows the final command, and for other tools nothing is allowed by command.
fn is_rewritten(event: &Event, call_site: &CallSite) -> bool {
    event.moment == Moment::BeforeTool
        && tool::is_shell(&event.tool)
        && !rewriters::before_bash(call_site.top()).is_empty()
}

/// How often this session was refused this call, when it is refused now.
fn refusals(verdict: &Verdict, event: &Event, call_site: &CallSite) -> u32 {
    let place = call_site
        .place
        .as_ref()
        .filter(|place| place.git.is_some() || place.state.is_dir());
    match (place, &event.session) {
        (Some(place), Some(session))
            if verdict.decision != Decision::Allow && event.moment == Moment::BeforeTool =>
        {
            repeats::count(place, session, &tool::call(event, &call_site.cwd).key)
        }
        _ => 1,
    }
}

fn finish(answer: &Answer) -> Exit {
    let exit = if answer.block { Exit::Block } else { Exit::Yes };
    let said = match &answer.json {
        Some(line) => failsafe::say(line, exit.status()),
        None => Ok(()),
    };
    if let Some(note) = &answer.note {
        cli::note(note);
    }
    if said.is_err() { Exit::Block } else { exit }
}
