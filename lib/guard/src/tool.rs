//! Every tool's call: shells by their command, file tools by their path, the rest by what they
//! can reach. A tool that nobody knows is a question.

mod mcp;
mod web;

use super::area::{self, Grounds};
use super::payload::Event;
use super::question::Call;
use overnight_shell::{Context, Verdict, judge_command, names};

/// Tools that run their `command` in a POSIX shell.
const SHELLS: &[&str] = &["bash", "shell", "monitor"];
/// Tools that change the file under this key.
const WRITERS: &[(&str, &str)] = &[
    ("Write", "file_path"),
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("NotebookEdit", "notebook_path"),
];
/// Tools that show files; without the key they mean the working folder.
const READERS: &[(&str, &str)] = &[
    ("Read", "file_path"),
    ("NotebookRead", "notebook_path"),
    ("Grep", "path"),
    ("Glob", "path"),
    ("LS", "path"),
    ("LSP", "filePath"),
];
/// Tools that only move the client's own state: plans, lists, background tasks, questions.
/// Skills and agents act through tools that are judged themselves.
const INERT: &[&str] = overnight_base::words!(
    "Agent Task TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop \
     BashOutput KillShell KillBash AgentOutputTool EnterPlanMode ExitPlanMode AskUserQuestion \
     Skill SlashCommand ToolSearch ListMcpResourcesTool ReadMcpResourceTool EnterWorktree \
     SendMessage TeamCreate TeamDelete Sleep StructuredOutput Brief ListAgents ReportFindings \
     CronList"
);

/// Judges one tool call.
pub fn judge(event: &Event, context: &Context<'_>, grounds: &Grounds) -> Verdict {
    let verdict = in_any_session(event, context, grounds);
    if context.attended {
        verdict.where_a_person_is()
    } else {
        verdict
    }
}

fn in_any_session(event: &Event, context: &Context<'_>, grounds: &Grounds) -> Verdict {
    let tool = event.tool.as_str();
    let own = of_tool(event, context, grounds);
    if INERT.contains(&tool) || is_shell(tool) {
        return own;
    }
    // Whatever else a tool is: what it calls a command may be run by a shell.
    match event.input.text("command") {
        Some(command) => own.worse(of_command(command, context)),
        None => own,
    }
}

/// The call as an approval is bound to it: a shell's command, or all arguments of another tool.
pub fn call(event: &Event, folder: &str) -> Call {
    match event.input.text("command") {
        Some(command) if is_shell(&event.tool) => Call::new("Bash", command, folder),
        _ => Call::new(&event.tool, &event.input.raw, folder),
    }
}

/// What configured patterns are compared with: a shell's command, or the tool's name and its
/// arguments.
pub fn subject(event: &Event) -> String {
    match event.input.text("command") {
        Some(command) if is_shell(&event.tool) => command.to_owned(),
        _ => {
            let texts = event.input.texts().map(|(_, text)| text);
            [event.tool.as_str()]
                .into_iter()
                .chain(texts)
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}

fn of_tool(event: &Event, context: &Context<'_>, grounds: &Grounds) -> Verdict {
    let input = &event.input;
    let tool = event.tool.as_str();
    let key = |table: &[(&str, &'static str)]| {
        table
            .iter()
            .find(|(name, _)| *name == tool)
            .map(|(_, key)| *key)
    };
    if is_shell(tool) {
        return match input.text("command") {
            Some(command) => of_command(command, context).worse(sandbox(event)),
            None => Verdict::deny("malformed", "the call has no command as text").grave(),
        };
    }
    if let Some(key) = key(WRITERS) {
        return match input.text(key) {
            Some(path) => area::write(path, context, grounds).worse(attributes(path, event)),
            None => Verdict::deny("malformed", "the call has no path as text").grave(),
        };
    }
    if let Some(key) = key(READERS) {
        return match input.text(key) {
            Some(path) => area::read(path, context, grounds),
            None if input.is_other(key) => {
                Verdict::deny("malformed", "the call has no path as text").grave()
            }
            None => Verdict::allow(),
        };
    }
    match tool {
        "WebFetch" => web::fetch(input),
        "WebSearch" => web::search(input),
        "Agent" | "Task" => agent(event),
        _ if INERT.contains(&tool) => Verdict::allow(),
        _ if mcp::is_one(tool) => mcp::judge(event, context, grounds),
        _ => Verdict::ask(
            "unknown-tool",
            &format!("the guard does not know the tool {tool:?}"),
        ),
    }
}

/// Attributes of git that name a filter make git run what its configuration says.
fn attributes(path: &str, event: &Event) -> Verdict {
    let filters = || event.input.texts().any(|(_, text)| names::filters(text));
    if path.ends_with(".gitattributes") && filters() {
        return Verdict::ask(
            "write-hooks",
            &format!("{path} names a filter, which git runs by itself"),
        );
    }
    Verdict::allow()
}

/// Does the tool change nothing by itself: does it look, or move the client's own state?
pub(crate) fn only_looks(tool: &str) -> bool {
    INERT.contains(&tool) || READERS.iter().any(|(name, _)| *name == tool)
}

/// Does the tool run its command in a shell? A missing name is taken for the one that does.
pub fn is_shell(tool: &str) -> bool {
    let name = tool.trim();
    name.is_empty() || SHELLS.iter().any(|shell| name.eq_ignore_ascii_case(shell))
}

fn of_command(command: &str, context: &Context<'_>) -> Verdict {
    if command.contains('\0') {
        return Verdict::deny(
            "malformed",
            "the command holds a NUL character, which no shell runs as written",
        )
        .grave();
    }
    judge_command(command, context)
}

/// The client's own sandbox is the last wall; a call that switches it off is a person's to allow.
fn sandbox(event: &Event) -> Verdict {
    let off = ["dangerouslyDisableSandbox", "dangerously_disable_sandbox"];
    if off.iter().any(|key| event.input.is_on(key)) {
        return Verdict::ask(
            "no-sandbox",
            "the command would run outside the client's sandbox",
        )
        .instead("run it inside the sandbox");
    }
    Verdict::allow()
}

/// An agent acts through tools that are judged, unless it asks for a mode without judgement.
fn agent(event: &Event) -> Verdict {
    let mode = event
        .input
        .text("mode")
        .or_else(|| event.input.text("permission_mode"));
    if mode.is_some_and(|mode| mode.trim().eq_ignore_ascii_case("bypassPermissions")) {
        return Verdict::deny(
            "bypass",
            "an agent without permission checks is never started",
        )
        .grave()
        .instead("start the agent without that mode");
    }
    Verdict::allow()
}

#[cfg(test)]
mod tests;
