//! A question answered by a button of ntfy: what the button sends, and whether something sent is such
//! an answer. The button posts to a topic that only who knows the secret can name, and what it posts
//! holds for one question as it was asked, and one word.

use super::{ascii, curl_quoted};
use overnight_base::session::hex;
use overnight_guard::question::Question;
use overnight_redact::redact;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Characters that a secret has at least: what `openssl rand -hex 16` prints.
const SECRET_CHARS: usize = 32;
/// Bytes of a call that a phone shows whole; a longer one cannot be approved there.
const CALL_BYTES_MAX: usize = 2_000;
/// Bytes of an answer that are looked at, and its lines.
const HEARD_BYTES_MAX: usize = 1 << 20;
const HEARD_LINES_MAX: usize = 2_000;
/// How far the clock of the service may be behind this one.
const BEHIND_S: u64 = 300;

/// A person's file that switches it on. It is hidden from agents: whoever can read the topic can press
/// its buttons.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// The topic that the questions go to, as an address.
    ntfy: String,
    /// Its access token.
    token: Option<String>,
    /// What the buttons are signed with.
    secret: String,
}

impl std::fmt::Debug for Answers {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Answers")
    }
}

impl Answers {
    /// Reads the file; what is wrong with it is said without a word of it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let Ok(answers) = toml::from_str::<Self>(text) else {
            return Err(
                "it has ntfy, secret and, where the topic needs one, token, each a text in quotes",
            );
        };
        if !super::is_address(&answers.ntfy) || answers.base().is_none() {
            return Err(
                "ntfy is an address with a topic that begins with https://, or http:// on this machine",
            );
        }
        if answers.secret.len() < SECRET_CHARS {
            return Err("secret has at least 32 characters: openssl rand -hex 16");
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if !answers.token.iter().all(|token| token.bytes().all(plain)) {
            return Err("token is one of letters, digits, _ and -");
        }
        Ok(answers)
    }

    /// The service's address, without the topic.
    fn base(&self) -> Option<&str> {
        let (base, topic) = self.ntfy.rsplit_once('/')?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        let named = !topic.is_empty() && topic.bytes().all(plain);
        (named && !base.ends_with('/')).then_some(base)
    }

    /// Where answers of a repository go.
    fn replies(&self, repository: &str) -> String {
        let topic = self.sign(&["topic", repository]);
        format!("{}/overnight-{topic}", self.base().unwrap_or_default())
    }

    /// What says this word to the question, as it was asked.
    fn code(&self, repository: &str, question: &Question, word: &str) -> String {
        let (number, asked) = (question.number.to_string(), question.asked_ms.to_string());
        self.sign(&[
            "answer",
            repository,
            &number,
            &asked,
            &question.call.key,
            word,
        ])
    }

    /// HMAC-SHA256 over parts with their lengths, its first half in hexadecimal digits.
    fn sign(&self, parts: &[&str]) -> String {
        let mut message = b"overnight ntfy 1".to_vec();
        for part in parts {
            message.extend((part.len() as u64).to_le_bytes());
            message.extend(part.as_bytes());
        }
        let mac = hmac(self.secret.as_bytes(), &message);
        hex(&mac[..16])
    }

    /// What `curl --config -` reads to post a question with its buttons. One that a phone does not show
    /// whole can only be denied there.
    pub fn question(&self, repository: &str, project: &str, question: &Question) -> String {
        let call = &question.call;
        let shown = shown(&call.text);
        let whole = !call.cut && call.text.len() <= CALL_BYTES_MAX && shown == call.text;
        let id = question.id();
        let hint = if whole {
            String::new()
        } else {
            format!("\nIt is not shown whole here: overnight asks {id}")
        };
        let body = format!(
            "{project}: {id}, {}: {shown}\nin {}\n{}{hint}\novernight approve {id}\novernight deny {id}",
            call.tool,
            self::shown(&call.folder),
            self::shown(&question.reason),
        );
        let button = |label: &str, word: &str| {
            json!({"action": "http", "label": label, "method": "POST", "clear": true,
                "url": self.replies(repository), "body": self.code(repository, question, word),
                "headers": {"Firebase": "no"}})
        };
        let approve = whole.then(|| button("Approve once", "approve"));
        let buttons: Vec<Value> = approve
            .into_iter()
            .chain([button("Deny", "deny")])
            .collect();
        let title = ascii(&format!("Overnight: {id} needs you"));
        let actions = Value::Array(buttons).to_string();
        let mut config = self.config(&self.ntfy);
        for header in [
            format!("Title: {title}"),
            "Priority: high".to_owned(),
            format!("Actions: {actions}"),
        ] {
            let _ = writeln!(config, "header = \"{}\"", curl_quoted(&header));
        }
        let _ = writeln!(config, "data-raw = \"{}\"", curl_quoted(&body));
        config
    }

    /// What `curl --config -` reads to hear what was answered since the oldest of these questions.
    pub fn hear(&self, repository: &str, open: &[Question]) -> String {
        let asked = open.iter().map(|question| question.asked_ms).min();
        let since = (asked.unwrap_or_default() / 1_000).saturating_sub(BEHIND_S);
        let topic = self.replies(repository);
        self.config(&format!("{topic}/json?poll=1&since={since}"))
    }

    fn config(&self, address: &str) -> String {
        let mut config = format!("url = \"{}\"\n", curl_quoted(address));
        if let Some(token) = &self.token {
            let _ = writeln!(config, "header = \"Authorization: Bearer {token}\"");
        }
        config
    }

    /// The open questions that what was heard answers, each with yes or no: the first word counts.
    pub fn heard(&self, repository: &str, open: &[Question], heard: &str) -> Vec<(u64, bool)> {
        let mut end = heard.len().min(HEARD_BYTES_MAX);
        while !heard.is_char_boundary(end) {
            end -= 1;
        }
        let lines = heard[..end].lines().take(HEARD_LINES_MAX);
        let messages: Vec<String> = lines
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter_map(|line| Some(line.get("message")?.as_str()?.trim().to_owned()))
            .collect();
        let answer = |question: &Question| {
            let codes = [("approve", true), ("deny", false)]
                .map(|(word, approved)| (self.code(repository, question, word), approved));
            let mut answers = messages.iter().filter_map(|message| {
                let code = codes.iter().find(|(code, _)| code == message);
                code.map(|(_, approved)| (question.number, *approved))
            });
            answers.next()
        };
        open.iter().filter_map(answer).collect()
    }
}

/// RFC 2104 with SHA-256.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut block = [0; BLOCK];
    if key.len() > BLOCK {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let pad = |byte: u8| block.map(|key| key ^ byte);
    let inner = Sha256::new()
        .chain_update(pad(0x36))
        .chain_update(message)
        .finalize();
    let outer = Sha256::new().chain_update(pad(0x5c)).chain_update(inner);
    outer.finalize().into()
}

/// Text as it may leave the machine: its lines without control characters, secrets replaced.
fn shown(text: &str) -> String {
    let (bytes, _) = redact(text.as_bytes());
    let text = String::from_utf8_lossy(&bytes);
    let kept = |c: &char| *c == '\n' || !overnight_base::text::is_unshowable(*c);
    text.chars().filter(kept).take(CALL_BYTES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_guard::question::{Book, Call};

    const FILE: &str =
        "ntfy = \"https://ntfy.sh/my-questions\"\nsecret = \"0123456789abcdef0123456789abcdef\"\n";

    fn asked(text: &str) -> Question {
        let mut book = Book::default();
        let call = Call::new("Bash", text, "/p");
        book.ask(call, ("push", "it pushes"), Some("r"), 1_000_000_000);
        book.questions()[0].clone()
    }

    /// The codes on the buttons of what is posted.
    fn buttons(config: &str) -> Vec<(String, String)> {
        let line = config
            .lines()
            .find(|line| line.contains("Actions: "))
            .unwrap();
        let json = line
            .trim_start_matches("header = \"Actions: ")
            .trim_end_matches('"');
        let json: Value = serde_json::from_str(&json.replace("\\\"", "\"")).unwrap();
        let of = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
        let all = json.as_array().unwrap().iter();
        all.map(|one| (of(one, "label"), of(one, "body"))).collect()
    }

    fn message(text: &str) -> String {
        format!("{}\n", json!({"event": "message", "message": text}))
    }

    #[test]
    fn a_button_answers_its_question_once_and_nothing_else() {
        let answers = Answers::parse(FILE).unwrap();
        let question = asked("git push origin main");
        let config = answers.question("repo", "shop", &question);
        let pressed = buttons(&config);
        assert_eq!([&pressed[0].0, &pressed[1].0], ["Approve once", "Deny"]);
        let open = [question.clone()];
        let heard = |text: &str| answers.heard("repo", &open, text);
        assert_eq!(heard(&message(&pressed[0].1)), [(1, true)]);
        assert_eq!(heard(&message(&pressed[1].1)), [(1, false)]);
        // The first word counts, and noise is none.
        let both = format!(
            "x\n{{}}\n{}{}{}",
            message("approve"),
            message(&pressed[1].1),
            message(&pressed[0].1)
        );
        assert_eq!(heard(&both), [(1, false)]);
        // Another repository, another secret, the same call asked again, and an answered question.
        assert_eq!(answers.heard("other", &open, &both), []);
        let other = Answers::parse(&FILE.replace("0123", "3210")).unwrap();
        assert_eq!(other.heard("repo", &open, &both), []);
        let again = Question {
            number: 2,
            ..question.clone()
        };
        let later = Question {
            asked_ms: question.asked_ms + 1,
            ..question.clone()
        };
        let swapped = Question {
            call: Call::new("Bash", "git push --force", "/p"),
            ..question
        };
        assert_eq!(answers.heard("repo", &[again, later, swapped], &both), []);
        assert_eq!(answers.heard("repo", &[], &both), []);
    }

    #[test]
    fn what_a_phone_does_not_show_whole_can_only_be_denied_there() {
        let answers = Answers::parse(FILE).unwrap();
        for text in [
            "x".repeat(CALL_BYTES_MAX + 1),
            "a\u{202e}b".to_owned(),
            format!("curl -H 'Authorization: Bearer ghp_{}'", "a1B2".repeat(9)),
        ] {
            let config = answers.question("repo", "shop", &asked(&text));
            let labels: Vec<String> = buttons(&config).into_iter().map(|one| one.0).collect();
            assert_eq!(labels, ["Deny"], "{text}");
            assert!(config.contains("overnight asks ask-1"), "{config}");
        }
    }

    #[test]
    fn a_file_that_is_not_right_switches_nothing_on_and_is_not_repeated() {
        for text in [
            "",
            "ntfy = 3",
            "ntfy = \"https://ntfy.sh/\"\nsecret = \"0123456789abcdef0123456789abcdef\"",
            "ntfy = \"http://ntfy.sh/a\"\nsecret = \"0123456789abcdef0123456789abcdef\"",
            "ntfy = \"https://ntfy.sh/a\"\nsecret = \"short\"",
            "ntfy = \"https://ntfy.sh/a\"\nsecret = \"0123456789abcdef0123456789abcdef\"\ntoken = \"a b\"",
        ] {
            assert!(Answers::parse(text).is_err(), "{text}");
        }
        assert_eq!(format!("{:?}", Answers::parse(FILE).unwrap()), "Answers");
    }

    #[test]
    fn the_signature_is_that_of_the_standard() {
        // RFC 4231, cases 2 and 6.
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let message = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(
            hex(&hmac(&[0xaa; 131], message)),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }
}
