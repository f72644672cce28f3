//! Files that run although no argument names them.

use super::super::{interpreters, options, packages, rows, runs_written, written_text};
use super::table::{FINDS, TESTERS, listed};
use super::{OPERANDS_MAX, language};
use crate::machine::{Call, Machine};
use crate::place;

/// Who runs what comments of Go say.
pub(super) const GENERATES: &str = "go generate";

/// Does it start code that it finds by itself: builds, tests, what was built?
pub(super) fn finds_code(name: &str) -> bool {
    rows::stands_in(packages::ROWS, name)
        || rows::stands_in(interpreters::ROWS, name)
        || interpreters::by_form(name).is_some()
}

/// No name says which of the sources and tests that this command wrote are run: all of them are judged. Of what was
/// written since the run began those are that are called as tests are, with what runs tests, and those that are called
/// like an argument: `manage.py NAME`, `cargo run --example NAME`.
pub(super) fn found(machine: &mut Machine<'_>, call: &Call) {
    for path in std::mem::take(&mut machine.unfound) {
        let name = place::last(&path).to_lowercase();
        let source = matches!(language(&name, "", None), Some("compiled" | "rust" | "go"));
        if source || name.contains("test") || name.contains("spec") {
            runs_written(machine, &path, None);
        }
    }
    let sought = Sought::by(call);
    if !sought.is_any() {
        return;
    }
    let facts = machine.context.facts;
    for path in facts.fresh_below(&machine.resolve(".", false), &|path| sought.holds(path)) {
        // What is named is read in any case; of what is found as much as takes a moment.
        let text = written_text(machine, &machine.resolve(&path, false));
        if text.is_some_and(|text| machine.may_read(text.len())) {
            runs_written(machine, &path, sought.generates.then_some(GENERATES));
        }
    }
}

/// What a program finds by itself.
struct Sought<'c> {
    /// How what it finds ends; none: in any way.
    endings: Vec<&'static str>,
    /// Its arguments that a file may be called by.
    called: Vec<&'c str>,
    tests: bool,
    /// Projects in whatever folder.
    projects: bool,
    generates: bool,
}

impl<'c> Sought<'c> {
    fn by(call: &'c Call) -> Self {
        let (name, args) = (call.name.as_str(), call.args());
        let builds = matches!(name, "mvn" | "mvnw" | "gradle" | "gradlew");
        let words = args.iter().take(OPERANDS_MAX);
        let words = words.map(|arg| arg.split(':').next().unwrap_or(arg));
        Self {
            endings: listed(FINDS, name)
                .flat_map(|endings| endings.split(' '))
                .collect(),
            called: words.filter(|word| is_name(word)).collect(),
            tests: builds
                || TESTERS.contains(&name)
                || options::any(args, "test nextest unittest --test"),
            projects: name == "dotnet",
            generates: name == "go" && options::any(args, "generate"),
        }
    }

    fn is_any(&self) -> bool {
        let by_name = !self.endings.is_empty() && !self.called.is_empty();
        self.tests || self.generates || self.projects || by_name
    }

    fn holds(&self, path: &str) -> bool {
        let lower = path.to_lowercase();
        let stem = place::last(path).split('.').next().unwrap_or("");
        // Django's and Laravel's.
        let moves = lower.contains("migrations/") && self.called.contains(&"migrate");
        let commands = lower.contains("commands/") && self.called.contains(&"artisan");
        let is_test = lower.contains("test") || lower.contains("spec");
        let ends = |ending: &&str| path.ends_with(*ending);
        let by_name = !self.endings.is_empty() && self.called.contains(&stem);
        let project = self.projects && !ends(&".cs");
        (self.endings.is_empty() || self.endings.iter().any(ends))
            && (self.tests && is_test || self.generates || moves || commands || by_name || project)
    }
}

/// Is it a word that may be what a file is called?
fn is_name(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    word.len() > 2 && word.bytes().all(plain) && !word.starts_with('-')
}
