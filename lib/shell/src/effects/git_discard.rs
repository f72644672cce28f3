//! git commands that lose uncommitted work.

use super::{effect, git_refs, options, place_of};
use crate::context::Entry;
use crate::machine::{Machine, Value};
use crate::place::{self, PathClass};
use crate::policy;

pub(super) fn judge(machine: &mut Machine<'_>, verb: &str, args: &[String]) {
    if matches!(verb, "checkout" | "restore") {
        for path in args.iter().filter(|arg| !arg.starts_with('-')) {
            if place_of(machine, path) == PathClass::Guard {
                effect(machine, &policy::WRITE_HOOKS, path);
            }
        }
    }
    match verb {
        "reset" => reset(machine, args),
        "checkout" => checkout(machine, args),
        "switch" => switch(machine, args),
        "restore" => restore(machine, args),
        "clean" => clean(machine, args),
        "stash" => stash(machine, args),
        "rm" => remove(machine, args),
        "worktree" => worktree(machine, args),
        "checkout-index" if options::parse(args, "", "prefix stage", false).has("f", "force") => {
            discards(machine, verb);
        }
        "read-tree" if options::any(args, "-u --reset") => discards(machine, verb),
        _ => {}
    }
}

/// Work is lost in the repository that the shell is in: in another person's, that is no question.
fn discards(machine: &mut Machine<'_>, what: &str) {
    let cwd = machine.state.cwd.to_string();
    let rule = match place_of(machine, &cwd) {
        PathClass::Temporary => return,
        PathClass::Root | PathClass::Work | PathClass::Build | PathClass::RunState => {
            &policy::DISCARD
        }
        _ if machine.context.root.is_none() => &policy::DISCARD,
        PathClass::Elsewhere => &policy::DISCARD,
        _ => &policy::DELETE_FORBIDDEN,
    };
    effect(machine, rule, &format!("git {what}"));
}

/// Is this word an abbreviation, of two letters or more, of the long option?
fn abbreviates(arg: &str, long: &str) -> bool {
    arg.strip_prefix("--")
        .is_some_and(|name| !name.is_empty() && long.starts_with(name))
}

fn reset(machine: &mut Machine<'_>, args: &[String]) {
    if args
        .iter()
        .take_while(|arg| *arg != "--")
        .any(|arg| abbreviates(arg, "hard") || abbreviates(arg, "merge") || arg == "--keep")
    {
        discards(machine, "reset --hard");
    }
}

fn checkout(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(args, "bB", "orphan conflict pathspec-from-file", false);
    let separated = options::any(args, "--");
    if options.gives("b orphan d detach") && !options.has("f", "force") {
        follow_branch(machine, options.value("b", "orphan"));
        return;
    }
    if options.gives("ours theirs") && merges(machine) {
        // A side of a conflict is chosen.
    } else if options.has("f", "force") || options.gives("ours theirs p patch pathspec-from-file") {
        discards(machine, "checkout --force");
    } else if options
        .value("B", "")
        .is_some_and(|name| is_new(machine, name))
    {
        follow_branch(machine, options.value("B", ""));
    } else if options.has("B", "") {
        git_refs::moves_refs(machine, "git checkout -B");
    } else if separated && args.last().is_some_and(|last| last != "--") {
        discards(machine, "checkout -- paths");
    } else if options.operands.len() > 1 && !options.has("t", "track") {
        discards(machine, "checkout of paths");
    } else if let Some(target) = options.operands.first() {
        if is_path(machine, target) {
            discards(machine, "checkout of a path");
        } else {
            follow_branch(machine, Some(target));
        }
    }
}

/// The name under which the machine remembers that this command merges.
pub(super) const MERGE: &str = "git merge";

/// Is a merge under way here, or was one begun by this command?
fn merges(machine: &Machine<'_>) -> bool {
    let facts = machine.context.facts;
    let heads = [
        "MERGE_HEAD",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "rebase-merge",
        "rebase-apply",
    ];
    let is_there = |root: &str| {
        let entries = heads.map(|head| facts.entry(&format!("{root}/.git/{head}")));
        entries.contains(&Entry::File) || entries.contains(&Entry::Folder)
    };
    machine.state.vars.contains_key(MERGE) || machine.context.root.is_some_and(is_there)
}

/// Which branch the shell is on from here: a later `git push` pushes that one.
fn follow_branch(machine: &mut Machine<'_>, branch: Option<&str>) {
    let known = branch.filter(|branch| *branch != "-");
    let value = known.map_or(Value::Unset, |branch| Value::Text(branch.to_owned()));
    machine.state.set(git_refs::BRANCH, value);
}

/// Is there no branch of this name that could be moved?
fn is_new(machine: &Machine<'_>, name: &str) -> bool {
    let facts = machine.context.facts;
    let Some(git) = machine.context.root.map(|root| format!("{root}/.git")) else {
        return false;
    };
    let packed = facts.text(&format!("{git}/packed-refs"));
    facts.entry(&git) == Entry::Folder
        && facts.entry(&format!("{git}/refs/heads/{name}")) == Entry::Missing
        && !packed.is_some_and(|refs| refs.contains(&format!("refs/heads/{name}\n")))
}

/// Names that stand for files and folders in most repositories: for a checkout that nobody can look
/// up.
const USUAL: &[&str] = overnight_base::words!(
    "src lib libs app apps test tests spec docs doc bin cmd pkg internal include crates packages \
     scripts examples config public static assets server client web api Makefile Dockerfile \
     Gemfile Rakefile Procfile Jenkinsfile Vagrantfile README LICENSE CHANGELOG"
);

/// Does the only operand of a checkout name a file rather than a branch?
fn is_path(machine: &Machine<'_>, word: &str) -> bool {
    let path = machine.resolve(word, false);
    let there = matches!(
        machine.context.facts.entry(&path),
        Entry::File | Entry::Folder | Entry::Link(_)
    );
    let extension = place::last(word)
        .rsplit_once('.')
        .map_or("", |(_, end)| end);
    let file = !extension.is_empty()
        && extension.len() <= 5
        && extension.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !word.starts_with("origin/");
    there
        || (machine.context.facts.entry(&path) == Entry::Unknown
            && USUAL.contains(&word.trim_end_matches('/')))
        || file
        || word == "."
        || word.ends_with('/')
        || word.starts_with("./")
        || word.starts_with(':')
        || crate::mark::pattern(word)
}

fn switch(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(args, "cC", "create force-create orphan", false);
    if options.has("f", "force") && !options.gives("force-create")
        || options
            .given
            .iter()
            .any(|(name, _)| name.starts_with("disc"))
    {
        discards(machine, "switch --discard-changes");
    } else if options.has("C", "force-create") {
        git_refs::moves_refs(machine, "git switch -C");
    }
    let target = options
        .value("c", "create")
        .or_else(|| options.operands.first().copied());
    follow_branch(machine, target);
}

fn restore(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(args, "s", "source pathspec-from-file", false);
    let staged = options.has("S", "staged");
    let worktree = options.has("W", "worktree") || !staged;
    let temporary = options
        .operands
        .iter()
        .all(|path| matches!(place_of(machine, path), PathClass::Temporary))
        && !options.operands.is_empty();
    if worktree && !temporary {
        discards(machine, "restore");
    }
}

fn clean(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(args, "e", "exclude", false);
    if options.has("n", "dry-run") {
        return;
    }
    let places = options.operands.iter().map(|path| place_of(machine, path));
    let places: Vec<PathClass> = places.collect();
    let built = !places.is_empty() && places.iter().all(|place| *place == PathClass::Build);
    if !places.iter().all(|place| place.is_own()) {
        effect(machine, &policy::DELETE_FORBIDDEN, "git clean");
    } else if !built && !args.is_empty() {
        discards(machine, "clean");
    }
}

fn stash(machine: &mut Machine<'_>, args: &[String]) {
    let verb = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("push", String::as_str);
    if matches!(verb, "drop" | "clear") {
        effect(machine, &policy::STASH, &format!("git stash {verb}"));
    }
}

fn remove(machine: &mut Machine<'_>, args: &[String]) {
    let options = options::parse(args, "", "pathspec-from-file", false);
    if options.gives("cached n dry-run") {
        return;
    }
    for path in &options.operands {
        match place_of(machine, path) {
            PathClass::Guard | PathClass::Git => effect(machine, &policy::WRITE_HOOKS, path),
            PathClass::Root => discards(machine, "rm of the whole tree"),
            _ => {}
        }
    }
    if options.has("f", "force") {
        discards(machine, "rm --force");
    }
}

/// A work tree in a new folder: beside the repository is where git's own manual puts it.
fn makes(machine: &mut Machine<'_>, folder: &str) {
    let resolved = machine.resolve(folder, false);
    let parent = |path: &str| path.rsplit_once('/').map(|(parent, _)| parent.to_owned());
    let beside = machine.context.root.and_then(parent) == parent(&resolved);
    let entry = machine.context.facts.entry(&resolved);
    if !(beside && matches!(entry, Entry::Missing | Entry::Unknown)) {
        super::writes(machine, folder, super::How::Append);
    }
}

fn worktree(machine: &mut Machine<'_>, args: &[String]) {
    let words = options::words(args, "-b -B");
    if words.first() == Some(&"remove") && options::any(args, "-f --force -ff") {
        match words.get(1).map(|path| place_of(machine, path)) {
            Some(PathClass::Temporary) => {}
            _ => effect(machine, &policy::DISCARD, "git worktree remove --force"),
        }
    }
    if let ["add" | "move", rest @ ..] = words.as_slice() {
        let at = usize::from(words[0] == "move");
        rest.get(at)
            .into_iter()
            .for_each(|folder| makes(machine, folder));
    }
    if words.first() == Some(&"add") && options::any(args, "-B") {
        git_refs::moves_refs(machine, "git worktree add -B");
    }
}
