//! Other machines of a list in the live view: each a subject, read from what it passed on.

use super::{Followed, Watcher};
use crate::clock;
use crate::fleet::{self, Told};
use crate::follow::Follower;
use crate::state::Place;
use overnight_run::State;
use overnight_views::status::Seen;
use overnight_views::watch::Subject;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// In place of a member's number: a machine's own journal.
pub(super) const MACHINE: u32 = u32::MAX;
/// How often what was heard is looked at, and how often the remote is asked where no driver does so.
const LOOK: Duration = Duration::from_secs(2);
const ASK: Duration = Duration::from_secs(30);

/// What is known of machines elsewhere.
#[derive(Debug, Default)]
pub(super) struct Afar {
    /// The list, in a clone without a run of its own.
    list: Option<String>,
    looked: Option<Instant>,
    asked: Option<Instant>,
    asking: Option<JoinHandle<()>>,
}

impl Afar {
    pub(super) fn of_list(list: String) -> Self {
        Self {
            list: Some(list),
            ..Self::default()
        }
    }

    /// Is there no run of this clone to be shown?
    pub(super) fn is_alone(&self) -> bool {
        self.list.is_some()
    }

    /// Asks the remote beside the view, which must not wait for it.
    fn ask(&mut self, place: &Place, list: &str, remote: Option<String>) {
        let done = self.asking.as_ref().is_none_or(JoinHandle::is_finished);
        if !done || self.asked.is_some_and(|at| at.elapsed() < ASK) {
            return;
        }
        self.asked = Some(Instant::now());
        let (place, list) = (place.clone(), list.to_owned());
        // What is not heard now is heard the next time.
        let ask = move || drop(fleet::ask(&place, &list, remote));
        self.asking = Some(std::thread::spawn(ask));
    }
}

impl Watcher {
    /// Brings the machines that share a list with the shown runs up to date.
    pub(super) fn read_machines(&mut self) {
        if self.only.is_some() || self.afar.looked.is_some_and(|at| at.elapsed() < LOOK) {
            return;
        }
        self.afar.looked = Some(Instant::now());
        let mut lists: Vec<(String, Option<String>, bool)> = Vec::new();
        lists.extend(self.afar.list.clone().map(|list| (list, None, false)));
        let own = self.runs.iter().zip(&self.subjects);
        for (_, subject) in own.filter(|(followed, _)| followed.member == 0) {
            let state: &State = subject.state();
            if let Some(joined) = &state.fleet.joined {
                let remote = state.config.remote.clone();
                lists.push((joined.list.clone(), remote, subject.seen.alive));
            }
        }
        for (list, remote, driven) in lists {
            if !driven {
                self.afar.ask(&self.place, &list, remote);
            }
            for told in fleet::told(&self.place, &list) {
                self.take_in_machine(&told);
            }
        }
    }

    fn take_in_machine(&mut self, told: &Told) {
        let is_here = |followed: &Followed| followed.run == told.machine.run;
        let here = self.runs.iter().position(is_here);
        if here.is_some_and(|at| self.runs[at].member != MACHINE) {
            return;
        }
        let at = here.unwrap_or_else(|| {
            let (run, name) = (&told.machine.run, &told.machine.name);
            self.subjects
                .push(Subject::new(format!("{run} on {name}"), String::new()));
            self.runs.push(Followed {
                run: run.clone(),
                member: MACHINE,
                reader: Follower::new(Path::new("")),
            });
            self.runs.len() - 1
        });
        let subject = &mut self.subjects[at];
        let known = subject.last_seq();
        for record in told.records.iter().filter(|record| record.seq > known) {
            subject.add(record.clone(), &self.clock);
        }
        subject.refused.clone_from(&told.machine.refused);
        let now = clock::wall_ms();
        subject.printed_ms = Some(told.machine.heard_ms);
        subject.seen = Seen {
            now,
            alive: told.machine.lives(now),
            ..Seen::default()
        };
    }
}
