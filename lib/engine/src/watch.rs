//! The runs that a live view shows, kept up to date.

mod act;
mod afar;

use crate::follow::Follower;
use crate::state::Place;
use crate::{clock, fleet, runs, sight};
use afar::Afar;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::members::name;
use overnight_views::report::Clock;
use overnight_views::status::{MemberSeen, Seen};
use overnight_views::watch::{Heard, Subject};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Instant, UNIX_EPOCH};

/// Runs looked through, newest first, for those that are under way beside the newest.
const RUNS_LOOKED_AT: usize = 20;

/// The runs shown, each with the reader of its journal.
#[derive(Debug)]
pub struct Watcher {
    place: Place,
    named: Option<String>,
    /// The only member that is shown.
    only: Option<u32>,
    /// Does a member have a newer task than the one that is shown?
    behind: bool,
    clock: Clock,
    runs: Vec<Followed>,
    subjects: Vec<Subject>,
    /// When somebody last looked for changes.
    changes: Option<Instant>,
    afar: Afar,
}

#[derive(Debug)]
struct Followed {
    run: String,
    /// The member's number; 0 for the run's own journal, [`afar::MACHINE`] for that of another machine.
    member: u32,
    reader: Follower,
}

impl Watcher {
    /// Shows the named run, or the newest one and every one under way; of a run with members all
    /// of them, or this one alone.
    pub fn new(place: Place, named: Option<&str>, only: Option<u32>) -> Result<Self, Fault> {
        let newest = match runs::choose(&place, named) {
            Err(fault) if named.is_none() => {
                // Other machines may be at work on this list.
                let list = fleet::list_at_work(&place)?.ok_or(fault)?;
                return Ok(Self::of_list(place, list));
            }
            newest => newest?,
        };
        let mut watcher = Self {
            named: named.map(str::to_owned),
            only,
            behind: false,
            clock: Clock(clock::zone()),
            runs: Vec::new(),
            subjects: Vec::new(),
            changes: None,
            afar: Afar::default(),
            place,
        };
        if named.is_none() {
            for run in runs::all(&watcher.place)
                .into_iter()
                .rev()
                .take(RUNS_LOOKED_AT)
            {
                watcher.follow(run);
            }
            watcher.read();
            watcher.keep(&newest);
        } else {
            watcher.follow(newest);
        }
        watcher.refresh();
        Ok(watcher)
    }

    /// Shows the machines of a list, in a clone without a run of its own.
    fn of_list(place: Place, list: String) -> Self {
        let mut watcher = Self {
            named: None,
            only: None,
            behind: false,
            clock: Clock(clock::zone()),
            runs: Vec::new(),
            subjects: Vec::new(),
            changes: None,
            afar: Afar::of_list(list),
            place,
        };
        watcher.refresh();
        watcher
    }

    /// What there is to show.
    pub fn subjects(&self) -> &[Subject] {
        let at = |member| {
            self.runs
                .iter()
                .position(|followed| followed.member == member)
        };
        match self.only {
            None => &self.subjects,
            Some(member) => at(member).map_or(&[], |at| &self.subjects[at..=at]),
        }
    }

    /// The zone that times are shown in.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Is any run under way, or is there more to show of one?
    pub fn any_under_way(&self) -> bool {
        let lives = |(followed, subject): (&Followed, &Subject)| {
            matches!(followed.member, 0 | afar::MACHINE)
                && subject.refused.is_none()
                && subject.status().state.is_under_way()
        };
        self.behind || self.runs.iter().zip(&self.subjects).any(lives)
    }

    /// Reads what is new. A journal that cannot be read says so in its place.
    pub fn refresh(&mut self) {
        if self.named.is_none()
            && !self.afar.is_alone()
            && let Ok(newest) = runs::choose(&self.place, None)
        {
            self.follow(newest);
        }
        self.read();
        self.follow_members();
        self.read_members();
        self.read_machines();
    }

    /// The runs' own journals.
    fn read(&mut self) {
        for (followed, subject) in self.runs.iter_mut().zip(&mut self.subjects) {
            if followed.member > 0 {
                continue;
            }
            take_in(followed, subject, &self.clock);
            subject.take_beside(sight::broken_off);
            let torn = followed.reader.torn_bytes;
            let members = std::mem::take(&mut subject.seen.members);
            subject.seen = sight::seen(&self.place, &followed.run, subject.state(), torn);
            subject.seen.members = members;
            subject.printed_ms = printed_ms(&self.place, &followed.run, subject);
            listen(
                &self.place.home.join("agent_logs").join(&followed.run),
                subject,
            );
        }
    }

    /// Each member is read from the journal of the task that it has, or had last.
    fn follow_members(&mut self) {
        self.behind = false;
        let mut wanted = Vec::new();
        for (followed, subject) in self.runs.iter().zip(&self.subjects) {
            let members = &subject.state().members;
            let all = 1..=subject.state().config.members;
            for number in all.filter(|number| self.only.is_none_or(|only| only == *number)) {
                let mut at_work = members.at_work.iter();
                let assignment = at_work.find(|assignment| assignment.member == number);
                let last = members.last.get(&number);
                let journal = assignment
                    .map(|assignment| name(&assignment.task, assignment.round))
                    .or_else(|| last.map(|last| name(&last.task, last.round)));
                if let Some(journal) = journal.filter(|_| followed.member == 0) {
                    wanted.push((followed.run.clone(), number, journal, assignment.is_none()));
                }
            }
        }
        for (run, number, journal, free) in wanted {
            self.follow_member(run, number, (journal, free));
        }
    }

    fn follow_member(&mut self, run: String, member: u32, (journal, free): (String, bool)) {
        let mut followed = self.runs.iter();
        let known = followed.position(|known| known.run == run && known.member == member);
        if let Some(at) = known {
            if self.subjects[at].journal == journal {
                self.subjects[at].free = free;
                return;
            }
            // What came last of the old task is shown before the new one takes its place.
            if take_in(&mut self.runs[at], &mut self.subjects[at], &self.clock) {
                self.behind = true;
                return;
            }
            self.runs.remove(at);
            self.subjects.remove(at);
        }
        let folder = runs::member_journal(&self.place.run_folder(&run), &journal);
        let mut subject = Subject::new(format!("{run} member {member}"), journal);
        subject.free = free;
        self.subjects.push(subject);
        self.runs.push(Followed {
            reader: Follower::new(&folder),
            run,
            member,
        });
    }

    /// The members' journals, each also for its run's own row.
    fn read_members(&mut self) {
        let mut news = Vec::new();
        for (followed, subject) in self.runs.iter_mut().zip(&mut self.subjects) {
            if matches!(followed.member, 0 | afar::MACHINE) {
                continue;
            }
            let has_news = take_in(followed, subject, &self.clock);
            let logs = self.place.home.join("agent_logs").join(&followed.run);
            let logs = logs.join(&subject.journal);
            let alive = runs::driver_lives(subject.state());
            subject.printed_ms = printed(&logs, subject);
            listen(&logs, subject);
            subject.seen = Seen {
                now: clock::wall_ms(),
                alive,
                torn_bytes: if alive { 0 } else { followed.reader.torn_bytes },
                logs: logs.display().to_string(),
                ..Seen::default()
            };
            let seen = MemberSeen {
                name: subject.journal.clone(),
                alive,
                state: State::default(),
            };
            // Copied only when it has changed: the row of the run shows it too.
            let state = has_news.then(|| subject.state().clone());
            news.push((followed.run.clone(), subject.free, seen, state));
        }
        for (run, free, seen, state) in news {
            let mut rows = self.runs.iter().zip(&mut self.subjects);
            let row = rows.find(|(followed, _)| followed.run == run && followed.member == 0);
            if let Some((_, subject)) = row {
                let members = &mut subject.seen.members;
                let at = members.iter().position(|known| known.name == seen.name);
                let before = at.map(|at| members.remove(at));
                let state = state.or(before.map(|before| before.state));
                if let Some(state) = state.filter(|_| !free) {
                    members.push(MemberSeen { state, ..seen });
                }
            }
        }
    }

    fn follow(&mut self, run: String) {
        if self.runs.iter().any(|known| known.run == run) {
            return;
        }
        self.subjects.push(Subject::new(run.clone(), String::new()));
        let reader = Follower::new(&self.place.run_folder(&run));
        let member = 0;
        self.runs.push(Followed {
            run,
            member,
            reader,
        });
    }

    /// Keeps this run and those under way.
    fn keep(&mut self, newest: &str) {
        let under_way = |subject: &Subject| subject.status().state.is_under_way();
        let kept: Vec<bool> = self
            .subjects
            .iter()
            .map(|subject| subject.name == newest || under_way(subject))
            .collect();
        let mut keep = kept.iter().copied();
        self.subjects.retain(|_| keep.next().unwrap_or(false));
        let mut keep = kept.iter().copied();
        self.runs.retain(|_| keep.next().unwrap_or(false));
    }
}

/// Reads what is new; was there anything?
fn take_in(followed: &mut Followed, subject: &mut Subject, clock: &Clock) -> bool {
    match followed.reader.news() {
        Ok(records) => {
            let new = !records.is_empty();
            for record in records {
                subject.add(record, clock);
            }
            subject.refused = None;
            new
        }
        // A member that is just starting has none yet.
        Err(fault) if followed.member > 0 && fault.code == Code::RunUnknown => false,
        Err(fault) => {
            subject.refused = Some(fault.to_string());
            false
        }
    }
}

/// Reads what the agent of the open iteration printed since the last look, whole lines only.
fn listen(logs: &Path, subject: &mut Subject) {
    /// Read at one look; of an output that is longer, the rest is read at the next ones.
    const BYTES_MAX: u64 = 1 << 20;
    let open = subject.state().open.as_ref();
    let Some((iteration, from)) = open.map(|open| (open.iteration, open.offset)) else {
        return;
    };
    if (subject.heard.iteration, subject.heard.from) != (iteration, from) {
        subject.heard = Heard {
            iteration,
            from,
            at: from,
            ..Heard::default()
        };
    }
    let Heard { activity, at, .. } = &mut subject.heard;
    let Ok(mut file) = File::open(logs.join(format!("{iteration}.jsonl"))) else {
        return;
    };
    let mut bytes = Vec::new();
    let read = file
        .seek(SeekFrom::Start(*at))
        .and_then(|_| file.take(BYTES_MAX).read_to_end(&mut bytes));
    let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
        // A line longer than a look is no message.
        if bytes.len() as u64 == BYTES_MAX {
            *at += BYTES_MAX;
        }
        return;
    };
    if read.is_ok() {
        for line in String::from_utf8_lossy(&bytes[..end]).lines() {
            activity.add(line);
        }
        *at += end as u64 + 1;
    }
}

/// When the agent of the open iteration last printed something.
fn printed_ms(place: &Place, run: &str, subject: &Subject) -> Option<u64> {
    printed(&place.home.join("agent_logs").join(run), subject)
}

fn printed(logs: &Path, subject: &Subject) -> Option<u64> {
    let open = subject.state().open.as_ref()?;
    let about = std::fs::metadata(logs.join(format!("{}.jsonl", open.iteration))).ok()?;
    let since = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}
