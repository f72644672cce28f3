//! What is seen of a run from outside: its journal, its driver, the questions that wait.

use crate::approvals::Approvals;
use crate::files::{self, Content};
use crate::glance;
use crate::guard::tally;
use crate::journal;
use crate::logs::STATS;
use crate::runs;
use crate::runs::{driver_lives, lives};
use crate::state::Place;
use crate::work;
use crate::{client, clock, fleet};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_filter::stats::Stats as FilterStats;
use overnight_guard::question::Question;
use overnight_run::event::Door;
use overnight_run::hold::Pause;
use overnight_run::journal::{Record, Stamp};
use overnight_run::members::name;
use overnight_run::{State, apply, pausing};
use overnight_views::activity::Activity;
use overnight_views::stats;
use overnight_views::status::{Beside, Glance, Life, MemberSeen, Seen, Vitals};
use overnight_views::summary::work::Alive;
use overnight_views::summary::{self, Summary};
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Far above the size at which the filter's records are added up.
const STATS_BYTES_MAX: u64 = 4 << 20;

/// A run's state, and what is seen of it now, its members at work included.
pub fn look(place: &Place, run: &str) -> Result<(State, Seen), Fault> {
    let (state, torn_bytes) = read(place, run)?;
    let seen = seen_with_members(place, run, &state, torn_bytes);
    Ok((state, seen))
}

/// The same after the remote was asked what other machines of its list did; the text is why they were not
/// heard of.
pub fn look_far(place: &Place, run: &str) -> Result<(State, Seen, Option<String>), Fault> {
    let (state, torn_bytes) = read(place, run)?;
    let unheard = fleet::refresh(place, &state);
    let seen = seen_with_members(place, run, &state, torn_bytes);
    Ok((state, seen, unheard))
}

fn read(place: &Place, run: &str) -> Result<(State, u64), Fault> {
    let folder = place.run_folder(run);
    let mut state = State::default();
    let (whole, torn_bytes) = journal::visit_whole(&folder, |record| apply(&mut state, record))?;
    glance::remember(&folder, &state, whole);
    if let Some(record) = broken_off(&state) {
        apply(&mut state, record);
    }
    Ok((state, torn_bytes))
}

/// The pause that nobody could write down: the person broke off the turn of the run's session, and did nothing
/// since. The client tells no hook of it.
pub(crate) fn broken_off(state: &State) -> Option<Record> {
    let session = state.session.as_ref().filter(|_| driver_lives(state))?;
    let event = pausing::pause(state, Pause::BrokenOff).filter(|_| state.paused.is_none())?;
    let at = client::broken_off(session).filter(|at| *at > state.updated)?;
    let then = state.steady.1.as_ref()?;
    let stamp = Stamp {
        t: at,
        mono: then.mono_ms.saturating_add(at.saturating_sub(then.wall_ms)),
        boot: then.boot.clone(),
    };
    Some(Record {
        seq: 0,
        stamp,
        event: event.into(),
    })
}

/// What is seen of a run now, its members at work and what is open included.
pub(crate) fn seen_with_members(place: &Place, run: &str, state: &State, torn_bytes: u64) -> Seen {
    let folder = place.run_folder(run);
    let mut seen = seen(place, run, state, torn_bytes);
    let logs = PathBuf::from(&seen.logs);
    overhear(&mut seen, state, &logs);
    seen.machines = fleet::others(place, state);
    for assignment in &state.members.at_work {
        let name = name(&assignment.task, assignment.round);
        let mut own = State::default();
        let path = runs::member_journal(&folder, &name);
        // One that has not begun yet has none; one that cannot be read says nothing of the run.
        if journal::visit(&path, |record| apply(&mut own, record)).is_ok() {
            seen.agents.extend(agent_of(&own, Some(assignment.member)));
            overhear(&mut seen, &own, &logs.join(&name));
            seen.members.push(member_seen(name, own));
        }
    }
    seen
}

/// What the agent of the attempt that is not judged has printed so far: its last words, and about how many
/// dollars they cost, as long as that is not booked.
fn overhear(seen: &mut Seen, state: &State, logs: &Path) {
    let Some(open) = state.open.as_ref() else {
        return;
    };
    let Ok(mut file) = File::open(logs.join(format!("{}.jsonl", open.iteration))) else {
        return;
    };
    // What was printed by attempts before it is booked.
    if file.seek(SeekFrom::Start(open.offset)).is_err() {
        return;
    }
    let mut printed = Activity::default();
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        printed.add(&String::from_utf8_lossy(&line));
    }
    if open.outcome.is_none() {
        seen.open_usd += printed.about_usd(state.priced);
    }
    let words = printed.words.map(|words| (open.task.clone(), words));
    seen.unjudged.extend(words);
}

/// What a run came to, with git's word about its work.
pub fn summary(place: &Place, state: &State, seen: &Seen) -> Summary {
    let work = work::of(place, state);
    summary::of(state, seen, work.as_ref())
}

/// A member's journal as it is seen now.
pub(crate) fn member_seen(name: String, state: State) -> MemberSeen {
    MemberSeen {
        name,
        alive: driver_lives(&state),
        state,
    }
}

/// What is seen of a run now, beside its journal and those of its members.
pub(crate) fn seen(place: &Place, run: &str, state: &State, torn_bytes: u64) -> Seen {
    let alive = driver_lives(state);
    let started = state.run.as_ref().map_or(0, |run| run.started);
    let in_session = state
        .run
        .as_ref()
        .is_some_and(|run| run.door == Door::Session);
    Seen {
        now: clock::wall_ms(),
        alive,
        // A living driver may be in the middle of a line.
        torn_bytes: if alive { 0 } else { torn_bytes },
        questions: questions(place, run, in_session.then_some(started))
            .iter()
            .map(|ask| (ask.id(), ask.call.text.clone()))
            .collect(),
        journal: place
            .run_folder(run)
            .join(journal::FILE)
            .display()
            .to_string(),
        logs: place
            .home
            .join("agent_logs")
            .join(run)
            .display()
            .to_string(),
        members: Vec::new(),
        agents: agent_of(state, None).into_iter().collect(),
        open_usd: 0.0,
        unjudged: Vec::new(),
        machines: Vec::new(),
    }
}

/// The agent of the open iteration, if its process lives.
fn agent_of(state: &State, member: Option<u32>) -> Option<Alive> {
    let open = state.open.as_ref().filter(|open| open.outcome.is_none())?;
    // Without a start, a process that has the number since would be taken for it.
    let (pid, _) = open.agent.filter(|(_, start)| *start > 0)?;
    let boot = state.steady.1.as_ref().map(|reading| reading.boot.as_str());
    lives(open.agent, boot).then(|| Alive {
        pid,
        task: open.task.clone(),
        member,
    })
}

/// The open questions of a run. In a session, begun at `since` (Unix milliseconds), the guard does
/// not know the run: what it asks from then on is the run's.
fn questions(place: &Place, run: &str, since: Option<u64>) -> Vec<Question> {
    let ours = |ask: &Question| match &ask.run {
        Some(of) => of == run,
        None => since.is_some_and(|since| ask.asked_ms >= since),
    };
    let asks = Approvals::of(place).and_then(|book| book.open(None));
    let mut questions = asks.unwrap_or_default();
    questions.retain(ours);
    questions
}

/// A run at a glance, and what is seen beside it now.
pub fn glance(place: &Place, run: &str) -> Result<(Glance, Beside), Fault> {
    let folder = place.run_folder(run);
    let glance = glance::of(&folder)?;
    let mut members = Vec::new();
    for assignment in &glance.at_work {
        // One that has not begun yet has none; one that cannot be read says nothing of the run.
        if let Ok(own) = glance::of(&runs::member_journal(&folder, &assignment.journal)) {
            let alive = lives(own.driver, own.boot.as_deref());
            members.push((assignment.journal.clone(), own, alive));
        }
    }
    let since = glance.in_session.then_some(glance.started);
    let alive = lives(glance.driver, glance.boot.as_deref());
    let beside = Beside {
        now: clock::wall_ms(),
        alive,
        by_esc: alive && is_broken_off(&glance),
        questions: questions(place, run, since).len(),
        looked: looked(&folder),
        members,
    };
    Ok((glance, beside))
}

/// The same as [`broken_off`], by a glance at a run whose driver lives.
fn is_broken_off(glance: &Glance) -> bool {
    let Vitals {
        end,
        paused,
        updated,
        ..
    } = glance.vitals;
    let session = glance.session.as_deref();
    let session = session.filter(|_| end.is_none() && !paused);
    session.and_then(client::broken_off) > Some(updated)
}

/// What a person looked at, in the run's folder: the journal's length then.
const LOOKED: &str = "looked";

fn looked(folder: &Path) -> u64 {
    match files::read_bounded(&folder.join(LOOKED), 32) {
        Ok(Content::Bytes(bytes)) => String::from_utf8_lossy(&bytes).trim().parse().unwrap_or(0),
        _ => 0,
    }
}

/// A person looks at the run now: the status line no longer tells of its end. Of no weight where it
/// cannot be kept.
pub fn note_look(place: &Place, run: &str) {
    let folder = place.run_folder(run);
    if let Ok(glance) = glance::of(&folder) {
        let length = glance.bytes.to_string();
        let _ = files::write_atomic(&folder.join(LOOKED), length.as_bytes(), files::PRIVATE);
    }
}

/// A run in figures.
pub fn figures(place: &Place, run: &str) -> Result<stats::Run, Fault> {
    let folder = place.run_folder(run);
    let mut reading = stats::Reading::default();
    journal::visit(&folder, |record| reading.add(record))?;
    let mut guard = tally::of(&folder);
    for (name, folder) in runs::member_journals(&folder) {
        journal::visit(&folder, |record| reading.add_of_member(&name, record))?;
        guard = guard.plus(tally::of(&folder));
    }
    let seen = seen_with_members(place, run, reading.state(), 0);
    Ok(reading.run(seen, guard))
}

/// What the output filter saved in this project so far.
pub fn filter_saved(place: &Place) -> Result<FilterStats, Fault> {
    Ok(
        match files::read_bounded(&place.state.join(STATS), STATS_BYTES_MAX)? {
            Content::Bytes(bytes) => FilterStats::sum(&String::from_utf8_lossy(&bytes)),
            Content::Missing | Content::Refused(_) => FilterStats::default(),
        },
    )
}

/// The runs that are under way, newest first.
pub fn living(place: &Place) -> Vec<String> {
    /// Nobody has more nights at once.
    const LOOKED_AT: usize = 100;
    let lives = |run: &String| {
        glance(place, run).is_ok_and(|(glance, beside)| {
            let life = glance.vitals.life(beside.alive, beside.now);
            life.is_under_way() || (life == Life::Paused && beside.alive)
        })
    };
    runs::all(place)
        .into_iter()
        .rev()
        .take(LOOKED_AT)
        .filter(lives)
        .collect()
}

/// The run that is meant where none is named: the one that is under way; where none is, the newest.
/// More than one where it is not clear.
pub fn meant(place: &Place) -> Result<Vec<String>, Fault> {
    let all = runs::all(place);
    // Whether the only run is under way takes as long as reading its journal, where no glance is kept.
    if all.len() == 1 {
        return Ok(all);
    }
    let living = living(place);
    if living.is_empty() {
        return runs::choose(place, None).map(|newest| vec![newest]);
    }
    Ok(living)
}

/// The run that a person named, or the one that is [`meant`].
pub fn choose_living(place: &Place, named: Option<&str>) -> Result<String, Fault> {
    if named.is_some() {
        return runs::choose(place, named);
    }
    let mut meant = meant(place)?;
    if meant.len() > 1 {
        let reason = format!("{} runs are under way: {}", meant.len(), meant.join(", "));
        return Err(Fault::new(Code::InputInvalid, reason).hint("name the one that you mean"));
    }
    meant.pop().map_or_else(|| runs::choose(place, None), Ok)
}
