//! What functions are called with, and what arguments of the whole are where nobody gives them.

use super::DEFINES;
use crate::effects::code::lexer::Token;
use crate::effects::code::slices::{group, named, receiver, split, until};
use crate::effects::code::values::{Bound, Scope};

/// The names of a function's parameters, which Go has before their types, others behind them or before a colon.
pub(super) fn parameters_of<'t>(parameters: &'t [Token], word: &str) -> Vec<&'t str> {
    let name = |parameter: &'t [Token]| {
        let names = named(until(parameter, |token| {
            matches!(token, Token::Sign(':' | '='))
        }));
        if word == "func" {
            names.first().copied()
        } else {
            names.last().copied()
        }
    };
    let all = split(parameters, |token| token.is(','));
    all.into_iter().map(|one| name(one).unwrap_or("")).collect()
}

/// What functions are called that make an instance.
const MAKES: &[&str] = &["__init__", "constructor", "initialize", "__construct"];

impl<'t> Scope<'t> {
    /// What makes an instance of a class, and methods of JavaScript, which no word begins.
    pub(super) fn bind_methods(&mut self, tokens: &'t [Token], at: usize, class: &mut &'t str) {
        let Some(name) = tokens[at].name() else {
            return;
        };
        if let ("class", Some(Token::Name(own))) = (name, tokens.get(at + 1)) {
            *class = own;
        }
        let kinds = self.language.family == "node" || MAKES.contains(&name);
        let open = kinds && tokens.get(at + 1).is_some_and(|token| token.is('('));
        let Some(inner) = open.then(|| group(tokens, at + 1)).flatten() else {
            return;
        };
        let after = at + inner.len() + 3;
        let begins = at == 0 || matches!(tokens[at - 1], Token::End | Token::Sign('{' | '}' | ';'));
        let words = ["if", "for", "while", "switch", "catch", "function", "with"];
        let method = self.language.family == "node"
            && begins
            && !words.contains(&name)
            && tokens.get(after).is_some_and(|token| token.is('{'));
        if method {
            self.functions.insert(name, parameters_of(inner, name));
            self.bodies
                .insert(name, group(tokens, after).unwrap_or_default());
        }
        if MAKES.contains(&name) && !class.is_empty() {
            let own = |name: &&str| !matches!(*name, "self" | "cls");
            let parameters = parameters_of(inner, name).into_iter().filter(own);
            self.functions.insert(class, parameters.collect());
        }
    }

    /// What a function of the code itself is called with, a method of whatever it is called of, or a class.
    pub(super) fn bind_parameters(&mut self, tokens: &'t [Token], at: usize) {
        let Some(name) = tokens[at].name() else {
            return;
        };
        let name = name.strip_suffix(".new").unwrap_or(name);
        let of = name
            .rsplit_once('.')
            .filter(|_| !self.functions.contains_key(name));
        let Some(parameters) = self.functions.get(of.map_or(name, |(_, member)| member)) else {
            return;
        };
        let skipped = |name: &&&str| of.is_none() || !matches!(**name, "self" | "cls");
        let parameters: Vec<&str> = parameters.iter().filter(skipped).copied().collect();
        let defined = at > 0
            && tokens[at - 1]
                .name()
                .is_some_and(|name| DEFINES.contains(&name));
        if defined || !tokens.get(at + 1).is_some_and(|token| token.is('(')) {
            return;
        }
        let arguments = group(tokens, at + 1).unwrap_or_default();
        let given = split(arguments, |token| token.is(','));
        for (number, parameter) in parameters.iter().enumerate() {
            let last = number + 1 == parameters.len() && self.rests.contains(parameter);
            let before = given.iter().take(number).map(|argument| argument.len() + 1);
            let argument = match given.get(number) {
                Some(_) if last => arguments.get(before.sum::<usize>()..),
                argument => argument.copied(),
            };
            let itself =
                |argument: &[Token]| matches!(argument, [one] if one.name() == Some(parameter));
            if let Some(argument) = argument.filter(|argument| !itself(argument)) {
                self.bound
                    .entry(parameter)
                    .or_default()
                    .push(Bound::To(argument));
            }
        }
    }

    /// `list.forEach(function)`, of a function of the code itself.
    pub(super) fn bind_each_to(&mut self, tokens: &'t [Token], at: usize) {
        let each = tokens[at]
            .name()
            .is_some_and(|name| matches!(name.rsplit('.').next(), Some("forEach" | "map")));
        let given = each.then(|| group(tokens, at + 1)).flatten();
        let Some([Token::Name(function)]) = given else {
            return;
        };
        let first = self
            .functions
            .get(function.as_str())
            .and_then(|names| names.first().copied());
        if let Some(first) = first {
            self.bound
                .entry(first)
                .or_default()
                .push(Bound::EachOf(receiver(tokens, at)));
        }
    }

    /// `parser.add_argument("--name", default=value)`, unless the command gives another one.
    pub(super) fn bind_option(&mut self, tokens: &'t [Token], at: usize, asked: &[String]) {
        let declares =
            |name: &str| name.ends_with(".add_argument") || name.ends_with("click.option");
        if self.language.family != "python" || !tokens[at].name().is_some_and(declares) {
            return;
        }
        let given = split(group(tokens, at + 1).unwrap_or_default(), |token| {
            token.is(',')
        });
        let default = given.iter().find_map(|part| match part {
            [Token::Name(key), Token::Sign('='), value @ ..] if key == "default" => Some(value),
            _ => None,
        });
        for part in &given {
            if let ([Token::Text(text)], Some(default)) = (*part, default)
                && !asked
                    .iter()
                    .any(|word| word.split('=').next() == Some(&*text.shown()))
            {
                let name = text.shown().trim_start_matches('-').replace('-', "_");
                self.options.insert(name, default);
            }
        }
    }

    /// Does a test set up a home folder of its own: `monkeypatch.setenv("HOME", tmp_path)`?
    pub(super) fn has_own_home(&self, tokens: &[Token]) -> bool {
        let home = |token: &Token| matches!(token, Token::Text(text) if text.shown() == "HOME");
        let sets = |at: usize| match (&tokens[at], tokens.get(at + 1..)?) {
            (Token::Name(name), [Token::Sign('('), ..]) if name.ends_with(".setenv") => {
                let given = split(group(tokens, at + 1)?, |token| token.is(','));
                given.get(1).copied().filter(|_| given[0].iter().all(home))
            }
            // `ENV["HOME"] = value`, `process.env.HOME = value`
            (text, [Token::Sign(']'), Token::Sign('='), value @ ..]) if home(text) => {
                Some(until(value, |token| *token == Token::End))
            }
            (Token::Name(name), [Token::Sign('='), value @ ..]) if name == "process.env.HOME" => {
                Some(until(value, |token| *token == Token::End))
            }
            _ => None,
        };
        (0..tokens.len())
            .filter_map(sets)
            .any(|value| self.is_temporary(value))
    }

    /// What an argument is that nobody gives: `args.name`, `options["name"]`, a parameter `name`.
    pub(in crate::effects::code) fn option(
        &self,
        name: &str,
        tokens: &[Token],
    ) -> Option<(&[Token], usize)> {
        let keyed = match tokens.get(1..4) {
            Some([Token::Sign('['), Token::Text(text), Token::Sign(']')]) => Some(text.shown()),
            _ => None,
        };
        let length = if keyed.is_some() { 4 } else { 1 };
        let member = name.split_once('.').map_or(name, |(_, member)| member);
        let known = self.bound.contains_key(name) && keyed.is_none();
        let default = self
            .options
            .get(keyed.as_deref().unwrap_or(member))
            .filter(|_| !known)?;
        Some((default, length))
    }
}
