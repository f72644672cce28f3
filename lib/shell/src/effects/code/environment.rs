//! Variables of the environment in code, and what would show them.

use super::lexer::{Part, Token};
use super::slices::group;
use super::values::{Bound, Scope, Value};
use super::{calls::Act, mark};
use crate::machine::secret_name;

/// What stands for the environment, in all languages together.
const TABLES: &[&str] = overnight_base::words!(
    "os.environ os.environb environ process.env ENV $ENV $_ENV $_SERVER Deno.env Bun.env import.meta.env"
);
/// Members that show none of it.
const TELLING: &[&str] = overnight_base::words!("get fetch key include has has_key delete");

impl Scope<'_> {
    /// A variable of the environment, or all of it as a secret, and how many tokens name it.
    pub(super) fn variable(&self, name: &str, tokens: &[Token]) -> Option<(Value, usize)> {
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
    pub(super) fn secret(&self, tokens: &[Token], depth: u32) -> bool {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if !self.follows(depth) {
                return false;
            }
            let before = at.checked_sub(1).and_then(|before| tokens[before].name());
            let code =
                |part: &Part| matches!(part, Part::Code(code) if self.secret(code, depth + 1));
            let found = match token {
                Token::Text(text) => text.parts.iter().any(code),
                Token::Name(name)
                    if matches!(self.calls.act(&self.resolved(name)), Some((Act::Starts, _))) =>
                {
                    at += group(tokens, at + 1).map_or(0, |inner| inner.len() + 1);
                    false
                }
                Token::Name(name) if before != Some("in") => {
                    let held = |bound: &Bound<'_>| matches!(bound, Bound::To(value) | Bound::EachOf(value) if self.secret(value, depth + 1));
                    let shown = |value: &Value| value.words.concat().contains(mark::SECRET);
                    self.named(name, &tokens[at..], depth).iter().any(shown)
                        || self
                            .bound
                            .get(name.split('.').next().unwrap_or(""))
                            .is_some_and(|bound| bound.iter().any(held))
                }
                _ => false,
            };
            if found {
                return true;
            }
            at += 1;
        }
        false
    }
}
