//! What calls and members of values give.

use super::{Scope, Value};
use crate::effects::code::gives::{Gives, gives};
use crate::effects::code::lexer::Token;
use crate::effects::code::slices::{Argument, group, split};
use crate::mark;

/// Folders above a file that are followed.
const UP_MAX: usize = 16;

impl Scope<'_> {
    pub(in crate::effects::code) fn given(
        &self,
        gives: Gives,
        arguments: &[Argument<'_>],
        depth: u32,
    ) -> Vec<Value> {
        let first = || match arguments.first() {
            Some(first) => self.value(first.tokens, depth + 1),
            None => vec![Value::any()],
        };
        let each = |change: &dyn Fn(String) -> String| {
            let texts = first().into_iter().flat_map(|value| value.words);
            texts.map(|text| Value::text(change(text))).collect()
        };
        match gives {
            Gives::Home => vec![self.value_of("HOME")],
            Gives::Itself => vec![Value::text(self.language.programs[0])],
            Gives::Temporary => vec![Value::text("/tmp")],
            Gives::Own => vec![Value::text(format!("/tmp/{}", mark::SEGMENT))],
            Gives::Here => vec![Value::text(".")],
            Gives::Same if arguments.len() > 1 => self.given(Gives::Joined, arguments, depth),
            Gives::Same => first(),
            Gives::Joined => {
                let parts: Vec<&[Token]> =
                    arguments.iter().map(|argument| argument.tokens).collect();
                let paths = self.concatenated(&parts, "/", depth);
                let absolute = |value: Value| {
                    let text = value.joined();
                    // An absolute part begins anew.
                    Value::text(text.rfind("//").map_or(text.as_str(), |at| &text[at + 1..]))
                };
                paths.into_iter().map(absolute).collect()
            }
            Gives::Found => each(&|text| {
                text.replace("**", "*")
                    .replace('*', &mark::STAR.to_string())
                    .replace('?', &mark::QUESTION.to_string())
            }),
            Gives::Below => each(&|text| format!("{}/{}", text.trim_end_matches('/'), mark::STAR)),
            Gives::Filled => {
                let gaps: Vec<&[Token]> = arguments.iter().skip(1).map(|it| it.tokens).collect();
                let texts = first();
                texts
                    .iter()
                    .map(|text| self.formatted(text, &gaps, depth))
                    .collect()
            }
            Gives::Words => first().iter().map(Value::split).collect(),
            Gives::Variable => match first().as_slice() {
                [only] => vec![self.value_of(&only.joined())],
                _ => vec![Value::any()],
            },
        }
    }

    pub(super) fn each(&self, list: &[Token], depth: u32) -> Vec<Value> {
        let values = self.value(list, depth);
        values
            .into_iter()
            .flat_map(|value| {
                if value.list {
                    value.words.into_iter().map(Value::text).collect()
                } else {
                    vec![value]
                }
            })
            .collect()
    }

    /// A list with a text between its parts, whichever of them is asked for it; else two parts of a path.
    fn joined(&self, value: &Value, more: &Value) -> Value {
        match (value, more) {
            (Value { words, list: true }, between) | (between, Value { words, list: true }) => {
                Value::text(words.join(&between.joined()))
            }
            _ if self.language.family == "python" => Value::any(),
            _ => value.with(more.joined()),
        }
    }

    /// The text with its gaps filled: `{}`, `%s` by one after the other, `{name}` by what it names.
    fn formatted(&self, text: &Value, gaps: &[&[Token]], depth: u32) -> Value {
        let text = text.joined();
        let (mut filled, mut rest, mut gaps) = (String::new(), text.as_str(), gaps.iter());
        while let Some(at) = rest.find(['{', '%']) {
            filled.push_str(&rest[..at]);
            let (name, after) = match rest[at..].strip_prefix('{') {
                Some(inner) => inner.split_once('}').unwrap_or((inner, "")),
                None => ("", rest.get(at + 2..).unwrap_or_default()),
            };
            let name = name.split(':').next().unwrap_or(name);
            let value = match (name, gaps.next()) {
                ("", Some(gap)) => self.value(gap, depth + 1),
                _ if self.bound.contains_key(name) => {
                    self.value(&[Token::Name(name.to_owned())], depth + 1)
                }
                _ => vec![Value::any()],
            };
            match value.as_slice() {
                [only] => filled.push_str(&only.joined()),
                _ => filled.push(mark::ANY),
            }
            rest = after;
        }
        Value::text(filled + rest)
    }

    /// What lies in folders, where it is asked for by a pattern.
    fn below(&self, values: &[Value], pattern: &[Token], depth: u32) -> Vec<Value> {
        let star = mark::STAR.to_string();
        let named = self.value(pattern, depth + 1);
        let named = named.first().filter(|_| !pattern.is_empty());
        let named = named.map_or(star.clone(), |it| it.joined().replace('*', &star));
        values.iter().map(|value| value.with(&named)).collect()
    }

    /// What members of values give.
    pub(super) fn members_of(&self, values: Vec<Value>, rest: &[Token], depth: u32) -> Vec<Value> {
        let tainted = values
            .iter()
            .any(|value| value.joined().contains([mark::NETWORK, mark::SECRET]));
        let Some(Token::Name(member)) = rest
            .first()
            .filter(|token| token.name().is_some_and(|name| name.starts_with('.')))
        else {
            // An element of a list may be any of it; what else stands there is not followed.
            let index = rest.first().is_some_and(|token| token.is('['));
            return if index && !tainted {
                vec![Value::any()]
            } else {
                values
            };
        };
        let called = rest.get(1).is_some_and(|token| token.is('('));
        let inner = if called {
            group(rest, 1).unwrap_or_default()
        } else {
            &[]
        };
        let after = rest
            .get(1 + if called { inner.len() + 2 } else { 0 }..)
            .unwrap_or_default();
        if tainted {
            return values;
        }
        let last = format!(".{}", member.rsplit('.').next().unwrap_or(""));
        if let Some((above, rest)) = above(member, rest) {
            let values = values.iter().map(|value| value.with(&above)).collect();
            return self.members_of(values, rest, depth);
        }
        let next = match gives(&last) {
            Some(Gives::Same) => values,
            Some(Gives::Words) if inner.is_empty() => values.iter().map(Value::split).collect(),
            Some(Gives::Below) => self.below(&values, inner, depth),
            Some(Gives::Joined) => {
                let more = self.concatenated(&split(inner, |token| token.is(',')), "/", depth);
                let more = more.first().map_or(String::new(), Value::joined);
                values.iter().map(|value| value.with(&more)).collect()
            }
            None if last == ".join" => {
                let more = self.value(inner, depth + 1);
                values
                    .iter()
                    .flat_map(|value| more.iter().map(|more| self.joined(value, more)))
                    .collect()
            }
            None if last == ".format" => {
                let gaps = split(inner, |token| token.is(','));
                let fill = |value| self.formatted(value, &gaps, depth);
                values.iter().map(fill).collect()
            }
            _ => vec![Value::any()],
        };
        self.members_of(next, after, depth)
    }
}

/// `.parent.parent`, `.parents[1]`: the way up, and what stands behind it.
fn above<'t>(member: &str, rest: &'t [Token]) -> Option<(String, &'t [Token])> {
    let (up, length) = match (
        member.rsplit('.').next()?,
        rest.get(2).and_then(Token::name),
    ) {
        ("parent", _) => (member.matches(".parent").count(), 1),
        ("parents", Some(number)) => (number.parse::<usize>().ok()?.saturating_add(1), 4),
        _ => return None,
    };
    let above = vec![".."; up.min(UP_MAX)].join("/");
    Some((above, rest.get(length..).unwrap_or_default()))
}

impl Value {
    /// Its words.
    fn split(&self) -> Self {
        let words = self
            .joined()
            .split_whitespace()
            .map(|word| word.trim_matches(['\'', '"']).to_owned())
            .collect();
        Self { words, list: true }
    }

    /// What is at this name below it.
    fn with(&self, name: impl std::fmt::Display) -> Self {
        Self::text(format!("{}/{name}", self.joined().trim_end_matches('/')))
    }
}
