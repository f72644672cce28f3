//! Who writes progress for people while the driver goes on: files that are brought safely to the disk take their
//! time, and members wait for their driver.

use crate::round;
use crate::state::Place;
use overnight_run::State;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The thread that writes, until this is dropped: by then what it was given last is written.
#[derive(Debug)]
pub(super) struct Scribe {
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
}

/// What is to be written next. A newer state takes the place of one that was not begun.
#[derive(Debug, Default)]
struct Desk {
    lies: Mutex<Lies>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Lies {
    state: Option<Box<State>>,
    is_last: bool,
}

impl Scribe {
    /// Begins to write the progress of this place; faults are said.
    pub(super) fn of(place: &Place, say: fn(&str)) -> Self {
        let place = place.clone();
        Self::with(move |state| {
            if let Err(fault) = round::write_progress(&place, state) {
                say(&fault.to_string());
            }
        })
    }

    fn with(mut write: impl FnMut(&State) + Send + 'static) -> Self {
        let desk = Arc::<Desk>::default();
        let its = Arc::clone(&desk);
        let thread = std::thread::spawn(move || {
            while let Some(state) = its.next() {
                write(&state);
            }
        });
        Self {
            desk,
            thread: Some(thread),
        }
    }

    /// Has this state written.
    pub(super) fn write(&self, state: &State) {
        let state = Box::new(state.clone());
        self.desk.change(|lies| lies.state = Some(state));
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        self.desk.change(|lies| lies.is_last = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Desk {
    fn change(&self, how: impl FnOnce(&mut Lies)) {
        how(&mut self.lies.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_one();
    }

    /// Waits for the next state; `None`: there will be none.
    fn next(&self) -> Option<Box<State>> {
        let lies = self.lies.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |lies: &mut Lies| lies.state.is_none() && !lies.is_last;
        let waited = self.changed.wait_while(lies, idle);
        waited.unwrap_or_else(PoisonError::into_inner).state.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn the_newest_is_written_the_last_is_never_left_out_and_nobody_waits() {
        let (begun, begins) = channel();
        let (goes_on, held) = channel::<()>();
        let scribe = Scribe::with(move |state| {
            begun.send(state.spent_tokens).unwrap();
            let _ = held.recv();
        });
        for spent_tokens in 1..=9 {
            let state = State {
                spent_tokens,
                ..State::default()
            };
            scribe.write(&state);
            if spent_tokens == 1 {
                assert_eq!(begins.recv(), Ok(1));
            }
        }
        drop(goes_on);
        drop(scribe);
        assert_eq!(begins.iter().collect::<Vec<_>>(), [9]);
    }
}
