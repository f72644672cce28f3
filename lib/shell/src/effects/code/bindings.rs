//! Names that imports, assignments, loops, `with` and the calls of the code's own functions bind, followed once.

mod functions;

use super::calls::Calls;
use super::languages::{Form, Language};
use super::lexer::Token;
use super::slices::{
    arrow, assigned, bare, group, named, receiver, split, statement, trimmed, until,
};
use super::values::{Bound, Scope};
use crate::machine::Machine;
use crate::mark;
use functions::parameters_of;
use std::collections::{BTreeMap, BTreeSet};

/// Words that begin a function.
const DEFINES: &[&str] = &["def", "function", "sub", "fn", "func"];
/// Members that make a list longer.
const GROWING: &[&str] = &[".append", ".extend", ".push", ".insert"];

/// Does a statement begin behind this?
fn begins(before: &[Token]) -> bool {
    let words = ["const", "let", "static", "mut", "var", "readonly", "val"];
    match before.last() {
        None | Some(Token::End | Token::Sign('{' | '}' | ';')) => true,
        Some(token) => token.name().is_some_and(|name| words.contains(&name)),
    }
}

impl<'t> Scope<'t> {
    pub(super) fn new(
        tokens: &'t [Token],
        language: &'static Language,
        machine: &Machine<'_>,
    ) -> Self {
        let home = ("HOME".to_owned(), machine.home_of(""));
        let folder = machine.state.zero.rsplit_once('/');
        let variables = machine.prefix.iter().cloned().chain([home]).collect();
        let mut scope = Self {
            calls: Calls::of(language),
            language,
            variables,
            in_file: !machine.unheard.is_empty(),
            folder: folder.map_or(".", |(folder, _)| folder).to_owned(),
            modules: BTreeMap::new(),
            bound: BTreeMap::new(),
            functions: BTreeMap::new(),
            bodies: BTreeMap::new(),
            rests: BTreeSet::new(),
            grown: BTreeMap::new(),
            options: BTreeMap::new(),
            valued: std::cell::Cell::default(),
            looked: std::cell::Cell::default(),
        };
        for at in 0..tokens.len() {
            scope.import(tokens, at);
        }
        let mut class = "";
        for at in 0..tokens.len() {
            scope.bind(tokens, at);
            scope.bind_methods(tokens, at, &mut class);
            scope.grow(tokens, at);
            if language.family == "node" {
                scope.export(tokens, at);
            }
            // `*args`, `...args`
            if let ([.., Token::Sign('*' | '.')], Some(name)) = (&tokens[..at], tokens[at].name())
                && matches!(language.family, "python" | "node" | "ruby")
            {
                scope.rests.insert(name);
            }
        }
        for at in 0..tokens.len() {
            scope.bind_parameters(tokens, at);
            scope.bind_each_to(tokens, at);
            scope.bind_option(tokens, at, &machine.asked);
        }
        if scope.has_own_home(tokens) {
            let own = format!("/tmp/{}", mark::SEGMENT);
            scope.variables.insert("HOME".to_owned(), own);
        }
        scope
    }

    /// The name with what its first part was imported as.
    pub(super) fn resolved(&self, name: &str) -> String {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        let whole = match self.modules.get(first) {
            Some(module) if rest.is_empty() => module.clone(),
            Some(module) => format!("{module}.{rest}"),
            None => name.to_owned(),
        };
        whole
            .trim_start_matches("node:")
            .replace("fs/promises", "fs")
            .replace(
                '/',
                if self.language.form == Form::List {
                    "/"
                } else {
                    "."
                },
            )
    }

    /// `import a as b`, `from a import b as c`, `const {a: b} = require('c')`, `import {a as b} from 'c'`.
    fn import(&mut self, tokens: &'t [Token], at: usize) {
        let statement = statement(tokens, at);
        if statement.is_empty() {
            return;
        }
        match tokens[at].name() {
            Some("from") if self.language.family == "python" => {
                let Some(at) = statement
                    .iter()
                    .position(|token| token.name() == Some("import"))
                else {
                    return;
                };
                let Some(module) = statement.get(1).and_then(Token::name) else {
                    return;
                };
                self.members(&statement[at + 1..], module, "as");
            }
            Some("import") if self.language.family == "python" => {
                for part in split(&statement[1..], |token| token.is(',')) {
                    if let [Token::Name(module), Token::Name(word), Token::Name(name)] = part
                        && word == "as"
                    {
                        self.modules.insert(name.clone(), module.clone());
                    }
                }
            }
            Some("import") => {
                let Some(from) = statement
                    .iter()
                    .position(|token| token.name() == Some("from"))
                else {
                    return;
                };
                if let Some(Token::Text(module)) = statement.get(from + 1) {
                    self.target(&statement[1..from], &module.shown(), "as");
                }
            }
            Some("const" | "let" | "var" | "local" | "my" | "our") => {
                if let Some((target, value)) = assigned(&statement[1..])
                    && let Some(module) = self.module(value)
                {
                    self.target(target, &module, ":");
                }
            }
            Some(name) if !name.contains('.') => {
                if let Some((_, value)) =
                    assigned(statement).filter(|(target, _)| target.len() == 1)
                    && let Some(module) = self.module(value)
                {
                    self.modules.insert(name.to_owned(), module);
                }
            }
            _ => {}
        }
    }

    /// A module, or something in it, that a value is.
    fn module(&self, value: &[Token]) -> Option<String> {
        match trimmed(value) {
            [Token::Name(name)] => {
                let name = self.resolved(name);
                (self.calls.act(&name).is_some() || self.calls.is_module(&name)).then_some(name)
            }
            // `promisify(exec)`, `(await import("x"))`.
            [
                Token::Name(name),
                Token::Sign('('),
                inner @ ..,
                Token::Sign(')'),
            ] if name.ends_with("promisify") => self.module(inner),
            [Token::Sign('('), inner @ .., Token::Sign(')')] => self.module(inner),
            _ => None,
        }
    }

    fn target(&mut self, target: &[Token], module: &str, alias: &str) {
        match target {
            [Token::Sign('{'), inner @ .., Token::Sign('}')] => self.members(inner, module, alias),
            [Token::Sign('*'), Token::Name(_), Token::Name(name)] | [Token::Name(name)] => {
                self.modules.insert(name.clone(), module.to_owned());
            }
            _ => {}
        }
    }

    fn members(&mut self, list: &[Token], module: &str, alias: &str) {
        for part in split(list, |token| {
            token.is(',') || matches!(token, Token::Sign('(' | ')'))
        }) {
            let (member, name) = match part {
                [Token::Sign('*')] => {
                    self.modules.extend(self.calls.of_module(module));
                    continue;
                }
                [Token::Name(member)] => (member, member),
                [Token::Name(member), word, Token::Name(name)]
                    if word.name() == Some(alias)
                        || matches!(word, Token::Sign(sign) if alias.starts_with(*sign)) =>
                {
                    (member, name)
                }
                _ => continue,
            };
            self.modules
                .insert(name.clone(), format!("{module}.{member}"));
        }
    }

    /// `list.append(x)`, `list += x`.
    fn grow(&mut self, tokens: &'t [Token], at: usize) {
        let Some(name) = tokens[at].name() else {
            return;
        };
        let next = |step: usize, sign| {
            tokens
                .get(at + step)
                .is_some_and(|token: &Token| token.is(sign))
        };
        let (list, value) = if next(1, '+') && next(2, '=') {
            (name, until(&tokens[at + 3..], |token| *token == Token::End))
        } else if next(1, '(') && GROWING.iter().any(|member| name.ends_with(member)) {
            let (list, _) = name.rsplit_once('.').unwrap_or((name, ""));
            (list, group(tokens, at + 1).unwrap_or_default())
        } else {
            return;
        };
        self.grown.entry(list).or_default().push(value);
    }

    /// `module.exports = {name: value}`: what another file takes out of it by name.
    fn export(&mut self, tokens: &'t [Token], at: usize) {
        let exports = matches!(tokens[at].name(), Some("module.exports" | "default"));
        let open = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|token| token.is('=')));
        if !exports || !tokens.get(open).is_some_and(|token| token.is('{')) {
            return;
        }
        for part in split(group(tokens, open).unwrap_or_default(), |token| {
            token.is(',')
        }) {
            if let [Token::Name(name), Token::Sign(':'), value @ ..] = bare(part) {
                self.bound.entry(name).or_default().push(Bound::To(value));
            }
        }
    }

    /// Assignments, loops, `with … as x` and functions.
    fn bind(&mut self, tokens: &'t [Token], at: usize) {
        let Some(name) = tokens[at].name() else {
            return;
        };
        let next = |step: usize| tokens.get(at + step);
        match (name, next(1)) {
            (word, Some(Token::Name(function))) if DEFINES.contains(&word) => {
                let defines =
                    |token: &Token| token.name().is_some_and(|name| DEFINES.contains(&name));
                let rest = &tokens[at + 2..];
                let end = rest.iter().position(defines).unwrap_or(rest.len());
                self.bodies.insert(function, &rest[..end]);
                if let Some(parameters) = next(2)
                    .filter(|token| token.is('('))
                    .and_then(|_| group(tokens, at + 2))
                {
                    self.functions
                        .insert(function, parameters_of(parameters, word));
                }
            }
            ("for" | "foreach", Some(_)) => self.bind_loop(&tokens[at + 1..]),
            ("with", Some(_)) => {
                let head = until(&tokens[at + 1..], |token| token.is(':'));
                for part in split(head, |token| token.is(',')) {
                    if let [value @ .., Token::Name(word), Token::Name(name)] = part
                        && word == "as"
                    {
                        self.bound.entry(name).or_default().push(Bound::To(value));
                    }
                }
            }
            // `char *a[] = {"x"};`
            (_, Some(Token::Sign('[')))
                if matches!(
                    tokens.get(at + 2..at + 5),
                    Some([Token::Sign(']'), Token::Sign('='), Token::Sign('{')])
                ) =>
            {
                let value = until(&tokens[at + 4..], |token| *token == Token::End);
                self.bound.entry(name).or_default().push(Bound::To(value));
            }
            _ if self.bind_value(tokens, at, name) => {}
            _ => self.bind_each(tokens, at, name),
        }
    }

    /// `name = value`, `name := value` and R's `name <- value`, where it is no argument.
    fn bind_value(&mut self, tokens: &'t [Token], at: usize, name: &'t str) -> bool {
        let next = |step: usize, sign| {
            let token: Option<&Token> = tokens.get(at + step);
            token.is_some_and(|token| token.is(sign))
        };
        let from = match tokens.get(at + 1) {
            Some(Token::Sign('=')) if !next(2, '=') && !next(2, '>') => 2,
            Some(Token::Sign(':')) if next(2, '=') => 3,
            Some(Token::Sign('<')) if self.language.family == "r" && next(2, '-') => 3,
            // `const NAME: &[&str] = …`, `base: Path = …`
            Some(Token::Sign(':')) if begins(&tokens[..at]) => {
                let ends =
                    |token: &Token| matches!(token, Token::Sign('=' | ';' | '{') | Token::End);
                let kind = until(&tokens[at + 2..], ends).len();
                if !next(kind + 2, '=') || next(kind + 3, '=') || next(kind + 3, '>') {
                    return false;
                }
                kind + 3
            }
            _ => return false,
        };
        let before = at.checked_sub(1).map(|before| &tokens[before]);
        if !before.is_some_and(|before| matches!(before, Token::Sign('(' | ',' | '.'))) {
            let value = until(&tokens[at + from..], |token| *token == Token::End);
            // Ruby's `@name = name`.
            let itself = matches!(bare(value), [one] if one.name() == Some(name));
            if !itself {
                self.bound.entry(name).or_default().push(Bound::To(value));
            }
            if let Some(parameters) = arrow(value) {
                self.functions.insert(name, parameters);
            }
        }
        true
    }

    /// `list.forEach(x => …)`, `list.each { |x| … }`, `const {a, b} = value`.
    fn bind_each(&mut self, tokens: &'t [Token], at: usize, name: &str) {
        let rest = &tokens[at + 1..];
        let bound = match rest {
            [Token::Sign('('), ..]
                if matches!(name.rsplit('.').next(), Some("forEach" | "map")) =>
            {
                group(tokens, at + 1)
                    .and_then(arrow)
                    .map(|names| (names, receiver(tokens, at)))
            }
            [open, Token::Sign('|'), after @ ..] if open.is('{') || open.name() == Some("do") => {
                Some((
                    named(until(after, |token| token.is('|'))),
                    receiver(tokens, at),
                ))
            }
            [Token::Sign('{' | '['), ..] if matches!(name, "const" | "let" | "var") => {
                let statement = until(rest, |token| *token == Token::End);
                assigned(statement).map(|(target, value)| (named(target), value))
            }
            // `home, err := …`
            [
                Token::Sign(','),
                Token::Name(_),
                Token::Sign(':'),
                Token::Sign('='),
                value @ ..,
            ] => Some((
                tokens[at].name().into_iter().collect(),
                until(value, |token| *token == Token::End),
            )),
            _ => None,
        };
        let (names, list) = bound.unwrap_or_default();
        for name in names {
            self.bound
                .entry(name)
                .or_default()
                .push(Bound::EachOf(list));
        }
    }

    /// `x in list:`, `const x of list)`, `my $x (list)`, `($list as $x)`.
    fn bind_loop(&mut self, rest: &'t [Token]) {
        // `_, name := range list`
        let line = until(rest, |token| *token == Token::End);
        if let Some(at) = line
            .iter()
            .take(8)
            .position(|token| token.name() == Some("range"))
        {
            let list = &line[at + 1..];
            let typed = matches!(
                list,
                [
                    Token::Sign('['),
                    Token::Sign(']'),
                    Token::Name(_),
                    Token::Sign('{'),
                    ..
                ]
            );
            let typed = typed.then(|| group(list, 3)).flatten();
            let list = typed.unwrap_or_else(|| until(list, |token| token.is('{')));
            if let Some(name) = named(&line[..at]).last().copied() {
                self.bound
                    .entry(name)
                    .or_default()
                    .push(Bound::EachOf(list));
            }
            return;
        }
        let head = until(&rest[usize::from(rest[0].is('('))..], |token| {
            matches!(token, Token::Sign(':' | '{') | Token::End)
                || matches!(token.name(), Some("do" | "if" | "for"))
        });
        let word = |token: &Token| matches!(token.name(), Some("in" | "of" | "as"));
        if let Some(at) = head.iter().position(word) {
            let (before, after) = (&head[..at], &head[at + 1..]);
            let (names, list) = if head[at].name() == Some("as") {
                (after, before)
            } else {
                (before, after)
            };
            for name in named(names) {
                self.bound
                    .entry(name)
                    .or_default()
                    .push(Bound::EachOf(list));
            }
        } else if let Some(open) = head.iter().position(|token| token.is('('))
            && let Some(name) = head[..open].last().and_then(Token::name)
        {
            self.bound
                .entry(name)
                .or_default()
                .push(Bound::EachOf(&head[open..]));
        }
    }
}
