//! What test listers print, brought to one form: ids with a separator.

mod json;
mod text;

use super::ring::List;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::borrow::Cow;

/// A lister's format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Recognised by its first and last lines.
    Auto,
    /// An id a line.
    Plain,
    /// `cargo nextest list`, as JSON, oneline or human-readable.
    Nextest,
    /// `cargo test -- --list`.
    Cargo,
    /// `pytest --collect-only -q`.
    Pytest,
    /// `go test -list . ./...`.
    Go,
    /// `jest --listTests`, with or without `--json`.
    Jest,
    /// `vitest list`, with or without `--json`.
    Vitest,
    /// `playwright test --list`.
    Playwright,
    /// `rspec --dry-run --format json`.
    Rspec,
}

/// Ids with what separates them.
#[derive(Debug)]
pub struct Ids<'a> {
    text: Cow<'a, str>,
    separator: u8,
}

impl Ids<'_> {
    /// The ids as a list.
    pub fn list(&self) -> List<'_> {
        List {
            text: &self.text,
            separator: self.separator,
        }
    }

    fn joined<S: AsRef<str>>(ids: impl Iterator<Item = S>) -> Ids<'static> {
        let mut text = String::new();
        for id in ids {
            text.push_str(id.as_ref());
            text.push('\0');
        }
        Ids {
            text: Cow::Owned(text),
            separator: 0,
        }
    }

    /// The same ids, relative to `folder` (with a `/` at its end) where they start with it: absolute
    /// paths would give every work tree another sample.
    #[must_use]
    pub fn below(self, folder: &str) -> Self {
        let inside = |id: &str| !folder.is_empty() && id.starts_with(folder);
        if !self.list().ids().any(|(_, id)| inside(id)) {
            return self;
        }
        let ids = self
            .list()
            .ids()
            .map(|(_, id)| id.strip_prefix(folder).unwrap_or(id));
        Ids::joined(ids)
    }

    /// The same ids without those that `keep` refuses.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(&str) -> bool) -> Ids<'static> {
        Ids::joined(self.list().ids().map(|(_, id)| id).filter(|id| keep(id)))
    }
}

/// Reads a lister's output. A list separated by NUL is always plain.
pub fn parse(list: List<'_>, format: Format) -> Result<Ids<'_>, Fault> {
    let plain = Ids {
        text: Cow::Borrowed(list.text),
        separator: list.separator,
    };
    if list.separator != b'\n' {
        return Ok(plain);
    }
    let format = if format == Format::Auto {
        recognise(list.text)
    } else {
        format
    };
    let text = list.text.trim_ascii_start();
    match (format, text.as_bytes().first()) {
        (Format::Nextest, Some(b'{')) => json::nextest(text),
        (Format::Nextest, _) if text::is_nextest_human(text) => Ok(text::nextest_human(text)),
        (Format::Rspec, Some(b'{')) => json::rspec(text),
        (Format::Jest, Some(b'[')) => json::jest(text),
        (Format::Vitest, Some(b'[')) if json::is_array(text) => json::vitest(text),
        (Format::Pytest, _) => text::pytest(text),
        (Format::Go, _) => text::go(text),
        (Format::Cargo, _) => Ok(text::cargo(text)),
        (Format::Playwright, Some(b'{')) => json::playwright(text),
        (Format::Playwright, _) => Ok(text::playwright(text)),
        _ => Ok(plain),
    }
}

/// Recognises a format by what no list of bare ids starts or ends with. Reads the first and the
/// last line alone, so that a million ids cost nothing.
fn recognise(text: &str) -> Format {
    let start = text.trim_ascii_start();
    let first = start.lines().next().unwrap_or_default().trim_end();
    let trimmed = text.trim_ascii_end();
    let last = trimmed.rsplit('\n').next().unwrap_or_default().trim();
    if json::is_object(start) || json::is_array(start) {
        return json::recognise(start);
    }
    if first == "Listing tests:" {
        Format::Playwright
    } else if text::is_pytest_end(last) || first.starts_with("====") || first.starts_with("<Dir ") {
        Format::Pytest
    } else if text::is_go_end(last) {
        Format::Go
    } else if text::is_cargo_end(last) {
        Format::Cargo
    } else if text::is_nextest_human(start) {
        Format::Nextest
    } else {
        Format::Plain
    }
}

fn failed(reason: impl Into<String>) -> Fault {
    Fault::new(Code::SampleLister, reason)
}

#[cfg(test)]
mod tests;
