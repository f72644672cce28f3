//! The client, the guard itself and the loop's own programs.

use super::{Row, effect, options};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::{holds, one_of, starts_with};
use crate::policy;
use overnight_base::programs::{NAMES, PROGRAM};

pub(super) const ROWS: &[Row] = &[
    ("claude claude-code", claude),
    (
        "codex gemini aider cursor-agent opencode amp copilot-cli qwen crush cline droid auggie \
         kilocode",
        other_agent,
    ),
    ("overnight", overnight),
    ("dcg flow-guard command-guard", |_, _| Data::unknown()),
    (
        "completion-check circuit-breaker task-lock progress-log error-codes find-clones",
        own,
    ),
];

/// Programs of this plugin, and the client.
pub(super) fn is_own(name: &str) -> bool {
    name == "claude" || name == PROGRAM || NAMES.contains(&name)
}

/// Switches of the client that take the guard away, in any spelling.
fn switches_off(args: &[String]) -> bool {
    options::pairs(args).any(|(arg, next)| {
        holds(
            arg,
            "dangerously-skip-permissions bypassPermissions disableAllHooks",
        ) || starts_with(
            arg,
            "--dangerous --settings --setting-sources --plugin-dir --mcp-config",
        ) || arg == "--bare"
            || arg == "--permission-mode" && one_of(next, "bypassPermissions acceptEdits auto")
            || one_of(arg, "--allowedTools --allowed-tools")
                && (next.contains("Bash") && !next.contains("Bash(") || next.contains('*'))
    })
}

fn claude(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if switches_off(args)
        || call
            .argv
            .iter()
            .any(|arg| crate::mark::unknown(arg) && arg.starts_with("--"))
    {
        effect(machine, &policy::SIDESTEP, "claude");
        return Data::unknown();
    }
    let words = options::words(args, "--model -m --output-format -r --resume --scope -s");
    let rule = match (words.first().copied(), words.get(1).copied()) {
        (
            Some("config" | "mcp" | "plugin" | "plugins"),
            Some("list" | "get" | "ls" | "validate"),
        )
        | (Some("doctor" | "help"), _) => return Data::unknown(),
        (
            Some(
                "config" | "mcp" | "plugin" | "plugins" | "setup-token" | "install" | "logout"
                | "login" | "auth",
            ),
            _,
        ) => &policy::SIDESTEP,
        (Some("update" | "upgrade" | "migrate-installer"), _) => &policy::INSTALL,
        _ if options::any(args, "--version -v --help -h") => return Data::unknown(),
        // A nested session: its own calls meet the same guard, but it spends the budget.
        _ => &policy::CHANGE,
    };
    effect(machine, rule, "claude");
    Data::unknown()
}

/// Switches of other agents that let them do anything.
const LOOSE: &str =
    "yolo dangerously full-auto danger-full-access --allow-all approve-all auto-approve bypass";

fn other_agent(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let loose =
        args.iter().any(|arg| holds(arg, LOOSE)) || options::any(args, "--yes-always -y --force");
    if loose {
        effect(machine, &policy::SIDESTEP, &call.name);
    } else if !options::any(args, "--version --help") {
        effect(machine, &policy::CHANGE, &call.name);
    }
    Data::unknown()
}

/// `overnight NAME …` is the program of that name.
pub(super) fn program(call: &Call) -> Option<Call> {
    let name = call.args().first().filter(|_| call.name == PROGRAM)?;
    NAMES.contains(&name.as_str()).then(|| Call {
        name: name.clone(),
        argv: call.args().to_vec(),
        stdin: call.stdin.clone(),
    })
}

/// What only a person may say is forbidden to the agent.
fn overnight(machine: &mut Machine<'_>, call: &Call) -> Data {
    let verb = call
        .args()
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    match verb {
        "approve" | "deny" | "trust" | "off" | "uninstall" => {
            effect(machine, &policy::TAMPER, verb);
        }
        "review" if options::any(call.args(), "--web") => {
            effect(machine, &policy::TAMPER, "review --web");
        }
        "stop" | "resume" | "run" | "plan" => effect(machine, &policy::WRITE_STATE, verb),
        _ => {}
    }
    Data::unknown()
}

fn own(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name == "circuit-breaker" && options::begins(call.args(), "reset") {
        effect(machine, &policy::TAMPER, "circuit-breaker reset");
    }
    let options = options::parse(call.args(), "", "gate decision-file check-id text", false);
    for gate in options.values("gate") {
        super::runs_text(machine, gate, &Data::empty());
    }
    Data::unknown()
}

/// Client switches in the arguments of any program that may hand them on.
pub(super) fn own_programs(machine: &mut Machine<'_>, call: &Call) {
    if call.is("echo printf grep rg git gh logger say") {
        return;
    }
    let client = |arg: &String| {
        let name = arg.rsplit('/').next().unwrap_or(arg);
        let version = name.char_indices().skip(1).find(|(_, c)| *c == '@');
        one_of(
            version.map_or(name, |(at, _)| &name[..at]),
            "claude claude-code",
        )
    };
    let starts_client = call.args().iter().any(client);
    let unbound = options::any(call.args(), "--allow-all-tools --yolo")
        || call
            .args()
            .iter()
            .any(|arg| arg.starts_with("--dangerously-"));
    if unbound || starts_client && switches_off(call.args()) {
        effect(machine, &policy::SIDESTEP, &call.name);
    }
}
