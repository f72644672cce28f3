//! From words to fields.

use super::braces::{self, Made};
use super::fields::Fields;
use super::{Machine, Value};
use crate::bash::{Command, Part, Word};
use crate::data::Data;
use crate::mark;

impl Machine<'_> {
    /// The arguments that a word becomes.
    pub(crate) fn expand(&mut self, word: &Word) -> Vec<String> {
        let separators = self.separators();
        match braces::expand(word) {
            Made::Words(words) => words
                .iter()
                .flat_map(|word| self.fields(word, &separators))
                .collect(),
            Made::Nothing => self.fields(word, &separators),
            Made::TooMany => {
                self.too_complex();
                self.fields(word, &separators)
            }
        }
    }

    /// The text that a word becomes where nothing is split: values, targets, here-strings.
    pub(crate) fn text(&mut self, word: &Word) -> String {
        let mut fields = Fields::new("", false);
        self.parts(word, &mut fields, true);
        // `y="${a[@]}"` is one value.
        fields.end().join(" ")
    }

    fn separators(&self) -> String {
        match self.state.vars.get("IFS") {
            Some(Value::Text(text)) => text.clone(),
            _ => " \t\n".to_owned(),
        }
    }

    fn fields(&mut self, word: &Word, separators: &str) -> Vec<String> {
        let mut fields = Fields::new(separators, true);
        self.parts(word, &mut fields, false);
        fields.end()
    }

    fn parts(&mut self, word: &Word, fields: &mut Fields<'_>, value: bool) {
        for (index, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { text, quoted: true } => fields.literal(text),
                Part::Text {
                    text,
                    quoted: false,
                } => {
                    let last = index + 1 == word.parts.len();
                    let text = self.tilde(text, fields.current(), last, value);
                    fields.pattern(&text);
                }
                Part::Param { param, quoted } => self.param_part(param, *quoted, fields),
                Part::Command { body, quoted } => {
                    let value = self.substitution(body);
                    if *quoted {
                        fields.literal(&value);
                    } else {
                        fields.expanded(&value);
                    }
                }
                Part::Process { body, write } => {
                    let name = self.process(body, *write);
                    fields.literal(&name);
                }
                Part::Arithmetic { inner } => {
                    self.arithmetic(inner);
                    fields.literal(&mark::SEGMENT.to_string());
                }
                Part::Array(words) => {
                    let name = fields.current().trim_end_matches('=').to_owned();
                    self.assign_list(&name, words, false);
                    fields.literal("()");
                }
            }
        }
    }

    /// `~` and `~name` at the start of a word, and behind `=` or `:` of what looks like an
    /// assignment.
    fn tilde(&self, text: &str, before: &str, last: bool, value: bool) -> String {
        if !text.contains('~') {
            return text.to_owned();
        }
        let mut result = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('~') {
            result.push_str(&rest[..at]);
            let so_far = format!("{before}{result}");
            let starts = so_far.is_empty()
                || (value && so_far.ends_with(':'))
                || so_far.ends_with('=')
                    && so_far[..so_far.len() - 1]
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let after = &rest[at + 1..];
            let name = after.find(['/', ':']).map_or(after, |end| &after[..end]);
            let whole = last || name.len() < after.len();
            if starts
                && whole
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-+.".contains(&byte))
            {
                result.push_str(&self.home_of(name));
                rest = &after[name.len()..];
            } else {
                result.push('~');
                rest = after;
            }
        }
        result.push_str(rest);
        result
    }

    pub(crate) fn home_of(&self, name: &str) -> String {
        match name {
            "" => match self.state.get(self.context, "HOME") {
                Value::Text(home) => home,
                _ => self.context.home.to_owned(),
            },
            "+" => self.state.cwd.to_string(),
            "-" => mark::ANY.to_string(),
            "root" => "/root".to_owned(),
            name => format!("/home/{name}"),
        }
    }

    /// The value of `$(…)`: its commands are run in a shell of their own.
    pub(super) fn substitution(&mut self, body: &Command) -> String {
        if !self.nest() {
            return mark::OUTPUT.to_string();
        }
        let state = self.state.clone();
        let output = match body {
            // `$(< file)`
            Command::Simple(simple) if simple.words.is_empty() && simple.assigns.is_empty() => {
                self.redirected_input(&simple.redirects)
            }
            _ => self.run(body, &Data::empty()),
        };
        self.state = state;
        self.unnest();
        output.value()
    }

    /// A process substitution: a made-up file that holds, or feeds, the commands.
    fn process(&mut self, body: &Command, write: bool) -> String {
        self.substitutions += 1;
        let name = format!("/dev/fd/substitution-{}", self.substitutions);
        if !self.nest() {
            return name;
        }
        let state = self.state.clone();
        // What is written into `>(…)` is not followed: its commands read unknown text.
        let stdin = if write {
            Data::unknown()
        } else {
            Data::empty()
        };
        let output = self.run(body, &stdin);
        self.state = state;
        self.unnest();
        self.files.insert(name.clone(), output);
        name
    }

    /// Runs the substitutions inside an arithmetic expression, also those that its variables hold:
    /// bash evaluates `a[$(…)]` found in a value.
    pub(super) fn arithmetic(&mut self, inner: &Word) {
        let text = self.text(inner);
        self.evaluated(&text);
    }

    /// Text that bash evaluates as an arithmetic expression or an array index.
    pub(crate) fn evaluated(&mut self, text: &str) {
        if !text.contains("$(") && !text.contains('`') {
            return;
        }
        match crate::bash::expansions(text, 0) {
            Ok(word) => {
                self.text(&word);
            }
            Err(_) => self
                .script(text, &Data::empty())
                .text
                .as_deref()
                .map_or((), |_| ()),
        }
    }
}
