//! A process that ends with the same status whatever goes wrong in it: panic, abort, stack or
//! memory exhausted, a signal, a deadline. To Claude Code any status but 2 means "go on", so a
//! guard that dies must die with 2.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
use signal_hook::{flag, low_level};
use std::cell::Cell;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of the watching thread's stack: it only sleeps and ends the process.
const STACK_BYTES: usize = 64 * 1024;

/// The time by which the process must have ended by itself.
pub struct Deadline {
    started: Instant,
    ends_ms: Arc<AtomicU64>,
    late: Late,
}

/// What is answered once the time is over, and the status that goes with it. Nearly always nobody asks.
type Late = Arc<Mutex<Option<Box<dyn FnOnce() -> (String, u8) + Send>>>>;

impl Deadline {
    /// From now on the answer at the deadline is the line that this gives, with that status where it could be
    /// written.
    pub fn answers(&self, line: impl FnOnce() -> (String, u8) + Send + 'static) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        *late = Some(Box::new(line));
    }

    /// Moves the end to this long from now.
    pub fn extend(&self, wait_max: Duration) {
        self.end_after(self.started.elapsed() + wait_max);
    }

    /// Moves the end to this long after the start.
    pub fn end_after(&self, wait_max: Duration) {
        self.ends_ms.store(millis(wait_max), Ordering::SeqCst);
    }
}

/// Was the answer begun? Then nothing else may be written to stdout.
static ANSWERED: AtomicBool = AtomicBool::new(false);
/// The status that goes with an answer that was given whole; before that none.
static GIVEN: AtomicI32 = AtomicI32::new(NONE);
const NONE: i32 = -1;

/// From here on the process ends with `status` on a panic, an abort, a signal that asks it to end,
/// and once `wait_max` is over. On a panic and at the deadline `last_words`, if not empty, is its
/// answer on stdout, unless one was begun.
pub fn arm(status: u8, wait_max: Duration, last_words: &'static str) -> Result<Deadline, Fault> {
    let number = i32::from(status);
    std::panic::set_hook(Box::new(move |about| {
        answer_late(last_words);
        complain(&format!("defect: {about}"));
        low_level::exit(number);
    }));
    // SIGABRT: an allocation that fails and an overflowing stack abort.
    for signal in [SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU] {
        flag::register_conditional_shutdown(signal, number, Arc::new(AtomicBool::new(true)))
            .map_err(|error| defect("watch signals", &error))?;
    }
    let ends_ms = Arc::new(AtomicU64::new(millis(wait_max)));
    let started = Instant::now();
    let late = Late::default();
    let (watched, words) = (Arc::clone(&ends_ms), Arc::clone(&late));
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || watch(started, &watched, number, (&words, last_words)))
        .map_err(|error| defect("watch the deadline", &error))?;
    Ok(Deadline {
        started,
        ends_ms,
        late,
    })
}

/// From here on a panic ends the whole process, on whichever thread but those that are started [`apart`].
pub fn end_on_panic() {
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |about| {
        say(about);
        std::process::abort();
    }));
}

thread_local! {
    /// Who is told if this thread panics.
    static TOLD: Cell<Option<Box<dyn FnOnce()>>> = const { Cell::new(None) };
}
static APART: Once = Once::new();

/// Starts a thread for what may panic by a fault of ours, where something better can be done than to end:
/// `told` is called then, and the thread stands still for good. It is not taken down, since programs are built
/// without what that needs.
pub fn apart(
    name: &str,
    told: impl FnOnce() + Send + 'static,
    work: impl FnOnce() + Send + 'static,
) -> std::io::Result<()> {
    APART.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |about| match TOLD.take() {
            None => others(about),
            Some(told) => {
                told();
                loop {
                    std::thread::park();
                }
            }
        }));
    });
    let started = std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            TOLD.set(Some(Box::new(told)));
            work();
            TOLD.take();
        });
    started.map(drop)
}

/// Reads stdin to its end, at most `bytes_max` bytes; `None`: there is more.
pub fn stdin(bytes_max: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(bytes_max.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= bytes_max).then_some(bytes))
}

/// Writes one line to stdout and makes sure that it went somewhere: a closed stdout is reopened
/// as the null device when a Rust program starts, where an answer would vanish. From then on a
/// deadline ends the process with `status`, which goes with the answer.
pub fn say(line: &str, status: u8) -> std::io::Result<()> {
    ANSWERED.store(true, Ordering::SeqCst);
    let mut stdout = std::io::stdout().lock();
    if is_null(&stdout) {
        return Err(std::io::ErrorKind::BrokenPipe.into());
    }
    stdout.write_all(line.as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()?;
    GIVEN.store(i32::from(status), Ordering::SeqCst);
    Ok(())
}

fn is_null(stream: &impl AsFd) -> bool {
    let null = rustix::fs::stat("/dev/null");
    matches!(
        (rustix::fs::fstat(stream), null),
        (Ok(stream), Ok(null)) if stream.st_ino == null.st_ino && stream.st_dev == null.st_dev
    )
}

fn watch(started: Instant, ends_ms: &AtomicU64, status: i32, (late, last_words): (&Late, &str)) {
    loop {
        let end = Duration::from_millis(ends_ms.load(Ordering::SeqCst));
        let Some(left) = end
            .checked_sub(started.elapsed())
            .filter(|left| !left.is_zero())
        else {
            let given = GIVEN.load(Ordering::SeqCst);
            if given != NONE {
                low_level::exit(given);
            }
            let late = late.lock().unwrap_or_else(PoisonError::into_inner).take();
            let (words, own) = late.map_or_else(
                || (last_words.to_owned(), status),
                |line| {
                    let (line, status) = line();
                    (format!("{line}\n"), i32::from(status))
                },
            );
            let said = answer_late(&words);
            complain("no decision within the deadline");
            low_level::exit(if said { own } else { status });
        };
        std::thread::sleep(left);
    }
}

/// The answer of a process that ends before it has one, unless writing would wait for a reader; whether it was
/// given whole.
fn answer_late(words: &str) -> bool {
    if words.is_empty() || ANSWERED.swap(true, Ordering::SeqCst) {
        return false;
    }
    let stdout = std::io::stdout();
    let mut ready = [PollFd::new(&stdout, PollFlags::OUT)];
    // Past the buffer and its lock, which another thread may hold for ever.
    matches!(poll(&mut ready, Some(&Timespec::default())), Ok(1))
        && !is_null(&stdout)
        && rustix::io::write(&stdout, words.as_bytes()) == Ok(words.len())
}

/// One line on stderr, unless writing would wait for a reader.
fn complain(line: &str) {
    let stderr = std::io::stderr();
    let mut ready = [PollFd::new(&stderr, PollFlags::OUT)];
    if matches!(poll(&mut ready, Some(&Timespec::default())), Ok(1)) {
        let line = line.replace(char::is_control, " ");
        let _ = writeln!(stderr.lock(), "ERROR: {line}");
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn defect(what: &str, error: &std::io::Error) -> Fault {
    Fault::new(Code::Defect, format!("cannot {what}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// The variable that makes a started copy of this test program go wrong.
    const WAY: &str = "OVERNIGHT_TEST_FAILSAFE";

    /// Runs in the started copy only.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "no setting: it steers a copy of the test program"
    )]
    fn goes_wrong() {
        let Ok(way) = std::env::var(WAY) else { return };
        if matches!(way.as_str(), "apart" | "ended") {
            return contained(&way);
        }
        let deadline = arm(2, Duration::from_millis(50), "").unwrap();
        match way.as_str() {
            "panic" => panic!("on purpose"),
            "abort" => std::process::abort(),
            "stack" => assert_ne!(endless(), 0),
            "answered" => {
                say("{}", 0).unwrap();
                std::thread::sleep(Duration::MAX);
            }
            "late" => {
                deadline.answers(|| ("{}".to_owned(), 0));
                std::thread::sleep(Duration::MAX);
            }
            "memory" => drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 46))),
            _ => std::thread::sleep(Duration::MAX),
        }
    }

    fn contained(way: &str) {
        end_on_panic();
        let (told, hears) = std::sync::mpsc::channel();
        let says = told.clone();
        apart("fine", || unreachable!(), move || says.send(1).unwrap()).unwrap();
        assert_eq!(hears.recv(), Ok(1));
        let panics = || panic!("on purpose");
        apart("panics", move || told.send(2).unwrap(), panics).unwrap();
        assert_eq!(hears.recv(), Ok(2));
        if way == "ended" {
            let _ = std::thread::spawn(panics).join();
        }
        low_level::exit(3);
    }

    #[expect(unconditional_recursion, reason = "on purpose")]
    fn endless() -> u64 {
        std::hint::black_box(endless()) + 1
    }

    fn status_of(way: &str) -> Option<i32> {
        let ended = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "failsafe::tests::goes_wrong"])
            .env(WAY, way)
            .stdin(Stdio::null())
            .output();
        ended.unwrap().status.code()
    }

    #[test]
    fn however_it_goes_wrong_the_status_is_the_same() {
        for way in ["panic", "abort", "stack", "memory", "hang"] {
            assert_eq!(status_of(way), Some(2), "{way}");
        }
    }

    #[test]
    fn a_panic_ends_the_process_but_on_a_thread_apart() {
        assert_eq!(status_of("apart"), Some(3));
        assert_eq!(status_of("ended"), None);
    }

    #[test]
    fn an_answer_at_the_deadline_has_its_own_status() {
        assert_eq!(status_of("late"), Some(0));
    }

    #[test]
    fn the_deadline_does_not_contradict_an_answer() {
        assert_eq!(status_of("answered"), Some(0));
    }
}
