//! The client, the plugin in it, its hooks and its permissions.

use crate::client::{find_program, plugin_folder};
use crate::files::{self, Content};
use crate::{git, homes, installation, random, rewriters};
use overnight_base::vars;
use overnight_filter::reexec::quote;
use overnight_views::doctor::{self, Finding};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program that says its version takes milliseconds, the client a second.
const WAIT_MAX: Duration = Duration::from_secs(20);
const FILE_BYTES_MAX: u64 = 1 << 20;
/// What session-start writes into the client's env file begins with this variable.
const MARK: &[u8] = b"OVERNIGHT_FILTER_ACTIVE";
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn findings(top: &Path) -> Vec<Finding> {
    let settings = rewriters::settings(Some(top));
    let program = find_program("claude");
    let installed = program
        .as_deref()
        .and_then(|program| installed(program, top));
    let beside = plugin_folder();
    let mut findings = Vec::new();
    findings.extend(usable(program.as_deref()));
    let version = installed.as_deref().map(version_of);
    let shown = beside.as_ref().map(|folder| folder.display().to_string());
    findings.push(doctor::plugin(
        OWN_VERSION,
        version.as_deref(),
        (
            shown.as_deref(),
            beside.as_deref().and_then(marketplace).as_deref(),
        ),
    ));
    if let Some(folder) = installed.as_ref().or(beside.as_ref()) {
        findings.push(binaries(folder));
        if let Some(program) = &program {
            let extra = beside.as_deref().filter(|_| installed.is_none());
            let fired = session_fires(program, top, extra);
            let disabled = disabled(&settings);
            findings.extend(doctor::hooks(fired, disabled.as_deref()));
        }
    }
    findings.push(rewriting(top));
    findings.push(permissions(&settings));
    findings.extend(folder_trust(top));
    findings
}

/// Can agents be started: is the client there, new enough, logged in?
pub(super) fn usable(program: Option<&Path>) -> Vec<Finding> {
    let Some(program) = program else {
        return vec![Finding::broken(
            "client",
            "no program `claude` on the PATH",
            "install Claude Code, runs with --agent command:… or scripted:… work without it: npm install -g @anthropic-ai/claude-code",
        )];
    };
    let version = printed(Command::new(program).arg("--version"));
    let mut findings = vec![doctor::client(
        &program.display().to_string(),
        version.as_deref(),
    )];
    // It says no by its exit status, too.
    let mut status = Command::new(program);
    status.args(["auth", "status"]).stdin(Stdio::null());
    let done = git::output_within(status.process_group(0), &[], WAIT_MAX);
    findings.extend(done.ok().and_then(|done| doctor::login(&done.text())));
    findings
}

/// The folder that the client runs the plugin from, if it is installed and not switched off: of a
/// marketplace in a folder that is the folder itself, else a copy.
fn installed(program: &Path, top: &Path) -> Option<PathBuf> {
    let mut command = Command::new(program);
    command.current_dir(top).args(["plugin", "list", "--json"]);
    let list: Value = serde_json::from_str(&printed(&mut command)?).ok()?;
    let ours = |entry: &&Value| {
        let id = entry["id"].as_str().unwrap_or_default();
        id.starts_with("overnight@") && entry["enabled"] == true
    };
    let entry = list.as_array()?.iter().find(ours)?;
    let folder = ["readFromFolder", "installPath"]
        .iter()
        .find_map(|key| entry[key].as_str());
    folder.map(PathBuf::from)
}

/// The marketplace folder that a plugin's folder stands in, as a word of a shell.
fn marketplace(plugin: &Path) -> Option<String> {
    let offers = |folder: &&Path| folder.join(".claude-plugin/marketplace.json").is_file();
    let folder = plugin.ancestors().take(2).find(offers)?;
    Some(quote(&folder.display().to_string()))
}

fn version_of(folder: &Path) -> String {
    let manifest = json(&folder.join(".claude-plugin/plugin.json")).unwrap_or_default();
    manifest["version"].as_str().unwrap_or("unknown").to_owned()
}

/// Starts every program of the plugin: one that is missing, not executable or made for another
/// machine does not, and says no version.
fn binaries(folder: &Path) -> Finding {
    let mut names = installation::hook_programs(folder);
    let there = std::fs::read_dir(folder.join("bin")).into_iter().flatten();
    names.extend(there.filter_map(|entry| entry.ok()?.file_name().into_string().ok()));
    let wrong: Vec<(String, String)> = names
        .iter()
        .filter_map(|name| {
            let program = folder.join("bin").join(name);
            let why = match printed(Command::new(&program).arg("--version")) {
                Some(text) if text.trim().ends_with(OWN_VERSION) => return None,
                Some(text) => format!("is {}", text.trim()),
                None if program.is_file() => "cannot be started on this machine".to_owned(),
                None => "is missing".to_owned(),
            };
            Some((name.clone(), why))
        })
        .collect();
    doctor::binaries(names.len(), &wrong)
}

/// Begins and ends a session of the client without a request (`--init-only`) and looks whether
/// session-start left its part in that session's env file.
fn session_fires(program: &Path, top: &Path, plugin: Option<&Path>) -> bool {
    let (Ok(id), Some(home)) = (random::uuid(), homes::client()) else {
        return false;
    };
    let mut command = Command::new(program);
    command
        .current_dir(top)
        .args(["--init-only", "--session-id", &id]);
    if let Some(plugin) = plugin {
        command.arg("--plugin-dir").arg(plugin);
    }
    // A run's agent is led through the filter; an ordinary session is not.
    command.env(vars::RUN.name, "doctor");
    printed(&mut command);
    let folder = home.join("session-env").join(&id);
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let fired = files.map(|file| file.path()).any(|file| {
        let read = files::read_bounded(&file, FILE_BYTES_MAX);
        matches!(read, Ok(Content::Bytes(bytes)) if memchr::memmem::find(&bytes, MARK).is_some())
    });
    // The session is over; its folder holds nothing else.
    let _ = std::fs::remove_dir_all(folder);
    fired
}

/// The first settings file that switches all hooks off.
fn disabled(settings: &[(PathBuf, Value)]) -> Option<String> {
    let off = |(_, value): &&(PathBuf, Value)| value["disableAllHooks"] == true;
    let (file, _) = settings.iter().find(off)?;
    Some(file.display().to_string())
}

fn rewriting(top: &Path) -> Finding {
    const CHECK: &str = "other hooks";
    let others = rewriters::before_bash(Some(top));
    let Some(first) = others.first() else {
        return Finding::good(CHECK, "nobody else sees commands before they run");
    };
    let said = format!(
        "{} see commands before they run and may rewrite them, for example {:?} from {}",
        others.len(),
        first.command,
        first.source
    );
    let fix = "the guard then allows commands only in their final form, which costs a question each; remove the hook if it rewrites";
    Finding::warning(CHECK, said, fix)
}

fn permissions(settings: &[(PathBuf, Value)]) -> Finding {
    const CHECK: &str = "permissions";
    for (file, value) in settings {
        let file = file.display();
        let mode = value.pointer("/permissions/defaultMode");
        if mode.and_then(Value::as_str) == Some("bypassPermissions") {
            return Finding::warning(
                CHECK,
                format!(
                    "{file} sets bypassPermissions: only the guard stands between an agent and this machine"
                ),
                format!("take permissions.defaultMode out of {file}"),
            );
        }
        let denied = value.pointer("/permissions/deny").and_then(Value::as_array);
        let ours = |rule: &&str| *rule == "Bash" || rule.starts_with("Bash(completion-check");
        let rule = denied
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .find(ours);
        if let Some(rule) = rule {
            return Finding::broken(
                CHECK,
                format!("{file} denies {rule}: an agent cannot declare its work done"),
                format!("take the rule out of permissions.deny in {file}"),
            );
        }
    }
    Finding::good(CHECK, "no setting of the client stands in the way")
}

/// Interactive sessions run no hook before the person trusted the folder; headless runs do.
fn folder_trust(top: &Path) -> Option<Finding> {
    let own = homes::client()?;
    let beside = own.with_file_name(".claude.json");
    let state = json(&beside).or_else(|| json(&own.join(".claude.json")))?;
    let known = state.get("projects")?.as_object()?;
    let trusted = top.ancestors().any(|folder| {
        let entry = folder.to_str().and_then(|name| known.get(name));
        entry.is_some_and(|entry| entry["hasTrustDialogAccepted"] == true)
    });
    (!trusted).then(|| {
        Finding::warning(
            "trust",
            "the client does not trust this folder yet: interactive sessions run no hooks here",
            "accept its question once: claude",
        )
    })
}

/// What a program prints, when it starts, ends in time and says yes.
fn printed(command: &mut Command) -> Option<String> {
    command.stdin(Stdio::null()).process_group(0);
    let done = git::output_within(command, &[], WAIT_MAX).ok()?;
    done.ok().then(|| done.text())
}

fn json(path: &Path) -> Option<Value> {
    match files::read_bounded(path, FILE_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).ok(),
        _ => None,
    }
}
