//! The desk as a page on this machine: one thread answers one request after the other and looks at
//! the terminal in between, where approving is confirmed.

use super::peer;
use crate::desk;
use crate::guard::DESK_FILE;
use crate::signals::Signals;
use crate::state::Place;
use crate::{cli, clock, files, git, random, runs, work};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_host::terminal;
use overnight_views::review::admission::{Admission, Asked, HEADERS, Refused, Way};
use overnight_views::review::sheet::{PAGE, SCRIPT, STYLE, Sent};
use overnight_views::review::{Desk, Wish};
use serde_json::{Value, json};
use std::io::{IsTerminal, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use tiny_http::{Header, Method, Request, Response, Server};

/// How long one wait for a request is: then the terminal and signals are looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How long a person has to confirm in the terminal.
const CONFIRM_MS: u64 = 5 * 60 * 1_000;
/// Bytes of what is typed in the terminal.
const TYPED_BYTES_MAX: usize = 1_024;

/// Serves the desk until it is left; was a task sent back?
pub fn serve(place: &Place, run: &str, signals: &Signals) -> Result<bool, Fault> {
    // Asked before the address is shown: a terminal that goes right then is none any more.
    let on_terminal = std::io::stdin().is_terminal();
    let server = listen()?;
    let port = server.server_addr().to_ip().map_or(0, |ours| ours.port());
    let secrets = [
        random::hex::<16>()?,
        random::hex::<16>()?,
        random::hex::<16>()?,
    ];
    let mut page = Page {
        place,
        run,
        port,
        admission: Admission::new(port, secrets, clock::mono_ms()),
        desk: desk::of(place, run)?,
        seen: stamp(place, run)?,
        asked: None,
        typed: Vec::new(),
        said: None,
        sent_back: false,
    };
    let _port_file = PortFile::to_guard(place, port)?;
    cli::print(&format!(
        "{}\n\nThe address opens the desk once, on this machine only; Ctrl-C ends it.\n",
        page.admission.address()
    ))?;
    while signals.interrupted().is_none() {
        if on_terminal && !terminal::wait_for_input(Duration::ZERO) {
            cli::note("the terminal is gone: the desk is closed");
            break;
        }
        if page.admission.is_over(clock::mono_ms()) {
            cli::note("nobody used the desk for 30 minutes: it is closed");
            break;
        }
        page.listen()?;
        let request = server.recv_timeout(LOOK);
        let request =
            request.map_err(|error| Fault::new(Code::FileRead, format!("the port: {error}")))?;
        if let Some(request) = request {
            page.answer(request);
        }
    }
    Ok(page.sent_back)
}

fn listen() -> Result<Server, Fault> {
    let server = Server::http((Ipv4Addr::LOCALHOST, 0));
    server.map_err(|error| {
        let reason = format!("no port on 127.0.0.1: {error}");
        Fault::new(Code::FileWrite, reason)
    })
}

/// The guard knows the port while this lives. The token is nowhere but on the terminal.
struct PortFile(PathBuf);

impl PortFile {
    fn to_guard(place: &Place, port: u16) -> Result<Self, Fault> {
        let path = place.state.join(DESK_FILE);
        files::write_atomic(&path, port.to_string().as_bytes(), files::PRIVATE)?;
        Ok(Self(path))
    }
}

impl Drop for PortFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What a desk was made from: the length of the journal, and the commit.
type Stamp = (u64, Option<String>);

fn stamp(place: &Place, run: &str) -> Result<Stamp, Fault> {
    let state = runs::state(place, run)?;
    let commit = |(top, _, tip): (PathBuf, String, String)| {
        let named = format!("{tip}^{{commit}}");
        git::read(&top, &["rev-parse", "--verify", "-q", &named]).ok()
    };
    let tip = work::range(place, &state).and_then(commit);
    Ok((state.updated, tip))
}

/// An approval that waits for the terminal.
struct Asking {
    ask: String,
    what: String,
    until_ms: u64,
}

struct Page<'a> {
    place: &'a Place,
    run: &'a str,
    port: u16,
    admission: Admission,
    desk: Desk,
    seen: Stamp,
    asked: Option<Asking>,
    typed: Vec<u8>,
    said: Option<String>,
    sent_back: bool,
}

type Body = Response<std::io::Cursor<Vec<u8>>>;

impl Page<'_> {
    fn answer(&mut self, mut request: Request) {
        let answer = self.answered(&mut request);
        let answer = answer.unwrap_or_else(|Refused(status, why)| {
            data(status, &json!({"error": why, "once": null}))
        });
        // Who asked may be gone.
        let _ = request.respond(answer);
    }

    fn answered(&mut self, request: &mut Request) -> Result<Body, Refused> {
        let peer = request.remote_addr().copied();
        let refused = |peer: SocketAddr| peer::is_refused(peer, self.port);
        if peer.is_none_or(refused) {
            return Err(Refused(
                403,
                "the desk is a person's: this was asked by an agent's process",
            ));
        }
        let method = match request.method() {
            Method::Get => "GET",
            Method::Post => "POST",
            _ => "",
        };
        let headers = request.headers().iter();
        let asked = Asked {
            method,
            path: request.url(),
            headers: headers
                .map(|header| (header.field.as_str().as_str(), header.value.as_str()))
                .collect(),
        };
        match self.admission.admit(&asked, clock::mono_ms())? {
            Way::Page => Ok(text("text/html; charset=utf-8", PAGE)),
            Way::Script => Ok(text("text/javascript; charset=utf-8", SCRIPT)),
            Way::Style => Ok(text("text/css; charset=utf-8", STYLE)),
            Way::Entered => {
                let body = json!({"key": self.admission.key(), "once": self.once()?});
                let cookie = Header::from_bytes("Set-Cookie", self.admission.cookie());
                Ok(cookie
                    .into_iter()
                    .fold(data(200, &body), Response::with_header))
            }
            Way::Desk => {
                self.refresh();
                let mut sheet = self.desk.sheet();
                sheet["once"] = json!(self.once()?);
                sheet["waiting"] = json!(self.asked.as_ref().map(|asking| &asking.what));
                sheet["said"] = json!(self.said.take());
                Ok(data(200, &sheet))
            }
            Way::Hunk(key) => {
                let hunk = self.desk.hunk_sheet(&key);
                hunk.map(|hunk| data(200, &hunk)).ok_or(Refused(
                    409,
                    "the change is no longer what you read: load it anew",
                ))
            }
            Way::Wish => self.wish(request),
        }
    }

    fn once(&mut self) -> Result<String, Refused> {
        let word = random::hex::<16>().map_err(|_| Refused(500, "there is no randomness"))?;
        self.admission.hand_out(word.clone());
        Ok(word)
    }

    /// Looks at the run anew where it or its change moved.
    fn refresh(&mut self) {
        let now = stamp(self.place, self.run);
        if now.as_ref().is_ok_and(|now| *now == self.seen) && self.asked.is_none() {
            // Questions are not in the journal.
            if let Ok((_, night)) = desk::summary(self.place, self.run) {
                self.desk.refresh(&night);
            }
            return;
        }
        if let (Ok(now), Ok(desk)) = (now, desk::of(self.place, self.run)) {
            (self.seen, self.desk) = (now, desk);
        }
    }

    fn wish(&mut self, request: &mut Request) -> Result<Body, Refused> {
        let length = request.body_length().unwrap_or(0) as u64;
        let mut body = Vec::new();
        let read = request.as_reader().take(length).read_to_end(&mut body);
        read.map_err(|_| Refused(400, "the request broke off"))?;
        let sent: Sent =
            serde_json::from_slice(&body).map_err(|_| Refused(400, "that is no wish"))?;
        self.admission.take(&sent.once)?;
        self.refresh();
        let wish = self.desk.wished(&sent).map_err(|why| Refused(409, why))?;
        let note = if let Wish::Question { ask, approve: true } = &wish {
            self.ask(ask)?
        } else {
            self.sent_back |= desk::grant(self.place, self.run, &mut self.desk, &wish);
            if let Wish::Read(keys) = &wish {
                self.desk.was_read(keys);
            }
            self.desk.note.take()
        };
        Ok(data(200, &json!({"note": note, "once": self.once()?})))
    }

    /// Asks in the terminal whether a question is to be approved: whoever holds the page may be a
    /// program, whoever types there is a person.
    fn ask(&mut self, ask: &str) -> Result<Option<String>, Refused> {
        if !std::io::stdin().is_terminal() {
            return Err(Refused(
                409,
                "approving is confirmed in a terminal, and this desk has none",
            ));
        }
        let what = self.desk.question(ask).unwrap_or(ask).to_owned();
        let what = one_line(&what, 300);
        // What was typed before it was asked is no answer.
        let _ = rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush);
        self.typed.clear();
        cli::note(&format!("the page wants to approve once: {what}"));
        cli::note("type y and Enter to approve it, n and Enter to leave it:");
        self.asked = Some(Asking {
            ask: ask.to_owned(),
            what,
            until_ms: clock::mono_ms() + CONFIRM_MS,
        });
        Ok(None)
    }

    /// Reads what was typed in the terminal, and approves where that is the answer.
    fn listen(&mut self) -> Result<(), Fault> {
        let Some(asking) = &self.asked else {
            return Ok(());
        };
        let over = clock::mono_ms() >= asking.until_ms;
        if !over && !terminal::has_input(Duration::ZERO) {
            return Ok(());
        }
        let mut bytes = [0; 256];
        let count = if over {
            0
        } else {
            let read = rustix::io::read(std::io::stdin(), &mut bytes);
            read.map_err(|error| Fault::new(Code::FileRead, format!("the terminal: {error}")))?
        };
        self.typed.extend(&bytes[..count]);
        let whole = self.typed.contains(&b'\n') || self.typed.len() > TYPED_BYTES_MAX;
        if count > 0 && !whole {
            return Ok(());
        }
        let typed = String::from_utf8_lossy(&std::mem::take(&mut self.typed))
            .trim()
            .to_owned();
        let Some(asking) = self.asked.take() else {
            return Ok(());
        };
        let said = if ["y", "yes"].contains(&typed.to_lowercase().as_str()) {
            let wish = Wish::Question {
                ask: asking.ask,
                approve: true,
            };
            desk::grant(self.place, self.run, &mut self.desk, &wish);
            self.desk.note.take().unwrap_or_default()
        } else {
            format!("{} was not approved in the terminal", asking.ask)
        };
        cli::note(&said);
        self.said = Some(said);
        Ok(())
    }
}

fn text(kind: &str, body: &str) -> Body {
    dressed(Response::from_data(body.as_bytes().to_vec()), kind)
}

fn data(status: u16, body: &Value) -> Body {
    let answer = Response::from_data(body.to_string().into_bytes());
    dressed(answer, "application/json").with_status_code(status)
}

fn dressed(answer: Body, kind: &str) -> Body {
    let headers = HEADERS.iter().copied().chain([("Content-Type", kind)]);
    let headers = headers.filter_map(|(name, value)| Header::from_bytes(name, value).ok());
    headers.fold(answer, Response::with_header)
}
