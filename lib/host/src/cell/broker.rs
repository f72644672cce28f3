//! The way out of the cell for a question: the book of answers cannot be reached from inside, so the
//! guard's hook asks the driver, which holds it, over a socket in the run's folder.

use crate::approvals::{Asked, Reply};
use crate::env;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use rustix::fs::{Mode, OFlags};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The socket's name in the run's folder, where the code in the cell makes nothing.
const SOCKET: &str = "asks.sock";
/// A question larger than this is none: a call is cut at 8 KiB.
const BYTES_MAX: u64 = 256 << 10;
/// How long the driver listens to one question, and the hook waits for its answer.
const WAIT_MAX: Duration = Duration::from_millis(500);

/// The driver's end; nobody is heard any more once it is dropped.
#[derive(Debug)]
pub struct Broker {
    socket: PathBuf,
}

impl Broker {
    /// Answers the questions that come out of the cell from now on.
    pub fn open(
        run_folder: &Path,
        reply: impl Fn(&Asked) -> Result<Reply, Fault> + Send + 'static,
    ) -> Result<Self, Fault> {
        let socket = run_folder.join(SOCKET);
        let failed = |error: std::io::Error| {
            Fault::new(Code::FileWrite, format!("{}: {error}", socket.display()))
        };
        // One of a driver that died.
        let _ = std::fs::remove_file(&socket);
        let (folder, name) = short(&socket).map_err(failed)?;
        let listener = UnixListener::bind(name).map_err(failed)?;
        drop(folder);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Who breaks off asks again.
                let _ = answer(&stream, &reply);
            }
        });
        Ok(Self { socket })
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Does this process live in a cell, with a driver outside that answers?
pub fn is_needed() -> bool {
    env::get(&vars::CELL).is_some() && env::get(&vars::RUN_DIR).is_some()
}

/// Asks the driver what a person said about a call.
pub fn ask(asked: &Asked) -> Result<Reply, Fault> {
    let folder = env::get_os(&vars::RUN_DIR)
        .map(PathBuf::from)
        .unwrap_or_default();
    let failed = |error: std::io::Error| {
        Fault::new(
            Code::FileRead,
            format!("the driver does not answer: {error}"),
        )
    };
    let exchange = || -> std::io::Result<Reply> {
        let (_folder, name) = short(&folder.join(SOCKET))?;
        let mut stream = UnixStream::connect(name)?;
        stream.set_read_timeout(Some(WAIT_MAX))?;
        stream.set_write_timeout(Some(WAIT_MAX))?;
        let mut text = serde_json::to_vec(asked)?;
        text.push(b'\n');
        stream.write_all(&text)?;
        let mut reply = Vec::new();
        BufReader::new(stream.take(BYTES_MAX)).read_until(b'\n', &mut reply)?;
        Ok(serde_json::from_slice(&reply)?)
    };
    exchange().map_err(failed)
}

/// One question and what is replied to it.
fn answer(
    stream: &UnixStream,
    reply: &impl Fn(&Asked) -> Result<Reply, Fault>,
) -> Result<(), Fault> {
    let failed = |error: std::io::Error| Fault::new(Code::FileRead, error.to_string());
    stream.set_read_timeout(Some(WAIT_MAX)).map_err(failed)?;
    stream.set_write_timeout(Some(WAIT_MAX)).map_err(failed)?;
    let mut text = Vec::new();
    let mut reader = BufReader::new(stream.take(BYTES_MAX));
    reader.read_until(b'\n', &mut text).map_err(failed)?;
    let data = |error: serde_json::Error| Fault::new(Code::InputData, error.to_string());
    let asked: Asked = serde_json::from_slice(&text).map_err(data)?;
    if !asked.is_honest() {
        return Err(Fault::new(
            Code::InputData,
            "a call that is not what its key says",
        ));
    }
    let mut text = serde_json::to_vec(&reply(&asked)?).map_err(data)?;
    text.push(b'\n');
    let mut writer = stream;
    writer.write_all(&text).map_err(failed)
}

/// A name for a socket that is short enough, whatever the path to its folder: through the folder's
/// descriptor, which must be open while the name is used.
fn short(socket: &Path) -> std::io::Result<(Option<OwnedFd>, PathBuf)> {
    /// What fits into the address of a socket on every system.
    const NAME_BYTES_MAX: usize = 100;
    if socket.as_os_str().len() <= NAME_BYTES_MAX {
        return Ok((None, socket.to_owned()));
    }
    let folder = socket.parent().unwrap_or(Path::new("/"));
    let folder = rustix::fs::open(
        folder,
        OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY,
        Mode::empty(),
    )?;
    let name = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(SOCKET);
    Ok((Some(folder), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_in_a_deep_folder_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("d".repeat(120));
        std::fs::create_dir(&deep).unwrap();
        let socket = deep.join(SOCKET);
        let (_kept, name) = short(&socket).unwrap();
        let listener = UnixListener::bind(name).unwrap();
        let (_kept, name) = short(&socket).unwrap();
        let _stream = UnixStream::connect(name).unwrap();
        assert!(listener.accept().is_ok());
    }
}
