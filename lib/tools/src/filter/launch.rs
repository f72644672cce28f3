//! Runs a command with a keeper on its output, and ends as the command does.

use super::Plan;
use super::keeper::{DONE, READY, Task};
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::agent::own_command;
use overnight_host::cell::Cell;
use overnight_host::relay::{FORWARDED, Relay};
use overnight_host::{child, cli, relay};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::FdFlags;
use signal_hook::consts::{SIGINT, SIGQUIT};
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// How long a keeper may take to start on a busy machine.
const START_WAIT_MAX: Duration = Duration::from_secs(10);
/// A signal may have been meant for the whole group, and the command have ended by it already.
const SIGNAL_WAIT_MAX: Duration = Duration::from_millis(20);

/// Both ends of the pipes, and the way to the keeper.
struct Keeper {
    control: UnixStream,
    readers: Vec<OwnedFd>,
    writers: Vec<OwnedFd>,
    _process: Child,
}

/// Runs the command, its output filtered. What goes wrong before it starts leads to the command
/// itself, unfiltered; into its walls it goes all the same, or not at all.
pub fn run(command: Command, plan: &Plan, within: Option<&Cell>) -> Exit {
    let mut keeper = match start_keeper(plan) {
        Ok(keeper) => keeper,
        Err(fault) => {
            cli::note(&fault.to_string());
            return directly(command, within);
        }
    };
    let mut command = match enter(command, within) {
        Ok(command) => command,
        Err(exit) => return exit,
    };
    let started = attach(&mut command, &mut keeper)
        .and_then(|()| Relay::catch(FORWARDED))
        .and_then(|signals| Ok((command.spawn()?, signals)));
    let (mut running, mut signals) = match started {
        Ok(started) => started,
        Err(error) => return child::not_started(command.get_program(), &error),
    };
    // The command's descriptors live in it as long as it does: the pipe would never end.
    drop(command);
    let watch = within.and_then(|cell| cell.watch(&running));
    let status = match wait(&mut running, &mut keeper, &mut signals) {
        Ok(status) => status,
        Err(error) => {
            let reason = format!("cannot wait for the command: {error}");
            cli::note(&Fault::new(Code::FilterFailed, reason).to_string());
            return Exit::Software;
        }
    };
    report_end(&mut keeper, status);
    if let Some(limit) = within.and_then(|cell| cell.passed(watch.as_ref(), status)) {
        cli::note(&format!("ended by a limit of its cell: {limit}"));
    }
    child::end_as(status)
}

/// Replaces this process by the command.
pub fn directly(command: Command, within: Option<&Cell>) -> Exit {
    let mut command = match enter(command, within) {
        Ok(command) => command,
        Err(exit) => return exit,
    };
    let error = command.exec();
    child::not_started(command.get_program(), &error)
}

/// Takes the walls upon this process, and gives what to start in them.
fn enter(command: Command, within: Option<&Cell>) -> Result<Command, Exit> {
    let Some(cell) = within else {
        return Ok(command);
    };
    cell.enter(command).map_err(|fault| {
        cli::note(&fault.to_string());
        fault.code.exit()
    })
}

fn start_keeper(plan: &Plan) -> Result<Keeper, Fault> {
    try_start(plan)
        .map_err(|error| Fault::new(Code::FilterFailed, format!("cannot start: {error}")))
}

fn try_start(plan: &Plan) -> std::io::Result<Keeper> {
    let pipes = if streams_differ() { 2 } else { 1 };
    let (mut readers, mut writers) = (Vec::new(), Vec::new());
    for _ in 0..pipes {
        let (reader, writer) = std::io::pipe()?;
        readers.push(OwnedFd::from(reader));
        writers.push(OwnedFd::from(writer));
    }
    let (mut control, theirs) = UnixStream::pair()?;
    let task = Task {
        data: readers.iter().map(AsRawFd::as_raw_fd).collect(),
        plan: plan.clone(),
    };
    let task = serde_json::to_string(&task)?;
    // The keeper opens them by their numbers; the command must not inherit them.
    for reader in &readers {
        rustix::io::fcntl_setfd(reader, FdFlags::empty())?;
    }
    let mut own = own_command("output-filter").map_err(std::io::Error::other)?;
    let process = own
        .args(["keep", &task])
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn();
    for reader in &readers {
        rustix::io::fcntl_setfd(reader, FdFlags::CLOEXEC)?;
    }
    let process = process?;
    control.set_read_timeout(Some(START_WAIT_MAX))?;
    let mut answer = [0];
    control.read_exact(&mut answer)?;
    if answer != [READY] {
        return Err(std::io::Error::other("the keeper did not start"));
    }
    control.set_read_timeout(None)?;
    Ok(Keeper {
        control,
        readers,
        writers,
        _process: process,
    })
}

/// Do stdout and stderr go to different places?
fn streams_differ() -> bool {
    let identity = |descriptor| {
        rustix::fs::fstat(descriptor)
            .map(|about| (about.st_dev, about.st_ino))
            .ok()
    };
    identity(rustix::stdio::stdout()) != identity(rustix::stdio::stderr())
}

fn attach(command: &mut Command, keeper: &mut Keeper) -> std::io::Result<()> {
    let errors = keeper.writers.pop();
    let output = keeper.writers.pop();
    match (output, errors) {
        (Some(output), Some(errors)) => command.stdout(output).stderr(errors),
        (None, Some(both)) => command.stdout(both.try_clone()?).stderr(both),
        _ => command,
    };
    Ok(())
}

/// Waits for the command; passes signals on, and its output too should the keeper die.
fn wait(
    running: &mut Child,
    keeper: &mut Keeper,
    signals: &mut Relay,
) -> std::io::Result<ExitStatus> {
    let mut keeper_lives = true;
    loop {
        if let Some(status) = running.try_wait()? {
            return Ok(status);
        }
        if keeper_lives {
            let mut entries = [
                PollFd::new(signals, PollFlags::IN),
                PollFd::new(&keeper.control, PollFlags::IN),
            ];
            let _ = rustix::event::poll(&mut entries, None);
            keeper_lives = entries[1].revents().is_empty();
            if !keeper_lives {
                cli::note(&died().to_string());
            }
        } else {
            pass_on(keeper, signals);
        }
        forward(&signals.take(), running, signals)?;
    }
}

/// Passes signals on to the command. Those from the terminal reach it by themselves.
fn forward(arrived: &[i32], running: &mut Child, signals: &Relay) -> std::io::Result<()> {
    for signal in arrived {
        if matches!(*signal, SIGINT | SIGQUIT) && has_terminal() {
            continue;
        }
        let wait_max = Timespec::try_from(SIGNAL_WAIT_MAX).ok();
        let _ = rustix::event::poll(
            &mut [PollFd::new(signals, PollFlags::IN)],
            wait_max.as_ref(),
        );
        if running.try_wait()?.is_none() {
            relay::send(running.id(), *signal);
        }
    }
    Ok(())
}

/// Is this process in the foreground of a terminal?
fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty")
        .ok()
        .and_then(|terminal| rustix::termios::tcgetpgrp(terminal).ok())
        .is_some_and(|group| Some(group) == overnight_host::process::own_group())
}

/// Tells the keeper how the command ended and waits until it has shown everything.
fn report_end(keeper: &mut Keeper, status: ExitStatus) {
    let end = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}\n"),
        (None, Some(signal)) => format!("signal {signal}\n"),
        _ => "exit 255\n".to_owned(),
    };
    let mut answer = [0];
    let done = keeper
        .control
        .write_all(end.as_bytes())
        .and_then(|()| keeper.control.read_exact(&mut answer));
    if done.is_err() || answer != [DONE] {
        cli::note(&died().to_string());
        drain(keeper);
    }
}

fn died() -> Fault {
    Fault::new(
        Code::FilterFailed,
        "the digest broke off; the rest of the output follows as it is",
    )
}

/// The output as it is, until something else happens.
fn pass_on(keeper: &Keeper, signals: &Relay) {
    let mut entries: Vec<PollFd<'_>> = keeper
        .readers
        .iter()
        .map(|reader| PollFd::new(reader, PollFlags::IN))
        .collect();
    entries.push(PollFd::new(signals, PollFlags::IN));
    // The end of the pipe keeps it readable: wait a little for the command's end then.
    let pause = Timespec::try_from(SIGNAL_WAIT_MAX).ok();
    let _ = rustix::event::poll(&mut entries, pause.as_ref());
    let readable: Vec<bool> = entries
        .iter()
        .map(|entry| entry.revents().contains(PollFlags::IN))
        .collect();
    drop(entries);
    for (number, reader) in keeper.readers.iter().enumerate() {
        if readable[number] {
            copy_once(reader, number == 1);
        }
    }
}

fn copy_once(reader: &OwnedFd, to_stderr: bool) {
    let mut buffer = vec![0; 64 * 1024];
    if let Ok(length) = rustix::io::read(reader, &mut buffer) {
        super::small::show(&buffer[..length], to_stderr);
    }
}

/// What is left in the pipes.
fn drain(keeper: &Keeper) {
    for (number, reader) in keeper.readers.iter().enumerate() {
        while rustix::io::ioctl_fionread(reader.as_fd()).is_ok_and(|left| left > 0) {
            copy_once(reader, number == 1);
        }
    }
}
