//! Grammars: how the tools print what happened.
//!
//! A grammar reads the lines of one lane and puts what it recognises into [`Facts`]. Most are
//! tables ([`table`]); the rest keep a state of their own. Each has its samples in its module.

mod catch;
mod ctest;
mod cues;
mod document;
mod gojson;
mod gotest;
mod gtest;
mod java;
mod jest;
mod libtest;
mod lines;
mod nextest;
mod numbered;
mod pytest;
mod robot;
mod rustc;
mod sqlfluff;
mod stylish;
mod summary;
mod table;
mod tables;
mod tap;
mod trailing;
mod unittest;
mod vitest;
mod words;
mod xml;

use super::custom::Custom;
use super::facts::Facts;
use super::index::Index;
use super::line::Line;
use super::set::Set;
use super::table::Table;
use super::{lane, outline};
use std::sync::LazyLock;

/// Whether the line before this one shows nothing, or is not known, as in a lane.
fn is_after_blank(line: &Line<'_>, facts: &Facts) -> bool {
    facts.lane_id > 0 || lane::is_blank(line.previous())
}

/// What recognises the output of a tool.
pub(super) trait Grammar: std::fmt::Debug + Send {
    /// Reads a line; true when it belongs to this tool's output.
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool;

    /// Whether the next line must come here first, whatever it holds.
    fn is_open(&self) -> bool {
        false
    }

    /// Whether it is open, but comes only behind those that know the next line for certain ([`LOOSE`]).
    fn yields(&self) -> bool {
        false
    }

    /// It yielded, and the line went to another: what it had open is over.
    fn leave(&mut self) {}

    /// Whether more lines mean something to it than at first ([`Wakes`]).
    fn is_awake(&self) -> bool {
        false
    }

    /// The output ends.
    fn end(&mut self, _facts: &mut Facts) {}
}

/// A grammar in its initial state.
type Make = fn(&Index) -> Box<dyn Grammar>;

/// One that needs nothing for it.
fn plain<G: Grammar + Default + 'static>(_: &Index) -> Box<dyn Grammar> {
    Box::<G>::default()
}

/// The grammars before the tables, in the order in which they are asked, each with what it looks for.
const BEFORE: &[(Make, Cues)] = &[
    (plain::<nextest::Nextest>, nextest::CUES),
    (plain::<libtest::Libtest>, libtest::CUES),
    (plain::<pytest::Pytest>, pytest::CUES),
    (plain::<unittest::Unittest>, unittest::CUES),
    (plain::<rustc::Rustc>, rustc::CUES),
    (plain::<gojson::Gojson>, gojson::CUES),
    (
        |index| Box::new(document::Documents::new(index)),
        document::CUES,
    ),
    (plain::<gotest::Gotest>, gotest::CUES),
    (plain::<ctest::Ctest>, ctest::CUES),
    (plain::<gtest::Gtest>, gtest::CUES),
    (plain::<catch::Catch>, catch::CUES),
    (plain::<jest::Jest>, jest::CUES),
    (plain::<vitest::Vitest>, vitest::CUES),
    (plain::<numbered::Numbered>, numbered::CUES),
    (plain::<java::Java>, java::CUES),
    (plain::<xml::Xml>, xml::CUES),
    (plain::<tap::Tap>, tap::CUES),
    (plain::<robot::Robot>, robot::CUES),
    (plain::<sqlfluff::Sqlfluff>, sqlfluff::CUES),
];
/// And those behind the tables. Places, and sentences of numbers, have no word in common.
const AFTER: &[(Make, Cues)] = &[
    (plain::<trailing::Trailing>, trailing::CUES),
    (plain::<stylish::Stylish>, stylish::CUES),
    (|index| Box::new(lines::Lines::new(index)), Cues::None),
    (plain::<summary::Summary>, Cues::None),
];
/// So many, the last ones, read what any tool might have printed.
pub(super) const LOOSE: usize = AFTER.len();
/// The most grammars of a person's own.
const OWN_MAX: usize = 64;

/// The words that grammars and outline look for: the same in every machine, and dear to set up.
pub(super) static INDEX: LazyLock<Index> =
    LazyLock::new(|| Index::new(words().chain(outline::Weights::words())));
/// Each table with what it looks for.
static LOOKS: LazyLock<Vec<Looks>> = LazyLock::new(|| {
    let tables = tables::TABLES.iter();
    tables.map(|table| Looks::new(table, &INDEX)).collect()
});

/// All grammars, each in its initial state, in the order in which they are asked.
pub(super) fn all(own: &[Custom], index: &Index) -> Vec<Box<dyn Grammar>> {
    let mut all: Vec<Box<dyn Grammar>> = Vec::new();
    for custom in own.iter().take(OWN_MAX) {
        all.push(Box::new(Tabled::own(custom.0)));
    }
    all.extend(BEFORE.iter().map(|(make, _)| make(index)));
    for looks in LOOKS.iter() {
        all.push(Box::new(Tabled::new(looks)));
    }
    all.extend(AFTER.iter().map(|(make, _)| make(index)));
    debug_assert!(all.len() <= Set::MAX);
    all
}

/// The words that the grammars look for.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    let documents = super::json::words();
    let tables = tables::TABLES.iter().flat_map(Table::words);
    let lines = lines::WORDS.iter().copied();
    tables.chain(documents).chain(lines).chain(cues::words())
}

/// The least length of a ruler with a long title; wide characters in it may make it a little shorter.
const RULER_LONG: usize = 76;

/// The title in a line of one repeated character: `==== FAILURES ====`. Beside a long title it
/// stands once: rulers are as wide as the terminal, 80 columns without one.
fn ruler(text: &str, with: char) -> Option<&str> {
    let inner = text.trim_start_matches(with);
    let title = inner.trim_end_matches(with);
    let (before, after) = (text.len() - inner.len(), inner.len() - title.len());
    let parted = title.starts_with(' ') && title.ends_with(' ') && title.len() > 2;
    // `_ _ _ _` is no title.
    let long = || text.len() >= RULER_LONG && !title.contains(&format!(" {with} "));
    (parted && after >= 1 && (before >= 2 || before == 1 && long())).then(|| title.trim())
}

/// How the output of the next program starts: it ends what is said of a failing test.
fn is_other(text: &str) -> bool {
    const STARTS: &[&str] = overnight_base::texts!(
        "running |=== |=====| RUN |---- |$ |+ |> |make[|make: |== Compilation error in file \
         |Traceback (most recent call last):"
    );
    (begins_run(text) || STARTS.iter().any(|start| text.starts_with(start)))
        && !text.starts_with("+ actual")
        && !text.starts_with("+  ")
}

/// How a runner begins, or what it says of a first test; a test itself hardly ever prints it.
fn begins_run(text: &str) -> bool {
    const STARTS: &[&str] = overnight_base::texts!(
        "=== RUN |--- FAIL: |--- PASS: |TAP version| RUN  v|test result:|   Compiling \
         |    Checking |    Finished `| Nextest run ID |Test project |[==========] |bun test v\
         |PHPUnit |Running ExUnit |Run options: --seed |[INFO] Scanning for projects"
    );
    // jest's line of a file.
    let script = |text: &str| {
        let file = text.strip_prefix("PASS ").or(text.strip_prefix("FAIL "));
        file.is_some_and(|file| {
            [".js", ".ts", ".jsx", ".tsx"]
                .iter()
                .any(|end| file.ends_with(end))
        })
    };
    STARTS.iter().any(|start| text.starts_with(start))
        || text.starts_with("=====") && text.contains("= test session starts =")
        || script(text)
}

/// What the grammars find in a text.
#[cfg(test)]
fn sample(text: &str) -> Facts {
    let mut machine = super::machine::Machine::new(Vec::new());
    let scanner = machine.scanner();
    let mut cutter = super::cut::Cutter::new(scanner);
    cutter.push(text.as_bytes(), None, &mut machine);
    cutter.finish(&mut machine);
    machine.into_facts()
}

/// What the first run states.
#[cfg(test)]
fn stated(facts: &Facts) -> String {
    facts.sessions[0].stated.as_ref().unwrap().words()
}

/// The names of the failing tests.
#[cfg(test)]
fn names(facts: &Facts) -> Vec<&str> {
    let each = facts.failures.iter();
    each.map(|failure| failure.name.as_str()).collect()
}

/// Each failing test and what it says first.
#[cfg(test)]
fn messages(facts: &Facts) -> Vec<(&str, &str)> {
    let first = facts.failures.iter().map(|test| test.block.first());
    let first = first.map(Option::unwrap_or_default);
    names(facts).into_iter().zip(first).collect()
}

use cues::Cues;
pub(super) use cues::Wakes;
use table::{Looks, Tabled};
pub(super) use words::anchors;
