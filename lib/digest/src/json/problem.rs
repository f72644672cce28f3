//! Records that are problems.

use super::super::facts::Facts;
use super::super::problem::Severity;
use super::record::{Record, place};
use super::shapes::Shape;
use super::slot::Slot;

/// Tells of a problem; without a message and a place it is none.
pub(super) fn record(shape: &Shape, record: &Record, facts: &mut Facts) {
    let text = record
        .get(Slot::Message)
        .or_else(|| record.get(Slot::Spare));
    let (Some(text), Some(place)) = (text, place(record, shape.from_zero)) else {
        return;
    };
    let severity = severity(shape, record);
    let first = text.lines().next().unwrap_or_default();
    let text = match record.get(Slot::Rule) {
        Some(rule) if !says(first, rule) => format!("{first} ({rule})"),
        _ => first.to_owned(),
    };
    facts.problems.add(
        (shape.tool, severity),
        Some(&place.shown),
        &text,
        record.line,
    );
}

/// Whether the message names its rule, which may be an ordinary word of it.
fn says(message: &str, rule: &str) -> bool {
    let word = rule.bytes().all(|byte| byte.is_ascii_alphabetic());
    message.contains(rule) && (!word || message.contains(&format!("({rule})")))
}

fn severity(shape: &Shape, record: &Record) -> Severity {
    let Some(level) = record.get(Slot::Level) else {
        return Severity::Error;
    };
    match level.to_ascii_lowercase().as_str() {
        level if shape.warnings.contains(&level) => Severity::Warning,
        "warning" | "warn" | "medium" | "minor" => Severity::Warning,
        "convention" | "refactor" | "info" | "note" | "information" | "style" | "hint" | "low"
        | "help" => Severity::Note,
        _ => Severity::Error,
    }
}
