//! Variables of the environment in code, and what would show them.

use super::calls::Act;
use super::gives::{Gives, gives};
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

/// What a look at a token came to.
enum Found {
    It,
    Nothing,
    /// Nothing, and so many tokens more are left out.
    Past(usize),
}

impl Scope<'_> {
    /// A variable of the environment, or all of it as a secret, or the folder of the code, and how many tokens name it.
    pub(super) fn variable(&self, name: &str, tokens: &[Token]) -> Option<(Value, usize)> {
        if FOLDERS.contains(&name) {
            return Some((Value::text(&self.folder), 1));
        }
        if name == "__file__" {
            return Some((Value::text(format!("{}/{name}", self.folder)), 1));
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
            "CARGO" => Value::text("cargo"),
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
        let found = self.found_in(tokens, &|tokens, at| {
            let Some(name) = tokens[at].name() else {
                return Found::Nothing;
            };
            let before = at.checked_sub(1).and_then(|before| tokens[before].name());
            if matches!(self.calls.act(&self.resolved(name)), Some((Act::Starts, _))) {
                Found::Past(group(tokens, at + 1).map_or(0, |inner| inner.len() + 1))
            // Whether a name is in it tells no value.
            } else if before == Some("in") {
                Found::Past(0)
            } else if self
                .held(name, &tokens[at..])
                .is_some_and(|value| value.contains(mark::SECRET))
            {
                Found::It
            } else {
                Found::Nothing
            }
        });
        found || self.looked.get() > LOOKED_MAX && !self.in_file
    }

    /// Does an expression, or what it is made of, begin in the home folder?
    pub(super) fn leads_home(&self, tokens: &[Token]) -> bool {
        let home = self.value_of("HOME").words.concat();
        if home.contains(mark::SEGMENT) {
            return false;
        }
        self.found_in(tokens, &|tokens, at| {
            let leads = match &tokens[at] {
                Token::Text(text) => matches!(text.shown().split('/').next(), Some("~")),
                Token::Name(name) => {
                    let begins = gives(&self.resolved(name)) == Some(Gives::Home);
                    begins || self.held(name, &tokens[at..]).as_ref() == Some(&home)
                }
                _ => false,
            };
            if leads { Found::It } else { Found::Nothing }
        })
    }

    /// Is an expression made of what a test gets for its temporary files?
    pub(super) fn is_temporary(&self, tokens: &[Token]) -> bool {
        self.found_in(tokens, &|tokens, at| {
            let given = |name: &str| {
                name.split('.').next().is_some_and(|first| {
                    matches!(first, "tmp_path" | "tmpdir" | "tmp_path_factory")
                })
            };
            match tokens[at].name() {
                Some(name) if given(name) || gives(&self.resolved(name)) == Some(Gives::Own) => {
                    Found::It
                }
                _ => Found::Nothing,
            }
        })
    }

    /// Looks through an expression and through all that its names are bound to.
    fn found_in(&self, tokens: &[Token], look: &dyn Fn(&[Token], usize) -> Found) -> bool {
        let (mut work, mut names) = (vec![tokens], BTreeSet::new());
        while let Some(tokens) = work.pop() {
            let mut at = 0;
            while let Some(token) = tokens.get(at) {
                self.looked.set(self.looked.get() + 1);
                let found = look(tokens, at);
                match (found, token) {
                    _ if self.looked.get() > LOOKED_MAX => return false,
                    (Found::It, _) => return true,
                    (Found::Past(more), _) => at += more,
                    (_, Token::Text(text)) => {
                        work.extend(text.parts.iter().filter_map(|part| match part {
                            Part::Code(code) => Some(code.as_slice()),
                            Part::Plain(_) => None,
                        }));
                    }
                    (_, Token::Name(name)) => {
                        let first = name.split('.').next().unwrap_or("");
                        let last = name.rsplit('.').next().unwrap_or("");
                        work.extend(
                            self.bodies
                                .get(last)
                                .filter(|_| first == "this" || first == "self"),
                        );
                        for name in [name.as_str(), first] {
                            if names.insert(name) {
                                let bound = self.bound.get(name).into_iter().flatten();
                                let values =
                                    bound.map(|(Bound::To(value) | Bound::EachOf(value))| *value);
                                work.extend(values);
                                work.extend(self.grown.get(name).into_iter().flatten());
                                work.extend(self.bodies.get(name));
                            }
                        }
                    }
                    _ => {}
                }
                at += 1;
            }
        }
        false
    }

    /// The value of a variable of the environment that stands here.
    fn held(&self, name: &str, tokens: &[Token]) -> Option<String> {
        let asked = || {
            let asks = gives(&self.resolved(name)) == Some(Gives::Variable);
            let given = asks.then(|| self.arguments(tokens, 0))?.unwrap_or_default();
            self.given(Gives::Variable, &given, 0).pop()
        };
        let value = self
            .variable(name, tokens)
            .map(|(value, _)| value)
            .or_else(asked);
        value.map(|value| value.words.concat())
    }
}
