//! What passes the journal of a driver on to the other machines of its list, and listens to theirs, on a
//! thread of its own: a remote that is silent holds nobody's work up.

use super::{listen, machines};
use crate::clock;
use crate::follow::Follower;
use crate::leases::Leases;
use crate::leases::journals;
use crate::state::Place;
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::fleet::{self, Others};
use overnight_run::members::again_at;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the journal is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// The least time from one push to the next: what happened meanwhile goes together.
const APART: Duration = Duration::from_secs(5);
/// The longest time after which the others are listened to, also where there is nothing to say.
const LISTEN: Duration = Duration::from_secs(30);
/// How long the end of a run waits for its last words to arrive.
const LAST: Duration = Duration::from_mins(1);
/// How long a machine is silent at most: its lease may be a long one, and a person wants to know sooner.
const BEAT: Duration = Duration::from_mins(2);
/// A word without a record: its machine lives.
const ALIVE: &str = "still at work\n";

/// A driver's courier.
#[derive(Debug)]
pub(crate) struct Courier {
    others: Receiver<Others>,
    end: Sender<Duration>,
    thread: JoinHandle<()>,
}

impl Courier {
    /// Begins to pass on the journal in this folder, if its run shares a list with other machines.
    pub(crate) fn of(
        (place, leases): (&Place, &Leases),
        (folder, run): (&Path, &str),
        state: &State,
        say: fn(&str),
    ) -> Option<Self> {
        let joined = state.fleet.joined.as_ref()?;
        leases.remote()?;
        let (send, others) = channel();
        let (end, ended) = channel();
        let mut rounds = Rounds {
            place: place.clone(),
            leases: leases.clone(),
            list: joined.list.clone(),
            run: run.to_owned(),
            journal: Follower::new(folder),
            unsaid: None,
            tip: None,
            said: None,
            listened: None,
            // A lease is renewed three times before it would run out; a word at least as often.
            beat: BEAT.min(Duration::from_secs(state.config.lease_ttl_s) / 3),
            say,
        };
        let thread = std::thread::spawn(move || rounds.go(&send, &ended));
        Some(Self {
            others,
            end,
            thread,
        })
    }

    /// What the others take of the budget, once they were heard; `None` where the remote is silent.
    pub(crate) fn first(&self) -> Option<Others> {
        self.others.recv_timeout(LAST).ok()
    }

    /// The same, if something new was heard.
    pub(crate) fn others(&self) -> Option<Others> {
        self.others.try_iter().last()
    }

    /// Passes the last words on and hears the others' once more. One that was interrupted tries once.
    pub(crate) fn end(self, interrupted: bool) {
        let wait = if interrupted { Duration::ZERO } else { LAST };
        let _ = self.end.send(wait);
        let _ = self.thread.join();
    }
}

/// The work of the thread.
struct Rounds {
    place: Place,
    leases: Leases,
    list: String,
    run: String,
    journal: Follower,
    /// What is to be passed on; `None` before it is known what was.
    unsaid: Option<Vec<String>>,
    /// The commit that this run's journal ends with on the remote.
    tip: Option<String>,
    said: Option<Instant>,
    listened: Option<Instant>,
    beat: Duration,
    say: fn(&str),
}

impl Rounds {
    fn go(&mut self, others: &Sender<Others>, ended: &Receiver<Duration>) {
        let (mut failed, mut not_before, mut pause) = (0, Instant::now(), Duration::ZERO);
        loop {
            let last = match ended.recv_timeout(pause) {
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(wait) => Some(Instant::now() + wait),
            };
            pause = LOOK;
            if last.is_none() && Instant::now() < not_before {
                continue;
            }
            match self.round(others, last.is_some()) {
                Ok(()) if last.is_some() => return,
                Ok(()) => failed = 0,
                Err(fault) => {
                    if failed == 0 {
                        (self.say)(&format!("other machines do not hear of this one: {fault}"));
                    }
                    let now = clock::wall_ms();
                    let pause = Duration::from_millis(again_at(failed, now) - now);
                    failed += 1;
                    not_before = Instant::now() + pause;
                    if let Some(until) = last {
                        if !self.insists(others, until) {
                            (self.say)("the last words of this machine did not reach the others");
                        }
                        return;
                    }
                }
            }
        }
    }

    /// Tries the last round until it works or its time is up.
    fn insists(&mut self, others: &Sender<Others>, until: Instant) -> bool {
        let mut tries = 0;
        loop {
            let now = clock::wall_ms();
            let pause = Duration::from_millis(again_at(tries, now) - now);
            if Instant::now() + pause > until {
                return false;
            }
            std::thread::sleep(pause);
            if self.round(others, true).is_ok() {
                return true;
            }
            tries += 1;
        }
    }

    /// Says and hears what is due; everything where it is the last round.
    fn round(&mut self, others: &Sender<Others>, last: bool) -> Result<(), Fault> {
        if self.unsaid.is_none() {
            self.hear(others)?;
            self.find_place()?;
        }
        let since = |at: Option<Instant>| at.map_or(Duration::MAX, |at| at.elapsed());
        let records = self.journal.news()?;
        let unsaid = self.unsaid.get_or_insert_default();
        unsaid.extend(super::unsaid(&records, 0));
        let due = !unsaid.is_empty() && since(self.said) >= APART;
        let silent = since(self.said) >= self.beat;
        if due || silent || (last && !unsaid.is_empty()) {
            let words = if unsaid.is_empty() {
                ALIVE.to_owned()
            } else {
                unsaid.concat()
            };
            let name = (self.list.as_str(), self.run.as_str());
            self.tip = Some(self.leases.pass_on(name, self.tip.as_deref(), &words)?);
            unsaid.clear();
            self.said = Some(Instant::now());
            self.listened = None;
        }
        if last || since(self.listened) >= LISTEN.min(self.beat) {
            self.hear(others)?;
        }
        Ok(())
    }

    /// Goes on behind what this run has said before: it may be resumed.
    fn find_place(&mut self) -> Result<(), Fault> {
        let heard = journals::heard(&self.place, &self.list)?;
        let own = heard.into_iter().find(|one| one.run == self.run);
        let said = match &own {
            Some(own) => fleet::last_seq(&journals::words(&self.place, &own.tip)?),
            None => 0,
        };
        self.tip = own.map(|own| own.tip);
        self.unsaid = Some(super::unsaid(&self.journal.news()?, said));
        Ok(())
    }

    fn hear(&mut self, others: &Sender<Others>) -> Result<(), Fault> {
        let limit = LISTEN * 2;
        listen(&self.place, &self.leases, (&self.list, limit))?;
        self.listened = Some(Instant::now());
        let mut all = machines(&self.place, &self.list);
        all.retain(|machine| machine.run != self.run);
        // Whoever waits for it may be gone.
        let _ = others.send(Others::of(&all, clock::wall_ms()));
        Ok(())
    }
}
