//! Result lines of compilers and linters.

use super::super::super::count::{Category, Counts, figure, pairs};
use super::super::super::facts::Facts;
use super::super::super::problem::Severity;
use super::super::{Line, is_after_blank};
use super::COMPILERS;

/// Like the compilers they state their totals in words of their own.
const BUNDLERS: &[&str] = &["esbuild", "rollup", "vite", "webpack"];

/// Result lines of compilers and linters.
pub(super) fn total(line: &Line<'_>, facts: &mut Facts) -> bool {
    let text = line.trimmed();
    let text = text.strip_prefix("[javac] ").unwrap_or(text);
    // clang-tidy: what it said before was generated in headers too, and added up file by file.
    if text.starts_with("Suppressed ") && text.contains(" warnings (") {
        facts.withdraw("clang");
        facts.problems_stated = false;
        return true;
    }
    let found = text
        .strip_prefix("Found ")
        .or_else(|| text.strip_prefix("✖ "));
    let rest = found.unwrap_or(text);
    let Some((number, after)) = rest.split_once(' ') else {
        return false;
    };
    let Some(number) = figure(number) else {
        return false;
    };
    let word = after
        .split([' ', ',', '.', '(', ':'])
        .next()
        .unwrap_or_default();
    if found.is_some() {
        ruff(number, facts);
    }
    let last = facts.problems.latest_source();
    let others = last.is_some_and(|last| !matches!(last, "" | "biome"));
    if found.is_some() && facts.tools.contains(&"biome") && !others {
        return biome_total(number, word, facts);
    }
    if word.starts_with("file") && after.contains("offense") {
        return rubocop(after, facts);
    }
    let bare = found.is_none() && matches!(after, "problem" | "problems");
    let tool = if bare {
        unix(number, line, facts)
    } else {
        whose(found.is_some(), (number, word), after, facts)
    };
    let Some(tool) = tool else {
        return false;
    };
    facts.problems_stated = true;
    facts.lint |= !facts.now.weak;
    let mut counts = pairs(rest);
    if tool == "mypy" || tool == "tsc" {
        counts = Counts::default();
        counts.add(Category::Errors, number);
    }
    if word.starts_with("diagnostic") {
        diagnostics(tool, number, &mut counts, facts);
    }
    if tool == "pyright" {
        counts.remove(Category::Problems);
    }
    facts.result(tool, counts, None);
    facts.close(tool);
    true
}

/// `Found 30 diagnostics`, of ty, and how bad those were that it told of since its last total.
fn diagnostics(tool: &str, number: u64, counts: &mut Counts, facts: &Facts) {
    counts.add(Category::Problems, number);
    let stated = |category| {
        let runs = facts.sessions.iter().filter(|run| run.tool == tool);
        let stated = runs.filter_map(|run| run.stated.as_ref()?.get(category));
        stated.sum::<u64>()
    };
    for (category, severity) in [
        (Category::Errors, Severity::Error),
        (Category::Warnings, Severity::Warning),
    ] {
        let seen = facts.problems.seen(tool, severity);
        let new = seen.saturating_sub(stated(category));
        if new > 0 {
            counts.add(category, new);
        }
    }
}

/// Lines of ruff's short formats look like those of flake8, which says no total: where it is that of both,
/// all were ruff's.
fn ruff(number: u64, facts: &mut Facts) {
    let each = [
        Severity::Error,
        Severity::Plain,
        Severity::Warning,
        Severity::Note,
    ];
    let seen = |tool| each.map(|severity| facts.problems.seen(tool, severity));
    let [flake8, ruff]: [u64; 2] = ["flake8", "ruff"].map(|tool| seen(tool).iter().sum());
    let runs = facts.sessions.iter().filter(|run| run.tool == "ruff");
    let stated = runs.filter_map(|run| run.stated.as_ref()?.get(Category::Errors));
    if flake8 > 0 && flake8 + ruff == number + stated.sum::<u64>() {
        facts.rename("flake8", "ruff");
    }
}

/// Whether so many can be all that clang told of since its last total: clang-tidy states what was generated
/// in headers too, and shows less.
fn compiled(number: u64, facts: &Facts) -> bool {
    let told = [Severity::Error, Severity::Warning];
    let told =
        told.map(|each| facts.problems.seen("compiler", each) + facts.problems.seen("", each));
    let runs = facts.sessions.iter().filter(|run| run.tool == "clang");
    let stated = runs.filter_map(|run| run.stated.as_ref());
    let stated = stated.flat_map(|counts| counts.iter().map(|(_, number)| number));
    number <= told.iter().sum::<u64>().saturating_sub(stated.sum())
}

/// Whether `105 problems` alone can be the total of `ESLint`'s format `unix`: it told of problems since
/// the last, and of no more.
fn unix(number: u64, line: &Line<'_>, facts: &Facts) -> Option<&'static str> {
    const TOOL: &str = "eslint";
    let told = [Severity::Error, Severity::Warning].map(|each| facts.problems.seen(TOOL, each));
    let runs = facts.sessions.iter().filter(|run| run.tool == TOOL);
    let stated = runs.filter_map(|run| run.stated.as_ref()?.get(Category::Problems));
    let open = told.iter().sum::<u64>().saturating_sub(stated.sum());
    let last = facts.problems.latest_source() == Some(TOOL);
    (last && is_after_blank(line, facts) && open > 0 && number >= open).then_some(TOOL)
}

/// Whose total this is: `found` (`Found 3`, `✖ 3`), its number and word (`errors`) and all that follows the
/// number.
fn whose(
    found: bool,
    (number, word): (u64, &str),
    after: &str,
    facts: &mut Facts,
) -> Option<&'static str> {
    // Who told of the problems before; without any, anybody may have printed such a line.
    let last = facts.problems.latest_source();
    let own = |last: &&str| COMPILERS.contains(last) || BUNDLERS.contains(last);
    let linter = last.filter(|last| !last.is_empty() && !own(last));
    let of = |own: &'static str| linter.unwrap_or(own);
    let tool = match (found, word, after) {
        (true, "problem" | "problems", _) => of("eslint"),
        (true, "diagnostic" | "diagnostics", "diagnostic" | "diagnostics") => "ty",
        (true, "error" | "errors", _) if after.contains(" in ") && after.contains("checked") => {
            "mypy"
        }
        (true, "error" | "errors", _) if after.contains(" in ") || after.contains("Watching") => {
            "tsc"
        }
        (true, "error" | "errors" | "warning" | "warnings", _) => {
            facts.now.weak = last.is_none();
            of("ruff")
        }
        (false, "error" | "errors", _)
            if after.contains(" warning")
                && (after.ends_with(" informations")
                    || after.ends_with(" information")
                    || after.ends_with(" notes")
                    || after.ends_with(" note")
                    || facts.tools.contains(&"pyright")) =>
        {
            "pyright"
        }
        (false, "error" | "errors" | "warning" | "warnings", _) if after.contains("generated") => {
            facts.now.weak = !compiled(number, facts);
            "clang"
        }
        _ => return None,
    };
    Some(tool)
}

/// `Found 6 errors.`, then the same of warnings and of notes, once in a run.
fn biome_total(number: u64, word: &str, facts: &mut Facts) -> bool {
    let category = match word {
        "error" | "errors" => Category::Errors,
        "warning" | "warnings" => Category::Warnings,
        _ => return true,
    };
    facts.problems_stated = true;
    facts.lint = true;
    if category == Category::Errors || facts.stands("biome", category) > 0 {
        facts.afresh("biome");
    }
    facts.part("biome", category, number);
    true
}

fn rubocop(after: &str, facts: &mut Facts) -> bool {
    let number = after
        .split(", ")
        .find_map(|part| part.split_once(" offense")?.0.parse::<u64>().ok());
    let mut counts = Counts::default();
    counts.add(Category::Problems, number.unwrap_or(0));
    facts.problems_stated = true;
    facts.lint = true;
    facts.result("rubocop", counts, None);
    facts.close("rubocop");
    true
}
