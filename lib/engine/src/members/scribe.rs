//! Who writes progress for people while the driver goes on: files that are brought safely to the disk take their
//! time, and members wait for their driver.

use crate::round;
use crate::state::Place;
use overnight_run::State;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

/// The thread that writes, until this is dropped: by then what it was given last is written.
#[derive(Debug)]
pub(super) struct Scribe {
    given: Option<Sender<Box<State>>>,
    thread: Option<JoinHandle<()>>,
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
        let (given, waiting) = channel::<Box<State>>();
        let thread = std::thread::spawn(move || {
            while let Ok(state) = waiting.recv() {
                // What is older than another state that waits is not written any more.
                write(&waiting.try_iter().last().unwrap_or(state));
            }
        });
        Self {
            given: Some(given),
            thread: Some(thread),
        }
    }

    /// Has this state written.
    pub(super) fn write(&self, state: &State) {
        if let Some(given) = &self.given {
            let _ = given.send(Box::new(state.clone()));
        }
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        self.given = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
