//! The three kinds of remotes that the histories run over.

use super::http::Server;
use super::{Field, git};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A `git daemon` that ends with the test.
pub(super) struct Daemon {
    child: Child,
    pub(super) url: String,
}

impl Daemon {
    pub(super) fn start(field: &Field) -> Self {
        let free = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        // Not through `git`, which would leave it behind when it is ended.
        let programs = git(field.folder.path(), &["--exec-path"]);
        let child = Command::new(Path::new(&programs).join("git-daemon"))
            .args([
                "--reuseaddr",
                "--export-all",
                "--enable=receive-pack",
                "--listen=127.0.0.1",
            ])
            .arg(format!("--port={}", free.port()))
            .arg(format!("--base-path={}", field.folder.path().display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while TcpStream::connect(free).is_err() {
            std::thread::sleep(Duration::from_millis(5));
        }
        Self {
            child,
            url: format!("git://{free}/remote.git"),
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It answers a signal by ending; its children end with their connections.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A smart HTTP remote that loses the answer of one push in so many.
pub(super) fn http(field: &Field, lose_every: u32) -> String {
    git(
        &field.path("remote.git"),
        &["config", "http.receivepack", "true"],
    );
    let server = Server::start(field.folder.path());
    server
        .lose_every
        .store(lose_every, std::sync::atomic::Ordering::SeqCst);
    format!("{}/remote.git", server.url)
}
