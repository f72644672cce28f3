//! What a file tool must not change.

use super::{Grounds, Named};
use overnight_shell::{Context, Verdict, names};

/// Folders of the system; everything in them belongs to the machine.
const SYSTEM: &[&str] = overnight_base::words!(
    "/bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var \
     /system /library /applications /private/etc"
);
/// Folders for temporary files on every system, besides the one in the environment.
const TEMPORARY: &[&str] =
    overnight_base::words!("/tmp /var/tmp /private/tmp /var/folders /private/var/folders /dev/shm");
/// Folders of a home folder from which programs start by themselves or by name.
const STARTERS: &[&[&str]] = &[
    &["bin"],
    &["library", "launchagents"],
    &["library", "application support"],
];
/// Folders that a run keeps its records in.
const RECORDS: &[&str] =
    overnight_base::words!(".overnight current_tasks agent_logs .flow .agentcore-loop");

pub(super) fn judge(path: &Named<'_>, context: &Context<'_>, grounds: &Grounds) -> Verdict {
    if grounds.decision_file.as_deref() == Some(path.path) {
        return Verdict::allow();
    }
    protected(path, grounds)
        .or_else(|| client(path, context, grounds))
        .or_else(|| outside(path, context, grounds))
        .or_else(|| records(path, grounds))
        .or_else(|| delicate(path))
        .unwrap_or_else(Verdict::allow)
}

/// Git's own files and the guard's.
fn protected(path: &Named<'_>, grounds: &Grounds) -> Option<Verdict> {
    let shown = path.path;
    let in_git = path.has(".git") || path.has("git~1");
    if in_git
        || grounds
            .git_common
            .as_deref()
            .is_some_and(|git| path.is_in(git))
    {
        return Some(
            Verdict::deny(
                "write-git",
                &format!("{shown} belongs to git: hooks, configuration or history"),
            )
            .instead("use git commands such as git commit, git switch or git worktree"),
        );
    }
    // A night's own work tree lies among our state, and is the project all the same.
    let project = grounds.project.as_deref().filter(|top| path.is_in(top));
    let ours = |folder: &String| {
        path.is_in(folder) && !project.is_some_and(|top| Named::of(top).is_in(folder))
    };
    if grounds.ours.iter().any(ours) {
        return Some(
            Verdict::deny(
                "guard-tamper",
                &format!("{shown} is Overnight's own state, configuration or approval store"),
            )
            .grave(),
        );
    }
    let plugin = grounds
        .plugin
        .as_deref()
        .filter(|plugin| path.is_in(plugin))?;
    // A plugin under development is the project itself: there only what runs by itself matters.
    let developed = grounds.project.as_deref().is_some_and(|project| {
        Named::of(project).is_in(plugin) || Named::of(plugin).is_in(project)
    });
    let below = path.below(plugin).unwrap_or_default();
    let live = below
        .first()
        .is_some_and(|part| matches!(part.as_str(), "hooks" | "bin" | ".claude-plugin"));
    match (developed, live) {
        (false, _) => Some(
            Verdict::deny(
                "guard-tamper",
                &format!("{shown} is a file of the installed plugin"),
            )
            .grave(),
        ),
        (true, true) => Some(Verdict::ask(
            "guard-tamper",
            &format!("{shown} is a part of the plugin that guards this session"),
        )),
        (true, false) => None,
    }
}

/// The client's settings: they hold permissions and hooks.
fn client(path: &Named<'_>, context: &Context<'_>, grounds: &Grounds) -> Option<Verdict> {
    let shown = path.path;
    let at = path.parts.iter().rposition(|part| part == ".claude");
    let Some(at) = at else {
        return (path.name() == ".claude.json" || path.has("claude-code") && path.is_in("/etc"))
            .then(|| settings(shown));
    };
    let below: Vec<&str> = path.parts[at + 1..].iter().map(String::as_str).collect();
    let personal = path
        .below(context.home)
        .is_some_and(|rest| rest.len() == below.len() + 1);
    match below.as_slice() {
        // Inside another work tree the path is a project path again.
        ["worktrees", _, _, ..] if !personal => None,
        // The client's own plan files.
        ["plans", ..] => Some(Verdict::allow()),
        [
            "agents" | "commands" | "skills" | "output-styles" | "rules",
            ..,
        ]
        | ["claude.md"] => Some(Verdict::ask(
            "write-instructions",
            &format!("{shown} instructs every later session"),
        )),
        ["projects", _, "memory", ..] if personal => Some(Verdict::ask(
            "write-instructions",
            &format!("{shown} instructs every later session"),
        )),
        _ if personal || grounds.unattended => Some(settings(shown)),
        [first, ..] if first.starts_with("settings") => Some(settings(shown)),
        ["hooks" | "plugins" | ".credentials.json", ..] | [] => Some(settings(shown)),
        _ => Some(Verdict::ask(
            "write-settings",
            &format!("{shown} belongs to the client's settings"),
        )),
    }
}

fn settings(shown: &str) -> Verdict {
    Verdict::deny(
        "guard-tamper",
        &format!("{shown} decides permissions and hooks; an agent may not widen its own limits"),
    )
    .instead("describe the wanted change in your final message; a person makes it")
    .grave()
}

/// Outside the project only temporary files are free.
fn outside(path: &Named<'_>, context: &Context<'_>, grounds: &Grounds) -> Option<Verdict> {
    let shown = path.path;
    let strictly_inside =
        |project: &String| path.is_in(project) && !is_broad(project, context.home);
    if grounds.project.as_ref().is_some_and(strictly_inside) || shown == "/dev/null" {
        return None;
    }
    let temporary =
        path.is_in_any(&grounds.temporary) || TEMPORARY.iter().any(|folder| path.is_in(folder));
    if names::store(path.path, &path.parts) {
        return Some(Verdict::deny(
            "write-credentials",
            &format!("{shown} belongs to a store of credentials"),
        ));
    }
    if let Some(below) = path.below(context.home) {
        let hidden = below.first().is_some_and(|part| part.starts_with('.'));
        let starts = STARTERS
            .iter()
            .any(|run| below.iter().zip(*run).filter(|(a, b)| a == b).count() == run.len());
        if below.is_empty() || hidden || starts {
            return Some(Verdict::deny(
                "write-home",
                &format!("{shown} configures the person's account or starts programs by itself"),
            ));
        }
    } else if temporary {
        return None;
    } else if SYSTEM.iter().any(|folder| path.is_in(folder)) || path.parts.len() < 2 {
        return Some(Verdict::deny(
            "write-system",
            &format!("{shown} belongs to the system"),
        ));
    }
    if temporary
        || grounds
            .project
            .as_deref()
            .is_some_and(|project| path.is_in(project))
    {
        return None;
    }
    Some(
        Verdict::ask("write-outside", &format!("{shown} is outside the project"))
            .instead("write inside the project or to /tmp"),
    )
}

/// Is this no project but half the machine: the root, the home folder or a parent of it?
fn is_broad(project: &str, home: &str) -> bool {
    Named::of(home).is_in(project)
}

/// Records of the run: what it is judged by.
fn records(path: &Named<'_>, grounds: &Grounds) -> Option<Verdict> {
    let below = path.below(grounds.project.as_deref()?)?;
    let shown = path.path;
    let first = below.first()?.as_str();
    if RECORDS.contains(&first) {
        return Some(
            Verdict::deny(
                "run-records",
                &format!("{shown} is a record that the run is judged by"),
            )
            .instead("completion-check declare, task-lock and progress-log write these records"),
        );
    }
    match (below, first) {
        ([_], "tasks.json") if grounds.unattended => Some(
            Verdict::deny(
                "run-records",
                &format!("{shown}: only the driver changes the task list of a run"),
            )
            .instead("name missing tasks in your final message"),
        ),
        ([_], "agent_prompt.md" | "overnight.toml") if grounds.unattended => Some(Verdict::ask(
            "run-records",
            &format!("{shown} is the person's goal or configuration"),
        )),
        _ => None,
    }
}

/// Files of the project that run code elsewhere or hold secrets.
fn delicate(path: &Named<'_>) -> Option<Verdict> {
    let shown = path.path;
    if names::pipeline(&path.parts) {
        return Some(Verdict::ask(
            "write-ci",
            &format!("{shown} runs with the project's secrets after a push"),
        ));
    }
    if names::starts(&path.parts) {
        return Some(Verdict::ask(
            "write-hooks",
            &format!("{shown} starts programs by itself"),
        ));
    }
    if names::local_secret(path.name()) {
        return Some(
            Verdict::ask(
                "write-secrets",
                &format!("{shown} may hold secrets that git does not bring back"),
            )
            .instead("write a .env.example with placeholders"),
        );
    }
    None
}
