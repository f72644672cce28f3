//! From what was found to one result: sessions added up, and checked against the single tests.

use super::count::{Category, Counts};
use super::facts::{ANYBODY, Facts, Session};
use super::problem::Severity;
use super::tools;

/// A result line that anybody might print counts as the result of an output when it stands so near
/// to its end, in lines.
const END: u64 = 15;

/// So many single tests without a result line, a header or the name of a failing one are taken for
/// tests; fewer may be anything.
const SINGLES_MIN: u64 = 3;

/// The result of an output.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) tools: Vec<&'static str>,
    pub(super) counts: Counts,
    pub(super) results: Vec<(&'static str, Counts)>,
    pub(super) counted: Option<Counts>,
    pub(super) duration_ms: Option<u64>,
}

/// Adds up the sessions of each tool. Where a tool states no result, its single tests are counted;
/// where it states fewer failures than were seen, both are given.
pub(super) fn of(facts: &Facts, failed: bool, (lines, tests): (u64, bool)) -> Tally {
    let mut totals: Vec<Session> = Vec::new();
    let believed = believed(facts, lines, tests);
    let tools = tools_at_work(facts, &believed);
    for mut session in runs(&believed) {
        session.recall();
        session.stated = stated(&session);
        match totals.iter_mut().find(|known| known.tool == session.tool) {
            Some(known) => known.absorb(&session),
            None => totals.push(session),
        }
    }
    adopt(facts, lines, &mut totals);
    for outer in tools::TOOLS {
        let mut outers = totals.iter().filter(|session| session.tool == outer.name);
        if outers.any(|session| session.stated.is_some()) {
            totals.retain(|session| !outer.takes_in(session.tool));
        }
    }
    let mut results: Vec<(&'static str, Counts)> = Vec::new();
    let mut counted = Counts::default();
    let mut duration_ms = facts.total_ms;
    for session in &totals {
        let stated = session.stated.clone().unwrap_or_default();
        let stated = complete(session.tool, stated, &session.seen);
        if differs(&stated, &session.seen) {
            counted.merge(&session.seen);
        }
        if !stated.is_empty() {
            results.push((session.tool, stated));
        }
        duration_ms = duration_ms.or(session.duration_ms);
    }
    add_problems(facts, failed, &tools, &mut results);
    let mut counts = Counts::default();
    for (_, stated) in &results {
        counts.merge(stated);
    }
    if results.is_empty() {
        counts = found(facts, failed, None);
    }
    let tools = match results.as_slice() {
        [] => tools,
        results => results.iter().map(|(tool, _)| *tool).collect(),
    };
    Tally {
        tools,
        counts,
        results,
        counted: (!counted.is_empty()).then_some(counted),
        duration_ms,
    }
}

/// Takes back what a tool was said to tell of which nothing but single lines were seen, where another
/// has stated its result.
pub(super) fn disown(facts: &mut Facts) {
    // What encloses them shows what they print.
    let shown = |name: &str| {
        facts
            .tools
            .iter()
            .any(|tool| tools::of(tool).encloses.contains(&name))
    };
    let echoed = tools::TOOLS.iter().filter(|tool| tool.echoed);
    let echoed: Vec<&str> = echoed
        .map(|tool| tool.name)
        .filter(|name| !shown(name))
        .collect();
    for tool in echoed {
        let sure = |other: &Session| {
            other.tool != tool && other.stated.is_some() && (other.firm || other.headed)
        };
        if !facts.grounds.contains(&tool) && facts.sessions.iter().any(sure) {
            facts.disown(tool);
        }
    }
}

/// The runs: where the result of a suite was followed by that of all suites, those are one run.
fn runs(sessions: &[&Session]) -> Vec<Session> {
    let mut runs: Vec<Session> = Vec::new();
    for session in sessions {
        let mut run = (*session).clone();
        if let (Some(mut sum), Some(stated)) = (run.part.take(), &run.stated) {
            let own = |at: &usize| runs[*at].tool == run.tool && runs[*at].lane == run.lane;
            let mut suites: Vec<usize> = Vec::new();
            let mut before = (0..runs.len()).rev().filter(own);
            while !sum.agrees(stated)
                && let Some(at) = before.next()
            {
                suites.push(at);
                sum.merge(runs[at].stated.as_ref().unwrap_or(&Counts::default()));
            }
            if sum.agrees(stated) {
                for at in suites {
                    let suite = runs.remove(at);
                    run.seen.merge(&suite.seen);
                    (run.told.0, run.follows) = (suite.told.0, suite.follows);
                }
            }
        }
        runs.push(run);
    }
    runs
}

/// The sessions whose results count. What anybody might print (`7 tests passed.`), and single lines
/// that look like tests, are a result only where something else speaks for their tool, or where
/// nobody else states any: then at the end of the output.
fn believed(facts: &Facts, lines: u64, tests: bool) -> Vec<&Session> {
    // Names speak for a result line, unless another one of the tool is beyond doubt.
    let named = |session: &Session| {
        let sure = |other: &Session| {
            let backed = other.firm || other.headed || !other.seen.is_empty();
            other.tool == session.tool
                && !std::ptr::eq(other, session)
                && other.stated.is_some()
                && backed
        };
        let mut failures = facts.failures.iter();
        failures.any(|failure| failure.tool == session.tool) && !facts.sessions.iter().any(sure)
    };
    let firm = |session: &Session| match session.stated {
        Some(_) => {
            let backed = session.firm || session.headed || !session.seen.is_empty();
            backed || session.follows && session.is_told() || named(session)
        }
        None => session.headed || facts.grounds.contains(&session.tool) || named(session),
    };
    let anybody = facts.sessions.iter().any(firm);
    // Next to problems somebody must have printed it last of all, or a tool is known that told of them.
    let end = match facts.problems.sources().as_slice() {
        [] => END,
        [""] => END / 4,
        _ => 0,
    };
    let likely = |session: &Session| match &session.stated {
        Some(stated) => {
            // A command that runs tests ends with their result.
            let enough = stated.iter().count() > 1 || tests && session.tool != ANYBODY;
            enough && session.stated_at + end > lines
        }
        None => session.seen.iter().map(|(_, number)| number).sum::<u64>() >= SINGLES_MIN,
    };
    let all = facts.sessions.iter();
    all.filter(|session| firm(session) || !anybody && likely(session))
        .collect()
}

/// A result line of nobody's near the end of the output, for the one tool that has none, if it
/// speaks of as many failures as were seen.
fn adopt(facts: &Facts, lines: u64, totals: &mut [Session]) {
    let [only] = totals else { return };
    let failed = |counts: &Counts| counts.get(Category::Failed);
    let near = |session: &&Session| session.tool == ANYBODY && session.stated_at + END >= lines;
    let summary = facts.sessions.iter().rfind(near);
    if let Some(stated) = summary.and_then(|session| session.stated.as_ref())
        && only.stated.as_ref() == Some(&only.seen)
        && failed(stated).is_some()
        && failed(stated) == failed(&only.seen)
    {
        only.stated = Some(stated.clone());
    }
}

/// The tools that are at work: not those of whose lines none is believed.
fn tools_at_work(facts: &Facts, believed: &[&Session]) -> Vec<&'static str> {
    let all = facts.tools.iter().copied();
    all.filter(|tool| {
        let mut sessions = facts.sessions.iter();
        let doubted = sessions.any(|session| session.tool == *tool)
            && !believed.iter().any(|session| session.tool == *tool)
            && !facts.problems.sources().contains(tool)
            && !facts.failures.iter().any(|failure| failure.tool == *tool);
        !tool.is_empty() && !doubted
    })
    .collect()
}

/// Adds what compilers and linters told of that state no result themselves.
fn add_problems(
    facts: &Facts,
    failed: bool,
    tools: &[&'static str],
    results: &mut Vec<(&'static str, Counts)>,
) {
    for source in facts.problems.sources() {
        let found = found(facts, failed, Some(source));
        if source.is_empty() || found.is_empty() {
            continue;
        }
        let stated = |tool: &str| tool == source || tools::of(tool).sums.contains(&source);
        if let Some((_, own)) = results.iter_mut().find(|(tool, _)| stated(tool)) {
            let kinds = [Category::Errors, Category::Warnings, Category::Problems];
            if kinds.iter().all(|kind| own.get(*kind).is_none()) {
                own.merge(&found);
            }
            continue;
        }
        let served = tools::of(source).serves;
        let mut runs: Vec<&mut (&'static str, Counts)> = results
            .iter_mut()
            .filter(|(tool, _)| served.contains(tool))
            .collect();
        match runs.as_mut_slice() {
            [(_, run)]
                if found
                    .iter()
                    .all(|(category, _)| run.get(category).is_none()) =>
            {
                run.merge(&found);
            }
            _ => results.push((source, found)),
        }
    }
    // Of the others nobody knows who told of them: next to a result they are not counted.
    if results.is_empty() && facts.problems.sources().contains(&"") {
        let found = found(facts, failed, None);
        if let ([tool], false) = (tools, found.is_empty()) {
            results.push((*tool, found));
        }
    }
}

/// The result of one run: its single tests where it states none, or only a plan: that says how many there
/// are, and their lines how they ended.
fn stated(session: &Session) -> Option<Counts> {
    let seen = &session.seen;
    let Some(mut stated) = session.stated.clone() else {
        return (!seen.is_empty()).then(|| seen.clone());
    };
    let is_plan = (stated.iter()).all(|(category, _)| category == Category::Total);
    if is_plan && !seen.is_empty() {
        let ended: u64 = seen.iter().map(|(_, number)| number).sum();
        let total = stated.get(Category::Total);
        if total.is_some_and(|total| ended > total) {
            stated.remove(Category::Total);
        }
        stated.merge(seen);
    }
    Some(stated)
}

/// What a runner leaves out because it is zero, or because it only shows the single tests.
fn complete(tool: &str, mut stated: Counts, seen: &Counts) -> Counts {
    use Category::{Failed, Ignored, Passed, Pending, Skipped, Todo};
    if stated.get(Failed) == seen.get(Failed) {
        for category in [Passed, Skipped] {
            if let (None, Some(number)) = (stated.get(category), seen.get(category)) {
                stated.add(category, number);
            }
        }
    }
    if stated.get(Passed).is_none() {
        let (Some(total), true) = (
            stated.get(Category::Total),
            tools::of(tool).names_failing_only,
        ) else {
            return stated;
        };
        let failed = seen.get(Failed).unwrap_or(0);
        stated.set(Failed, failed);
        stated.add(Passed, total.saturating_sub(failed));
    }
    if stated.get(Failed).is_none() {
        let errors = stated.get(Category::Errors).unwrap_or(0);
        let failed = seen.get(Failed).unwrap_or(0);
        stated.add(Failed, failed.saturating_sub(errors));
    }
    if [Skipped, Ignored, Pending, Todo]
        .iter()
        .all(|category| stated.get(*category).is_none())
    {
        let pending = tools::of(tool).pending;
        stated.add(if pending { Pending } else { Skipped }, 0);
    }
    stated
}

/// Whether more tests were seen to fail than the result line says.
fn differs(stated: &Counts, seen: &Counts) -> bool {
    let Some(failed) = seen.get(Category::Failed) else {
        return false;
    };
    // Catch2 shows those that failed as expected like others.
    let said: u64 = [
        Category::Failed,
        Category::Errors,
        Category::Cancelled,
        Category::Xfailed,
    ]
    .iter()
    .filter_map(|category| stated.get(*category))
    .sum();
    failed > said
}

/// Counts of what compilers and linters found that state no result: of this one, or of all.
fn found(facts: &Facts, failed: bool, source: Option<&str>) -> Counts {
    let seen = |severity| match source {
        Some(source) => facts.problems.seen(source, severity),
        None => facts.problems.all(severity),
    };
    let mut counts = Counts::default();
    let whole = match source {
        Some(source) => WITHOUT_LEVELS.contains(&source),
        None => WITHOUT_LEVELS.iter().any(|tool| facts.tools.contains(tool)),
    };
    if whole {
        let levels = [
            Severity::Error,
            Severity::Plain,
            Severity::Warning,
            Severity::Note,
        ];
        let all = levels.into_iter().map(seen).sum();
        if all > 0 {
            counts.add(Category::Problems, all);
        }
        return counts;
    }
    for (severity, category) in [
        (Severity::Error, Category::Errors),
        (Severity::Warning, Category::Warnings),
    ] {
        let mut number = seen(severity);
        if failed && severity == Severity::Error {
            number += seen(Severity::Plain);
        }
        if number > 0 {
            counts.add(category, number);
        }
    }
    counts
}

/// Files to be formatted, and four levels without totals: which of them are errors is for the
/// reader to say.
const WITHOUT_LEVELS: &[&str] = &[
    "shellcheck",
    "black",
    "isort",
    "prettier",
    "cargo fmt",
    "gofmt",
];
