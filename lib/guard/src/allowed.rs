//! The tools that a task allows (`allowed_tools` of the task list): everything else is refused while an agent
//! works on it.

use super::payload::Event;
use super::tool;
use overnight_shell::{Context, Verdict, predict_arguments};

/// The rule that such a call is refused by.
const RULE: &str = "task-tools";
/// Tools that change files; a rule for one of them allows all, as the client reads `Edit`.
const WRITERS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
/// What an iteration begins and ends with whatever its task allows: looking, saying what came of it, keeping it.
const ALWAYS: &[&str] = overnight_base::texts!(
    "completion-check declare|git status|git diff|git log|git show|git add|git commit|git rev-parse|git ls-files\
     |cd|pwd|true|ls|cat"
);
/// As many commands of a call are looked at by `predict_arguments`; what has more is not seen whole.
const COMMANDS_MAX: usize = 64;

/// What the task's list says to the call; `None` where it says nothing: the list is empty, or allows it.
pub fn judge(event: &Event, rules: &[String], context: &Context<'_>) -> Option<Verdict> {
    if rules.is_empty() || tool::only_looks(&event.tool) || is_allowed(event, rules, context) {
        return None;
    }
    let reason = format!(
        "this task allows only {}; {} is none of them",
        rules.join(", "),
        if tool::is_shell(&event.tool) {
            "this command"
        } else {
            event.tool.as_str()
        }
    );
    Some(Verdict::deny(RULE, &reason).instead(
        "do it with a tool that the task allows, or declare incomplete and say which one it needs",
    ))
}

fn is_allowed(event: &Event, rules: &[String], context: &Context<'_>) -> bool {
    let name = event.tool.as_str();
    if tool::is_shell(name) {
        let command = event.input.text("command").unwrap_or_default();
        return rules.iter().any(|rule| bare(rule, "Bash"))
            || runs_allowed(command, rules, context);
    }
    let writes = WRITERS.contains(&name);
    rules.iter().any(|rule| {
        let (tool, inner) = parts(rule);
        let same = tool == name
            || writes && WRITERS.contains(&tool)
            || tool.starts_with("mcp__") && name.starts_with(&format!("{tool}__"));
        same && (!writes || inner.is_none_or(|glob| is_of(event, glob, context)))
    })
}

/// Is each command that bash would run one of those?
fn runs_allowed(command: &str, rules: &[String], context: &Context<'_>) -> bool {
    let allowed: Vec<&str> = rules
        .iter()
        .filter_map(|rule| Some(parts(rule)).filter(|(tool, _)| *tool == "Bash")?.1)
        .collect();
    let commands = predict_arguments(command, context);
    let one = |argv: &Vec<String>| {
        let line = argv.join(" ");
        ALWAYS.iter().any(|always| begins(&line, always))
            || allowed.iter().any(|rule| fits(&line, rule))
    };
    !commands.is_empty() && commands.len() < COMMANDS_MAX && commands.iter().all(one)
}

/// Does the command fit the inner part of a rule, as the client reads it: `cargo test:*` and `cargo test *` are
/// beginnings, without a star the whole command is meant?
fn fits(line: &str, rule: &str) -> bool {
    match rule.strip_suffix(":*").or_else(|| rule.strip_suffix(" *")) {
        Some(beginning) => begins(line, beginning),
        None => line == rule || rule == "*",
    }
}

fn begins(line: &str, beginning: &str) -> bool {
    line.strip_prefix(beginning)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Is the file of the call one that the pattern names, from the top of the project?
fn is_of(event: &Event, glob: &str, context: &Context<'_>) -> bool {
    let path = event
        .input
        .text("file_path")
        .or_else(|| event.input.text("notebook_path"));
    let Some(path) = path.filter(|path| !path.split('/').any(|part| part == "..")) else {
        return false;
    };
    let top = context.root.unwrap_or(context.cwd);
    let inner = path
        .strip_prefix(top)
        .map_or(path, |rest| rest.trim_start_matches('/'));
    let glob = glob.trim_start_matches("./").trim_start_matches('/');
    let folder = glob.trim_end_matches("**").trim_end_matches('/');
    if glob.ends_with("**") || !glob.contains('*') {
        return folder.is_empty() || inner == folder || inner.starts_with(&format!("{folder}/"));
    }
    let (before, after) = glob.split_once('*').unwrap_or((glob, ""));
    inner.len() >= before.len() + after.len() && inner.starts_with(before) && inner.ends_with(after)
}

fn bare(rule: &str, name: &str) -> bool {
    let (tool, inner) = parts(rule);
    tool == name && inner.is_none_or(|inner| inner == "*" || inner == ":*")
}

/// `Bash(cargo test:*)` as its tool and what stands in the parentheses.
fn parts(rule: &str) -> (&str, Option<&str>) {
    let rule = rule.trim();
    match rule.split_once('(') {
        Some((tool, inner)) => (
            tool.trim(),
            Some(inner.trim_end().trim_end_matches(')').trim()),
        ),
        None => (rule, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{Input, Moment};
    use overnight_shell::{Losses, Mode, NoFacts};

    fn refused(tool: &str, (key, value): (&str, &str), rules: &[&str]) -> bool {
        let event = Event {
            moment: Moment::BeforeTool,
            session: None,
            agent: None,
            cwd: None,
            tool: tool.to_owned(),
            input: Input::of(&[(key, value)]),
        };
        let rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
        let context = Context {
            mode: Mode::Normal,
            attended: false,
            walled: false,
            cwd: "/p",
            root: Some("/p"),
            home: "/h",
            branch: None,
            own_prefix: "auto/",
            disposable: false,
            losses: Losses::ByMode,
            ours: &[],
            ignored: &[],
            facts: &NoFacts,
        };
        judge(&event, &rules, &context).is_some()
    }

    #[test]
    fn only_what_the_list_names_is_allowed_and_what_every_iteration_needs() {
        let bash = |command: &str, rules: &[&str]| refused("Bash", ("command", command), rules);
        let list = ["Read", "Edit", "Bash(cargo test:*)"];
        for command in [
            "cargo test",
            "cargo test parser 2>&1 | cat",
            "cd sub && cargo test",
            "git add -A && git commit -m x",
            "completion-check declare complete --check-id 1",
        ] {
            assert!(!bash(command, &list), "{command}");
        }
        for command in [
            "cargo build",
            "cargo tester",
            "cargo test && make",
            "bash -c 'make'",
            "curl x",
            "git push",
            "",
        ] {
            assert!(bash(command, &list), "{command}");
        }
        assert!(!bash("make", &[]) && !bash("make", &["Bash"]) && !bash("make", &["Bash(*)"]));
        assert!(!bash("ls -l", &["Bash(make)"]) && bash("make x", &["Bash(make)"]));
    }

    #[test]
    fn tools_that_write_go_together_and_a_pattern_bounds_them() {
        let write = |path: &str, rules: &[&str]| refused("Write", ("file_path", path), rules);
        assert!(!write("/p/a.rs", &["Edit"]) && write("/p/a.rs", &["Read"]));
        assert!(
            !write("/p/src/a.rs", &["Edit(src/**)"]) && write("/p/tests/a.rs", &["Edit(src/**)"])
        );
        assert!(write("/p/src/../tests/a.rs", &["Edit(src/**)"]));
        assert!(!write("/p/a.rs", &["Edit(*.rs)"]) && write("/p/a.py", &["Edit(*.rs)"]));
        let web = |rules: &[&str]| refused("WebFetch", ("url", "https://x"), rules);
        assert!(web(&["Read"]) && !web(&["WebFetch"]));
        assert!(
            !refused("mcp__gh__list", ("a", "b"), &["mcp__gh"])
                && refused("mcp__gh__list", ("a", "b"), &["mcp__g"])
        );
        for tool in ["Read", "Grep", "Agent", "TodoWrite"] {
            assert!(!refused(tool, ("file_path", "/p/x"), &["Edit"]), "{tool}");
        }
    }
}
