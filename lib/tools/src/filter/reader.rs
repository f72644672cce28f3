//! The digest's reader: a thread of its own beside the redaction and the log, so that a fault of the digest
//! ends that thread and nothing else.

use super::outcome::Outcome;
use overnight_digest::{Digester, Live, Scanned, Scanner};
use overnight_host::failsafe;
use std::sync::mpsc::{Receiver, Sender, channel};

/// So many pieces wait for the thread at most; each is about as large as a read.
const AHEAD_MAX: usize = 4;

/// The page, and what is noted of it.
pub(super) type Page = (String, Outcome);

/// Reads the redacted text.
#[derive(Debug)]
pub(super) struct Reader {
    work: Sender<Work>,
    back: Receiver<Back>,
    /// Looks pieces through here, where this thread would wait for that one.
    scanner: Scanner,
    /// Pieces that were given and not read yet.
    ahead: usize,
    /// Read pieces, to be filled again.
    spare: Vec<Vec<u8>>,
    /// A fault of ours: there will be no digest.
    failed: bool,
}

enum Work {
    Text(Vec<u8>),
    Scanned(Scanned),
    Look,
    /// Everything was given: what makes the page of it.
    End(Box<dyn FnOnce(Digester) -> Page + Send>),
}

enum Back {
    /// A piece was read.
    Read(Vec<u8>),
    Live(Live),
    Page(Box<Page>),
    Failed,
}

impl Reader {
    /// Without a thread there is no digest.
    pub(super) fn new(digester: Digester) -> Self {
        let (work, todo) = channel();
        let (done, back) = channel();
        let (gone, scanner) = (done.clone(), digester.scanner());
        let started = failsafe::apart(
            "digest",
            move || drop(gone.send(Back::Failed)),
            move || run(digester, &todo, &done),
        );
        Self {
            work,
            back,
            scanner,
            ahead: 0,
            spare: Vec::new(),
            failed: started.is_err(),
        }
    }

    /// Reads the text, soon; leaves an empty vector in its place.
    pub(super) fn push(&mut self, text: &mut Vec<u8>) {
        while let Ok(back) = self.back.try_recv() {
            self.take(back);
        }
        if self.failed {
            return text.clear();
        }
        let text = std::mem::replace(text, self.spare.pop().unwrap_or_default());
        let work = if self.ahead < AHEAD_MAX {
            Work::Text(text)
        } else {
            let scanned = self.scanner.scan(text);
            self.wait(|reader| reader.ahead < AHEAD_MAX);
            Work::Scanned(scanned)
        };
        self.ahead += 1;
        self.failed |= self.work.send(work).is_err();
    }

    /// Waits until everything that was given is read. Will there be no digest?
    pub(super) fn has_failed(&mut self) -> bool {
        self.wait(|reader| reader.ahead == 0);
        self.failed
    }

    /// What is known so far.
    pub(super) fn live(&mut self) -> Option<Live> {
        self.ask(Work::Look, |back| match back {
            Back::Live(live) => Some(live),
            _ => None,
        })
    }

    /// Makes the page of everything; `None`: it failed.
    pub(super) fn page(
        mut self,
        make: impl FnOnce(Digester) -> Page + Send + 'static,
    ) -> Option<Page> {
        self.ask(Work::End(Box::new(make)), |back| match back {
            Back::Page(page) => Some(*page),
            _ => None,
        })
    }

    fn ask<T>(&mut self, work: Work, answer: impl Fn(Back) -> Option<T>) -> Option<T> {
        self.has_failed();
        self.work.send(work).ok().filter(|()| !self.failed)?;
        self.back.recv().ok().and_then(answer)
    }

    /// Waits for that, or for the end of the thread.
    fn wait(&mut self, until: impl Fn(&Self) -> bool) {
        while !self.failed && !until(self) {
            let back = self.back.recv().unwrap_or(Back::Failed);
            self.take(back);
        }
    }

    fn take(&mut self, back: Back) {
        match back {
            Back::Read(mut text) => {
                text.clear();
                self.spare.push(text);
                self.ahead -= 1;
            }
            Back::Failed => self.failed = true,
            // Each is waited for where it is asked for.
            Back::Live(_) | Back::Page(_) => {}
        }
    }
}

/// Does what is to be done, until there is no more.
fn run(mut digester: Digester, todo: &Receiver<Work>, done: &Sender<Back>) {
    for work in todo {
        let back = match work {
            Work::Text(text) => {
                #[cfg(test)]
                assert!(!text.ends_with(tests::PANIC), "on purpose");
                digester.push(&text);
                Back::Read(text)
            }
            Work::Scanned(scanned) => {
                digester.push_scanned(&scanned);
                Back::Read(scanned.into_bytes())
            }
            Work::Look => Back::Live(digester.live()),
            Work::End(make) => {
                let _ = done.send(Back::Page(Box::new(make(digester))));
                return;
            }
        };
        let _ = done.send(back);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;
    use overnight_digest::{End, Options};
    use overnight_filter::section::Filter;
    use overnight_filter::settings::Settings;

    /// Text at whose end the digest panics.
    pub(super) const PANIC: &[u8] = b"the digest panics here\n";

    fn page(digester: Digester) -> Page {
        let digest = digester.finish(End::Exit(1), Some(1));
        let plan = Plan::new(
            &Settings::of(&Filter::default(), false),
            "cargo test",
            None,
            false,
        );
        let outcome = Outcome::new(&digest, &plan, None, 0, "");
        (format!("{digest:?}"), outcome)
    }

    /// The variable that tells a started copy of this test program to panic.
    const COPY: &str = "OVERNIGHT_TEST_READER";

    /// In a started copy: a thread that stands still for good would keep the tests from ending.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "no setting: it steers a copy of the test program"
    )]
    fn a_reader_that_panics_fails_and_nothing_else_does() {
        if std::env::var_os(COPY).is_some() {
            for pieces in [1, 40] {
                fails_while_reading(pieces);
            }
            let reader = Reader::new(Digester::new(Options::default()));
            assert!(reader.page(|_| panic!("on purpose")).is_none());
            signal_hook::low_level::exit(3);
        }
        let name = "filter::reader::tests::a_reader_that_panics_fails_and_nothing_else_does";
        let mut copy = std::process::Command::new(std::env::current_exe().unwrap());
        let ended = copy.args(["--exact", name]).env(COPY, "1").output();
        assert_eq!(ended.unwrap().status.code(), Some(3));
    }

    fn fails_while_reading(pieces: usize) {
        let mut reader = Reader::new(Digester::new(Options::default()));
        for _ in 0..pieces {
            reader.push(&mut b"a line\n".repeat(10_000));
        }
        assert!(!reader.has_failed());
        reader.push(&mut PANIC.to_vec());
        reader.push(&mut b"more\n".to_vec());
        assert!(reader.live().is_none());
        assert!(reader.has_failed());
        assert!(reader.page(page).is_none());
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
        }
        assert_eq!(reader.live().unwrap(), whole.live());
        assert_eq!(reader.page(page).unwrap().0, page(whole).0);
    }
}
