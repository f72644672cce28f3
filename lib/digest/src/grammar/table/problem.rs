//! Lines of a table that are problems as they stand.

use super::super::super::facts::Facts;
use super::super::super::pattern::Gaps;
use super::super::super::problem::Severity;
use super::super::Line;
use super::at;
use std::borrow::Cow;

/// A line that is a problem as it stands.
pub(super) fn problem(
    tool: &'static str,
    severity: Severity,
    gaps: &Gaps<'_, '_>,
    line: &Line<'_>,
    facts: &mut Facts,
) {
    let severity = said(gaps).unwrap_or(severity);
    let spot = spot(gaps);
    let shown = spot.as_deref().map(str::trim);
    let whole = whole(line.text);
    let text = match (shown, gaps.get("message"), gaps.get("code")) {
        (Some(_), Some(text), Some(code)) => format!("{text} [{code}]"),
        (Some(_), Some(text), None) => text.to_owned(),
        // Lines that differ in the place only are one kind.
        (Some(place), None, _) => {
            let parts: Vec<&str> = whole.splitn(2, place).map(str::trim).collect();
            parts.join(" ")
        }
        (None, ..) => whole.to_owned(),
    };
    facts.problem((tool, severity), shown, &text, line.no);
}

/// The severity that a line says.
fn said(gaps: &Gaps<'_, '_>) -> Option<Severity> {
    match gaps.get("severity")?.to_ascii_lowercase().as_str() {
        "warning" | "warn" | "w" => Some(Severity::Warning),
        "note" | "info" | "hint" | "i" | "n" => Some(Severity::Note),
        _ => None,
    }
}

/// The place that a line gives, in parts or as a whole.
fn spot<'t>(gaps: &Gaps<'_, 't>) -> Option<Cow<'t, str>> {
    let whole = at(gaps)?;
    let parts: Vec<&str> = ["line", "col"]
        .iter()
        .map_while(|part| gaps.get(part))
        .collect();
    Some(match parts.as_slice() {
        [] => Cow::Borrowed(whole),
        parts => Cow::Owned(format!("{whole}:{}", parts.join(":"))),
    })
}

/// The text of a line without what is drawn around it.
pub(super) fn whole(text: &str) -> &str {
    text.trim_start_matches(['│', ' '])
        .trim_end_matches(['━', '─', ' '])
}
