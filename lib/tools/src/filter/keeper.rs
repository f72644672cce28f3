//! The process that reads a command's output: it lives in a session of its own, as long as anybody
//! writes.

use super::Plan;
use super::stream::Stream;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_digest::End;
use rustix::event::{PollFd, PollFlags, Timespec};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The keeper is there.
pub(super) const READY: u8 = b'R';
/// The keeper has shown everything.
pub(super) const DONE: u8 = b'D';
/// So much is read at once.
const CHUNK: usize = 256 * 1024;
/// After so long without a byte a line without its end is taken for a prompt.
const PROMPT_AFTER: Duration = Duration::from_millis(80);

/// What the keeper is told when it starts.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// The numbers of the pipes: stdout and stderr together, or each its own.
    pub data: Vec<i32>,
    /// How the output is to be treated.
    pub plan: Plan,
}

struct Keeper {
    control: Option<UnixStream>,
    /// The pipes; `None` once nobody writes to them any more.
    data: Vec<Option<File>>,
    stream: Stream,
    buffer: Vec<u8>,
}

/// Reads until nobody writes any more. stdin is the way to the process that waits for the command.
pub fn keep(task: Task) -> Result<Exit, Fault> {
    work(task).map_err(|error| Fault::new(Code::FilterFailed, format!("keeper: {error}")))?;
    Ok(Exit::Yes)
}

fn work(task: Task) -> std::io::Result<()> {
    // A signal to the command's group or from its terminal is not meant for the keeper.
    let _ = rustix::process::setsid();
    let mut control = UnixStream::from(rustix::io::dup(rustix::stdio::stdin())?);
    let open = |number: &i32| File::open(format!("/dev/fd/{number}")).map(Some);
    let data = task
        .data
        .iter()
        .map(open)
        .collect::<std::io::Result<Vec<_>>>()?;
    // First of all: the command may start while the automata are built.
    control.write_all(&[READY])?;
    let stream = Stream::new(task.plan);
    let mut keeper = Keeper {
        control: Some(control),
        data,
        stream,
        buffer: vec![0; CHUNK],
    };
    let end = keeper.until_end()?;
    keeper.drain();
    keeper.finish(end);
    keeper.aftermath();
    Ok(())
}

impl Keeper {
    /// Reads until the command has ended, or its waiting process has and nobody writes any more.
    fn until_end(&mut self) -> std::io::Result<End> {
        loop {
            let ready = self.wait(self.timeout());
            if ready.iter().all(|ready| !ready) {
                self.stream.idle();
            }
            for (number, ready) in ready.iter().take(self.data.len()).enumerate() {
                if *ready {
                    self.read(number);
                }
            }
            self.stream.look();
            if ready.last() == Some(&true)
                && let Some(end) = self.listen()
            {
                return Ok(end);
            }
            if self.control.is_none() && self.data.iter().all(Option::is_none) {
                return Ok(End::Unknown);
            }
        }
    }

    fn timeout(&self) -> Option<Duration> {
        let look = self.stream.next_look_ms().map(Duration::from_millis);
        let prompt = self.stream.wants_idle().then_some(PROMPT_AFTER);
        look.into_iter().chain(prompt).min()
    }

    /// Which pipes can be read; last, whether there is word from the waiting process.
    fn wait(&self, timeout: Option<Duration>) -> Vec<bool> {
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let mut numbers = Vec::new();
        let mut entries = Vec::new();
        for (number, pipe) in self.data.iter().enumerate() {
            if let Some(pipe) = pipe {
                numbers.push(number);
                entries.push(PollFd::new(pipe, PollFlags::IN));
            }
        }
        if let Some(control) = &self.control {
            numbers.push(self.data.len());
            entries.push(PollFd::new(control, PollFlags::IN));
        }
        let _ = rustix::event::poll(&mut entries, timeout.as_ref());
        let mut ready = vec![false; self.data.len() + 1];
        for (number, entry) in numbers.into_iter().zip(&entries) {
            ready[number] = !entry.revents().is_empty();
        }
        ready
    }

    fn read(&mut self, number: usize) {
        let Some(pipe) = &mut self.data[number] else {
            return;
        };
        match pipe.read(&mut self.buffer) {
            Ok(0) => self.data[number] = None,
            Ok(length) => self.stream.push(&self.buffer[..length], number == 1),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => self.data[number] = None,
        }
    }

    /// Word from the waiting process: how the command ended, or nothing: it is gone.
    fn listen(&mut self) -> Option<End> {
        let mut word = [0; 32];
        let length = self.control.as_mut()?.read(&mut word).unwrap_or(0);
        let text = String::from_utf8_lossy(&word[..length]);
        let mut parts = text.split_whitespace();
        match (
            parts.next(),
            parts.next().and_then(|number| number.parse().ok()),
        ) {
            (Some("exit"), Some(status)) => Some(End::Exit(status)),
            (Some("signal"), Some(signal)) => Some(End::Signal(signal)),
            _ => {
                self.control = None;
                None
            }
        }
    }

    /// What the command wrote before it ended; not what others go on writing.
    fn drain(&mut self) {
        for number in 0..self.data.len() {
            let left = |pipe: &File| rustix::io::ioctl_fionread(pipe.as_fd()).unwrap_or(0);
            let mut rest = self.data[number].as_ref().map_or(0, left);
            while rest > 0 && self.data[number].is_some() {
                self.read(number);
                rest = rest
                    .saturating_sub(CHUNK as u64)
                    .min(self.data[number].as_ref().map_or(0, left));
            }
        }
    }

    /// Shows the digest and lets go of everything that somebody may wait for.
    fn finish(&mut self, end: End) {
        let outcome = self.stream.finish(end);
        let place = self.stream.place().cloned();
        if let (Some(outcome), Some(place)) = (&outcome, &place) {
            outcome.save(place);
        }
        if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
            let _ = rustix::stdio::dup2_stdin(&null);
            let _ = rustix::stdio::dup2_stdout(&null);
            let _ = rustix::stdio::dup2_stderr(&null);
        }
        if let Some(mut control) = self.control.take() {
            let _ = control.write_all(&[DONE]);
        }
        // Nothing is made any more once the call is over: its folder may be gone by then.
        if let (Some(outcome), Some(place)) = (&outcome, &place) {
            outcome.keep_quota(place);
        }
    }

    /// A daemon that the command left behind goes on writing into the log.
    fn aftermath(&mut self) {
        while self.data.iter().any(Option::is_some) {
            let ready = self.wait(None);
            for (slot, ready) in self.data.iter_mut().zip(ready) {
                let Some(pipe) = slot else { continue };
                if ready {
                    match pipe.read(&mut self.buffer) {
                        Ok(length) if length > 0 => self.stream.aftermath(&self.buffer[..length]),
                        _ => *slot = None,
                    }
                }
            }
        }
    }
}
