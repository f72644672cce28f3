//! Questions to a person: asked once, answered once, used once.

mod kept;

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The rule of a question whether changed tests may count: it is no call, and an answer is not used up.
pub const CHANGED_TESTS: &str = "changed-tests";
/// How long an approval may be used: a day, as long as a session is continued.
pub const APPROVAL_MS: u64 = 24 * 60 * 60 * 1_000;
/// How far the clock may have gone back since an approval before that is no longer believed.
const CLOCK_BACK_MS: u64 = 10 * 60 * 1_000;
/// Questions kept at most; the oldest answered ones go first.
const QUESTIONS_MAX: usize = 200;
/// Bytes of a call that are kept to be shown. A longer call cannot be approved, because nobody
/// would have seen all of it.
pub const SHOWN_BYTES_MAX: usize = 8 * 1024;

/// What happened to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Answered {
    /// Nobody answered yet.
    Open,
    /// A person approved; not used yet.
    Approved {
        /// When, Unix time in milliseconds.
        at_ms: u64,
        /// Until when it may be used.
        until_ms: u64,
    },
    /// A person refused.
    Denied {
        /// When, Unix time in milliseconds.
        at_ms: u64,
    },
    /// The approved call ran.
    Used {
        /// When, Unix time in milliseconds.
        at_ms: u64,
    },
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// The command, or the arguments as JSON; cut at [`SHOWN_BYTES_MAX`].
    pub text: String,
    /// Was it cut?
    pub cut: bool,
    /// The folder in which it would run.
    pub folder: String,
    /// Hash of tool, folder and the uncut text: an approval holds for exactly this call.
    pub key: String,
}

impl Call {
    /// A call with its key.
    pub fn new(tool: &str, text: &str, folder: &str) -> Self {
        let mut hash = Sha256::new();
        for part in ["overnight question 1", tool, folder, text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let mut end = text.len().min(SHOWN_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self {
            tool: tool.to_owned(),
            text: text[..end].to_owned(),
            cut: end < text.len(),
            folder: folder.to_owned(),
            key: hex(hash.finalize().as_slice()),
        }
    }
}

/// One question with its grounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its number: `ask-4` is number 4.
    pub number: u64,
    /// What would run.
    pub call: Call,
    /// The rule that made it a question.
    pub rule: String,
    /// What speaks against it.
    pub reason: String,
    /// The run in which it was asked.
    pub run: Option<String>,
    /// When it was first asked, Unix time in milliseconds.
    pub asked_ms: u64,
    /// How often.
    pub times: u32,
    /// What a person said.
    pub answered: Answered,
}

impl Question {
    /// The name people use: `ask-4`.
    pub fn id(&self) -> String {
        format!("ask-{}", self.number)
    }

    /// What a person types to approve it, and what that is called: whoever types it has read where it
    /// stands.
    pub fn first_word(&self) -> (&'static str, &str) {
        let Call { tool, text, .. } = &self.call;
        let first = text.split_whitespace().next();
        match first.filter(|_| tool == "Bash") {
            Some(word) => ("the command's first word", word),
            None => ("the tool's name", tool),
        }
    }

    fn usable(&self, now_ms: u64) -> bool {
        match self.answered {
            Answered::Approved { at_ms, until_ms } => {
                now_ms < until_ms && now_ms.saturating_add(CLOCK_BACK_MS) >= at_ms
            }
            _ => false,
        }
    }
}

/// What the book says about a call that is about to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Approved and not used: it may run now, once.
    Yes(u64),
    /// A person refused it.
    No(u64),
    /// Not answered, or never asked.
    Nothing,
}

/// All questions of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Book {
    last: u64,
    questions: Vec<Question>,
}

impl Book {
    /// Every question, oldest first.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Those that wait for an answer.
    pub fn open(&self) -> impl Iterator<Item = &Question> {
        self.questions
            .iter()
            .filter(|question| question.answered == Answered::Open)
    }

    /// What was answered for this call, the latest answer first.
    pub fn permission(&self, key: &str, now_ms: u64) -> Permission {
        let latest = self
            .questions
            .iter()
            .rev()
            .find(|question| question.call.key == key);
        match latest {
            Some(question) if question.usable(now_ms) => Permission::Yes(question.number),
            Some(Question {
                number,
                answered: Answered::Denied { .. },
                ..
            }) => Permission::No(*number),
            _ => Permission::Nothing,
        }
    }

    /// Uses an approval up. Returns what [`Book::said`] would.
    pub fn take(&mut self, key: &str, now_ms: u64) -> Permission {
        let said = self.permission(key, now_ms);
        if let Permission::Yes(number) = said {
            self.answer(number, Answered::Used { at_ms: now_ms });
        }
        said
    }

    /// Notes a question and gives its number and how often it was asked; the same call again is
    /// the same question as long as nobody answered.
    pub fn ask(
        &mut self,
        call: Call,
        grounds: (&str, &str),
        run: Option<&str>,
        now_ms: u64,
    ) -> (u64, u32) {
        let open = self
            .questions
            .iter_mut()
            .find(|question| question.answered == Answered::Open && question.call.key == call.key);
        if let Some(question) = open {
            question.times = question.times.saturating_add(1);
            return (question.number, question.times);
        }
        self.last += 1;
        self.questions.push(Question {
            number: self.last,
            call,
            rule: grounds.0.to_owned(),
            reason: grounds.1.to_owned(),
            run: run.map(str::to_owned),
            asked_ms: now_ms,
            times: 1,
            answered: Answered::Open,
        });
        self.prune();
        (self.last, 1)
    }

    /// Approves a question for one use.
    pub fn approve(&mut self, id: &str, now_ms: u64) -> Result<Question, Fault> {
        let question = self.find(id)?;
        if question.call.cut {
            return Err(Fault::new(
                Code::InputRange,
                format!("{id} is longer than {SHOWN_BYTES_MAX} bytes: nobody could read what they approve"),
            )
            .hint("run the command yourself"));
        }
        let number = question.number;
        self.answer(
            number,
            Answered::Approved {
                at_ms: now_ms,
                until_ms: now_ms.saturating_add(APPROVAL_MS),
            },
        );
        self.find(id)
    }

    /// Refuses a question, or takes an unused approval back.
    pub fn deny(&mut self, id: &str, now_ms: u64) -> Result<Question, Fault> {
        let number = self.find(id)?.number;
        self.answer(number, Answered::Denied { at_ms: now_ms });
        self.find(id)
    }

    /// The question of this name, with or without its `ask-`.
    pub fn find(&self, id: &str) -> Result<Question, Fault> {
        let number = id
            .trim()
            .strip_prefix("ask-")
            .unwrap_or(id.trim())
            .parse::<u64>();
        let found = self
            .questions
            .iter()
            .find(|question| Ok(question.number) == number);
        found.cloned().ok_or_else(|| {
            let shown: String = id.chars().take(40).collect();
            Fault::new(Code::ApprovalUnknown, format!("no question {shown:?}"))
        })
    }

    fn answer(&mut self, number: u64, answered: Answered) {
        for question in &mut self.questions {
            if question.number == number {
                question.answered = answered;
            }
        }
    }

    fn prune(&mut self) {
        while self.questions.len() > QUESTIONS_MAX {
            let answered = self
                .questions
                .iter()
                .position(|question| question.answered != Answered::Open);
            self.questions.remove(answered.unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_795_186_800_000;

    fn call(text: &str) -> Call {
        Call::new("Bash", text, "/p")
    }

    fn asked(book: &mut Book, text: &str) -> u64 {
        book.ask(
            call(text),
            ("git-discard", "discards work"),
            Some("r1"),
            NOW,
        )
        .0
    }

    #[test]
    fn an_approval_holds_once_for_exactly_one_call() {
        let mut book = Book::default();
        assert_eq!(asked(&mut book, "git reset --hard"), 1);
        assert_eq!(asked(&mut book, "git reset --hard"), 1);
        assert_eq!(asked(&mut book, "git reset --hard HEAD~1"), 2);
        book.approve("ask-1", NOW).unwrap();
        let key = call("git reset --hard").key;
        for other in [
            call("git  reset --hard"),
            Call::new("Bash", "git reset --hard", "/q"),
            Call::new("Shell", "git reset --hard", "/p"),
        ] {
            assert_eq!(book.take(&other.key, NOW), Permission::Nothing);
        }
        assert_eq!(book.take(&key, NOW), Permission::Yes(1));
        assert_eq!(book.take(&key, NOW), Permission::Nothing);
        assert_eq!(
            asked(&mut book, "git reset --hard"),
            3,
            "asked again, it is a new question"
        );
    }

    #[test]
    fn an_approval_ends_and_does_not_survive_a_clock_set_back() {
        let mut book = Book::default();
        asked(&mut book, "x");
        book.approve("1", NOW).unwrap();
        let key = call("x").key;
        assert_eq!(
            book.permission(&key, NOW + APPROVAL_MS),
            Permission::Nothing
        );
        assert_eq!(
            book.permission(&key, NOW - CLOCK_BACK_MS - 1),
            Permission::Nothing
        );
        assert_eq!(
            book.permission(&key, NOW + APPROVAL_MS - 1),
            Permission::Yes(1)
        );
    }

    #[test]
    fn a_refusal_stays_and_takes_an_approval_back() {
        let mut book = Book::default();
        asked(&mut book, "x");
        book.approve("ask-1", NOW).unwrap();
        book.deny("ask-1", NOW).unwrap();
        assert_eq!(book.take(&call("x").key, NOW), Permission::No(1));
        assert_eq!(
            book.approve("ask-9", NOW).unwrap_err().code,
            Code::ApprovalUnknown
        );
    }

    #[test]
    fn what_nobody_can_read_nobody_can_approve() {
        let mut book = Book::default();
        asked(&mut book, &"é".repeat(SHOWN_BYTES_MAX));
        assert_eq!(
            book.approve("ask-1", NOW).unwrap_err().code,
            Code::InputRange
        );
    }

    #[test]
    fn the_book_is_bounded_and_survives_being_written_down() {
        let mut book = Book::default();
        for count in 0..QUESTIONS_MAX + 5 {
            asked(&mut book, &format!("x{count}"));
            if count < 3 {
                book.deny(&format!("ask-{}", count + 1), NOW).unwrap();
            }
        }
        assert_eq!(book.questions().len(), QUESTIONS_MAX);
        assert_eq!(book.questions()[0].number, 6);
        let bytes = book.bytes().unwrap();
        assert_eq!(Book::parse(&bytes).unwrap(), book);
    }
}
