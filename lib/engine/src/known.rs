//! What git said of a commit, which does not change: it is asked once, for as long as it is among the last.

use overnight_base::fault::Fault;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// What an answer is found by; nothing for a commit's name.
fn key(commit: &str, path: &str) -> Option<String> {
    let is_id = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| format!("{commit}:{path}"))
}

/// The last answers of one kind, by the commit and what was asked of it.
#[derive(Debug)]
pub(crate) struct Known<T> {
    most: usize,
    answers: Mutex<VecDeque<(String, T)>>,
}

impl<T: Clone> Known<T> {
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            most,
            answers: Mutex::new(VecDeque::new()),
        }
    }

    /// The answer about what stands at `path` in a commit, which is asked for where it is not known. A
    /// name of a commit may mean another one later.
    pub(crate) fn or_ask(
        &self,
        (commit, path): (&str, &str),
        ask: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        if let Some(answer) = self.known((commit, path)) {
            return Ok(answer);
        }
        let answer = ask()?;
        self.note((commit, path), answer.clone());
        Ok(answer)
    }

    /// The answer, if it is among the last.
    pub(crate) fn known(&self, (commit, path): (&str, &str)) -> Option<T> {
        let key = key(commit, path)?;
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = answers.iter().find(|(known, _)| *known == key);
        known.map(|(_, answer)| answer.clone())
    }

    /// Takes an answer that nobody needs to ask git for.
    pub(crate) fn note(&self, (commit, path): (&str, &str), answer: T) {
        let Some(key) = key(commit, path) else { return };
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.push_back((key, answer));
        if answers.len() > self.most {
            answers.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_base::code::Code;

    #[test]
    fn a_commit_is_asked_about_once_and_a_name_each_time() {
        let known = Known::new(2);
        let asked = std::cell::Cell::new(0);
        let ask = |commit: &str, path: &str| {
            let ask = || {
                asked.set(asked.get() + 1);
                Ok(path.to_owned())
            };
            assert_eq!(known.or_ask((commit, path), ask).unwrap(), path);
            asked.get()
        };
        let (first, second) = ("a".repeat(40), "b".repeat(40));
        assert_eq!((ask(&first, "x"), ask(&first, "x")), (1, 1));
        assert_eq!((ask(&second, "x"), ask(&first, "y")), (2, 3));
        assert_eq!(ask(&first, "x"), 4, "it was the oldest");
        assert_eq!((ask("HEAD", "x"), ask("HEAD", "x")), (5, 6));
        let fails = || Err(Fault::new(Code::GitFailed, "no"));
        assert!(known.or_ask((second.as_str(), "z"), fails).is_err());
    }
}
