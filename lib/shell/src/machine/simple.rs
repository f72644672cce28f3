//! Simple commands: expand, redirect, find out what the name means.

use super::redirect::Plumbing;
use super::{Call, Machine, Value};
use crate::bash::{Part, Simple, Word};
use crate::data::Data;
use crate::effects::{self, How};
use crate::mark;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Commands of which the arguments are kept, for tests and explanations.
const PREDICTED_MAX: usize = 64;

/// Assignments in front of a command, and the variables as they were if they had to be changed.
type Prefixes = (Vec<(String, String)>, Option<Rc<BTreeMap<String, Value>>>);

impl Machine<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, stdin: &Data) -> Data {
        if !self.count() {
            return Data::unknown();
        }
        if simple.words.is_empty() {
            for assign in &simple.assigns {
                self.assign(assign);
            }
            let plumbing = self.plumb(&simple.redirects, false);
            return self.deliver(Data::empty(), plumbing, false);
        }
        let (env, shadowed) = self.prefixes(simple);
        let mut argv: Vec<String> = Vec::new();
        for (index, word) in simple.words.iter().enumerate() {
            let fields = if index > 0 && declares(simple) && assigns(word) {
                // Not split: `local x=$1`.
                vec![self.text(word)]
            } else {
                self.expand(word)
            };
            if index == 0
                && let Some(expanded) = self.alias(word, &fields)
            {
                argv.extend(expanded);
                continue;
            }
            for field in fields {
                argv.extend(self.ways(field));
            }
        }
        if let Some(value) = shadowed {
            self.state.vars = value;
        }
        let permanent = argv.first().is_some_and(|name| name == "exec") && argv.len() == 1;
        let plumbing = self.plumb(&simple.redirects, permanent);
        if argv.is_empty() {
            return self.deliver(Data::empty(), plumbing, false);
        }
        let stdin = plumbing.stdin.clone().unwrap_or_else(|| stdin.clone());
        let name = name_of(&argv[0]).to_owned();
        if self.run.len() < PREDICTED_MAX {
            self.run.push(argv.clone());
        }
        let separator = env
            .iter()
            .find(|(name, _)| name == "IFS" && name_of(&argv[0]) == "read");
        let before = separator.map(|(_, value)| {
            let before = self.state.get(self.context, "IFS");
            self.state.set("IFS", Value::Text(value.clone()));
            before
        });
        effects::environment_prefix(self, &env);
        let call = Call { name, argv, stdin };
        let outer = std::mem::replace(&mut self.prefix, env);
        let output = self.dispatch(&call);
        self.prefix = outer;
        if let Some(before) = before {
            self.state.set("IFS", before);
        }
        let emptying = call.is(": true echo printf cat");
        self.deliver(output, plumbing, emptying)
    }

    /// Assignments in front of a command. They do not change the command's own words, except that
    /// a `TMPDIR` set here is a hint that the outer one must not be trusted.
    fn prefixes(&mut self, simple: &Simple) -> Prefixes {
        let mut env = Vec::new();
        let mut shadowed = None;
        for assign in &simple.assigns {
            let value = self.text(&assign.value);
            if assign.name == "TMPDIR" || assign.name == "HOME" {
                shadowed = Some(Rc::clone(&self.state.vars));
                self.state.set(&assign.name, Value::Text(value.clone()));
            }
            env.push((assign.name.clone(), value));
        }
        (env, shadowed)
    }

    fn alias(&self, word: &Word, fields: &[String]) -> Option<Vec<String>> {
        let [Part::Text { quoted: false, .. }] = word.parts.as_slice() else {
            return None;
        };
        let text = self.aliases.get(fields.first()?)?;
        Some(text.split_whitespace().map(str::to_owned).collect())
    }

    /// Leads a command's output to where it goes.
    pub(super) fn deliver(&mut self, output: Data, plumbing: Plumbing, emptying: bool) -> Data {
        if plumbing.network {
            effects::sends(self, &output, "a raw network connection");
        }
        let Some((target, append)) = plumbing.stdout else {
            return output;
        };
        if output.endless {
            effects::exhausts(self, "writes without end");
        }
        effects::environment_ends(self, &output);
        let nothing = output.blank() && (emptying || output.text.as_deref() == Some(""));
        if nothing && !append {
            effects::writes(self, &target, How::Empty);
        }
        self.store(&target, append, output);
        Data::empty()
    }

    /// Finds out what a command's name means and runs that.
    pub(crate) fn dispatch(&mut self, call: &Call) -> Data {
        if !self.nest() {
            return Data::unknown();
        }
        let output = match self.functions.get(&call.name).cloned() {
            Some(body) if call.argv[0] == call.name => self.call_function(call, &body),
            _ => effects::run(self, call),
        };
        self.unnest();
        output
    }

    fn call_function(&mut self, call: &Call, body: &crate::bash::Command) -> Data {
        self.uncalled.remove(&call.name);
        if self.running.contains(&call.name) {
            // A function within itself: `rm() { command rm …; }` is none of these.
            effects::recursion(self, &call.name, self.parallel > 0);
            return Data::unknown();
        }
        self.running.push(call.name.clone());
        let arguments = std::mem::replace(&mut self.state.arguments, Rc::new(call.args().to_vec()));
        let output = self.run(body, &call.stdin);
        self.state.arguments = arguments;
        self.running.pop();
        output
    }

    /// Judges these words as a command with this input: what wrappers do.
    pub(crate) fn run_words<S: AsRef<str>>(&mut self, words: &[S], stdin: &Data) -> Data {
        let Some(first) = words.first() else {
            return Data::empty();
        };
        let call = Call {
            name: name_of(first.as_ref()).to_owned(),
            argv: words.iter().map(|word| word.as_ref().to_owned()).collect(),
            stdin: stdin.clone(),
        };
        if !self.count() || !self.nest() {
            return Data::unknown();
        }
        let output = effects::run(self, &call);
        self.unnest();
        output
    }
}

/// Is it a builtin whose arguments are assignments?
fn declares(simple: &Simple) -> bool {
    matches!(
        simple.words.first().and_then(Word::bare),
        Some("declare" | "typeset" | "local" | "export" | "readonly")
    )
}

/// Does the word start with `name=`?
fn assigns(word: &Word) -> bool {
    let Some(Part::Text {
        text,
        quoted: false,
    }) = word.parts.first()
    else {
        return false;
    };
    // bash expands braces there, to several assignments.
    let braces = word
        .parts
        .iter()
        .any(|part| matches!(part, Part::Text { text, quoted: false } if text.contains('{')));
    text.split_once('=').is_some_and(|(name, _)| {
        !braces
            && !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+'))
    })
}

/// The last component of a program's path. A value that may be anything has no name.
fn name_of(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if program.starts_with([mark::ANY, mark::OUTPUT, mark::SECRET, mark::NETWORK])
        && !program.contains('/')
    {
        return program;
    }
    name
}
