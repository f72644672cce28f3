//! Annotations of GitHub.

use super::super::super::facts::Facts;
use super::super::super::place;
use super::super::super::problem::Severity;

/// `::error file=src/a.py,line=3,col=5::message`, an annotation of GitHub.
pub(super) fn annotation(text: &str, facts: &mut Facts) -> Option<(Severity, String, String)> {
    let rest = text.strip_prefix("::")?;
    let (head, message) = rest.split_once("::")?;
    let severity = match head.split(' ').next()? {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "notice" => Severity::Note,
        _ => return None,
    };
    facts.tool("lint");
    facts.lint = true;
    let message = message.split("%0A").next().unwrap_or(message);
    if let Some((place, end)) = place::leading(message) {
        let message = message[end..].trim_start_matches([':', ' ']);
        return Some((severity, place.shown, message.to_owned()));
    }
    let value = |key: &str| {
        let mut parts = head.split([' ', ',']);
        parts.find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
    };
    let shown = match (value("file"), value("line")) {
        (Some(file), Some(row)) => format!("{file}:{row}"),
        (file, _) => file?.to_owned(),
    };
    Some((severity, shown, message.to_owned()))
}
