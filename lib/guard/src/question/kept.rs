//! The book as it lies on the disk.

use super::{Answered, Book, Call, Question};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde::{Deserialize, Serialize};

/// The version that is written. The first, which named none, had the call's fields and the answer's among
/// the question's own.
const VERSION: u32 = 2;

#[derive(Deserialize)]
struct Version {
    version: Option<u32>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: u32,
    last: u64,
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct First {
    last: u64,
    questions: Vec<FirstQuestion>,
}

#[derive(Deserialize)]
struct FirstQuestion {
    number: u64,
    #[serde(flatten)]
    call: Call,
    rule: String,
    reason: String,
    run: Option<String>,
    asked_ms: u64,
    times: u32,
    #[serde(flatten)]
    answered: Answered,
}

impl Book {
    /// The book of these bytes. A damaged one is empty: it approves nothing. One that a newer version
    /// wrote is a fault, so that nothing of it is overwritten.
    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let version = serde_json::from_slice(bytes).map(|Version { version }| version);
        let book = match version {
            Ok(Some(version)) if version > VERSION => {
                let reason = format!(
                    "the book of approvals has version {version}, this program knows {VERSION}"
                );
                return Err(Fault::new(Code::FileRead, reason)
                    .hint("use the newer version of overnight, which wrote it"));
            }
            Ok(Some(_)) => serde_json::from_slice(bytes).map(|kept: Kept| Self {
                last: kept.last,
                questions: kept.questions,
            }),
            Ok(None) => serde_json::from_slice(bytes).map(First::into_book),
            Err(error) => Err(error),
        };
        Ok(book.unwrap_or_default())
    }

    /// The book as bytes.
    pub fn bytes(&self) -> Result<Vec<u8>, Fault> {
        let kept = Kept {
            version: VERSION,
            last: self.last,
            questions: self.questions.clone(),
        };
        serde_json::to_vec(&kept).map_err(|error| {
            Fault::new(Code::Defect, format!("the book cannot be written: {error}"))
        })
    }
}

impl First {
    fn into_book(self) -> Book {
        let question = |first: FirstQuestion| Question {
            number: first.number,
            call: first.call,
            rule: first.rule,
            reason: first.reason,
            run: first.run,
            asked_ms: first.asked_ms,
            times: first.times,
            answered: first.answered,
        };
        Book {
            last: self.last,
            questions: self.questions.into_iter().map(question).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Permission;
    use super::*;

    fn book() -> (Book, Call) {
        let mut book = Book::default();
        let call = Call::new("Bash", "git reset --hard", "/p");
        book.ask(call.clone(), ("r", "w"), Some("run"), 1);
        book.approve("ask-1", 2).unwrap();
        (book, call)
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let (book, _) = book();
        assert_eq!(Book::parse(&book.bytes().unwrap()).unwrap(), book);
    }

    #[test]
    fn approvals_of_the_first_format_still_hold() {
        let (_, call) = book();
        let old = format!(
            r#"{{"last":1,"questions":[{{"number":1,"tool":"Bash","text":"git reset --hard","cut":false,"folder":"/p","key":"{}","rule":"r","reason":"w","run":"run","asked_ms":1,"times":1,"state":"approved","at_ms":2,"until_ms":86400002}}]}}"#,
            call.key
        );
        let read = Book::parse(old.as_bytes()).unwrap();
        assert_eq!(read, book().0);
        assert_eq!(read.permission(&call.key, 3), Permission::Yes(1));
    }

    #[test]
    fn a_damaged_book_approves_nothing_and_a_newer_one_is_left_alone() {
        for damaged in ["", "{", "[]", r#"{"version":2}"#] {
            assert_eq!(Book::parse(damaged.as_bytes()).unwrap(), Book::default());
        }
        let newer = Book::parse(br#"{"version":3,"questions":{}}"#).unwrap_err();
        assert_eq!(newer.code, Code::FileRead);
    }
}
