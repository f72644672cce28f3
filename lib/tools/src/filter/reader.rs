//! The digest's reader: beside the redaction and the log on a thread of its own, once an output is
//! so long that it pays.

use overnight_digest::{Digester, Live, Scanned, Scanner};
use overnight_host::failsafe::attempt;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::JoinHandle;

/// From so many bytes on the thread is worth its start.
const APART_FROM: usize = 1 << 20;
/// So many pieces wait for the thread at most; each is about as large as a read.
const WAITING_MAX: usize = 4;

/// Reads the redacted text.
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
    bytes: usize,
}

#[derive(Debug)]
enum State {
    Here(Box<Digester>),
    Apart(Apart),
    /// A fault of ours: there will be no digest.
    Failed,
}

/// The thread, and the ways to and from it.
#[derive(Debug)]
struct Apart {
    work: SyncSender<Work>,
    /// Looks pieces through here, where this thread would wait for that one.
    scanner: Scanner,
    /// Read pieces, to be filled again.
    empty: Receiver<Vec<u8>>,
    thread: JoinHandle<Option<Box<Digester>>>,
}

enum Work {
    Begin(Box<Digester>),
    Text(Vec<u8>),
    Scanned(Scanned),
    Look(Sender<Live>),
}

impl Reader {
    pub(super) fn new(digester: Digester) -> Self {
        Self {
            state: State::Here(Box::new(digester)),
            bytes: 0,
        }
    }

    /// Reads the text; leaves an empty vector in its place.
    pub(super) fn push(&mut self, text: &mut Vec<u8>) {
        self.bytes = self.bytes.saturating_add(text.len());
        match &mut self.state {
            State::Here(digester) => {
                if attempt(|| read(digester, text)).is_none() {
                    self.state = State::Failed;
                }
                text.clear();
            }
            State::Failed => text.clear(),
            State::Apart(apart) => {
                let mut next = apart.empty.try_recv().unwrap_or_default();
                next.clear();
                let text = std::mem::replace(text, next);
                let goes_on = match apart.work.try_send(Work::Text(text)) {
                    Ok(()) => true,
                    Err(TrySendError::Full(Work::Text(text))) => {
                        attempt(|| apart.scanner.scan(text))
                            .is_some_and(|scanned| apart.work.send(Work::Scanned(scanned)).is_ok())
                    }
                    // It ends only with the channel, or by a panic.
                    Err(_) => false,
                };
                if !goes_on {
                    self.state = State::Failed;
                }
            }
        }
    }

    /// Goes on apart if the output is long. Without a thread it goes on here.
    pub(super) fn part(self) -> Self {
        let bytes = self.bytes;
        let state = match self.state {
            State::Here(digester) if bytes >= APART_FROM => apart(digester),
            state => state,
        };
        Self { state, bytes }
    }

    /// Will there be no digest?
    pub(super) fn failed(&self) -> bool {
        matches!(self.state, State::Failed)
    }

    /// What is known so far.
    pub(super) fn live(&self) -> Option<Live> {
        match &self.state {
            State::Here(digester) => attempt(|| digester.live()),
            State::Failed => None,
            State::Apart(apart) => {
                let (answer, live) = channel();
                apart.work.send(Work::Look(answer)).ok()?;
                live.recv().ok()
            }
        }
    }

    /// The digester, once it has read everything; `None`: it failed.
    pub(super) fn finish(self) -> Option<Box<Digester>> {
        match self.state {
            State::Here(digester) => Some(digester),
            State::Failed => None,
            State::Apart(Apart { work, thread, .. }) => {
                drop(work);
                thread.join().ok().flatten()
            }
        }
    }
}

fn apart(digester: Box<Digester>) -> State {
    let scanner = digester.scanner();
    let (work, todo) = sync_channel(WAITING_MAX);
    let (read, empty) = channel();
    let thread = std::thread::Builder::new()
        .name("digest".to_owned())
        .spawn(move || attempt(|| run(&todo, &read)).flatten());
    match thread {
        Err(_) => State::Here(digester),
        Ok(thread) => {
            // It has just begun to wait for this.
            let _ = work.send(Work::Begin(digester));
            State::Apart(Apart {
                work,
                scanner,
                empty,
                thread,
            })
        }
    }
}

fn read(digester: &mut Digester, text: &[u8]) {
    #[cfg(test)]
    assert!(!text.ends_with(tests::PANIC), "on purpose");
    digester.push(text);
}

fn run(todo: &Receiver<Work>, read: &Sender<Vec<u8>>) -> Option<Box<Digester>> {
    let mut reading: Option<Box<Digester>> = None;
    for work in todo {
        match (work, &mut reading) {
            (Work::Begin(digester), slot) => *slot = Some(digester),
            (Work::Text(text), Some(digester)) => {
                self::read(digester, &text);
                let _ = read.send(text);
            }
            (Work::Scanned(scanned), Some(digester)) => {
                digester.push_scanned(&scanned);
                let _ = read.send(scanned.into_bytes());
            }
            (Work::Look(answer), Some(digester)) => {
                let _ = answer.send(digester.live());
            }
            (_, None) => {}
        }
    }
    reading
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_digest::{End, Options};

    /// Text at whose end the digest panics.
    pub(super) const PANIC: &[u8] = b"the digest panics here\n";

    #[test]
    fn a_reader_that_panics_fails_and_goes_on() {
        for lines in [1, 2_000_000] {
            let mut reader = Reader::new(Digester::new(Options::default()));
            reader.push(&mut b"a line\n".repeat(lines));
            reader = reader.part();
            reader.push(&mut PANIC.to_vec());
            reader.push(&mut b"more\n".to_vec());
            assert!(reader.live().is_none());
            assert!(reader.finish().is_none());
        }
    }

    #[test]
    fn a_long_output_read_apart_gives_the_same_digest() {
        let piece = "test a::b ... ok\ntest a::c ... FAILED\nplain text\n".repeat(2_000);
        let mut whole = Digester::new(Options::default());
        let mut reader = Reader::new(Digester::new(Options::default()));
        for _ in 0..40 {
            whole.push(piece.as_bytes());
            let mut text = piece.clone().into_bytes();
            reader.push(&mut text);
            assert!(text.is_empty());
            reader = reader.part();
        }
        assert!(matches!(reader.state, State::Apart(_)));
        assert_eq!(reader.live().unwrap(), whole.live());
        let digest = reader.finish().unwrap().finish(End::Exit(1), Some(1));
        let expected = whole.finish(End::Exit(1), Some(1));
        assert_eq!(format!("{digest:?}"), format!("{expected:?}"));
    }
}
