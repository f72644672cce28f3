//! The book of questions to a person: outside the repository, readable by the person alone.

use crate::files::{self, Content, FileLock};
use crate::state::Place;
use crate::{clock, homes, progress};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_guard::question::{Book, Call, Permission, Question};
use overnight_redact::redact;
use overnight_run::progress::Stamp;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of a book at most: 200 questions of 8 KB, escaped.
const BOOK_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Characters of a call in the title of its item.
const TITLE_CHARS_MAX: usize = 120;
/// How long to wait for another guard that is writing.
const WAIT_MAX: Duration = Duration::from_millis(500);

/// A question that the guard puts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Asked {
    /// What would run.
    pub call: Call,
    /// The rule that made it a question.
    pub rule: String,
    /// What speaks against it.
    pub reason: String,
    /// Is an approval used up by this?
    pub consume: bool,
}

impl Asked {
    /// Is the key that of what is shown? A call that was cut cannot be approved.
    pub fn is_honest(&self) -> bool {
        let call = &self.call;
        call.cut || Call::new(&call.tool, &call.text, &call.folder) == *call
    }
}

/// What the book says to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It may run, by the answer to the question of this number.
    Yes(u64),
    /// A person refused it.
    No(u64),
    /// It waits for a person.
    Asked {
        /// The question's number.
        number: u64,
        /// How often it was put.
        times: u32,
    },
}

/// The questions of one repository.
#[derive(Debug, Clone)]
pub struct Approvals {
    file: PathBuf,
    /// The work tree of the run that asks and the person's, where these are two.
    trees: Option<(PathBuf, PathBuf)>,
}

impl Approvals {
    /// The book of the project at `place`.
    pub fn of(place: &Place) -> Result<Self, Fault> {
        let folder = homes::outside(place, "approvals").ok_or_else(|| {
            Fault::new(
                Code::FileWrite,
                "there is no folder outside the project for approvals",
            )
            .hint("set HOME, or XDG_STATE_HOME to a folder outside the project")
        })?;
        let file = folder.join(format!("{}.json", homes::repository_key(place)));
        let trees = (place.top != place.home).then(|| (place.top.clone(), place.home.clone()));
        Ok(Self { file, trees })
    }

    /// The book as it stands. A damaged one holds no approvals.
    pub fn read(&self) -> Result<Book, Fault> {
        match files::read_bounded(&self.file, BOOK_BYTES_MAX)? {
            Content::Bytes(bytes) => Book::parse(&bytes),
            Content::Missing | Content::Refused(_) => Ok(Book::default()),
        }
    }

    /// What a person said to a call; where nobody did, it is noted as a question of this run. What they
    /// said of it in their own work tree, before the run had one, counts too.
    pub fn consult(&self, asked: &Asked, run: Option<&str>) -> Result<Reply, Fault> {
        let beforehand = self.at_home(&asked.call).map(|call| call.key);
        self.update(|book, now| {
            let mut look = |key: &str| {
                if asked.consume {
                    book.take(key, now)
                } else {
                    book.permission(key, now)
                }
            };
            let said = match look(&asked.call.key) {
                Permission::Nothing => beforehand.as_deref().map_or(Permission::Nothing, look),
                said => said,
            };
            match said {
                Permission::Yes(number) => Reply::Yes(number),
                Permission::No(number) => Reply::No(number),
                Permission::Nothing => {
                    let grounds = (asked.rule.as_str(), asked.reason.as_str());
                    let (number, times) = book.ask(asked.call.clone(), grounds, run, now);
                    Reply::Asked { number, times }
                }
            }
        })
    }

    /// The call as it would be in the person's work tree.
    fn at_home(&self, call: &Call) -> Option<Call> {
        let (own, home) = self.trees.as_ref().filter(|_| !call.cut)?;
        let inside = Path::new(&call.folder).strip_prefix(own).ok()?;
        let mut folder = home.clone();
        // Joined with nothing, it would end with a slash.
        folder.extend(inside);
        Some(Call::new(&call.tool, &call.text, &folder.to_string_lossy()))
    }

    /// Those questions that wait for an answer, oldest first; of one run, or of all.
    pub fn open(&self, run: Option<&str>) -> Result<Vec<Question>, Fault> {
        let book = self.read()?;
        let of_run = |question: &&Question| run.is_none() || question.run.as_deref() == run;
        Ok(book.open().filter(of_run).cloned().collect())
    }

    /// Changes the book as one step; `change` also gets the time in Unix milliseconds.
    pub fn update<T>(&self, change: impl FnOnce(&mut Book, u64) -> T) -> Result<T, Fault> {
        if let Some(folder) = self.file.parent() {
            files::create_private_folder(folder)?;
        }
        let lock = self.file.with_extension("lock");
        let _held = FileLock::acquire(&lock, WAIT_MAX)?.ok_or_else(|| {
            Fault::new(
                Code::FileWrite,
                format!(
                    "{} is being written by another process",
                    self.file.display()
                ),
            )
        })?;
        let mut book = self.read()?;
        let before = book.clone();
        let outcome = change(&mut book, clock::wall_ms());
        if book != before {
            files::write_atomic(&self.file, &book.bytes()?, files::PRIVATE)?;
        }
        Ok(outcome)
    }
}

/// Puts a question into `progress/blocked.md` of the project.
pub fn note_in_progress(
    place: &Place,
    number: u64,
    call: &Call,
    reason: &str,
) -> Result<(), Fault> {
    let title = title(number, call);
    let reason = format!("{} (overnight approve ask-{number})", masked(reason));
    progress::update(place, |model| model.block(&title, &reason, &stamp())).map(|_| ())
}

/// A question was answered: it waits no longer for a person. One that was approved waits for the agent.
pub fn answered_in_progress(
    place: &Place,
    question: &Question,
    approved: bool,
) -> Result<(), Fault> {
    let title = title(question.number, &question.call);
    progress::update(place, |model| {
        let waits = model.blocked.iter().any(|item| item.title == title);
        if approved && waits {
            model.plan(&title, &stamp());
        }
        if !approved {
            for list in [&mut model.blocked, &mut model.next] {
                list.retain(|item| item.title != title);
            }
        }
    })
    .map(|_| ())
}

/// The question as an item: short, one line, without secrets, because it is committed with the
/// project.
fn title(number: u64, call: &Call) -> String {
    format!(
        "ask-{number}: {}",
        one_line(&masked(&call.text), TITLE_CHARS_MAX)
    )
}

fn masked(text: &str) -> String {
    String::from_utf8_lossy(&redact(text.as_bytes()).0).into_owned()
}

fn stamp() -> Stamp {
    Stamp {
        session: progress::session_label(),
        when: clock::stamp_text(clock::wall_ms()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_book_is_private_and_a_damaged_one_approves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let approvals = Approvals {
            trees: None,
            file: folder.path().join("approvals/x.json"),
        };
        let call = Call::new("Bash", "git reset --hard", "/p");
        let key = call.key.clone();
        approvals
            .update(|book, now| book.ask(call, ("r", "w"), None, now))
            .unwrap();
        approvals
            .update(|book, now| book.approve("ask-1", now))
            .unwrap()
            .unwrap();
        let mode = std::fs::metadata(&approvals.file)
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(approvals.open(None).unwrap().len(), 0);
        std::fs::write(&approvals.file, "{").unwrap();
        assert_eq!(
            approvals.update(|book, now| book.take(&key, now)).unwrap(),
            Permission::Nothing
        );
    }
}
