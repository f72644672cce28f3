//! What an expression may be: texts, lists of them, and names that imports, assignments, loops and calls bind.

mod members;

use super::calls::{Act, Calls};
use super::gives::{Gives, gives};
use super::languages::{Form, Language};
use super::lexer::{Part, Text, Token};
use super::slices::{self, ARGUMENTS_MAX, Argument, elements, group, keyed, split, trimmed, until};
use crate::mark;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Values that are no text.
const NOTHING: &[&str] =
    overnight_base::words!("True False true false None null nil undefined TRUE FALSE t");
/// What ends the arguments of a call without parentheses.
const ENDS: &[&str] = overnight_base::words!("do if unless while until for foreach and or then");
/// Expressions that are looked at in one piece of code at most.
const VALUED_MAX: u32 = 20_000;
/// Expressions within each other at most.
const DEPTH_MAX: u32 = 16;
/// Values that a name may have at most: what has more is not followed.
const VALUES_MAX: usize = 16;

/// One thing that an expression may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// A text, or the words of a list; unknown parts as marks.
    pub(super) words: Vec<String>,
    pub(super) list: bool,
}

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self {
            words: vec![text.into()],
            list: false,
        }
    }

    pub(super) fn any() -> Self {
        Self::text(mark::ANY)
    }

    fn joined(&self) -> String {
        if self.list {
            mark::ANY.to_string()
        } else {
            self.words.concat()
        }
    }
}

/// What names stand for in a piece of code.
pub(super) struct Scope<'t> {
    pub(super) calls: Rc<Calls>,
    pub(super) language: &'static Language,
    /// The environment, as far as it is known.
    pub(super) variables: BTreeMap<String, String>,
    /// Is it the code of a file, in which what is not followed is no question?
    pub(super) in_file: bool,
    /// Where the file with the code lies.
    pub(super) folder: String,
    /// Other names of modules and of what is in them.
    pub(super) modules: BTreeMap<String, String>,
    pub(super) bound: BTreeMap<&'t str, Vec<Bound<'t>>>,
    /// What lists are made longer with.
    pub(super) grown: BTreeMap<&'t str, Vec<&'t [Token]>>,
    /// What arguments are that no command gives.
    pub(super) options: BTreeMap<String, &'t [Token]>,
    /// Expressions looked at so far.
    pub(super) valued: Cell<u32>,
    pub(super) looked: Cell<u32>,
    pub(super) functions: BTreeMap<&'t str, Vec<&'t str>>,
    /// What stands in functions, as far as the next one.
    pub(super) bodies: BTreeMap<&'t str, &'t [Token]>,
    /// Names that take, or hand on, all that is left of a list.
    pub(super) rests: BTreeSet<&'t str>,
}

#[derive(Clone, Copy)]
pub(super) enum Bound<'t> {
    To(&'t [Token]),
    EachOf(&'t [Token]),
}

impl Scope<'_> {
    /// The arguments of the call whose name stands here. `None`: it is not called, or with more than is followed.
    pub(super) fn arguments<'a>(
        &self,
        tokens: &'a [Token],
        at: usize,
    ) -> Option<Vec<Argument<'a>>> {
        let rest = &tokens[at + 1..];
        let given = match (self.language.form, rest.first()) {
            (Form::List, _) => {
                let called = at > 0 && tokens[at - 1].is('(');
                let list = until(rest, |token| matches!(token, Token::Sign(')' | ']')));
                return called.then(|| elements(list));
            }
            (_, Some(Token::Sign('('))) => group(tokens, at + 1)?,
            // $`rm x`
            (Form::Parentheses, Some(Token::Text(_))) if self.language.family == "node" => {
                &rest[..1]
            }
            (Form::Parentheses, _) | (_, Some(Token::Sign('=' | '.' | ',' | ')' | '|' | '?'))) => {
                return None;
            }
            _ => until(rest, |token| {
                *token == Token::End
                    || matches!(token, Token::Sign(')' | ']' | '}' | '|'))
                    || token.name().is_some_and(|name| ENDS.contains(&name))
            }),
        };
        if given.len() > ARGUMENTS_MAX {
            return None;
        }
        let mut arguments = Vec::new();
        for part in split(given, |token| token.is(',')) {
            match slices::bare(part) {
                [Token::Sign('{'), inner @ .., Token::Sign('}')] => {
                    arguments.extend(split(inner, |token| token.is(',')).into_iter().map(keyed));
                }
                part => arguments.push(keyed(part)),
            }
        }
        Some(arguments)
    }

    /// What an expression may be.
    pub(super) fn values(&self, tokens: &[Token]) -> Vec<Value> {
        let mut values = self.value(tokens, 0);
        if values.len() > VALUES_MAX {
            values.truncate(VALUES_MAX);
            values.push(Value::any());
        }
        values
    }

    fn value(&self, tokens: &[Token], depth: u32) -> Vec<Value> {
        let tokens = trimmed(tokens);
        self.valued.set(self.valued.get() + 1);
        if tokens.is_empty() || depth > DEPTH_MAX || self.valued.get() > VALUED_MAX {
            return vec![Value::any()];
        }
        let choice = |token: &Token| matches!(token.name(), Some("or" | "else"));
        if tokens.iter().any(choice) {
            let parts = split(tokens, choice);
            return parts
                .into_iter()
                .flat_map(|part| {
                    self.value(until(part, |token| token.name() == Some("if")), depth + 1)
                })
                .collect();
        }
        let parts = split(tokens, |token| token.is(','));
        if parts.len() > 1 {
            return self.list(&parts, depth);
        }
        let dots = matches!(self.language.family, "perl" | "php" | "lua");
        let plus = |token: &Token| token.is('+') || dots && token.is('.');
        let parts = split(tokens, plus);
        if parts.len() > 1 {
            return self.concatenated(&parts, "", depth);
        }
        let parts = split(tokens, |token| token.is('/'));
        if parts.len() > 1 {
            return self.concatenated(&parts, "/", depth);
        }
        if let [Token::Text(text), Token::Sign('%'), ..] = tokens {
            let pattern = text
                .shown()
                .replace("%s", &mark::ANY.to_string())
                .replace("%d", &mark::ANY.to_string());
            return vec![Value::text(pattern)];
        }
        self.primary(untyped(tokens), depth + 1)
    }

    fn list(&self, parts: &[&[Token]], depth: u32) -> Vec<Value> {
        let mut lists = vec![Value {
            words: Vec::new(),
            list: true,
        }];
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let values = self.value(part, depth + 1);
            if lists.len() * values.len() > VALUES_MAX {
                for list in &mut lists {
                    list.words.push(mark::ANY.to_string());
                }
                continue;
            }
            lists = lists
                .iter()
                .flat_map(|list| {
                    values.iter().map(|value| Value {
                        words: [list.words.clone(), value.words.clone()].concat(),
                        list: true,
                    })
                })
                .collect();
        }
        lists
    }

    fn concatenated(&self, parts: &[&[Token]], between: &str, depth: u32) -> Vec<Value> {
        let mut texts = vec![Value::text("")];
        for (at, part) in parts
            .iter()
            .enumerate()
            .filter(|(_, part)| !part.is_empty())
        {
            let values = self.value(part, depth + 1);
            let between = if at == 0 { "" } else { between };
            if texts.len() * values.len() > VALUES_MAX {
                return vec![Value::any()];
            }
            texts = texts
                .iter()
                .flat_map(|text| {
                    values.iter().map(move |value| {
                        // Lists are put behind each other.
                        let list = (text.list || text.words.concat().is_empty()) && value.list;
                        if list {
                            let before = if text.list {
                                text.words.clone()
                            } else {
                                Vec::new()
                            };
                            return Value {
                                words: [before, value.words.clone()].concat(),
                                list,
                            };
                        }
                        Value::text(format!("{}{between}{}", text.joined(), value.joined()))
                    })
                })
                .collect();
        }
        texts
    }

    fn primary(&self, tokens: &[Token], depth: u32) -> Vec<Value> {
        match tokens {
            [Token::Text(text), rest @ ..] => {
                let texts: Vec<&Text> = tokens
                    .iter()
                    .map_while(|token| match token {
                        Token::Text(text) => Some(text),
                        _ => None,
                    })
                    .collect();
                let values = if text.words {
                    vec![Value {
                        words: text.shown().split_whitespace().map(str::to_owned).collect(),
                        list: true,
                    }]
                } else {
                    let parts = texts.iter().flat_map(|text| &text.parts);
                    self.ways(parts, depth)
                        .into_iter()
                        .map(Value::text)
                        .collect()
                };
                self.members_of(values, &rest[texts.len() - 1..], depth)
            }
            [Token::Sign('&'), ..] if self.language.family == "compiled" => {
                let of = tokens.iter().take_while(|token| token.is('&')).count();
                self.primary(&tokens[of..], depth)
            }
            [Token::Sign('-'), Token::Name(number), ..] => vec![Value::text(format!("-{number}"))],
            [Token::Sign('(' | '[' | '{'), ..] => {
                let Some(inner) = group(tokens, 0) else {
                    return vec![Value::any()];
                };
                let element = until(inner, |token| token.name() == Some("for"));
                let transparent =
                    tokens[0].is('(') && split(inner, |token| token.is(',')).len() == 1;
                let values = if transparent {
                    self.value(element, depth + 1)
                } else if self.language.form == Form::List {
                    self.list(
                        &elements(inner)
                            .iter()
                            .map(|element| element.tokens)
                            .collect::<Vec<_>>(),
                        depth,
                    )
                } else {
                    self.list(&split(element, |token| token.is(',')), depth)
                };
                self.members_of(
                    values,
                    tokens.get(inner.len() + 2..).unwrap_or_default(),
                    depth,
                )
            }
            [Token::Name(name), ..] => self.named(name, tokens, depth),
            _ => vec![Value::any()],
        }
    }

    /// A text with what fills it, where that is one thing.
    pub(super) fn filled(&self, text: &Text) -> String {
        let mut ways = self.ways(text.parts.iter(), 0);
        match ways.len() {
            1 => ways.swap_remove(0),
            _ => text.shown(),
        }
    }

    /// What parts of a text come to, for each way that they may be filled.
    fn ways<'p>(&self, parts: impl Iterator<Item = &'p Part>, depth: u32) -> Vec<String> {
        let mut ways = vec![String::new()];
        for part in parts {
            let more = match part {
                Part::Plain(text) => vec![text.clone()],
                Part::Code(code) => self
                    .value(code, depth + 1)
                    .iter()
                    .map(Value::joined)
                    .collect(),
            };
            if ways.len() * more.len() > VALUES_MAX || more.is_empty() {
                for way in &mut ways {
                    way.push(mark::ANY);
                }
            } else {
                ways = ways
                    .iter()
                    .flat_map(|way| more.iter().map(move |more| format!("{way}{more}")))
                    .collect();
            }
        }
        ways
    }

    /// Of `self.folder` what the class itself binds, where nothing binds the whole of it.
    fn own<'n>(&self, name: &'n str) -> &'n str {
        let own = ["self.", "cls.", "this."];
        let member = own.iter().find_map(|own| name.strip_prefix(own));
        let bound = |name: &str| self.bound.contains_key(name);
        let member =
            member.filter(|rest| !bound(name) && rest.split('.').next().is_some_and(bound));
        member.unwrap_or(name)
    }

    fn named(&self, name: &str, tokens: &[Token], depth: u32) -> Vec<Value> {
        if NOTHING.contains(&name) && !self.bound.contains_key(name) {
            return vec![Value {
                words: Vec::new(),
                list: true,
            }];
        }
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return vec![Value::text(name)];
        }
        if let Some((value, length)) = self.variable(name, tokens) {
            return self.members_of(vec![value], &tokens[length..], depth);
        }
        if let Some((default, length)) = self.option(name, tokens) {
            let values = self.value(default, depth + 1);
            return self.members_of(values, &tokens[length..], depth);
        }
        let name = self.own(name);
        let resolved = self.resolved(name);
        // `self.folder = …` binds the whole of it.
        let whole = self.bound.contains_key(name).then_some((name, ""));
        let (first, member) = whole.or(name.split_once('.')).unwrap_or((name, ""));
        let bound = self
            .bound
            .get(first)
            .filter(|bound| bound.len() <= VALUES_MAX);
        if let Some(bound) = bound.filter(|_| {
            resolved == name && gives(&resolved).is_none_or(|gives| matches!(gives, Gives::Same))
        }) {
            let values = self.bound_to(first, bound, depth);
            let own = (!member.is_empty()).then(|| Token::Name(format!(".{member}")));
            let members: Vec<Token> = own.into_iter().chain(tokens[1..].iter().cloned()).collect();
            return self.members_of(values, &members, depth);
        }
        let given = self.arranged(&resolved, tokens);
        let length = if tokens.get(1).is_some_and(|token| token.is('(')) {
            group(tokens, 1).map_or(tokens.len(), |inner| inner.len() + 3)
        } else if given.is_some() && self.language.form == Form::Bare {
            tokens.len()
        } else {
            1
        };
        let values = match gives(&resolved) {
            _ if self.fetches(&resolved, given.as_deref(), depth) => {
                vec![Value::text(mark::NETWORK)]
            }
            None if resolved.ends_with("ppid") => vec![Value::text(mark::PARENT)],
            Some(kind) => self.given(kind, given.as_deref().unwrap_or_default(), depth),
            None if makes(&resolved) => self.made(given.as_deref().unwrap_or_default(), depth),
            None => vec![Value::any()],
        };
        self.members_of(values, tokens.get(length..).unwrap_or_default(), depth)
    }

    /// What a name is bound to, with what its lists are made longer with.
    fn bound_to(&self, name: &str, bound: &[Bound<'_>], depth: u32) -> Vec<Value> {
        let values = bound.iter().flat_map(|bound| match bound {
            Bound::To(value) => self.value(value, depth + 1),
            Bound::EachOf(list) => self.each(list, depth + 1),
        });
        let mut values: Vec<Value> = values.collect();
        for more in self.grown.get(name).into_iter().flatten().take(VALUES_MAX) {
            let more = self.value(more, depth + 1).into_iter();
            let more: Vec<String> = more.flat_map(|value| value.words).collect();
            for value in values.iter_mut().filter(|value| value.list) {
                value.words.extend(more.iter().cloned());
            }
        }
        values
    }

    /// The arguments of a call; where the first one begins comes before it.
    fn arranged<'a>(&self, name: &str, tokens: &'a [Token]) -> Option<Vec<Argument<'a>>> {
        let mut given = self.arguments(tokens, 0)?;
        if name.ends_with("URL") || name.ends_with("expand_path") {
            given.reverse();
        }
        Some(given)
    }

    /// What a type makes of one path.
    fn made(&self, given: &[Argument<'_>], depth: u32) -> Vec<Value> {
        let [_] = given else {
            return vec![Value::any()];
        };
        let mut made = self.given(Gives::Same, given, depth);
        let named = |word: &String| word.starts_with(['/', '~', '.']);
        made.retain(|value| value.words.iter().all(named));
        if made.is_empty() {
            made.push(Value::any());
        }
        made
    }

    /// Does the call bring something over the network, itself or by a program?
    fn fetches(&self, name: &str, given: Option<&[Argument<'_>]>, depth: u32) -> bool {
        let download = |argument: &Argument<'_>| {
            let values = self.value(argument.tokens, depth + 1);
            let mut programs = values.iter().filter_map(|value| value.words.first());
            programs.any(|word| matches!(word.split(' ').next(), Some("curl" | "wget")))
        };
        match self.calls.act(name) {
            Some((Act::Sends | Act::Serves, _)) => true,
            Some((Act::Starts, _)) => given.is_some_and(|given| given.iter().any(download)),
            _ => false,
        }
    }
}

/// A list without its type: `String[] {"a"}`, `[]string{"a"}`.
fn untyped(tokens: &[Token]) -> &[Token] {
    match tokens {
        [
            Token::Name(_),
            Token::Sign('['),
            Token::Sign(']'),
            list @ ..,
        ]
        | [
            Token::Sign('['),
            Token::Sign(']'),
            Token::Name(_),
            list @ ..,
        ] if list.first().is_some_and(|token| token.is('{')) => list,
        tokens => tokens,
    }
}

/// Does it make a value of a type, such as a path, from what it is given: `Path.of`, `java.io.File`, `PathBuf::from`?
fn makes(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    let is_type = |part: &&str| part.starts_with(|c: char| c.is_ascii_uppercase());
    match parts.as_slice() {
        [.., of, way] => {
            is_type(way) || is_type(of) && matches!(*way, "of" | "from" | "new" | "get")
        }
        _ => false,
    }
}
