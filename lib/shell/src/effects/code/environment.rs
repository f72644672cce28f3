//! Variables of the environment in code, and what would show them.

use super::calls::{Act, Gives, gives};
use super::lexer::{Part, Token};
use super::mark;
use super::slices::group;
use super::values::{Bound, Scope, Value};
use crate::machine::secret_name;
use std::collections::BTreeSet;

/// What stands for the environment, in all languages together.
const TABLES: &[&str] = overnight_base::words!(
    "os.environ os.environb environ process.env ENV $ENV $_ENV $_SERVER Deno.env Bun.env import.meta.env"
);
/// Where the file with the code lies, and what addresses beside it begin from.
const FOLDERS: &[&str] =
    overnight_base::words!("__dirname __dir__ __DIR__ import.meta.dirname import.meta.url");
/// Names and texts that are looked at for secrets in one piece of code at most; more is a question.
const LOOKED_MAX: u32 = 200_000;
/// Members that show none of it.
const TELLING: &[&str] = overnight_base::words!("get fetch key include has has_key delete");

impl Scope<'_> {
    /// A variable of the environment, or all of it as a secret, or the folder of the code, and how many tokens name it.
    pub(super) fn variable(&self, name: &str, tokens: &[Token]) -> Option<(Value, usize)> {
        if FOLDERS.contains(&name) {
            return Some((Value::text(&self.folder), 1));
        }
        let resolved = self.resolved(name);
        let of = |table: &&&str| {
            resolved
                .strip_prefix(**table)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let table = TABLES.iter().find(of)?;
        let member = resolved[table.len()..].split('.').nth(1);
        if self.bound.contains_key(table.split('.').next()?) {
            return None;
        }
        let called = tokens.get(1).is_some_and(|next| next.is('('));
        let names = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        match (member, tokens.get(1..)?) {
            (Some(member), _)
                if member.bytes().all(names) || self.language.family == "node" && !called =>
            {
                Some((self.value_of(member), 1))
            }
            (Some(member), _) if TELLING.contains(&member) => None,
            (
                None,
                [
                    Token::Sign('[' | '{'),
                    Token::Text(text),
                    Token::Sign(']' | '}'),
                    ..,
                ],
            ) if !text.words => Some((self.value_of(&text.shown()), 4)),
            (None, [Token::Sign('{'), Token::Name(name), Token::Sign('}'), ..])
                if !name.starts_with('$') =>
            {
                Some((self.value_of(name), 4))
            }
            (None, [Token::Sign('[' | '{'), ..]) => {
                Some((Value::text(mark::SECRET), 3 + group(tokens, 1)?.len()))
            }
            _ => Some((Value::text(mark::SECRET), 1)),
        }
    }

    pub(super) fn value_of(&self, variable: &str) -> Value {
        match variable {
            "TMPDIR" => Value::text("/tmp"),
            "PWD" => Value::text("."),
            // Java's word for it.
            "user.home" => self.value_of("HOME"),
            _ if secret_name(variable) || mark::unknown(variable) => Value::text(mark::SECRET),
            _ => self
                .variables
                .get(variable)
                .map_or_else(Value::any, Value::text),
        }
    }

    /// Does an expression hold a variable that is named like a secret, or all of them? What a program is given is
    /// judged with the program.
    pub(super) fn secret(&self, tokens: &[Token]) -> bool {
        let (mut work, mut names) = (vec![tokens], BTreeSet::new());
        while let Some(tokens) = work.pop() {
            let mut at = 0;
            while let Some(token) = tokens.get(at) {
                self.looked.set(self.looked.get() + 1);
                if let Token::Text(text) = token {
                    work.extend(text.parts.iter().filter_map(|part| match part {
                        Part::Code(code) => Some(code.as_slice()),
                        Part::Plain(_) => None,
                    }));
                } else if let Token::Name(name) = token {
                    let first = name.split('.').next().unwrap_or("");
                    let before = at.checked_sub(1).and_then(|before| tokens[before].name());
                    if matches!(self.calls.act(&self.resolved(name)), Some((Act::Starts, _))) {
                        at += group(tokens, at + 1).map_or(0, |inner| inner.len() + 1);
                    // Whether a name is in it tells no value.
                    } else if before != Some("in") {
                        if self.holds(name, &tokens[at..]) || self.looked.get() > LOOKED_MAX {
                            return true;
                        }
                        if names.insert(first) {
                            let bound = self.bound.get(first).into_iter().flatten();
                            work.extend(
                                bound.map(|(Bound::To(value) | Bound::EachOf(value))| *value),
                            );
                        }
                    }
                }
                at += 1;
            }
        }
        false
    }

    fn holds(&self, name: &str, tokens: &[Token]) -> bool {
        let asked = || {
            let asks = gives(&self.resolved(name)) == Some(Gives::Variable);
            let given = asks.then(|| self.arguments(tokens, 0))?.unwrap_or_default();
            self.given(Gives::Variable, &given, 0).pop()
        };
        let value = self
            .variable(name, tokens)
            .map(|(value, _)| value)
            .or_else(asked);
        value.is_some_and(|value| value.words.concat().contains(mark::SECRET))
    }
}
