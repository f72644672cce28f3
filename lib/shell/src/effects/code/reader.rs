//! Code as it is read: what each call in it does.

mod acts;

use super::calls::Act;
use super::lexer::{Part, Text, Token};
use super::slices::{self, Argument};
use super::values::{Scope, Value};
use super::{endless_loop, huge_product, is_path};
use crate::data::Data;
use crate::effects::{How, effect, reads, runs_text, writes};
use crate::machine::Machine;
use crate::{mark, policy};
use acts::{downloads, is_function, opens_to_write};
use std::collections::BTreeSet;

/// Keys of arguments that name what a call acts on.
const TARGETS: &[&str] = overnight_base::words!("path atPath at src dst dir file args cmd command");
/// How the calls begin that have a service change something.
const SERVED: &[&str] = overnight_base::words!(
    "delete drop put upload create update send terminate stop remove purge stor exec run publish invoke"
);
/// Names of what stands in for a service.
const STANDS_IN: &[&str] = overnight_base::words!("mock moto stub fake endpoint_url");
/// Calls that are followed in one piece of code at most.
const CALLS_MAX: u32 = 4096;

/// Code as it is read.
pub(super) struct Reader<'m, 'c, 't> {
    pub(super) machine: &'m mut Machine<'c>,
    pub(super) scope: Scope<'t>,
    pub(super) program: &'m str,
    pub(super) evaluated: u32,
    pub(super) calls: u32,
    /// Clients of databases as which it connects, with their first arguments.
    pub(super) connected: Vec<Vec<String>>,
    /// Every text of the code.
    pub(super) texts: Vec<String>,
    /// What was seen in it.
    pub(super) seen: BTreeSet<Seen>,
}

/// What code does, wherever it does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seen {
    Starts,
    Writes,
    Forks,
    Sends,
    Serves,
    Secret,
}

impl Reader<'_, '_, '_> {
    pub(super) fn walk(&mut self, tokens: &[Token]) {
        let mut said = Vec::new();
        let mut import = false;
        for (at, token) in tokens.iter().enumerate() {
            let act = |name: &str| self.scope.calls.act(&self.scope.resolved(name));
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            match token {
                Token::End => import = false,
                Token::Sign('(') => {
                    let says = before
                        .and_then(Token::name)
                        .and_then(act)
                        .is_some_and(|(act, _)| act == Act::Says);
                    said.push(says);
                    if computes(tokens, at) {
                        self.unsure();
                    }
                }
                Token::Sign('[' | '{') => said.push(false),
                Token::Sign(')' | ']' | '}') => {
                    said.pop();
                }
                Token::Sign(_) => {}
                Token::Text(text) => {
                    let act = before.and_then(Token::name).and_then(act);
                    let act = act.map(|(act, _)| act);
                    self.tagged(text, before, act);
                    self.text(text, act == Some(Act::Says) || said.last() == Some(&true));
                }
                Token::Command(text) => {
                    self.text(text, true);
                    self.see(Seen::Starts);
                    let command = self.scope.filled(text);
                    runs_text(self.machine, &command, &Data::unknown());
                }
                Token::Name(name) => {
                    import |= matches!(name.as_str(), "import" | "from")
                        && matches!(before, None | Some(Token::End));
                    // The code's own function of that name is read where it stands.
                    let own = self.scope.functions.contains_key(name.as_str());
                    if let Some((act, on_receiver)) = act(name).filter(|_| !own) {
                        if !import {
                            self.act(act, on_receiver, tokens, at);
                        } else if act == Act::Hides {
                            self.unsure();
                        }
                    }
                    if tokens.get(at + 1).is_some_and(|next| next.is('(')) {
                        self.called(name, tokens.get(at + 2));
                    }
                }
            }
        }
    }

    /// A text that a name in front of it takes, as the `$` of zx and bun, is a command.
    fn tagged(&mut self, text: &Text, before: Option<&Token>, act: Option<Act>) {
        if self.scope.language.family != "node"
            || !before.is_some_and(is_tag)
            || act == Some(Act::Says)
        {
            return;
        }
        if act == Some(Act::Starts) {
            let command = self.scope.filled(text);
            runs_text(self.machine, &command, &Data::unknown());
        }
        self.unsure();
    }

    /// A call whose name or whose module is a value.
    fn called(&mut self, name: &str, given: Option<&Token>) {
        if name.starts_with('$') && name.len() > 1 {
            self.computed(name);
        }
        // What a module brings in the middle of an expression is not followed.
        if let (true, Some(Token::Text(module))) = (name == "import", given) {
            let module = module.shown();
            if self
                .scope
                .calls
                .is_module(module.trim_start_matches("node:"))
            {
                self.unsure();
            }
        }
    }

    /// PHP calls what a text names.
    fn computed(&mut self, name: &str) {
        let values = self.scope.values(&[Token::Name(name.to_owned())]);
        let calls = |value: &Value| self.scope.calls.act(&value.words.concat()).is_some();
        if values.iter().any(calls) {
            self.unsure();
        }
    }

    fn text(&mut self, text: &Text, said: bool) {
        for part in &text.parts {
            if let Part::Code(code) = part {
                self.walk(code);
            }
        }
        let text = self.scope.filled(text);
        if !said && is_path(&text) {
            self.reads(&text);
        }
        self.texts.push(text);
    }

    fn unsure(&mut self) {
        effect(self.machine, &policy::INLINE_CODE, self.program);
    }

    fn reads(&mut self, path: &str) {
        let path = self.at_home(path);
        if mark::arbitrary(&path) {
            return;
        }
        if reads(self.machine, &path).secret {
            self.see(Seen::Secret);
        }
    }

    /// `~` as the home folder: most calls that take it would expand it.
    fn at_home(&self, path: &str) -> String {
        let path = path.strip_prefix("file://").unwrap_or(path);
        let mut names = ["~", "$HOME", "${HOME}"].iter();
        let below = names.find_map(|name| path.strip_prefix(name));
        match below {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", self.scope.value_of("HOME").words.concat())
            }
            _ => path.to_owned(),
        }
    }

    fn see(&mut self, seen: Seen) {
        self.seen.insert(seen);
    }

    fn act(&mut self, act: Act, on_receiver: bool, tokens: &[Token], at: usize) {
        self.calls += 1;
        if self.calls > CALLS_MAX {
            return self.unsure();
        }
        let Some(arguments) = self.scope.arguments(tokens, at) else {
            return self.uncalled(act, tokens, at);
        };
        self.shows(act, &arguments);
        if self.leads_home((act, on_receiver), &arguments, (tokens, at)) {
            effect(self.machine, &policy::WRITE_HOME, "~");
        }
        let receiver = on_receiver.then(|| self.receiver(tokens, at));
        let positional = |argument: &&Argument<'_>| {
            !is_function(argument.tokens) && argument.key.is_none_or(|key| TARGETS.contains(&key))
        };
        let positional = arguments.iter().filter(positional);
        let mut given: Vec<_> = receiver
            .into_iter()
            .chain(positional.map(|argument| self.scope.values(argument.tokens)))
            .collect();
        match act {
            Act::Starts => {
                given.extend(chained(tokens, at).map(|inner| self.scope.values(inner)));
                self.starts(&given, &arguments);
            }
            Act::Does("kill") => self.kills(given),
            Act::Does(command) => self.does(command, given),
            Act::Writes => self.written(given),
            Act::Changes => self.changes(given),
            Act::Opens if opens_to_write(tokens, at) => self.changes(given),
            Act::Opens => {
                let mode = arguments
                    .iter()
                    .find(|argument| argument.key == Some("mode"));
                given.extend(mode.map(|mode| self.scope.values(mode.tokens)));
                let after = tokens[at..]
                    .iter()
                    .skip_while(|token| !token.is(')'))
                    .nth(1);
                self.opens(given, after.and_then(Token::name) == Some(".close"));
            }
            Act::Evaluates => self.evaluates(&arguments, &given),
            Act::Forks => self.see(Seen::Forks),
            Act::Serves => self.seen.extend([Seen::Sends, Seen::Serves]),
            Act::Sends => {
                let name = tokens[at].name().unwrap_or("");
                if !downloads(name, &arguments, &given) && self.reaches(name, tokens, &given) {
                    self.see(Seen::Sends);
                }
            }
            Act::Goes => self.goes(given),
            Act::Connects(client) => self.connects(client, given, &arguments),
            Act::Says => {}
            Act::Hides => self.unsure(),
        }
    }

    /// Does it delete or write what is not known, but for that the way to it begins in the home folder?
    fn leads_home(
        &self,
        (act, on_receiver): (Act, bool),
        arguments: &[Argument<'_>],
        (tokens, at): (&[Token], usize),
    ) -> bool {
        let values = |argument: &Argument<'_>| self.scope.values(argument.tokens);
        let writes = |value: Value| {
            let mode = value.words.concat();
            mode.len() < 5 && mode.contains(['w', 'a', 'x', '+'])
        };
        // What is moved or copied there is named second.
        let skipped = match act {
            Act::Does("cat" | "kill" | "printenv") => return false,
            Act::Does("cp" | "ln" | "ln -s") => 1,
            Act::Does(_) | Act::Writes | Act::Changes => 0,
            Act::Opens
                if opens_to_write(tokens, at) || arguments.iter().flat_map(values).any(writes) =>
            {
                0
            }
            _ => return false,
        };
        let target = if on_receiver {
            slices::receiver(tokens, at)
        } else {
            let target = arguments.get(skipped);
            target.map_or(&[][..], |argument| argument.tokens)
        };
        let unknown = |value: &Value| mark::arbitrary(&value.words.concat());
        !target.is_empty()
            && self.scope.values(target).iter().any(unknown)
            && self.scope.leads_home(target)
    }

    /// A name that is not called here, or with more than is followed: it may be handed on.
    fn uncalled(&mut self, act: Act, tokens: &[Token], at: usize) {
        let grave = matches!(act, Act::Starts | Act::Does(_) | Act::Evaluates);
        let handed_on = at > 0
            && matches!(tokens[at - 1], Token::Sign('(' | ','))
            && matches!(tokens.get(at + 1), Some(Token::Sign(')' | ',')));
        let member = |name: &str| self.scope.resolved(name).contains('.');
        if act == Act::Says && handed_on && self.scope.secret(tokens) {
            effect(self.machine, &policy::ENVIRONMENT, self.program);
        } else if grave
            && (handed_on && (act == Act::Evaluates || tokens[at].name().is_some_and(member))
                || tokens.get(at + 1).is_some_and(|token| token.is('(')))
        {
            self.unsure();
        }
    }

    /// Secrets that are printed or written, or given to a program as its input.
    fn shows(&mut self, act: Act, arguments: &[Argument<'_>]) {
        let shown = |argument: &Argument<'_>| match act {
            Act::Says | Act::Writes => true,
            Act::Starts => argument.key == Some("input"),
            _ => false,
        };
        let secret =
            |argument: &Argument<'_>| shown(argument) && self.scope.secret(argument.tokens);
        if arguments.iter().any(secret) {
            effect(self.machine, &policy::ENVIRONMENT, self.program);
        }
    }

    fn receiver(&self, tokens: &[Token], at: usize) -> Vec<Value> {
        let name = tokens[at].name().unwrap_or("");
        match name.rsplit_once('.') {
            Some((of, _)) if !of.is_empty() => self.scope.values(&[Token::Name(of.to_owned())]),
            _ => self.scope.values(slices::receiver(tokens, at)),
        }
    }

    /// Does it look for processes, and end some?
    fn ends_others(&self, tokens: &[Token]) -> bool {
        let called = tokens.windows(2).filter(|pair| pair[1].is('('));
        let names: Vec<String> = called
            .filter_map(|pair| pair[0].name())
            .map(|name| self.scope.resolved(name))
            .collect();
        let ends = |name: &String| {
            matches!(
                name.rsplit('.').next(),
                Some("kill" | "terminate" | "send_signal" | "killpg")
            )
        };
        let searches =
            |name: &String| matches!(name.as_str(), "psutil.process_iter" | "psutil.pids");
        let program = |text: &String| {
            matches!(
                text.split_whitespace().next(),
                Some("lsof" | "pgrep" | "pidof")
            )
        };
        let looks = self.seen.contains(&Seen::Starts) && self.texts.iter().any(program);
        (looks || names.iter().any(searches)) && names.iter().any(ends)
    }

    /// What the parts come to.
    pub(super) fn sum_up(&mut self, code: &str, tokens: &[Token]) {
        let seen_all = self.seen.clone();
        let seen = |what: Seen| seen_all.contains(&what);
        let loops = |token: &Token| {
            matches!(
                token.name(),
                Some("for" | "while" | "until" | "loop" | "foreach")
            )
        };
        if seen(Seen::Forks) && tokens.iter().any(loops)
            || huge_product(code)
            || endless_loop(code) && (seen(Seen::Forks) || seen(Seen::Starts) || seen(Seen::Writes))
        {
            effect(self.machine, &policy::EXHAUST, self.program);
        }
        if self.ends_others(tokens) {
            effect(self.machine, &policy::PROCESSES, "kill by a search");
        }
        // `node -p` prints what the last statement gives.
        let last = slices::split(tokens, |token| *token == Token::End)
            .pop()
            .unwrap_or_default();
        if self.scope.language.family == "node" && self.scope.secret(last) {
            effect(self.machine, &policy::ENVIRONMENT, self.program);
        }
        if seen(Seen::Starts) && code.contains(mark::OUTPUT) {
            effect(self.machine, &policy::OPAQUE_CODE, self.program);
        }
        let here = ["localhost", "127.0.0.1", "sqlite:"];
        let local = |text: &String| here.iter().any(|here| text.contains(here));
        // In a file, where it sends to is proven by an address, or by what it has a service do.
        let address = || self.texts.iter().any(|text| text.contains("://"));
        let named =
            self.machine.unheard.is_empty() || address() || seen(Seen::Serves) && changes(tokens);
        if !seen(Seen::Sends) || !named || self.texts.iter().any(local) {
            return;
        }
        let secret = seen(Seen::Secret) || self.scope.secret(tokens);
        let shell = seen(Seen::Starts)
            && self.texts.iter().any(|text| {
                text.split('/')
                    .next_back()
                    .is_some_and(|word| word.starts_with("sh") || word.starts_with("bash"))
            });
        let rule = match (secret, shell) {
            (true, _) => &policy::EXFILTRATE,
            (_, true) => &policy::REMOTE_CODE,
            _ => &policy::SEND,
        };
        effect(self.machine, rule, self.program);
    }
}

/// Does it have a service change something, and not one that stands in for tests?
fn changes(tokens: &[Token]) -> bool {
    let is = |words: &[&str], name: &str| words.iter().any(|word| name.contains(word));
    let called = tokens.windows(2).filter(|pair| pair[1].is('('));
    let last = |pair: &[Token]| pair[0].name()?.rsplit('.').next().map(str::to_lowercase);
    let mut verbs = called.filter_map(last);
    let mut names = tokens.iter().filter_map(Token::name);
    let served = |verb: &str| SERVED.iter().any(|word| verb.starts_with(word));
    verbs.any(|verb| served(verb.strip_prefix("ftp_").unwrap_or(&verb)))
        && !names.any(|name| is(STANDS_IN, &name.to_lowercase()))
}

/// Does a name in front of a text call it, as in zx's $`rm x`?
fn is_tag(before: &Token) -> bool {
    let words = [
        "return", "case", "await", "yield", "default", "else", "from", "import", "typeof", "in",
        "of", "as",
    ];
    before.name().is_some_and(|name| !words.contains(&name))
}

/// Is it the value of an expression that is called here, and put together from texts? `("sys"."tem")(…)`.
fn computes(tokens: &[Token], at: usize) -> bool {
    let mut depth = 0_u32;
    let mut texts = false;
    if !at
        .checked_sub(1)
        .is_some_and(|before| matches!(tokens[before], Token::Sign(')' | ']')))
    {
        let reference = at.checked_sub(2).map(|first| &tokens[first..at]);
        return matches!(reference, Some([Token::Sign('&'), Token::Name(name)]) if name.starts_with('$'));
    }
    for back in (at.saturating_sub(64)..at).rev() {
        match &tokens[back] {
            Token::Sign(')' | ']') => depth += 1,
            Token::Sign('(' | '[') => {
                depth -= 1;
                if depth == 0 {
                    let called = back > 0
                        && tokens[back].is('(')
                        && matches!(&tokens[back - 1], Token::Name(name) if !matches!(name.as_str(), "getattr" | "new"));
                    return texts && !called;
                }
            }
            Token::Text(_) => texts = true,
            _ => {}
        }
    }
    false
}

/// What `.arg(…)` and `.args(…)` behind a call are given.
fn chained(tokens: &[Token], at: usize) -> impl Iterator<Item = &[Token]> {
    let mut next = at + 1;
    let open = |next: usize| tokens.get(next).is_some_and(|token| token.is('('));
    let mut first = true;
    std::iter::from_fn(move || {
        if !first && !matches!(tokens.get(next)?.name()?, ".arg" | ".args" | ".current_dir") {
            return None;
        }
        next += usize::from(!first);
        if !open(next) {
            return None;
        }
        let inner = slices::group(tokens, next)?;
        next += inner.len() + 2;
        let own = first;
        first = false;
        Some(if own { &[][..] } else { inner })
    })
    .filter(|inner| !inner.is_empty())
}
