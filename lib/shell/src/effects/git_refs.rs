//! git commands that move refs, push, or change configuration.

use super::{effect, options, place_of, runs_text};
use crate::data::Data;
use crate::machine::{Machine, Value};
use crate::names::{one_of, starts_with};
use crate::place::PathClass;
use crate::policy;

/// The name under which the machine remembers the branch that was checked out by this command
/// line. No shell variable can be called so.
pub(super) const BRANCH: &str = "git branch";

pub(super) fn judge(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    match verb {
        "push" | "send-pack" | "http-push" => push(machine, args),
        "branch" => branch(machine, args),
        "tag" => {
            let options = options::parse(args, "mFu", "message file local-user sort format", false);
            if options.has("d", "delete") || options.has("f", "force") {
                moves_refs(machine, "git tag");
            }
        }
        "update-ref" if args.iter().any(|arg| arg.contains("refs/overnight/")) => {
            effect(machine, &policy::TAMPER, verb);
        }
        "update-ref" => moves_refs(machine, verb),
        "symbolic-ref" => {
            let words = options::words(args, "-m");
            if words.len() > 1 || options::any(args, "-d --delete") {
                moves_refs(machine, verb);
            }
        }
        "notes" => {
            if options::any(args, "prune remove -f --force") && !options::any(args, "-n --dry-run")
            {
                moves_refs(machine, verb);
            }
        }
        "replace" => {
            if !args.is_empty() && !options::any(args, "-l --list") {
                moves_refs(machine, verb);
            }
        }
        "reflog" | "gc" | "prune" | "filter-branch" | "filter-repo" => {
            recovery(machine, verb, args);
        }
        _ => config(machine, args),
    }
}

/// References are moved or removed; those of a repository in a temporary folder are nobody's.
pub(super) fn moves_refs(machine: &mut Machine<'_>, what: &str) {
    let cwd = machine.state.cwd.to_string();
    if place_of(machine, &cwd) != PathClass::Temporary {
        effect(machine, &policy::REWRITE, what);
    }
}

fn branch(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(
        args,
        "u",
        "sort format contains merged no-merged set-upstream-to points-at",
        false,
    );
    if options.has("DMCf", "force") {
        moves_refs(machine, "git branch with force");
    }
}

/// A push as far as its arguments tell.
fn push(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(args, "o", "push-option receive-pack exec repo", false);
    if options.gives("receive-pack exec") {
        effect(machine, &policy::GIT_CODE, "--receive-pack");
    }
    if options.gives("n dry-run") {
        return;
    }
    let named = options.has("f", "force") || options.has("d", "delete");
    if named || options.has("", "mirror") || options.has("", "prune") {
        rewrites(machine, options.operands.get(1..).unwrap_or(&[]), !named);
        return;
    }
    let mut operands = options.operands.iter().copied();
    let remote = operands.next().or_else(|| options.value("", "repo"));
    let refspecs: Vec<&str> = operands.collect();
    for refspec in &refspecs {
        if refspec.starts_with('+') || refspec.starts_with(':') {
            rewrites(machine, &[refspec], false);
            return;
        }
    }
    leased(machine, &options, &refspecs);
    let shared = options.given.iter().any(|(name, _)| {
        one_of(name, "all branches tags follow-tags no-verify")
            || name.starts_with("force-with")
            || name.starts_with("force-if")
    });
    if shared || remote.is_some_and(|remote| remote != "origin") {
        effect(machine, &policy::PUSH_SHARED, "git push");
        return;
    }
    targets(machine, &refspecs);
}

/// With a lease others' work is compared first: in a run still a question, where a person is only
/// over a branch that is named and shared.
fn leased(machine: &mut Machine<'_>, options: &options::Options<'_>, refspecs: &[&str]) {
    let mut given = options.given.iter();
    let lease = given.any(|(name, _)| name.starts_with("force-"));
    if lease && machine.context.attended && refspecs.iter().any(|name| is_shared(name)) {
        rewrites(machine, refspecs, false);
    }
}

/// Names of branches that others build on, whatever the project.
const SHARED: &[&str] =
    overnight_base::words!("main master trunk develop development production prod stable staging");

/// Does the refspec lead to a branch that others build on?
fn is_shared(refspec: &str) -> bool {
    let target = refspec.split_once(':').map_or(refspec, |(_, to)| to);
    let name = target.trim_start_matches('+');
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    SHARED.contains(&name) || name.starts_with("release")
}

/// History at a remote is rewritten or deleted: of these branches, of the one that is checked out,
/// or of `all`.
fn rewrites(machine: &mut Machine<'_>, refspecs: &[&str], all: bool) {
    let here = [machine.context.branch.unwrap_or("")];
    let named = if refspecs.is_empty() { &here } else { refspecs };
    let rule = if all || named.iter().any(|name| is_shared(name)) {
        &policy::PUSH_OVER_SHARED
    } else {
        &policy::PUSH_FORBIDDEN
    };
    effect(machine, rule, &named.join(" "));
}

/// The branches that a push moves.
fn targets(machine: &mut Machine<'_>, refspecs: &[&str]) {
    if refspecs.is_empty() {
        own_branch(machine, "HEAD");
    }
    let mut words = refspecs.iter();
    while let Some(refspec) = words.next() {
        if *refspec == "tag" {
            words.next();
            effect(machine, &policy::PUSH_SHARED, "a tag");
            continue;
        }
        let target = refspec.split_once(':').map_or(*refspec, |(_, to)| to);
        own_branch(machine, target);
    }
}

/// The agent's own branch and its lock refs may be pushed.
fn own_branch(machine: &mut Machine<'_>, target: &str) {
    let here = machine
        .context
        .root
        .is_none_or(|root| super::place::inside(&machine.state.cwd, root));
    let current = match machine.state.vars.get(BRANCH) {
        Some(Value::Text(branch)) => Some(branch.clone()),
        Some(_) => None,
        // Of another repository the branch is not known.
        None => machine.context.branch.filter(|_| here).map(str::to_owned),
    };
    let name = if matches!(target, "HEAD" | "@") {
        current.as_deref().unwrap_or("")
    } else {
        target
    };
    // A computed name is allowed when it is surely this branch: `$(git branch --show-current)`.
    let name = if name.chars().all(|c| c == crate::mark::SEGMENT) && !name.is_empty() {
        current.as_deref().unwrap_or("")
    } else {
        name
    };
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    let own = name.starts_with(machine.context.own_prefix)
        && name.len() > machine.context.own_prefix.len();
    let lock = starts_with(name, "refs/overnight/ refs/locks/");
    if !(own || lock) || crate::mark::arbitrary(name) {
        let shown = if name.is_empty() {
            "a branch that nobody knows"
        } else {
            name
        }
        .to_owned();
        effect(machine, &policy::PUSH_SHARED, &shown);
    }
}

pub(super) fn remote(machine: &mut Machine<'_>, args: &[String]) {
    let words = options::words(args, "-t -m");
    if matches!(
        words.first(),
        Some(&"set-url" | &"remove" | &"rm" | &"rename")
    ) {
        effect(machine, &policy::GIT_CONFIG, "git remote");
    }
}

const RUNS_CODE_EXACT: &[&str] = overnight_base::words!(
    "core.pager core.fsmonitor core.sshcommand core.editor core.askpass core.gitproxy \
     core.alternaterefscommand diff.external sequence.editor gpg.program gpg.ssh.program \
     gpg.x509.program gpg.openpgp.program interactive.difffilter uploadpack.packobjectshook \
     credential.helper include.path init.templatedir core.attributesfile core.gitproxy \
     web.browser sendemail.smtpserver core.worktree imap.tunnel help.browser \
     extensions.worktreeconfig ssh.variant"
);

/// Does git run code that this setting names?
pub(super) fn runs_code(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let harmless = matches!(
        value,
        "" | "cat"
            | "less"
            | "true"
            | "false"
            | "more"
            | "delta"
            | "vim"
            | "vi"
            | "nano"
            | "code --wait"
            | "less -F"
            | "less -FRX"
            | "0"
            | "1"
            | "never"
            | "always"
            | ":"
    );
    let exact = RUNS_CODE_EXACT;
    if exact.contains(&key.as_str()) {
        return !harmless;
    }
    if key == "core.hookspath" {
        return true;
    }
    let (section, last) = (
        key.split('.').next().unwrap_or(""),
        key.rsplit('.').next().unwrap_or(""),
    );
    match section {
        "alias" => value.starts_with('!'),
        "filter" => matches!(last, "clean" | "smudge" | "process"),
        "diff" => matches!(last, "command" | "textconv"),
        "merge" | "mergetool" | "difftool" | "browser" | "man" | "guitool" => {
            matches!(last, "driver" | "cmd" | "path")
        }
        "credential" => last == "helper" && !harmless,
        "includeif" | "hook" => true,
        "pager" | "tar" => !harmless,
        "remote" => matches!(last, "uploadpack" | "receivepack" | "vcs" | "proxy"),
        "submodule" => last == "update" && value.starts_with('!'),
        "trailer" => matches!(last, "command" | "cmd"),
        "protocol" => value == "always" && key != "protocol.file.allow",
        _ => false,
    }
}

/// Settings that lead a push or a fetch to another place, or hand it other credentials.
pub(super) fn leads_elsewhere(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or("");
    key.starts_with("url.")
        || key.starts_with("remote.") && matches!(last, "url" | "pushurl" | "push")
        || key.starts_with("branch.") && matches!(last, "remote" | "pushremote" | "merge")
        || one_of(
            &key,
            "http.proxy https.proxy http.sslverify remote.pushdefault push.default",
        )
}

const CONFIG_NAMES: &[&str] = overnight_base::words!(
    "url. http. https. credential. remote. safe. gpg. submodule. protocol. branch.main push. \
     receive. transfer. fetch.fsck commit.gpgsign"
);

/// Options of `git config` that only read.
const READS: &[&str] = overnight_base::words!(
    "l list get get-all get-regexp get-urlmatch show-origin show-scope get-color get-colorbool \
     name-only"
);

fn config(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(
        args,
        "ft",
        "file type default blob value comment url",
        false,
    );
    let mut words = options.operands.clone();
    let verb = words.first().copied().unwrap_or("");
    let reading = options.given.iter().any(|(name, _)| READS.contains(name));
    let removing = options.given.iter().any(|(name, _)| {
        name.starts_with("unset")
            || name.starts_with("remove-section")
            || name.starts_with("rename-section")
    });
    if matches!(verb, "list" | "get") || (reading && !removing) {
        return;
    }
    if one_of(verb, "set unset rename-section remove-section edit") {
        words.remove(0);
    }
    let edits = options.has("e", "edit") || verb == "edit";
    if words.len() < 2 && !removing && !edits && !matches!(verb, "unset" | "remove-section") {
        return;
    }
    let key = words.first().copied().unwrap_or("");
    let value = words.get(1).copied().unwrap_or("");
    let lower = key.to_ascii_lowercase();
    if let Some(file) = options.value("f", "file") {
        let place = place_of(machine, file);
        if !matches!(place, PathClass::Work | PathClass::Temporary) && place != PathClass::Git {
            super::writes(machine, file, super::How::Append);
        }
    }
    if lower == "core.hookspath" {
        effect(machine, &policy::SIDESTEP, key);
    } else if !removing && runs_code(key, value) {
        effect(machine, &policy::GIT_CODE, key);
    } else if lower.starts_with("alias.") {
        let text = format!("git {value}");
        runs_text(machine, &text, &Data::unknown());
        beyond(machine, &options);
    } else if CONFIG_NAMES.iter().any(|prefix| lower.starts_with(prefix)) || edits || removing {
        effect(machine, &policy::GIT_CONFIG, key);
    } else {
        beyond(machine, &options);
    }
}

fn beyond(machine: &mut Machine<'_>, options: &options::Options<'_>) {
    if options.gives("global system") {
        effect(machine, &policy::GIT_CONFIG, "--global");
    }
}

/// Commands that take the way back.
fn recovery(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    match verb {
        "reflog"
            if options::begins(args, "expire delete drop")
                && !options::any(args, "-n --dry-run") =>
        {
            effect(machine, &policy::RECOVERY, verb);
        }
        "gc" if args.iter().any(|arg| arg.starts_with("--prune")) => {
            effect(machine, &policy::RECOVERY, verb);
        }
        "prune" if !options::any(args, "-n --dry-run") => {
            effect(machine, &policy::RECOVERY, verb);
        }
        "filter-branch" | "filter-repo" => {
            if !options::any(args, "--analyze --dry-run") {
                effect(machine, &policy::RECOVERY, verb);
            }
            for text in args.iter().filter(|arg| arg.contains(' ')) {
                let verdict = machine.probe(|machine| {
                    runs_text(machine, text, &Data::unknown());
                });
                machine.note(verdict);
            }
        }
        _ => {}
    }
}
