//! What stands in the work tree.

use super::{PathClass, last};
use crate::context::Context;
use crate::machine::glob;
use crate::names::one_of;
use crate::{mark, names};

pub(super) fn in_work_tree(context: &Context<'_>, relative: &str) -> PathClass {
    let mut parts = relative.split('/');
    let first = parts.next().unwrap_or("");
    if relative.is_empty() {
        return PathClass::Root;
    }
    if relative.split('/').any(|part| part == ".git") {
        return PathClass::Git;
    }
    if first.starts_with('.') && mark::pattern(first) {
        let pattern = mark::show_patterns(first).replace("[]", "?");
        if glob::matches(&pattern, ".git") {
            return PathClass::Git;
        }
    }
    if first.starts_with([mark::ANY, mark::OUTPUT]) {
        return PathClass::Root;
    }
    if let Some(place) = known_state(first, relative) {
        return place;
    }
    let folded = names::fold(relative);
    if names::local_secret(last(&folded)) {
        return PathClass::LocalSecret;
    }
    if names::pipeline(&folded.split('/').collect::<Vec<_>>()) {
        return PathClass::Pipeline;
    }
    let path = context
        .root
        .map(|root| format!("{root}/{relative}"))
        .unwrap_or_default();
    if !mark::unknown(&path)
        && context.facts.ignored(&path) == Some(true)
        && regenerable(context, relative) != Some(false)
    {
        return PathClass::Build;
    }
    if regenerable(context, relative) == Some(true) && context.facts.ignored(&path) != Some(false) {
        return PathClass::Build;
    }
    PathClass::Work
}

/// Files that steer the client, the guard or the run.
fn known_state(first: &str, relative: &str) -> Option<PathClass> {
    let below_claude = relative.strip_prefix(".claude/");
    let guard = one_of(
        first,
        ".flow .overnight .agentcore-loop overnight.toml .mcp.json .claude-plugin .ralph .husky .githooks",
    ) || relative == ".claude"
        || below_claude.is_some_and(|rest| {
            !(rest.starts_with("worktrees/")
                || rest.starts_with("commands/")
                || rest.starts_with("agents/")
                || rest.starts_with("skills/"))
        })
        || last(relative) == "decision.json"
        || last(relative) == "decision_file";
    if guard {
        return Some(PathClass::Guard);
    }
    let state = matches!(first, "current_tasks" | "agent_logs" | "progress")
        || relative == "tasks.json"
        || relative == "AGENT_PROMPT.md";
    state.then_some(PathClass::RunState)
}

const CACHES: &[&str] = overnight_base::words!(
    "__pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .next .nuxt .turbo .parcel-cache \
     .cache coverage htmlcov .nyc_output .gradle .svelte-kit .angular .vite out _build bin obj \
     .eggs .hypothesis .venv venv deps .dart_tool Pods DerivedData .terraform zig-cache zig-out \
     .zig-cache cmake-build-debug cmake-build-release .stack-work dist-newstyle .bundle \
     test-results playwright-report storybook-static .output .serverless"
);

const UNSURE: &[&str] = &["out", "_build", "bin", "obj", "deps"];

/// Is it output that a tool makes again? `Some(false)`: ignored by git, yet the only copy.
fn regenerable(context: &Context<'_>, relative: &str) -> Option<bool> {
    let folder = relative.split('/').any(|part| {
        context.ignored.contains(&part)
            || (CACHES.contains(&part) && !UNSURE.contains(&part))
            || part.ends_with(".egg-info")
            || part.ends_with(".dSYM")
    });
    if folder {
        return Some(true);
    }
    let unsure = relative.split('/').any(|part| UNSURE.contains(&part));
    let name = last(relative);
    let ends = [
        ".pyc",
        ".pyo",
        ".o",
        ".class",
        ".tmp",
        ".swp",
        ".orig",
        ".rej",
        ".bak",
        ".profraw",
        ".gcda",
        ".gcno",
        ".log",
        ".egg-info",
        ".tsbuildinfo",
        "~",
    ];
    if ends.iter().any(|end| name.ends_with(end))
        || one_of(name, ".coverage .DS_Store lcov.info .eslintcache")
    {
        return Some(true);
    }
    if unsure { None } else { Some(false) }
}
