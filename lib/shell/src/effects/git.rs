//! `git`: what loses work, moves refs, leaves the machine or makes git run other code.

use super::{
    Row, effect, git_discard, git_extensions, git_fetch, git_refs, options, place_of, roughly,
    runs_text,
};
use crate::data::Data;
use crate::machine::{Call, Machine, Value};
use crate::names::one_of;
use crate::place::{self, PathClass};
use crate::policy;

pub(super) const ROWS: &[Row] = &[
    ("git hub git.exe", git),
    ("bfg git-filter-repo", |machine, call| {
        effect(machine, &policy::RECOVERY, &call.name);
        Data::unknown()
    }),
];

const VALUED: &[&str] = overnight_base::words!(
    "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env \
     --attr-source"
);

fn git(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let mut at = 0;
    let state = machine.state.clone();
    let mut moved = false;
    while let Some(arg) = args.get(at).filter(|arg| arg.starts_with('-')) {
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) if arg.starts_with("--") => (name, Some(value)),
            _ => (arg.as_str(), None),
        };
        let value = match attached {
            Some(value) => Some(value),
            None if VALUED.contains(&name) => {
                at += 1;
                args.get(at).map(String::as_str)
            }
            None => None,
        };
        at += 1;
        match (name, value) {
            ("-C" | "--work-tree" | "--git-dir", Some(folder)) => {
                let folder = folder.strip_suffix("/.git").unwrap_or(folder);
                let folder = machine.resolve(folder, false);
                if folder != ".git" {
                    machine.state.go(&folder, true);
                    moved = true;
                }
            }
            ("-c" | "--config-env", Some(setting)) => {
                let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
                setting_for_one(machine, key, value);
            }
            ("--exec-path", Some(_)) => effect(machine, &policy::GIT_CODE, "--exec-path"),
            ("--help" | "--version" | "-h" | "--html-path" | "--man-path", _) => {
                return Data::unknown();
            }
            _ => {}
        }
    }
    let rest = args.get(at..).unwrap_or(&[]);
    if rest
        .first()
        .is_some_and(|verb| MERGING.contains(&verb.as_str()))
    {
        machine.state.set(git_discard::MERGE, Value::Unset);
    }
    let output = match rest.split_first() {
        Some((verb, rest)) if !options::any(rest, "--help") => subcommand(machine, verb, rest),
        _ => Data::unknown(),
    };
    if moved {
        machine.state = state;
    }
    output
}

/// A setting given with `-c`, for this one command.
pub(super) fn setting_for_one(machine: &mut Machine<'_>, key: &str, value: &str) {
    if git_refs::runs_code(key, value) {
        if let Some(text) = value.strip_prefix('!') {
            runs_text(machine, text, &Data::unknown());
        }
        effect(machine, &policy::GIT_CODE, key);
    }
    if git_refs::leads_elsewhere(key) {
        effect(machine, &policy::GIT_CONFIG, key);
    }
}

const READING: &[&str] = overnight_base::words!(
    "status log show diff blame annotate rev-parse ls-files ls-tree ls-remote describe shortlog \
     grep cat-file rev-list merge-base name-rev var version help whatchanged range-diff cherry \
     count-objects check-ignore check-attr check-mailmap check-ref-format fsck diff-tree \
     diff-index diff-files for-each-ref show-ref show-branch verify-commit verify-tag verify-pack \
     format-patch request-pull archive bundle difftool get-tar-commit-id interpret-trailers \
     patch-id column stripspace mailinfo merge-tree diagnose bugreport gui citool unpack-file \
     rev-list for-each-repo fast-export show-index fmt-merge-msg mailsplit"
);

const ADDING: &[&str] = overnight_base::words!(
    "add mv init merge cherry-pick revert apply am rerere hash-object write-tree commit-tree \
     mktree mktag pack-refs stage multi-pack-index commit-graph pack-objects index-pack \
     unpack-objects update-server-info lfs merge-file mergetool sparse-checkout hook prune-packed \
     repack merge-index absorb cliff refs backfill split-index"
);

/// Verbs that change the repository that git is started in.
const CHANGING: &[&str] = overnight_base::words!(
    "add am apply checkout cherry-pick commit merge mv pull rebase restore revert rm stash switch tag"
);

/// Verbs that may stop at a conflict.
const MERGING: &[&str] = &["merge", "rebase", "cherry-pick", "revert", "pull", "am"];

/// Does it print names of files and nothing else?
fn lists_names(machine: &mut Machine<'_>, verb: &str, args: &[String]) -> bool {
    let lists = match verb {
        "diff" | "show" | "log" => options::any(args, "--name-only"),
        "grep" => options::parse(args, "eABCm", "", false).has("lL", "files-with-matches"),
        "ls-files" => return true,
        _ => false,
    };
    let verdict = machine.probe(|machine| {
        if lists {
            reading(machine, verb, args);
        }
    });
    lists && verdict.decision == crate::Decision::Allow
}

fn subcommand(machine: &mut Machine<'_>, verb: &str, args: &[String]) -> Data {
    if lists_names(machine, verb, args) {
        return Data::known(&format!("{}\n", crate::mark::STAR));
    }
    let looks = options::begins(args, "list show");
    if CHANGING.contains(&verb) && !looks {
        super::folders::works(machine, &format!("git {verb}"));
    }
    match verb {
        "log" | "show" | "diff" | "grep" | "difftool" | "archive" | "format-patch" | "cat-file"
        | "blame" | "ls-remote" => return reading(machine, verb, args),
        "rev-parse" => {
            return Data {
                text: Some(rev_parse(machine, args).into()),
                ..Data::unknown()
            };
        }
        "fetch" | "pull" | "clone" | "submodule" | "remote" | "init" => {
            git_fetch::from_elsewhere(machine, verb, args);
            if verb == "init" {
                adding(machine, verb, args);
            }
        }
        "stash" if options::begins(args, "show") => {
            return reading(machine, "show", args);
        }
        "reset" | "checkout" | "switch" | "restore" | "clean" | "stash" | "rm"
        | "checkout-index" | "read-tree" | "worktree" => git_discard::judge(machine, verb, args),
        "push" | "branch" | "tag" | "update-ref" | "symbolic-ref" | "notes" | "replace"
        | "reflog" | "gc" | "prune" | "filter-branch" | "filter-repo" | "config" | "send-pack"
        | "http-push" => {
            git_refs::judge(machine, verb, args);
        }
        "rebase" | "bisect" => between_steps(machine, verb, args),
        "commit" => commit(machine, args),
        "update-index" => update_index(machine, args),
        "credential" | "credential-store" | "credential-cache" | "credential-manager" => {
            effect(machine, &policy::READ_CREDENTIALS, verb);
        }
        "send-email" | "imap-send" | "svn" | "p4" | "cvsexportcommit" => {
            if !options::any(args, "--dry-run -n fetch log info") {
                effect(machine, &policy::SEND, verb);
            }
        }
        "daemon" | "instaweb" | "http-backend" | "fast-import" | "shell" => {
            effect(machine, &policy::CHANGE, verb);
        }
        "subtree" | "flow" | "maintenance" | "annex" => {
            git_extensions::judge(machine, verb, args);
        }
        verb if READING.contains(&verb) || ADDING.contains(&verb) => adding(machine, verb, args),
        verb => effect(
            machine,
            &policy::COMPUTED,
            &format!("git {verb} may be an alias"),
        ),
    }
    Data::unknown()
}

fn adding(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    match verb {
        "add" | "stage" => {
            for path in options::words(args, "--chmod --pathspec-from-file") {
                if place::secret(roughly(machine, path)) {
                    effect(machine, &policy::READ_SECRETS, path);
                }
            }
        }
        "apply" | "am"
            if roughly(machine, ".").is_foreign()
                && !options::any(args, "--check --stat --numstat --summary") =>
        {
            effect(machine, &policy::WRITE_HOME, verb);
        }
        // From a pipe: nothing keeps what it takes back.
        "apply"
            if options::any(args, "-R --reverse")
                && options::words(args, "-C -p --directory --exclude --include").is_empty()
                && !options::any(args, "--check --stat --numstat --summary") =>
        {
            effect(machine, &policy::DISCARD, "git apply -R");
        }
        "bundle" | "init" | "mv" => places(machine, verb, args),
        "apply" if options::any(args, "--unsafe-paths") => {
            effect(machine, &policy::WRITE_HOME, "git apply --unsafe-paths");
        }
        "repack" => {
            let options = options::parse(args, "", "", false);
            if options.has("a", "") && options.has("d", "") {
                git_refs::moves_refs(machine, "git repack -ad drops unreachable objects");
            }
        }
        "lfs"
            if options::begins(args, "prune push migrate") && !options::any(args, "--dry-run") =>
        {
            effect(machine, &policy::CHANGE, "git lfs");
        }
        "hook" if !args.is_empty() && !options::begins(args, "run list") => {
            effect(machine, &policy::SIDESTEP, "git hook");
        }
        "merge" | "cherry-pick" | "am" if options::any(args, "--no-verify") => {
            effect(machine, &policy::GIT_CONFIG, "--no-verify");
        }
        _ => {}
    }
}

/// Commands that write where an argument says.
fn places(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    match verb {
        "bundle" => {
            let words = options::words(args, "");
            if let (Some(&"create"), Some(file)) = (words.first(), words.get(1)) {
                super::writes(machine, file, super::How::Write);
            }
        }
        "init" => {
            let target = options::words(args, "-b --template")
                .first()
                .copied()
                .unwrap_or(".");
            if !place_of(machine, target).is_own() {
                effect(machine, &policy::WRITE_HOME, target);
            }
        }
        "mv" => {
            if let Some((target, sources)) = options::words(args, "").split_last() {
                super::writes(machine, target, super::How::Append);
                for source in sources {
                    super::writes(machine, source, super::How::Append);
                }
            }
        }
        _ => {}
    }
}

fn reading(machine: &mut Machine<'_>, verb: &str, args: &[String]) -> Data {
    for (name, value) in options::pairs(args) {
        match name {
            "--output" => super::writes(machine, value, super::How::Write),
            "--upload-pack" | "--exec" | "--open-files-in-pager" | "--extcmd" | "-x"
                if verb != "log" =>
            {
                runs_text(machine, value, &Data::unknown());
                effect(machine, &policy::INLINE_CODE, name);
            }
            "-o" if matches!(verb, "archive" | "format-patch") => {
                super::writes(machine, value, super::How::Append);
            }
            "--ext-diff" => effect(machine, &policy::INLINE_CODE, name),
            _ if verb == "grep" && name.starts_with("-O") => {
                runs_text(machine, &name[2..], &Data::unknown());
                effect(machine, &policy::INLINE_CODE, "-O");
            }
            _ => {}
        }
    }
    git_fetch::foreign_transport(machine, args);
    // `git show HEAD:.env` prints what was committed.
    let outside = verb == "grep" && options::any(args, "--no-index");
    // `git log -p -- .env` shows its changes.
    let shows = outside
        || one_of(verb, "show diff blame difftool")
        || options::any(args, "-p -u --patch -L");
    let paths = args.iter().filter_map(|arg| match arg.split_once(':') {
        Some((_, path)) => Some(path),
        None => Some(arg.as_str()).filter(|arg| shows && !arg.starts_with('-')),
    });
    let secret = (outside || one_of(verb, "show cat-file diff blame log difftool"))
        && paths.map(|path| roughly(machine, path)).any(place::secret);
    if secret {
        effect(machine, &policy::READ_SECRETS, verb);
    }
    Data {
        secret,
        ..Data::unknown()
    }
}

fn rev_parse(machine: &Machine<'_>, args: &[String]) -> String {
    match (args, machine.context.root) {
        ([flag], Some(root)) if flag == "--show-toplevel" => format!("{root}\n"),
        ([flag], Some(root)) if one_of(flag, "--git-dir --git-common-dir --absolute-git-dir") => {
            format!("{root}/.git\n")
        }
        _ => format!("{}\n", crate::mark::SEGMENT),
    }
}

fn commit(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(
        args,
        "mFCctuS",
        "message file author date fixup squash template trailer cleanup reuse-message \
             pathspec-from-file",
        false,
    );
    for file in options.values("F file t template") {
        if file != "-" {
            super::reads(machine, file);
        }
    }
    if options.gives("n no-verify") {
        effect(
            machine,
            &policy::GIT_CONFIG,
            "--no-verify skips the project's checks",
        );
    }
}

/// What runs at each step of a rebase or a bisection.
fn between_steps(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    if let ("bisect", [run, words @ ..]) = (verb, args)
        && run == "run"
    {
        machine.run_words(words, &Data::empty());
    }
    if verb != "rebase" {
        return;
    }
    for text in
        options::parse(args, "xsXC", "exec onto strategy strategy-option", false).values("x exec")
    {
        runs_text(machine, text, &Data::unknown());
    }
}

fn update_index(machine: &mut Machine<'_>, args: &[String]) {
    for path in options::words(args, "--chmod --cacheinfo") {
        if matches!(place_of(machine, path), PathClass::Guard | PathClass::Git) {
            effect(machine, &policy::SIDESTEP, path);
        }
    }
}
