//! A run with members in tmux: the status in one pane, each member in one of its own. The run does
//! not depend on it: what fails here is told, and the work goes on.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_base::vars;
use overnight_host::agent::own_program;
use overnight_host::{env, files};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, IsTerminal};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Size of a session that nobody looks at yet, in cells: room for nine panes of 80 by 20.
const SIZE: [&str; 4] = ["-x", "240", "-y", "60"];

/// The panes of one run.
#[derive(Debug)]
pub struct Panes {
    session: String,
    shown: Option<Shown>,
}

/// The panes in front of the person: what this process writes to stderr goes to a file meanwhile.
#[derive(Debug)]
struct Shown {
    client: Child,
    stderr: File,
}

/// The name of a run's session.
pub fn session(run: &str) -> String {
    format!("overnight-{run}")
}

impl Panes {
    /// Opens the panes. At a terminal they are shown there, or, within tmux, in a window beside;
    /// what is said on stderr meanwhile goes to `log`.
    pub fn open(top: &Path, run: &str, members: u32, log: &Path) -> Result<Self, Fault> {
        let program = own_program()?;
        let status = [program.as_os_str(), "watch".as_ref(), run.as_ref()];
        let session = session(run);
        let mut new = tmux(&["new-session", "-d", "-s", &session, "-c"]);
        new.arg(top).args(SIZE).args(status);
        done(new)?;
        let mut panes = Self {
            session,
            shown: None,
        };
        match panes.fill(top, &status, members, log) {
            Ok(()) => Ok(panes),
            Err(fault) => {
                panes.close();
                Err(fault)
            }
        }
    }

    /// Adds the members' panes to that of the status, and shows them where there is a terminal.
    fn fill(
        &mut self,
        top: &Path,
        status: &[&OsStr],
        members: u32,
        log: &Path,
    ) -> Result<(), Fault> {
        let target = self.target();
        done(tmux(&[
            "set-option",
            "-t",
            &target,
            "destroy-unattached",
            "off",
        ]))?;
        for member in 1..=members {
            let number = member.to_string();
            let member = [OsStr::new("--member"), number.as_ref()];
            // Where the window is full, the rest goes to another one.
            let member = [status, &member].concat();
            if self.pane(&["split-window", "-d"], top, &member).is_err() {
                self.pane(&["new-window"], top, &member)?;
            }
            done(tmux(&["select-layout", "-t", &target, "tiled"]))?;
        }
        // The window with the status is the one that is seen first.
        let _ = done(tmux(&[
            "select-window",
            "-t",
            &format!("={}:^", self.session),
        ]));
        if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            self.show(log)?;
        }
        Ok(())
    }

    /// Names this session and no other that begins alike.
    fn target(&self) -> String {
        format!("={}:", self.session)
    }

    fn pane(&self, how: &[&str], top: &Path, words: &[&OsStr]) -> Result<(), Fault> {
        let mut command = tmux(how);
        command
            .args(["-t", &self.target(), "-c"])
            .arg(top)
            .args(words);
        done(command)
    }

    fn show(&mut self, log: &Path) -> Result<(), Fault> {
        if env::get(&vars::TMUX).is_some() {
            return done(tmux(&["switch-client", "-t", &self.target()]));
        }
        let fault = |error: std::io::Error| {
            Fault::new(Code::FileWrite, format!("{}: {error}", log.display()))
        };
        let file = files::open_log(log)?;
        let mut attach = tmux(&["attach-session", "-t", &self.target()]);
        attach.stdin(Stdio::inherit()).stdout(Stdio::inherit());
        let client = attach.spawn().map_err(|error| missing(&error))?;
        let stderr = rustix::io::dup(std::io::stderr()).map_err(|error| fault(error.into()))?;
        rustix::stdio::dup2_stderr(&file).map_err(|error| fault(error.into()))?;
        self.shown = Some(Shown {
            client,
            stderr: File::from(stderr),
        });
        Ok(())
    }

    /// The run is over. Panes that somebody looks at stay until that person leaves them; the
    /// others are closed.
    pub fn close(mut self) {
        let target = self.target();
        if let Some(mut shown) = self.shown.take() {
            // The person reads the end there, and leaves with the view's or tmux's own keys.
            let _ = shown.client.wait();
            let _ = rustix::stdio::dup2_stderr(&shown.stderr);
        }
        let mut clients = tmux(&["list-clients", "-t", &target]);
        let looked_at = clients
            .stdout(Stdio::piped())
            .output()
            .is_ok_and(|output| !output.stdout.is_empty());
        let _ = if looked_at {
            done(tmux(&[
                "set-option",
                "-t",
                &target,
                "destroy-unattached",
                "on",
            ]))
        } else {
            done(tmux(&["kill-session", "-t", &target]))
        };
    }
}

fn tmux(words: &[&str]) -> Command {
    let mut command = Command::new("tmux");
    command.args(words).stdin(Stdio::null());
    command
}

fn done(mut command: Command) -> Result<(), Fault> {
    let output = command.output().map_err(|error| missing(&error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let reason = format!("tmux: {}", one_line(&said, 200));
    Err(Fault::new(Code::CommandStart, reason))
}

fn missing(error: &std::io::Error) -> Fault {
    let reason = if error.kind() == ErrorKind::NotFound {
        "tmux is not on the PATH".to_owned()
    } else {
        format!("tmux cannot be started: {error}")
    };
    Fault::new(Code::CommandStart, reason)
}
