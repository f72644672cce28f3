//! The filter as a pipe: the output comes on stdin.

use super::Plan;
use super::outcome::Outcome;
use super::stream::Stream;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_digest::End;
use overnight_host::relay::Relay;
use rustix::event::{PollFd, PollFlags, Timespec};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::time::Duration;

const CHUNK: usize = 256 * 1024;
const PROMPT_AFTER: Duration = Duration::from_millis(80);

/// Reads stdin to its end and shows what is to be shown. Ctrl-C reaches the writer too, whose last
/// words are waited for; a second one, or TERM, ends the waiting.
pub fn run(plan: Plan) -> Result<Option<Outcome>, Fault> {
    let failed = |error: std::io::Error| Fault::new(Code::FilterFailed, format!("stdin: {error}"));
    let mut signals = Relay::catch(&[SIGINT, SIGTERM]).map_err(failed)?;
    let mut stream = Stream::new(plan);
    let mut buffer = vec![0; CHUNK];
    let mut interrupts = 0;
    loop {
        if wait(&signals, &stream) {
            match rustix::io::read(rustix::stdio::stdin(), &mut buffer) {
                Ok(0) => break,
                Ok(length) => stream.push(&buffer[..length], false),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(failed(error.into())),
            }
        } else {
            stream.idle();
        }
        stream.look();
        for signal in signals.take() {
            interrupts += if signal == SIGTERM { 2 } else { 1 };
        }
        if interrupts >= 2 {
            break;
        }
    }
    let outcome = stream.finish(End::Unknown);
    if let (Some(outcome), Some(place)) = (&outcome, stream.place()) {
        outcome.save(place);
        outcome.keep_quota(place);
    }
    Ok(outcome)
}

/// Waits for input; false when something else is to be done first.
fn wait(signals: &Relay, stream: &Stream) -> bool {
    let look = stream.next_look_ms().map(Duration::from_millis);
    let prompt = stream.wants_idle().then_some(PROMPT_AFTER);
    let timeout = look.into_iter().chain(prompt).min();
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    let stdin = rustix::stdio::stdin();
    let mut entries = [
        PollFd::new(&stdin, PollFlags::IN),
        PollFd::new(signals, PollFlags::IN),
    ];
    let _ = rustix::event::poll(&mut entries, timeout.as_ref());
    !entries[0].revents().is_empty()
}

/// Passes stdin on as it is.
pub fn unchanged() -> Result<(), Fault> {
    let copied = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::stdout().lock());
    match copied {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Fault::new(
            Code::FilterFailed,
            format!("cannot pass on: {error}"),
        )),
        _ => Ok(()),
    }
}
