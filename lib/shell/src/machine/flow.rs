//! Compound commands: order, branches, loops, subshells.

use super::{Machine, Value};
use crate::bash::{Command, Join, Redirect, RedirectOp, Word};
use crate::data::Data;
use crate::effects;
use crate::mark;
use std::rc::Rc;

/// Values that a loop is run with one by one; more are joined into one unknown value.
const VALUES_MAX: usize = 8;

/// Processes that a loop may start in the background without waiting.
const PROCESSES_MAX: u64 = 500;

impl Machine<'_> {
    /// Runs any command; gives its output.
    pub(super) fn run(&mut self, command: &Command, stdin: &Data) -> Data {
        if self.settled() {
            return Data::unknown();
        }
        match command {
            Command::Simple(simple) => self.simple(simple, stdin),
            Command::Pipeline(parts) => self.pipeline(parts, stdin),
            Command::List(list) => self.list(list, stdin),
            Command::Subshell(body) => self.isolated(body, stdin),
            Command::Group(body) => self.run(body, stdin),
            Command::If(parts) => self.branches(parts, stdin),
            Command::Loop { condition, body } => self.looped(condition, body, stdin),
            Command::For { name, words, body } => self.counted(name, words.as_deref(), body, stdin),
            Command::Case { word, arms } => self.case(word, arms, stdin),
            Command::Function { name, body } => {
                self.functions.insert(name.clone(), Rc::clone(body));
                self.uncalled.insert(name.clone());
                Data::empty()
            }
            Command::Test(words) => {
                for word in words {
                    let text = self.text(word);
                    self.evaluated(&text);
                }
                Data::empty()
            }
            Command::Arithmetic(inner) => {
                self.arithmetic(inner);
                self.commands_in_parentheses(inner);
                Data::empty()
            }
            Command::Redirected(body, redirects) => {
                let plumbing = self.plumb(redirects, false);
                let stdin = plumbing.stdin.clone().unwrap_or_else(|| stdin.clone());
                let output = self.run(body, &stdin);
                self.deliver(output, plumbing, false)
            }
            Command::Background(body) => {
                self.parallel += 1;
                let output = self.isolated(body, stdin);
                self.parallel -= 1;
                output
            }
        }
    }

    /// `((rm -rf x))` is an arithmetic error for bash, but one blank away from two subshells: such
    /// text is judged as both.
    fn commands_in_parentheses(&mut self, inner: &Word) {
        let text = self.text(inner);
        let text = text.trim_matches(['(', ')', ' ']);
        if !text.contains(' ') || mark::unknown(text) {
            return;
        }
        let verdict = self.probe(|machine| {
            machine.child_script(text, &Data::empty());
        });
        let grave = verdict.decision == crate::Decision::Deny;
        if grave {
            self.note(crate::Verdict::ask(verdict.rule, &verdict.reason));
        }
    }

    fn isolated(&mut self, body: &Command, stdin: &Data) -> Data {
        let state = self.state.clone();
        let output = self.run(body, stdin);
        self.state = state;
        output
    }

    fn pipeline(&mut self, parts: &[Command], stdin: &Data) -> Data {
        self.parallel += 1;
        let mut data = stdin.clone();
        let outer = self.piped;
        for (at, part) in parts.iter().enumerate() {
            self.piped = outer + u32::from(at + 1 < parts.len());
            data = self.isolated(part, &data);
        }
        self.piped = outer;
        self.parallel -= 1;
        effects::environment_ends(self, &data);
        data
    }

    /// In `cd x && rm y` the second runs only in x; after `cd x; rm y` it may run outside as well.
    fn list(&mut self, list: &[(Join, Command)], stdin: &Data) -> Data {
        let before = self.state.clone();
        let chained = list
            .iter()
            .any(|(join, _)| matches!(join, Join::And | Join::Or));
        let mut output = Data::empty();
        let mut leaves = false;
        for (index, (join, command)) in list.iter().enumerate() {
            if *join == Join::Or {
                leaves |= ends_shell(command);
                let ahead = self.state.clone();
                // What follows `||` runs where the part before it failed.
                self.state.cwd = Rc::clone(&before.cwd);
                output = output.then(self.run(command, stdin));
                self.state = ahead;
            } else {
                let certain = chained && index + 1 < list.len();
                output = output.then(self.run(command, stdin));
                if certain && self.state.cwd != before.cwd {
                    self.state.also = Rc::clone(&before.also);
                }
            }
        }
        if chained && !leaves && self.state.cwd != before.cwd {
            self.state.may_be_in(Rc::clone(&before.cwd));
        } else if leaves {
            self.state.also = Rc::clone(&before.also);
        }
        output
    }

    /// Conditions and bodies: any of them may run.
    fn branches(&mut self, parts: &[Command], stdin: &Data) -> Data {
        let before = self.state.clone();
        let mut joined: Option<super::State> = None;
        let mut output = Data::empty();
        for part in parts {
            output = output.then(self.run(part, stdin));
            let after = std::mem::replace(&mut self.state, before.clone());
            match &mut joined {
                None => joined = Some(after),
                Some(state) => state.join(&after),
            }
        }
        if let Some(mut state) = joined {
            state.join(&before);
            self.state = state;
        }
        Data {
            text: None,
            ..output
        }
    }

    fn looped(&mut self, condition: &Command, body: &Command, stdin: &Data) -> Data {
        if endless(condition) && (starts_background(body) || fills(body)) && !pauses(body) {
            effects::exhausts(self, "starts processes or writes without end");
        }
        let before = self.state.clone();
        let output = self.run(condition, stdin).then(self.run(body, stdin));
        if !self.state_settled(&before) {
            // Each round begins with the condition, as `read` that takes the next line.
            self.state.join(&before);
            self.run(condition, stdin);
            self.run(body, stdin);
        }
        Data {
            text: None,
            ..output
        }
    }

    /// Did the body leave all variables as they were?
    fn state_settled(&self, before: &super::State) -> bool {
        Rc::ptr_eq(&self.state.vars, &before.vars) && self.state.cwd == before.cwd
    }

    fn counted(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &Command,
        stdin: &Data,
    ) -> Data {
        let values: Vec<String> = match words {
            None => self.state.arguments.to_vec(),
            Some(words) => words.iter().flat_map(|word| self.expand(word)).collect(),
        };
        let ranges = words.into_iter().flatten().filter_map(range).max();
        let count = ranges.unwrap_or(0).max(values.len() as u64);
        if count > PROCESSES_MAX && starts_background(body) && !pauses(body) {
            effects::exhausts(self, "starts very many processes at once");
        }
        let before = self.state.clone();
        let mut output = Data::empty();
        if values.len() > VALUES_MAX {
            let plain = values.iter().all(|value| {
                !mark::arbitrary(value) && !value.contains('/') && !value.starts_with('-')
            });
            let mark = if plain { mark::SEGMENT } else { mark::ANY };
            self.state.set(name, Value::Text(mark.to_string()));
            output = self.run(body, stdin);
        } else {
            for value in values {
                self.state.set(name, Value::Text(value));
                output = output.then(self.run(body, stdin));
            }
        }
        self.state.join(&before);
        Data {
            path: None,
            ..output
        }
    }

    fn case(&mut self, word: &Word, arms: &[(Vec<Word>, Command)], stdin: &Data) -> Data {
        self.text(word);
        let before = self.state.clone();
        let mut joined = before.clone();
        let mut output = Data::empty();
        for (patterns, body) in arms {
            for pattern in patterns {
                self.text(pattern);
            }
            output = output.then(self.run(body, stdin));
            let after = std::mem::replace(&mut self.state, before.clone());
            joined.join(&after);
        }
        self.state = joined;
        Data {
            text: None,
            ..output
        }
    }
}

/// Does `… || this` keep what follows from running?
fn ends_shell(command: &Command) -> bool {
    match command {
        Command::Simple(simple) => matches!(
            simple.words.first().and_then(Word::bare),
            Some("exit" | "return" | "break" | "continue" | "die" | "exec")
        ),
        Command::Group(body) => ends_shell(body),
        Command::List(list) => list.iter().any(|(_, command)| ends_shell(command)),
        _ => false,
    }
}

fn endless(condition: &Command) -> bool {
    match condition {
        Command::Arithmetic(inner) => match inner.parts.as_slice() {
            [crate::bash::Part::Text { text, .. }] => {
                let text = text.replace(' ', "");
                text == ";;" || text == "1"
            }
            parts => parts.is_empty(),
        },
        Command::Simple(simple) => {
            let words: Vec<_> = simple.words.iter().map(Word::bare).collect();
            matches!(
                words.as_slice(),
                [Some(":" | "true")] | [Some("[" | "test"), ..]
            ) && (words.len() == 1 || words.get(1) == Some(&Some("1")))
        }
        _ => false,
    }
}

fn starts_background(body: &Command) -> bool {
    any(body, true, &|command| {
        matches!(command, Command::Background(_))
    })
}

/// Does it add to a file, or make large ones?
fn fills(body: &Command) -> bool {
    any(body, true, &|command| match command {
        Command::Simple(simple) => {
            simple.redirects.iter().any(appends)
                || matches!(
                    simple.words.first().and_then(Word::bare),
                    Some("dd" | "fallocate" | "mkfile")
                )
        }
        Command::Redirected(_, redirects) => redirects.iter().any(appends),
        _ => false,
    })
}

fn appends(redirect: &Redirect) -> bool {
    redirect.op == RedirectOp::Append && redirect.target.bare() != Some("/dev/null")
}

/// Does it wait or end by itself?
fn pauses(body: &Command) -> bool {
    any(body, false, &|command| match command {
        Command::Simple(simple) => matches!(
            simple.words.first().and_then(Word::bare),
            Some("sleep" | "break" | "exit" | "return" | "wait" | "read" | "inotifywait")
        ),
        _ => false,
    })
}

/// Is this true of the command or of one within it, of those in the background too?
fn any(command: &Command, background: bool, holds: &dyn Fn(&Command) -> bool) -> bool {
    let any_of = |commands: &[Command]| {
        commands
            .iter()
            .any(|command| any(command, background, holds))
    };
    holds(command)
        || match command {
            Command::Background(body) => background && any(body, background, holds),
            Command::Group(body) | Command::Subshell(body) | Command::Redirected(body, _) => {
                any(body, background, holds)
            }
            Command::List(list) => list
                .iter()
                .any(|(_, command)| any(command, background, holds)),
            Command::If(parts) | Command::Pipeline(parts) => any_of(parts),
            Command::Loop { condition, body } => {
                any(condition, background, holds) || any(body, background, holds)
            }
            _ => false,
        }
}

/// The numbers of `{1..1000}`.
fn range(word: &Word) -> Option<u64> {
    let inner = word.bare()?.strip_prefix('{')?.strip_suffix('}')?;
    let (first, last) = inner.split_once("..")?;
    Some(last.parse::<i64>().ok()?.abs_diff(first.parse().ok()?))
}
