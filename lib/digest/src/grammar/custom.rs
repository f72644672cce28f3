//! A person's own grammar at work.

use super::super::count::{Category, pairs};
use super::super::custom::{Custom, Meaning};
use super::super::facts::Facts;
use super::super::pattern::{self, Gaps};
use super::super::problem::Severity;
use super::{Grammar, Line};

/// Asks the patterns of one grammar in their order.
#[derive(Debug)]
pub(super) struct Own {
    custom: Custom,
}

impl Own {
    pub(super) fn new(custom: &Custom) -> Self {
        Self {
            custom: custom.clone(),
        }
    }
}

impl Grammar for Own {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let found =
            self.custom.rules.iter().find_map(|(pattern, meaning)| {
                Some((pattern::find(pattern, line.text)?, *meaning))
            });
        let Some((gaps, meaning)) = found else {
            return false;
        };
        let tool = self.custom.tool;
        if meaning != Meaning::Noise {
            facts.tool(tool);
        }
        match meaning {
            Meaning::Problem => problem(tool, &gaps, line, facts),
            Meaning::Fail => fail(tool, &gaps, line, facts),
            Meaning::Pass => facts.saw(tool, Category::Passed),
            Meaning::Skip => facts.saw(tool, Category::Skipped),
            Meaning::Result => facts.result(tool, pairs(line.text), None),
            Meaning::Show => facts.note(line.text, line.no),
            Meaning::Noise => {}
        }
        true
    }
}

fn fail(tool: &'static str, gaps: &Gaps<'_, '_>, line: &Line<'_>, facts: &mut Facts) {
    facts.saw(tool, Category::Failed);
    let Some(name) = gaps.get("name") else { return };
    let at = facts.fail(tool, name, line.no);
    if let Some(message) = gaps.get("message") {
        facts.message(at, message, line.no);
    }
}

fn problem(tool: &'static str, gaps: &Gaps<'_, '_>, line: &Line<'_>, facts: &mut Facts) {
    let Some(message) = gaps.get("message") else {
        return;
    };
    let severity = match gaps.get("severity").map(str::to_ascii_lowercase).as_deref() {
        Some("warning" | "warn" | "w") => Severity::Warning,
        Some("note" | "info" | "hint" | "i" | "n") => Severity::Note,
        _ => Severity::Error,
    };
    let place = gaps.get("file").map(|file| {
        let parts = [Some(file), gaps.get("line"), gaps.get("col")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(":")
    });
    let text = match gaps.get("code") {
        Some(code) => format!("{message} [{code}]"),
        None => message.to_owned(),
    };
    facts
        .problems
        .add((tool, severity), place.as_deref(), &text, line.no);
}
