//! Records that are tests.

use super::super::count::Category;
use super::super::facts::Facts;
use super::super::tools;
use super::record::{Record, place};
use super::shapes::Shape;
use super::slot::Slot;

/// Tells of a test; whether one of its file failed.
pub(super) fn record(shape: &Shape, record: &Record, failed: &mut bool, facts: &mut Facts) {
    let tool = shape.tool;
    let Some(name) = record.get(Slot::Full).or_else(|| record.get(Slot::Name)) else {
        return;
    };
    // The steps of a scenario are no tests of their own.
    if matches!(record.list.as_str(), "steps" | "before" | "after") {
        return;
    }
    let listed = shape.lists;
    let status = match record.list.as_str() {
        "failures" if listed => "failed",
        "passes" if listed => "passed",
        "pending" if listed => "pending",
        // The list of all of them: each is in one of the others too.
        _ if listed => return,
        _ => record.get(Slot::Status).unwrap_or_default(),
    };
    // A file of tests that could not be run, or whose tests are named themselves.
    let suite = record.list == "testResults";
    let category = match status {
        "failed" | "fail" | "unexpected" | "false" | "timedOut" | "undefined" => Category::Failed,
        _ if suite => return,
        "passed" | "ok" | "expected" | "true" => Category::Passed,
        "pending" if tools::of(tool).pending => Category::Pending,
        "pending" | "skipped" | "disabled" => Category::Skipped,
        "ignored" => Category::Ignored,
        "todo" => Category::Todo,
        _ => return,
    };
    if suite {
        // Its tests were named before it; with none of them failed it broke off itself.
        if std::mem::take(failed) {
            return;
        }
    } else {
        facts.saw(tool, category);
        *failed |= category == Category::Failed;
    }
    if category != Category::Failed {
        return;
    }
    let at = facts.fail(tool, name, record.line);
    let message = record
        .get(Slot::Message)
        .or_else(|| record.get(Slot::Spare))
        .unwrap_or_default();
    for part in message.lines().take(20) {
        facts.detail(at, part, record.line);
    }
    if let Some(place) = place(record, false)
        && let Some(failure) = facts.failure(at)
        && failure.block.place.is_none()
    {
        failure.block.at(place);
    }
}
