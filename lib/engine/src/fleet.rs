//! The other machines of a list: what this clone heard of them, and what it passes on itself.

mod courier;

pub(crate) use courier::Courier;

use crate::files::{self, Content};
use crate::journal::Journal;
use crate::leases::journals::{self, Heard};
use crate::leases::{Leases, Options};
use crate::state::Place;
use crate::{clock, config, pinned, runs};
use overnight_base::fault::Fault;
use overnight_run::fleet::{self, Joined, Machine};
use overnight_run::journal::Record;
use overnight_run::members::line;
use overnight_run::{State, fold};
use overnight_views::status::Seen;
use std::path::PathBuf;
use std::time::Duration;

/// How long a view waits for the remote.
const LOOK_LIMIT: Duration = Duration::from_secs(10);

/// Notes in a run's journal that it works on the list of this line together with other machines.
pub(crate) fn join(place: &Place, run: &str, (leases, line): (&Leases, &str)) -> Result<(), Fault> {
    let joined = Joined {
        list: fleet::list(line, &pinned::read(place)?),
        machine: leases.machine().to_owned(),
    };
    let mut journal = Journal::open(&place.run_folder(run), runs::WAIT_MAX)?;
    journal.append(joined).map(drop)
}

/// The machines that share the list of the run of this state, as far as this clone heard of them; none of
/// a run that did not join.
pub(crate) fn others(place: &Place, state: &State) -> Vec<Machine> {
    let Some((joined, run)) = state.fleet.joined.as_ref().zip(state.run.as_ref()) else {
        return Vec::new();
    };
    let all = machines(place, &joined.list);
    all.into_iter().filter(|one| one.run != run.id).collect()
}

/// The machines of a list that this clone heard of.
fn machines(place: &Place, list: &str) -> Vec<Machine> {
    let told = told(place, list).into_iter();
    told.map(|told| told.machine).collect()
}

/// A machine, and the records that tell of it.
pub(crate) struct Told {
    pub(crate) machine: Machine,
    pub(crate) records: Vec<Record>,
}

/// The machines of a list that this clone heard of, with what they told.
pub(crate) fn told(place: &Place, list: &str) -> Vec<Told> {
    let heard = journals::heard(place, list).unwrap_or_default();
    heard.iter().map(|one| told_by(place, list, one)).collect()
}

fn told_by(place: &Place, list: &str, heard: &Heard) -> Told {
    let mut told = Vec::new();
    let mut machine = Machine {
        run: heard.run.clone(),
        name: heard.run.clone(),
        heard_ms: heard_ms(place, list, heard),
        ..Machine::default()
    };
    match records(place, heard) {
        Ok(records) => {
            machine.state = fold(&records);
            let joined = machine.state.fleet.joined.as_ref();
            machine.name = joined.map_or(machine.name, |joined| joined.machine.clone());
            told = records;
        }
        Err(fault) => machine.refused = Some(fault.to_string()),
    }
    Told {
        machine,
        records: told,
    }
}

fn records(place: &Place, heard: &Heard) -> Result<Vec<Record>, Fault> {
    fleet::heard(&heard.run, &journals::words(place, &heard.tip)?)
}

/// When a word of a machine came last, by this machine's clock: clocks of others may be wrong. Where
/// nobody saw it come, it is as old as it says.
fn heard_ms(place: &Place, list: &str, heard: &Heard) -> u64 {
    let known = Known::of(place, list, &heard.run);
    let known = known.filter(|known| known.tip == heard.tip);
    known.map_or(heard.made_ms.min(clock::wall_ms()), |known| known.at)
}

/// The last word of a run that was seen to come.
struct Known {
    tip: String,
    /// When it came, by this machine's clock.
    at: u64,
    /// When it was made, by its own.
    made: u64,
}

impl Known {
    fn path(place: &Place, list: &str, run: &str) -> PathBuf {
        place.state.join("fleet").join(list).join(run)
    }

    fn of(place: &Place, list: &str, run: &str) -> Option<Self> {
        let path = Self::path(place, list, run);
        let Ok(Content::Bytes(bytes)) = files::read_bounded(&path, 256) else {
            return None;
        };
        let text = String::from_utf8(bytes).ok()?;
        let mut words = text.split_whitespace();
        Some(Self {
            tip: words.next()?.to_owned(),
            at: words.next()?.parse().ok()?,
            made: words.next()?.parse().ok()?,
        })
    }

    /// The same with a newer word. It is as much younger than the one before as its own clock says: it
    /// may have come long before it was listened for.
    fn then(before: Option<&Self>, heard: &Heard, now: u64) -> Self {
        let at = before.map_or(heard.made_ms, |before| {
            before
                .at
                .saturating_add(heard.made_ms.saturating_sub(before.made))
        });
        Self {
            tip: heard.tip.clone(),
            at: at.min(now),
            made: heard.made_ms,
        }
    }
}

/// Fetches what the machines of a list said, and notes when what is new came.
fn listen(place: &Place, leases: &Leases, (list, limit): (&str, Duration)) -> Result<(), Fault> {
    leases.listen(list, limit)?;
    let now = clock::wall_ms();
    for heard in journals::heard(place, list)? {
        let before = Known::of(place, list, &heard.run);
        let old = before.as_ref().is_some_and(|known| known.tip == heard.tip);
        if old || !overnight_run::id::is_valid(&heard.run) {
            continue;
        }
        let Known { tip, at, made } = Known::then(before.as_ref(), &heard, now);
        let path = Known::path(place, list, &heard.run);
        if let Some(folder) = path.parent() {
            files::create_private_folder(folder)?;
        }
        files::replace(
            &path,
            format!("{tip} {at} {made}").as_bytes(),
            files::PRIVATE,
        )?;
    }
    Ok(())
}

/// Asks the remote what the other machines of a run's list did meanwhile. A driver that lives here has
/// just done so. Gives what a person should know where the remote does not answer.
pub fn refresh(place: &Place, state: &State) -> Option<String> {
    let joined = state.fleet.joined.as_ref()?;
    if runs::driver_lives(state) {
        return None;
    }
    let remote = state.config.remote.clone();
    let asked = ask(place, &joined.list, remote);
    let unheard = asked.err();
    unheard.map(|fault| format!("what other machines did since is not known: {fault}"))
}

/// Asks the remote what the machines of a list said.
pub(crate) fn ask(place: &Place, list: &str, remote: Option<String>) -> Result<(), Fault> {
    let options = Options {
        remote,
        ..Options::default()
    };
    listen(
        place,
        &Leases::open(&place.top, &options)?,
        (list, LOOK_LIMIT),
    )
}

/// The list of this branch, for a clone without a run of its own, once the remote was asked who works on
/// it; `None` where nobody does.
pub(crate) fn list_at_work(place: &Place) -> Result<Option<String>, Fault> {
    let Some((tasks, branch)) = pinned::looked_at(place).zip(place.branch()) else {
        return Ok(None);
    };
    let prefix = config::load(Some(place)).settings.guard.branch_prefix;
    let list = fleet::list(&line::branch(&prefix, &branch), &tasks);
    ask(place, &list, None)?;
    let some = !journals::heard(place, &list)?.is_empty();
    Ok(Some(list).filter(|_| some))
}

/// The night of machines that work on this branch's list, for a clone without a run of its own: the
/// state of one of their runs, and what is seen of the others. `None` where nobody works on
/// it.
pub fn elsewhere(place: &Place) -> Result<Option<(State, Seen)>, Fault> {
    Ok(elsewhere_told(place)?.map(|(records, seen)| (fold(&records), seen)))
}

/// The same with the records of that run.
pub(crate) fn elsewhere_told(place: &Place) -> Result<Option<(Vec<Record>, Seen)>, Fault> {
    let Some(list) = list_at_work(place)? else {
        return Ok(None);
    };
    let mut all = told(place, &list);
    // The one that tells the most was there from the beginning.
    all.sort_by_key(|told| told.records.len());
    let Some(first) = all.pop().filter(|told| !told.records.is_empty()) else {
        return Ok(None);
    };
    let now = clock::wall_ms();
    let seen = Seen {
        now,
        alive: first.machine.lives(now),
        machines: all.into_iter().map(|told| told.machine).collect(),
        ..Seen::default()
    };
    Ok(Some((first.records, seen)))
}

/// The words of a run that are not passed on yet, behind this record.
fn unsaid(records: &[Record], last: u64) -> Vec<String> {
    let open = records.iter().filter(|record| record.seq > last);
    open.filter_map(fleet::word).collect()
}
