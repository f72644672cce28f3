//! A scripted Messages API: what the model would say is a script, everything else is the real client.

mod answer;
mod http;
mod request;
mod script;

pub use request::{Kind, Request};
pub use script::{Script, Turn};

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A running server; ends when dropped.
pub struct Api {
    /// What goes into `ANTHROPIC_BASE_URL`.
    pub url: String,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    script: Script,
    log: Mutex<Vec<Request>>,
    /// How many answers each part has given, by part and scope.
    positions: Mutex<BTreeMap<String, usize>>,
    closed: AtomicBool,
}

impl Api {
    /// Starts a server on a free port of loopback.
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script,
            log: Mutex::default(),
            positions: Mutex::default(),
            closed: AtomicBool::new(false),
        });
        let server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if server.closed.load(Ordering::SeqCst) {
                    return;
                }
                let server = Arc::clone(&server);
                // A connection ends with its client; an error on it is the client's to report.
                std::thread::spawn(move || server.serve(&stream));
            }
        });
        Self {
            url: format!("http://{address}"),
            address,
            shared,
        }
    }

    /// Every request for a message so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.log.lock().unwrap().clone()
    }

    /// The requests of main conversations: no helpers such as title generation.
    pub fn main_requests(&self) -> Vec<Request> {
        self.of_kind(Kind::Main)
    }

    /// The requests of one kind.
    pub fn of_kind(&self, kind: Kind) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(|request| request.kind == kind);
        requests
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn serve(&self, stream: &TcpStream) -> Option<()> {
        let mut reader = std::io::BufReader::new(stream.try_clone().ok()?);
        loop {
            let message = http::read(&mut reader)?;
            let request = Request::new(&message);
            if request.kind == Kind::Other {
                answer::not_found(stream, &message.path)?;
                continue;
            }
            if request.kind == Kind::Count {
                answer::json(stream, 200, &[], &serde_json::json!({"input_tokens": 1000}))?;
                continue;
            }
            let turn = self.pick(&request);
            self.log.lock().unwrap().push(request.clone());
            answer::play(stream, &request, &turn)?;
        }
    }

    fn pick(&self, request: &Request) -> Turn {
        let Some((key, part)) = self.script.find(request) else {
            return Turn::say("ok");
        };
        let at = {
            let mut positions = self.positions.lock().unwrap();
            let position = positions.entry(key).or_default();
            *position += 1;
            *position - 1
        };
        part.turn(at, request)
    }
}
