//! A smart HTTP remote on loopback: `git http-backend` behind a server of a few lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Serves the repositories of a folder until the tests end.
pub(super) struct Server {
    pub(super) url: String,
    /// Of so many pushes one is carried out and not answered; 0: all are answered.
    pub(super) lose_every: Arc<AtomicU32>,
}

impl Server {
    pub(super) fn start(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let lose_every = Arc::new(AtomicU32::new(0));
        let (root, lose) = (root.to_owned(), Arc::clone(&lose_every));
        std::thread::spawn(move || {
            let pushes = Arc::new(AtomicU32::new(0));
            for stream in listener.incoming() {
                let (root, lose, pushes) = (root.clone(), Arc::clone(&lose), Arc::clone(&pushes));
                std::thread::spawn(move || {
                    // A client that went away is one of the faults that are tested.
                    let _ = serve(stream.unwrap(), &root, &lose, &pushes);
                });
            }
        });
        Self { url, lose_every }
    }
}

fn serve(
    mut stream: TcpStream,
    root: &PathBuf,
    lose: &AtomicU32,
    pushes: &AtomicU32,
) -> std::io::Result<()> {
    let (mut command, body, is_push) = request(&stream, root)?;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&body));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    let every = lose.load(Ordering::SeqCst);
    if is_push && every > 0 && (pushes.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(every) {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stdout[..output.stdout.len().min(64)]).into_owned();
    let code = text
        .strip_prefix("Status: ")
        .and_then(|rest| rest.get(..3))
        .unwrap_or("200")
        .to_owned();
    write!(stream, "HTTP/1.1 {code} X\r\nConnection: close\r\n")?;
    stream.write_all(&output.stdout)
}

/// Reads one request; gives the command that answers it, its body, and whether it is a push.
fn request(stream: &TcpStream, root: &PathBuf) -> std::io::Result<(Command, Vec<u8>, bool)> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut words = first.split(' ');
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut command = Command::new("git");
    command
        .arg("-c")
        .arg("http.receivepack=true")
        .arg("http-backend");
    command
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1");
    command.envs([
        ("REQUEST_METHOD", method),
        ("PATH_INFO", path),
        ("QUERY_STRING", query),
    ]);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("REMOTE_ADDR", "127.0.0.1");
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "content-type" => drop(command.env("CONTENT_TYPE", value)),
            "content-encoding" => drop(command.env("HTTP_CONTENT_ENCODING", value)),
            "git-protocol" => drop(command.env("GIT_PROTOCOL", value)),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    command.env("CONTENT_LENGTH", length.to_string());
    let is_push = method == "POST" && path.ends_with("git-receive-pack");
    Ok((command, body, is_push))
}
