//! Listers that print lines.

use super::{Ids, failed};
use overnight_base::fault::Fault;

/// `12 tests collected in 0.05s`, also between `=` signs, `3/12 tests collected (9 deselected) in
/// 0.02s`, `no tests collected, 1 error in 0.10s`, `1 error in 0.2s`.
pub(super) fn is_pytest_end(line: &str) -> bool {
    let line = line.trim_matches(['=', ' ']);
    let Some((what, took)) = line.rsplit_once(" in ") else {
        return false;
    };
    let seconds = took.split(' ').next().unwrap_or_default();
    let timed = seconds
        .strip_suffix('s')
        .is_some_and(|number| number.parse::<f64>().is_ok());
    let counted = what.starts_with("no tests") || what.starts_with(|c: char| c.is_ascii_digit());
    let known = ["collected", "tests ran", "error", "deselected"];
    timed && counted && known.iter().any(|word| what.contains(word))
}

pub(super) fn pytest(text: &str) -> Result<Ids<'static>, Fault> {
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default();
    let end = last.trim_matches(['=', ' ', '\r']);
    if is_pytest_end(end) && end.contains("error") {
        return Err(failed(format!("pytest could not collect: {end}"))
            .hint("run pytest --collect-only to see the errors"));
    }
    if text
        .lines()
        .any(|line| line.trim_start().starts_with("<Module "))
    {
        return Err(failed("this is pytest's tree").hint("use pytest --collect-only -q"));
    }
    let body = text
        .lines()
        .map(|line| line.strip_suffix('\r').unwrap_or(line));
    let ids = body
        .skip_while(|line| !is_node_id(line))
        .take_while(|line| !line.is_empty())
        .filter(|line| is_node_id(line));
    let ids = Ids::joined(ids);
    if ids.text.is_empty() && !end.starts_with("no tests") && !end.contains("deselected") {
        return Err(failed("pytest's list names no test")
            .hint("use pytest --collect-only -q (one -q prints ids, two print counts)"));
    }
    Ok(ids)
}

fn is_node_id(line: &str) -> bool {
    line.contains("::") && !line.starts_with(['=', '<', ' ']) && !line.starts_with("ERROR")
}

/// `ok`, `?` or `FAIL`, a tab, a package.
pub(super) fn is_go_end(line: &str) -> bool {
    let first = line.split('\t').next().unwrap_or_default().trim();
    line.contains('\t') && matches!(first, "ok" | "?" | "FAIL") || line == "FAIL"
}

pub(super) fn go(text: &str) -> Result<Ids<'static>, Fault> {
    let mut ids = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let mut fields = line.split('\t').map(str::trim);
        match (fields.next(), fields.next()) {
            (Some("ok" | "?"), Some(package)) => {
                ids.extend(names.drain(..).map(|name| format!("{package}.{name}")));
            }
            (Some("FAIL"), package) => {
                let package = package.unwrap_or("a package");
                return Err(failed(format!("go could not list {package}"))
                    .hint("run go vet ./... to see the errors"));
            }
            _ if ["Test", "Example", "Fuzz"]
                .iter()
                .any(|kind| line.starts_with(kind)) =>
            {
                names.push(line);
            }
            _ => {}
        }
    }
    if !names.is_empty() {
        return Err(failed("go's list breaks off before its package"));
    }
    Ok(Ids::joined(ids.iter()))
}

/// `12 tests, 0 benchmarks`, or `name: test` where `-q` leaves that out.
pub(super) fn is_cargo_end(line: &str) -> bool {
    if line.ends_with(": test") {
        return true;
    }
    let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
    let number = |word: Option<&str>| word.is_some_and(|word| word.parse::<u64>().is_ok());
    number(words.next())
        && words.next().is_some_and(|word| word.starts_with("test"))
        && number(words.next())
        && words
            .next()
            .is_some_and(|word| word.starts_with("benchmark"))
        && words.next().is_none()
}

pub(super) fn cargo(text: &str) -> Ids<'static> {
    Ids::joined(
        text.lines()
            .filter_map(|line| line.trim_end().strip_suffix(": test")),
    )
}

/// A binary id with a colon, then indented names.
pub(super) fn is_nextest_human(text: &str) -> bool {
    let mut lines = text.lines();
    let head = lines.next().is_some_and(|line| {
        line.strip_suffix(':')
            .is_some_and(|id| !id.is_empty() && !id.contains([' ', '/']))
    });
    head && lines.next().is_some_and(|line| line.starts_with("    "))
}

pub(super) fn nextest_human(text: &str) -> Ids<'static> {
    let mut binary = "";
    let mut ids = Vec::new();
    for line in text.lines().map(str::trim_end) {
        if let Some(name) = line.strip_prefix("    ") {
            ids.push(format!("{binary} {name}"));
        } else if let Some(id) = line.strip_suffix(':') {
            binary = id;
        }
    }
    Ids::joined(ids.iter())
}

/// Indented lines between `Listing tests:` and `Total: …`.
pub(super) fn playwright(text: &str) -> Ids<'static> {
    let lines = text.lines().filter(|line| line.starts_with("  "));
    Ids::joined(lines.map(str::trim).filter(|line| !line.is_empty()))
}
