//! Runs a command in thought: follows values, folders, files and streams as far as they are known,
//! and collects the worst effect.

mod assign;
mod braces;
mod expand;
mod fields;
mod flow;
pub(super) mod glob;
mod links;
mod parameter;
mod redirect;
mod simple;
mod state;

pub(crate) use state::{State, Value, secret_name};

use super::bash::{Command, Parser, Problem};
use super::context::Context;
use super::data::Data;
use super::effects;
use super::verdict::{Decision, Verdict};
use crate::names::one_of;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Simple commands judged for one tool call at most. Generated code could make more by nested
/// loops and functions; people and models do not.
const COMMANDS_MAX: u32 = 60_000;
/// Bytes of nested texts (`bash -c`, `eval`, here-documents to shells) read in all, as a multiple
/// of the command's own size, plus a constant: keeps the whole linear.
const TEXT_FACTOR: usize = 8;
/// Bytes of all files that are read as code though no argument names them: keeps a hook far below its deadline.
const CODE_BYTES_MAX: usize = 256 << 10;
/// Wrappers, functions and texts within each other at most.
const NESTING_MAX: u32 = 40;

/// A program with its arguments, about to be run.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The last component of the program's path.
    pub(crate) name: String,
    /// The program as written, then its arguments.
    pub(crate) argv: Vec<String>,
    /// What it reads.
    pub(crate) stdin: Data,
}

impl Call {
    /// The arguments behind the program.
    pub(crate) fn args(&self) -> &[String] {
        self.argv.get(1..).unwrap_or(&[])
    }

    /// Is the program one of these?
    pub(crate) fn is(&self, names: &str) -> bool {
        one_of(&self.name, names)
    }
}

/// The machine that runs a command in thought.
pub(crate) struct Machine<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) state: State,
    pub(crate) aliases: BTreeMap<String, String>,
    /// Files written by this command, and process substitutions under made-up names.
    pub(crate) files: BTreeMap<String, Data>,
    /// What this command added to files that it did not write.
    pub(crate) added: BTreeMap<String, Rc<str>>,
    /// Of these, what no program was judged by yet that finds its code by itself.
    pub(crate) unfound: BTreeSet<String>,
    /// Links that this command makes: their targets by their own path.
    links: BTreeMap<String, String>,
    /// Names of containers that this command made.
    pub(crate) made: BTreeSet<String>,
    /// Folders that archives from the network were unpacked into by this command.
    pub(crate) fetched: Vec<String>,
    /// The arguments of each command as it is run.
    run: Vec<Vec<String>>,
    /// Texts that run when the shell ends.
    pub(crate) traps: Vec<String>,
    functions: BTreeMap<String, Rc<Command>>,
    uncalled: BTreeSet<String>,
    running: Vec<String>,
    /// Files whose text is being judged.
    pub(crate) reading: Vec<String>,
    /// The arguments of the program whose files are read.
    pub(crate) asked: Vec<String>,
    /// What is not noted now, because the text that the run began with says it too; while that is read, what it says.
    pub(crate) said: Vec<(&'static str, String)>,
    pub(crate) collecting: bool,
    /// Rules that are not noted now: what cannot be followed in a file that is read is no question.
    pub(crate) unheard: &'static [&'static str],
    verdict: Verdict,
    commands: u32,
    text_left: usize,
    /// Bytes of such files that may still be read.
    code_left: usize,
    nesting: u32,
    parallel: u32,
    /// Pipelines in which the output goes to a next command.
    pub(crate) piped: u32,
    substitutions: u32,
    /// Runs with the rights of another user.
    pub(crate) privileged: bool,
    /// The arguments of the call that is judged, if one of them is unknown.
    pub(crate) unsure: Option<Vec<String>>,
    /// Assignments in front of the command that is judged.
    pub(crate) prefix: Vec<(String, String)>,
    /// The arguments of all commands are wanted, not the answer.
    predicting: bool,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(context: &'a Context<'a>, size: usize) -> Self {
        Self {
            context,
            state: State::new(context),
            aliases: BTreeMap::new(),
            files: BTreeMap::new(),
            added: BTreeMap::new(),
            unfound: BTreeSet::new(),
            links: BTreeMap::new(),
            made: BTreeSet::new(),
            fetched: Vec::new(),
            run: Vec::new(),
            traps: Vec::new(),
            functions: BTreeMap::new(),
            uncalled: BTreeSet::new(),
            running: Vec::new(),
            reading: Vec::new(),
            asked: Vec::new(),
            said: Vec::new(),
            collecting: false,
            unheard: &[],
            verdict: Verdict::allow(),
            commands: 0,
            text_left: size.saturating_mul(TEXT_FACTOR).saturating_add(1 << 16),
            code_left: CODE_BYTES_MAX,
            nesting: 0,
            parallel: 0,
            piped: 0,
            substitutions: 0,
            privileged: false,
            unsure: None,
            prefix: Vec::new(),
            predicting: false,
        }
    }

    /// Judges the whole command line.
    pub(crate) fn judge(mut self, text: &str) -> Verdict {
        self.script(text, &Data::empty());
        for text in std::mem::take(&mut self.traps) {
            self.child_script(&text, &Data::empty());
        }
        self.judge_uncalled();
        self.verdict
    }

    /// The arguments of each command that the text would run, in order.
    pub(crate) fn predict(mut self, text: &str) -> Vec<Vec<String>> {
        self.predicting = true;
        self.script(text, &Data::empty());
        for text in std::mem::take(&mut self.traps) {
            self.child_script(&text, &Data::empty());
        }
        self.run
    }

    /// The paths that the text brings over the network.
    pub(crate) fn fetches(mut self, text: &str) -> Vec<String> {
        self.predicting = true;
        self.script(text, &Data::empty());
        let files = self.files.iter().filter(|(_, data)| data.network);
        let mut paths: Vec<String> = files.map(|(path, _)| path.clone()).collect();
        paths.append(&mut self.fetched);
        paths.retain(|path| path.starts_with('/') && !super::mark::unknown(path));
        paths
    }

    /// Notes a verdict; the worst stays.
    pub(crate) fn note(&mut self, verdict: Verdict) {
        let told =
            |(rule, reason): &(&str, String)| (*rule, reason) == (verdict.rule, &verdict.reason);
        if self.collecting {
            self.said.push((verdict.rule, verdict.reason));
            return;
        } else if self.said.iter().any(told) {
            return;
        }
        let counts =
            (verdict.grave || !self.context.attended) && !self.unheard.contains(&verdict.rule);
        if counts && verdict.decision > self.verdict.decision {
            self.verdict = verdict;
        }
    }

    /// Has anything spoken against the command so far?
    pub(crate) fn denied(&self) -> bool {
        self.verdict.decision == Decision::Deny
    }

    /// Is the answer known, or too much was run to know it? What is left changes nothing: loops
    /// within loops would only take time.
    fn settled(&self) -> bool {
        self.commands > COMMANDS_MAX || (self.denied() && !self.predicting)
    }

    /// What this part alone would be judged, without noting it.
    pub(crate) fn probe(&mut self, part: impl FnOnce(&mut Self)) -> Verdict {
        let before = std::mem::replace(&mut self.verdict, Verdict::allow());
        let state = self.state.clone();
        part(self);
        self.state = state;
        std::mem::replace(&mut self.verdict, before)
    }

    /// What a program would see in this variable, as far as this command sets it.
    pub(crate) fn given(&self, name: &str) -> Option<&str> {
        let prefix = self.prefix.iter().rev().find(|(given, _)| given == name);
        match (prefix, self.state.vars.get(name)) {
            (Some((_, value)), _) | (None, Some(Value::Text(value))) => Some(value),
            _ => None,
        }
    }

    /// Did this command start something whose command line holds this text?
    pub(crate) fn started(&self, text: &str) -> bool {
        self.run
            .iter()
            .any(|words| effects::starts(&words[0]) && words.join(" ").contains(text))
    }

    /// Runs text as a script in the current shell.
    pub(crate) fn script(&mut self, text: &str, stdin: &Data) -> Data {
        let Some(left) = self.text_left.checked_sub(text.len()) else {
            self.too_complex();
            return Data::unknown();
        };
        self.text_left = left;
        if !self.nest() {
            return Data::unknown();
        }
        let mut parser = Parser::nested(text, self.nesting);
        let mut output = Data::empty();
        loop {
            match parser.next_command() {
                Ok(Some(command)) => {
                    output = output.then(self.run(&command, stdin));
                    if self.settled() {
                        break;
                    }
                }
                Ok(None) => break,
                Err(Problem::Syntax(what)) => {
                    self.note(
                        Verdict::ask(
                            "unparsable",
                            &format!("this is no bash that the guard can read: {what}"),
                        )
                        .instead("write the command in simpler words, one step at a time"),
                    );
                    break;
                }
                Err(Problem::TooComplex) => {
                    self.too_complex();
                    break;
                }
            }
        }
        self.nesting -= 1;
        output
    }

    /// Runs text in a shell of its own: its variables and folder end with it.
    pub(crate) fn child_script(&mut self, text: &str, stdin: &Data) -> Data {
        let state = self.state.clone();
        for (name, value) in self.prefix.clone() {
            self.state.set(&name, Value::Text(value));
        }
        let traps = std::mem::take(&mut self.traps);
        let output = self.script(text, stdin);
        for text in std::mem::replace(&mut self.traps, traps) {
            self.script(&text, &Data::empty());
        }
        self.state = state;
        output
    }

    /// May so many bytes more be read as code? Then they count.
    pub(crate) fn may_read(&mut self, bytes: usize) -> bool {
        let left = self.code_left.checked_sub(bytes);
        self.code_left = left.unwrap_or(self.code_left);
        left.is_some()
    }

    /// Goes one level deeper, unless that is too deep.
    pub(crate) fn nest(&mut self) -> bool {
        if self.nesting >= NESTING_MAX {
            self.too_complex();
            return false;
        }
        self.nesting += 1;
        true
    }

    /// Comes back from one level.
    pub(crate) fn unnest(&mut self) {
        self.nesting -= 1;
    }

    fn too_complex(&mut self) {
        self.note(
            Verdict::ask(
                "too-complex",
                "the command is too deep or too long to be judged",
            )
            .instead("run its steps one by one, or put them into a script file in the repository"),
        );
    }

    /// Counts a command; false when there were too many.
    fn count(&mut self) -> bool {
        self.commands += 1;
        if self.commands > COMMANDS_MAX {
            self.too_complex();
        }
        self.commands <= COMMANDS_MAX
    }

    /// Functions that were defined and never called: one setting away from running.
    fn judge_uncalled(&mut self) {
        for name in std::mem::take(&mut self.uncalled) {
            let Some(body) = self.functions.get(&name).cloned() else {
                continue;
            };
            let verdict = self.probe(|machine| {
                machine.run(&body, &Data::empty());
            });
            if verdict.decision > Decision::Allow {
                let reason = format!(
                    "the function {name} is not called here, but: {}",
                    verdict.reason
                );
                self.note(Verdict::ask(verdict.rule, &reason));
            }
        }
    }
}
