//! Answers by a button of ntfy, where the person switched that on by a file that agents cannot read:
//! the question is posted with its buttons, and while a driver runs, the answers are looked for.

use super::{CURL, start};
use crate::approvals::{self, Approvals};
use crate::files::{self, Content};
use crate::state::Place;
use crate::{env, git, homes};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_guard::question::Question;
use overnight_views::notify::{Answers, Notice};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Below the person's home, where it is hidden from agents whatever the environment says.
const FILE: &str = ".config/overnight/answers.toml";
const FILE_BYTES_MAX: u64 = 10_000;
/// Permission bits that let others read or write.
const OF_OTHERS: u32 = 0o077;
/// How often answers are looked for: the service gives a visitor a request each 5 s.
const LOOK: Duration = Duration::from_secs(10);
/// How long one look may take.
const LOOK_MAX: Duration = Duration::from_secs(25);

/// What the person's file says; `None` where there is none. What is wrong with it is said.
fn read() -> Result<Option<Answers>, Fault> {
    let Some(path) = env::get_os(&vars::HOME).map(|home| PathBuf::from(home).join(FILE)) else {
        return Ok(None);
    };
    let wrong = |why: &str| Fault::new(Code::SettingInvalid, format!("~/{FILE}: {why}"));
    match files::read_bounded(&path, FILE_BYTES_MAX)? {
        Content::Missing => Ok(None),
        Content::Refused(why) => Err(wrong(why)),
        Content::Bytes(bytes) => {
            let mode =
                std::fs::metadata(&path).map_or(OF_OTHERS, |about| about.permissions().mode());
            if mode & OF_OTHERS != 0 {
                return Err(wrong("others may read it: chmod 600 it"));
            }
            let text = String::from_utf8_lossy(&bytes);
            Answers::parse(&text).map(Some).map_err(wrong)
        }
    }
}

/// Posts the question that a notice is about with its buttons, where that is switched on.
pub(super) fn post(place: &Place, notice: &Notice) -> Result<(), Fault> {
    let Some(ask) = &notice.ask else {
        return Ok(());
    };
    let Some(answers) = read()? else {
        return Ok(());
    };
    let open = Approvals::of(place)?.open(None)?;
    if let Some(question) = open.iter().find(|question| question.id() == *ask) {
        let repository = homes::repository_key(place);
        let mut curl = Command::new("curl");
        curl.args(CURL);
        start(
            &mut curl,
            &answers.question(&repository, &notice.project, question),
        );
    }
    Ok(())
}

/// Looks for answers while it is held.
#[derive(Debug)]
pub struct Listener(Arc<(Mutex<bool>, Condvar)>);

impl Listener {
    /// Looks at once, where questions wait, and again and again from then on. `None` where it is not
    /// switched on.
    pub fn open(place: &Place, say: fn(&str)) -> Result<Option<Self>, Fault> {
        let Some(answers) = read()? else {
            return Ok(None);
        };
        look(place, &answers, say)?;
        let ends = Arc::new((Mutex::new(false), Condvar::new()));
        let (place, seen) = (place.clone(), Arc::clone(&ends));
        std::thread::spawn(move || {
            while !ended_within(&seen, LOOK) {
                // A service that cannot be reached now is asked again.
                let _ = look(&place, &answers, say);
            }
        });
        Ok(Some(Self(ends)))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

fn ended_within((ended, bell): &(Mutex<bool>, Condvar), time: Duration) -> bool {
    let held = ended.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = bell.wait_timeout_while(held, time, |ended| !*ended);
    *waited.unwrap_or_else(PoisonError::into_inner).0
}

/// One look: what was answered goes into the book, as if it had been typed.
fn look(place: &Place, answers: &Answers, say: fn(&str)) -> Result<(), Fault> {
    let book = Approvals::of(place)?;
    let open = book.open(None)?;
    if open.is_empty() {
        return Ok(());
    }
    let repository = homes::repository_key(place);
    let mut curl = Command::new("curl");
    curl.args(CURL);
    let asked = answers.hear(&repository, &open);
    let done = git::output_within(&mut curl, asked.as_bytes(), LOOK_MAX)?;
    let heard = String::from_utf8_lossy(&done.stdout);
    for (number, approve) in answers.heard(&repository, &open, &heard) {
        if let Some(question) = give(&book, number, approve)? {
            let word = if approve { "approved" } else { "denied" };
            say(&format!("{} was {word} by its button", question.id()));
            approvals::answered_in_progress(place, &question, approve)?;
        }
    }
    Ok(())
}

/// Nothing where somebody answered it meanwhile.
fn give(book: &Approvals, number: u64, approve: bool) -> Result<Option<Question>, Fault> {
    let given = book.update(|book, now| {
        let question = book.open().find(|question| question.number == number)?;
        let id = question.id();
        Some(if approve {
            book.approve(&id, now)
        } else {
            book.deny(&id, now)
        })
    })?;
    given.transpose()
}
