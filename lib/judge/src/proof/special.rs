//! What looks special-cased: sources that answer the tests' inputs one by one with what the tests
//! expect, functions that give an expected value whatever they are given, sources that ask whether
//! they run under test. No verdict: a person reads it, and the claim goes back once.

mod alters;
mod asks;
mod literal;
mod weight;

use super::protect::ending;
use super::{answers, inline};
use literal::{Token, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use weight::{is_distinctive, weight};

/// Stands before a gate's command in the place of a test's path.
pub const GATE: &str = "gate ";
/// Places that are told of one claim.
const TOLD_MAX: usize = 6;
/// A line of fewer letters is there by chance.
const LINE_LEAST: usize = 6;
/// Pairs that weigh less than this together are chance.
const WEIGHT_LEAST: u32 = 3;
/// How far behind an input its output stands, in a source and in a test.
const NEAR_SOURCE: (usize, usize) = (120, 2);
const NEAR_TEST: (usize, usize) = (200, 3);
/// Texts for people and data of tools answer nothing.
const NO_SOURCE: [&str; 10] = [
    "md", "rst", "txt", "adoc", "lock", "svg", "css", "html", "sum", "snap",
];

/// A file that the claim changed and that decides nothing.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its path.
    pub path: String,
    /// As it was at dusk; empty where it was not there.
    pub before: String,
    /// As it is claimed.
    pub after: String,
}

/// Places that look special-cased, as sentences. `tests` are dusk's by path, the gates' commands among
/// them; what stands in the goal's `words` is asked for, not copied. `own`: the names of the project's files and
/// folders, without their endings.
pub fn look(
    sources: &[Source],
    tests: &BTreeMap<String, String>,
    (words, own): (&str, &BTreeSet<String>),
) -> Vec<String> {
    let code = |source: &&Source| !NO_SOURCE.contains(&ending(&source.path));
    let sources: Vec<&Source> = sources.iter().filter(code).collect();
    let mut found: Vec<String> = sources
        .iter()
        .flat_map(|source| [asks::look(source, tests), alters::look(source, own)].concat())
        .collect();
    let all = tests;
    let tests = Tests::read(all, &sources);
    for source in sources {
        found.extend(tests.pairs(source, words));
        found.extend(tests.constants(source));
        found.extend(tests.copied(source));
        found.extend(copied_lines(source, all));
    }
    found.truncate(TOLD_MAX);
    found
}

/// A source's text without tests of its own, line by line as it stands.
fn work(path: &str, text: &str) -> String {
    inline::part(path, text, false)
}

/// An input that a source names, and an output behind it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    input: String,
    output: String,
}

/// What dusk's tests hold of the literals that the sources hold.
struct Tests {
    /// Literals that stand together, either way round, and where.
    together: BTreeMap<(String, String), String>,
    /// Each literal and where it stands.
    literals: BTreeMap<String, String>,
    texts: Vec<String>,
}

impl Tests {
    fn read(tests: &BTreeMap<String, String>, sources: &[&Source]) -> Self {
        let held: BTreeSet<String> = sources
            .iter()
            .flat_map(|source| tokens(&source.path, &work(&source.path, &source.after)))
            .map(|token| token.value)
            .collect();
        let mut read = Self {
            together: BTreeMap::new(),
            literals: BTreeMap::new(),
            texts: tests.values().cloned().collect(),
        };
        for (path, text) in tests {
            let mut all = tokens(path, text);
            all.retain(|token| held.contains(&token.value));
            for (at, first) in all.iter().enumerate() {
                let place = format!("{path}:{}", first.line(text));
                let near = all[at + 1..]
                    .iter()
                    .take_while(|next| next.is_near(first, text, NEAR_TEST));
                for next in near.filter(|next| next.value != first.value) {
                    for pair in [(first, next), (next, first)] {
                        let values = (pair.0.value.clone(), pair.1.value.clone());
                        read.together.entry(values).or_insert_with(|| place.clone());
                    }
                }
                read.literals.entry(first.value.clone()).or_insert(place);
            }
        }
        read
    }

    /// Inputs that are asked for one by one and answered as the tests expect.
    fn pairs(&self, source: &Source, words: &str) -> Vec<String> {
        let path = &source.path;
        let after = work(path, &source.after);
        let before = questions(path, &work(path, &source.before));
        let mut asked = BTreeSet::new();
        let mut found: BTreeMap<Pair, usize> = BTreeMap::new();
        for (pair, line) in questions(path, &after) {
            if before.iter().any(|(known, _)| *known == pair) {
                continue;
            }
            let given = words.contains(&pair.input) && words.contains(&pair.output);
            asked.insert(pair.input.clone());
            let values = (pair.input.clone(), pair.output.clone());
            if !given && self.together.contains_key(&values) {
                found.entry(pair).or_insert(line);
            }
        }
        let weighs: u32 = found
            .keys()
            .map(|pair| weight(&pair.input) + weight(&pair.output))
            .sum();
        let inputs: BTreeSet<&String> = found.keys().map(|pair| &pair.input).collect();
        // A table that holds much more than the tests ask for is a table.
        if weighs < WEIGHT_LEAST || 2 * inputs.len() < asked.len() {
            return Vec::new();
        }
        let told = |(pair, line): (&Pair, &usize)| {
            let Pair { input, output } = pair;
            let place = &self.together[&(input.clone(), output.clone())];
            format!("{path}:{line} answers {input:?} with {output:?}, as {place} expects")
        };
        found.iter().map(told).collect()
    }

    /// Functions that are one literal, which the tests expect of a call with arguments.
    fn constants(&self, source: &Source) -> Vec<String> {
        let path = &source.path;
        let before = literal::constants(path, &work(path, &source.before));
        let after = literal::constants(path, &work(path, &source.after));
        let new = after.into_iter().filter(|(name, value, _)| {
            weight(value) > 0
                && !before
                    .iter()
                    .any(|(known, old, _)| (known, old) == (name, value))
        });
        let told = |(name, value, line): (String, String, usize)| {
            let place = self.literals.get(&value)?;
            let expected = self.texts.iter().any(|text| expects(text, &name, &value));
            expected.then(|| {
                format!(
                    "{path}:{line} gives {value:?} whatever {name} is given, as {place} expects"
                )
            })
        };
        new.filter_map(told).collect()
    }

    /// Values that nobody writes by chance, in the tests and newly in the source.
    fn copied(&self, source: &Source) -> Vec<String> {
        let path = &source.path;
        let text = work(path, &source.after);
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for token in tokens(path, &text) {
            let place = self.literals.get(&token.value);
            let Some(place) = place.filter(|_| is_distinctive(&token.value)) else {
                continue;
            };
            if !source.before.contains(&token.value) && seen.insert(token.value.clone()) {
                let (line, value) = (token.line(&text), &token.value);
                found.push(format!("{path}:{line} holds {value:?}, as {place} expects"));
            }
        }
        found
    }
}

/// What gates compare with, and newly in the source line for line.
fn copied_lines(source: &Source, tests: &BTreeMap<String, String>) -> Vec<String> {
    let plain = |text: &str| text.replace("\\n", "\n").replace("\\t", "\t");
    let before = plain(&source.before);
    let after = plain(&work(&source.path, &source.after));
    let files = tests.iter().filter(|(path, _)| answers::is(path));
    let told = files.filter_map(|(path, text)| {
        let lines: BTreeSet<&str> = text.lines().map(str::trim).collect();
        let says = |line: &&str| line.len() >= LINE_LEAST && line.contains(char::is_alphanumeric);
        let lines: Vec<&str> = lines.into_iter().filter(says).collect();
        let new = |line: &&&str| after.contains(**line) && !before.contains(**line);
        let copied: Vec<&&str> = lines.iter().filter(new).collect();
        // A heading or two is everybody's.
        let (first, whole) = (copied.first()?, 5 * copied.len() >= 4 * lines.len());
        let at = source.after.find(**first)?;
        let line = source.after[..at].matches('\n').count() + 1;
        whole.then(|| {
            format!(
                "{}:{line} holds what {path} expects, line for line",
                source.path
            )
        })
    });
    told.collect()
}

/// The inputs that a source asks for by value, each with the literals behind it.
fn questions(path: &str, text: &str) -> Vec<(Pair, usize)> {
    let all = tokens(path, text);
    let mut found = Vec::new();
    for (at, input) in all.iter().enumerate() {
        if !input.is_asked_for(path, text) || weight(&input.value) == 0 || is_word(&input.value) {
            continue;
        }
        let behind = all[at + 1..]
            .iter()
            .filter(|next| next.at.start >= input.at.end);
        let near = behind.take_while(|next| next.is_near(input, text, NEAR_SOURCE));
        let answers = |output: &&Token| output.value != input.value && !is_index(text, &output.at);
        for output in near.filter(answers) {
            let pair = Pair {
                input: input.value.clone(),
                output: output.value.clone(),
            };
            found.push((pair, input.line(text)));
        }
    }
    found
}

/// The part of a match, or of what a call gives, by its number: `exec(text)?.[1]`.
fn is_index(text: &str, at: &Range<usize>) -> bool {
    let before = text[..at.start].strip_suffix('[');
    before.is_some_and(|of| of.ends_with(|c: char| c.is_alphanumeric() || ")].".contains(c)))
        && text[at.end..].starts_with(']')
}

/// Options and routes are asked for by value in honest code.
fn is_word(value: &str) -> bool {
    value.starts_with('/') || (value.starts_with('-') && !value[1..].starts_with(char::is_numeric))
}

/// Does a test call this function with arguments and name the value behind it?
fn expects(text: &str, name: &str, value: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let inside = text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let behind = &text[at + name.len()..];
        let called = behind.starts_with(['(', ' ']) && !behind.starts_with("()");
        let mut end = behind.len().min(NEAR_TEST.0);
        while !behind.is_char_boundary(end) {
            end += 1;
        }
        let near: String = behind[..end]
            .split_inclusive('\n')
            .take(NEAR_TEST.1)
            .collect();
        !inside && called && near.contains(value)
    })
}

impl Token {
    /// Does it stand this near behind another?
    fn is_near(&self, before: &Self, text: &str, (bytes, lines): (usize, usize)) -> bool {
        let from = before.at.end.min(self.at.start);
        self.at.start.saturating_sub(before.at.end) <= bytes
            && text[from..self.at.start].matches('\n').count() <= lines
    }

    fn line(&self, text: &str) -> usize {
        text[..self.at.start].matches('\n').count() + 1
    }
}

#[cfg(test)]
mod tests;
