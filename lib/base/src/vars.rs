//! The registry of environment variables: the only place where their names stand.

use std::fmt::Write;

/// An environment variable that some binary reads.
#[derive(Debug)]
pub struct Var {
    /// Its documented name.
    pub name: &'static str,
    /// An older or shorter name that is honoured too; the documented one wins.
    pub alias: Option<&'static str>,
    /// What holds when it is unset, as text for the reference page.
    pub default: &'static str,
    /// Meaning, unit and range, in one sentence.
    pub doc: &'static str,
}

/// What the variables that the client makes of the plugin's options begin with; the option's name
/// in capitals follows.
pub const PLUGIN_OPTION: &str = "CLAUDE_PLUGIN_OPTION_";

macro_rules! vars {
    ($($const:ident = $name:literal $(| $alias:literal)?, $default:literal, $doc:literal;)*) => {
        $(#[doc = $doc] pub const $const: Var = Var { name: $name, alias: vars!(@alias $($alias)?), default: $default, doc: $doc };)*

        /// Every variable, for the reference page.
        pub const ALL: &[&Var] = &[$(&$const,)*];
    };
    (@alias) => { None };
    (@alias $alias:literal) => { Some($alias) };
}

vars! {
    CHECK_ID = "OVERNIGHT_CHECK_ID" | "AGENTCORE_COMPLETION_CHECK_ID", "none", "The nonce of the current judgement; set by the driver for the agent.";
    DECISION_FILE = "OVERNIGHT_DECISION_FILE", "none", "Where `completion-check declare` writes the decision and `judge` reads it; set by the driver for the agent.";
    AGENT_ID = "OVERNIGHT_AGENT_ID" | "AGENT_ID", "none", "Who works: owner of leases and key of the test sample.";
    RUN = "OVERNIGHT_RUN", "none", "The id of the run that an agent works for; set by the driver for the agent.";
    RUN_DIR = "OVERNIGHT_RUN_DIR", "none", "The absolute folder of that run's state; set by the driver for the agent.";
    EPOCH = "OVERNIGHT_EPOCH", "none", "The number of the driver that started the agent; the guard refuses every tool once the run has another.";
    ITERATION = "OVERNIGHT_ITERATION", "none", "The iteration that an agent works on, from 1; set by the driver for the agent.";
    ATTEMPT = "OVERNIGHT_ATTEMPT", "none", "The attempt within the iteration, from 1; set by the driver for the agent.";
    VISIT = "OVERNIGHT_VISIT", "none", "How often the task was worked on, this time included; set by the driver for the agent.";
    GATE = "OVERNIGHT_GATE", "none", "Set for a gate and what it starts, so that what it leaves behind is found and ended.";
    TASK = "OVERNIGHT_TASK", "none", "The id of the task that an agent works on; set by the driver for the agent.";
    MODEL = "OVERNIGHT_MODEL", "none", "The model that was named for an agent's task; set by the driver for the agent.";
    MEMBER = "OVERNIGHT_MEMBER", "none", "The number of the member that an agent works as, from 1; set by the driver for its members.";
    PORT = "OVERNIGHT_PORT", "none", "The first of 100 ports on which programs of this member may listen; set by the driver for its members.";
    PROMPT_FILE = "OVERNIGHT_PROMPT_FILE", "none", "A file with the agent's prompt; set by the driver for the agent.";
    LANDLOCK = "OVERNIGHT_LANDLOCK", "what the kernel has", "The newest version of Landlock that is used; 0: none. To try out what an older kernel would give.";
    NAMESPACES = "OVERNIGHT_NAMESPACES", "what the kernel has", "0: no namespaces are used. To try out what a machine without them would give.";
    CELL_START = "OVERNIGHT_CELL_START", "none", "Set by Overnight for the moment in which it starts something in a cell.";
    CELL = "OVERNIGHT_CELL", "unset", "Set inside the walls of the cell: `agent`, `gate` or `shell`.";
    CLAUDECODE = "CLAUDECODE", "none", "Set by Claude Code for everything that it starts; approvals are refused there.";
    SESSION_ATTENDED = "CLAUDE_CODE_SESSION_ATTENDED", "1", "Set by Claude Code: 0 when nobody can answer a dialog.";
    CLAUDE_ENV_FILE = "CLAUDE_ENV_FILE", "none", "Set by Claude Code for session-start: the file whose text it puts in front of every shell command.";
    CLAUDE_PID = "CLAUDE_PID", "none", "Set by Claude Code for its hooks: the client's process id.";
    STOP_HOOK_BLOCK_CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "8", "How many stops in a row without a tool call Claude Code lets a Stop hook hold; 0: any number.";
    AGENT_TEAMS = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "unset", "Switches the client's agent teams on: then their tasks are leased, judged and handed out.";
    SESSION_ID = "CLAUDE_CODE_SESSION_ID", "none", "Set by Claude Code for everything that it starts: the session's id.";
    CONFIG_HOME = "XDG_CONFIG_HOME", "~/.config", "Where the person's configuration lives: `overnight/config.toml` in it.";
    RUNTIME_DIR = "XDG_RUNTIME_DIR", "/run/user/ and your number", "Where sockets of your session are: they are not there in a cell.";
    STATE_HOME = "XDG_STATE_HOME", "~/.local/state", "Where approvals and trust live, outside every repository: `overnight/` in it.";
    TZ = "TZ", "the zone of /etc/localtime", "The time zone in which times are written and reset times without a zone are understood.";
    TMPDIR = "TMPDIR", "/tmp", "The folder for temporary files; file tools may write there.";
    PLUGIN_ROOT = "CLAUDE_PLUGIN_ROOT", "none", "Set by Claude Code for a plugin's hooks: where the plugin is installed.";
    CLIENT_HOME = "CLAUDE_CONFIG_DIR", "~/.claude", "Claude Code's own folder: settings and plugins.";
    MAX_ITERATIONS = "OVERNIGHT_MAX_ITERATIONS", "10", "Iterations of a run at most: 1 to 100000.";
    TASK_TIMEOUT = "OVERNIGHT_TASK_TIMEOUT", "30m", "Longest time of one iteration, for example 90s or 1h.";
    MAX_DURATION = "OVERNIGHT_MAX_DURATION", "none", "Longest time of a whole run, for example 8h.";
    BUDGET_USD = "OVERNIGHT_BUDGET_USD", "none", "Dollars of a run at most.";
    BREAKER_NO_PROGRESS = "OVERNIGHT_BREAKER_NO_PROGRESS" | "CB_NO_PROGRESS_THRESHOLD", "3", "Iterations in a row without progress after which a task's circuit breaker opens: 1 to 1000.";
    BREAKER_SAME_ERROR = "OVERNIGHT_BREAKER_SAME_ERROR" | "CB_SAME_ERROR_THRESHOLD", "5", "Iterations in a row with the same error after which it opens: 1 to 1000.";
    BREAKER_OUTPUT_DECLINE = "OVERNIGHT_BREAKER_OUTPUT_DECLINE" | "CB_OUTPUT_DECLINE_THRESHOLD", "70", "Decline of the output in per cent that counts as a sign of being stuck: 0 (never) to 100.";
    DONE_SIGNALS = "OVERNIGHT_DONE_SIGNALS" | "MAX_CONSECUTIVE_DONE_SIGNALS", "2", "Done signals in a row that stand in for a claim: 1 to 1000.";
    TEST_LOOPS = "OVERNIGHT_TEST_LOOPS" | "MAX_CONSECUTIVE_TEST_LOOPS", "3", "Iterations in a row that only ran passing tests and stand in for a claim: 1 to 1000.";
    LOCK_TTL = "OVERNIGHT_LOCK_TTL" | "LOCK_TTL_SECONDS", "1h", "Time to live of a lease that names none, for example 3600 or 1h.";
    PYTHONPATH = "PYTHONPATH", "none", "Where Python looks for modules; `sample-tests run` adds its plugin in front.";
    SAMPLE_SETTINGS = "OVERNIGHT_SAMPLE_SETTINGS", "none", "Set by `sample-tests run` for its pytest plugin: the file that says how to choose.";
    SAMPLE_RATE = "OVERNIGHT_SAMPLE_RATE" | "SAMPLE_RATE", "0.1", "Share of the tests that a sample takes: a decimal from 0.001 to 1.";
    GIT_CONFIG_GLOBAL = "GIT_CONFIG_GLOBAL", "none", "git's own: the person's configuration of git, instead of `~/.gitconfig`.";
    SEED = "OVERNIGHT_SEED" | "SEED", "the agent's id", "Seed of the test sample: one line of at most 1,024 bytes.";
    CLOCK_OFFSET = "TASK_LOCK_CLOCK_OFFSET", "0", "Seconds by which task-lock takes the wall clock to be ahead (negative: behind); for trying out clock skew.";
    OWNER_PID = "OVERNIGHT_OWNER_PID", "none", "The process that leases live with: when it has ended, they may be taken at once on this machine.";
    FILTER_ENABLED = "OVERNIGHT_OUTPUT_FILTER_ENABLED" | "OUTPUT_FILTER_ENABLED", "true", "Whether long outputs are shortened: true or false.";
    FILTER_MODE = "OVERNIGHT_OUTPUT_FILTER" | "OUTPUT_FILTER", "unset", "`OUTPUT_FILTER=raw` before a command leaves its output alone.";
    OUTPUT_LINES = "OVERNIGHT_MAX_OUTPUT_LINES" | "MAX_OUTPUT_LINES", "50", "The most lines that an output has after the filter: 5 to 1000.";
    ERROR_FORMAT = "OVERNIGHT_ERROR_FORMAT" | "ERROR_FORMAT", "ERROR: {reason}", "The one line that a digest ends with when the command failed; fields {code}, {name}, {reason}.";
    FILTER_ACTIVE = "OVERNIGHT_FILTER_ACTIVE", "unset", "Set by the filter for the shell that it starts, so that the shell does not start the filter again.";
    FILTER_SHELL = "OVERNIGHT_FILTER_SHELL", "none", "Set by the env-file guard: the shell to run the command in.";
    FILTER_STRING = "OVERNIGHT_FILTER_STRING", "none", "Set by the env-file guard: the shell's whole command string.";
    SHELL = "SHELL", "/bin/sh", "The person's shell.";
    HOME = "HOME", "none", "The person's home folder.";
    PATH = "PATH", "none", "Where programs are looked for.";
    TERM = "TERM", "none", "What kind of terminal it is; on `dumb`, or where it is not set, nothing is drawn.";
    TMUX = "TMUX", "none", "Set by tmux for what runs in it: `--tmux` then shows the members there.";
    NO_COLOR = "NO_COLOR", "unset", "When set and not empty, no colours are printed.";
    PAGER = "PAGER", "`less -FRX`", "What shows a report that is longer than the terminal.";
}

/// The reference page's section on variables, as Markdown.
pub fn section() -> String {
    let head = "## Environment variables\n\n| variable | default | meaning |\n|---|---|---|\n";
    ALL.iter().fold(head.to_owned(), |mut text, var| {
        let alias = var
            .alias
            .map(|alias| format!(" (or `{alias}`)"))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "| `{}`{alias} | {} | {} |",
            var.name, var.default, var.doc
        );
        text
    })
}
