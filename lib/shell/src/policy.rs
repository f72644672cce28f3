//! From effects to answers: the one place where it is decided what is forbidden, what a person
//! must be asked, and what depends on the mode.
//!
//! What cannot be followed is a question; a denial needs a proven destructive effect on a named
//! target.

use super::context::{Context, Losses};
use super::mark;
use super::verdict::{Decision, Mode, Verdict};

/// How a rule answers, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// The loss of home or root, or tampering with the guard: denied also where a person is.
    Ruin,
    /// A loss that no person shrugs off: denied in a run, a question where a person is.
    Catastrophe,
    /// Denied in every mode. This and all below are for runs: where a person is, they are silent.
    Forbidden,
    /// A question in every mode.
    Boundary,
    /// Loses work that a snapshot can bring back: a question, but allowed in fast mode and in a
    /// disposable work tree.
    Discards,
    /// Nothing speaks against it and nothing for it: a question in strict mode only.
    Unproven,
}

impl Class {
    /// Its name on the page of all rules.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ruin => "ruin",
            Self::Catastrophe => "catastrophe",
            Self::Forbidden => "forbidden",
            Self::Boundary => "boundary",
            Self::Discards => "discards",
            Self::Unproven => "unproven",
        }
    }
}

/// How a rule answers in front of a cell, whose kernel keeps what is outside of the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walled {
    /// It acts elsewhere, or is never wanted: as without a cell.
    Same,
    /// Nothing outside is reached and a snapshot brings back what is inside: allowed.
    Free,
    /// The kernel would refuse it: refused at once, with the better way, instead of asked.
    Shut,
}

/// A rule: an effect with its answer and what to say about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) class: Class,
    pub(crate) walled: Walled,
    pub(crate) what: &'static str,
    pub(crate) instead: &'static str,
}

impl Rule {
    /// Is it not known, or not named, on what it would act?
    fn is_unproven(&self, subject: &str) -> bool {
        self.id != LEAVES && (subject.is_empty() || subject.contains([mark::ANY, mark::OUTPUT]))
    }

    /// Does it lose single files of the work tree, which a copy brings back?
    fn is_deletion(&self) -> bool {
        *self == DELETE_FILE
    }

    /// The verdict on this effect; `subject` says on what, for the reason.
    pub(crate) fn verdict(&self, context: &Context<'_>, subject: &str) -> Verdict {
        let losses = if self.is_deletion() {
            context.losses
        } else {
            Losses::ByMode
        };
        let decision = match self.class {
            _ if losses == Losses::Asked && !context.attended => Decision::Ask,
            _ if losses == Losses::Kept => Decision::Allow,
            _ if context.walled && self.walled == Walled::Free => Decision::Allow,
            _ if context.walled && self.walled == Walled::Shut => Decision::Deny,
            Class::Catastrophe if context.attended => Decision::Ask,
            Class::Ruin | Class::Catastrophe => Decision::Deny,
            _ if context.attended => Decision::Allow,
            Class::Forbidden if self.is_unproven(subject) => Decision::Ask,
            Class::Forbidden => Decision::Deny,
            Class::Boundary => Decision::Ask,
            Class::Discards => ask_unless(context.mode == Mode::Fast || context.disposable),
            Class::Unproven => ask_unless(context.mode != Mode::Strict),
        };
        let reason = if subject.is_empty() {
            self.what.to_owned()
        } else {
            let shown = mark::show(subject);
            let short: String = shown.chars().take(200).collect();
            format!("{} ({short})", self.what)
        };
        let mut verdict = Verdict::new(decision, self.id, &reason);
        verdict.grave = matches!(self.class, Class::Ruin | Class::Catastrophe);
        if self.instead.is_empty() {
            verdict
        } else {
            verdict.instead(self.instead)
        }
    }
}

/// What leaves the machine is the harm, whatever it is.
const LEAVES: &str = "exfiltration";

fn ask_unless(allowed: bool) -> Decision {
    if allowed {
        Decision::Allow
    } else {
        Decision::Ask
    }
}

macro_rules! rules {
    ($($name:ident $class:ident $walled:ident $id:literal $what:literal $instead:literal;)*) => {
        $(#[doc = $what] pub(crate) static $name: Rule = Rule { id: $id, class: Class::$class, walled: Walled::$walled, what: $what, instead: $instead };)*

        /// Every rule, in the order of this table.
        pub(super) static ALL: &[&Rule] = &[$(&$name,)*];
    };
}

rules! {
    LOSE_HOME Ruin Same "delete-home" "it would delete the home folder, the root of all or the system" "delete only build output or temporary files, such as rm -rf ./target or a folder from mktemp -d";
    OPEN_HOME Catastrophe Same "permissions" "it would change permissions or owners of the home folder, the root of all or the system" "chmod u+x on the one file that needs it";
    EMPTY_NAME Catastrophe Free "delete-unknown" "an empty variable would make it the root of all" "name the folder in full, such as rm -rf ./target";
    ROOT_CODE Catastrophe Same "remote-code" "it would run code from the network with all rights" "download to a file, read it, and let a person run it";
    PUSH_OVER_SHARED Catastrophe Same "push-force" "it would rewrite or delete a branch that others rely on" "push the own branch without force, and open a draft pull request";
    DESTROY_SYSTEM Catastrophe Same "destroys-remote" "it would destroy the data of a whole system" "use --dry-run, or leave it to the person";
    BOMB Catastrophe Same "exhausts" "it would start processes without end" "bound it: head -c, timeout, seq";
    MOUNT Forbidden Same "disk" "it would change mounts" "use an image file under /tmp";
    WRITE_HOOKS Forbidden Same "guard-tamper" "it would change what git, an editor or the client starts by itself" "leave these files to the person; note what is needed in progress/blocked.md";
    SIDESTEP Forbidden Same "guard-tamper" "it would get around the guard, its settings or its hooks" "leave it to the person; take another task";
    DELETE_FORBIDDEN Forbidden Same "delete-outside" "it would delete what neither git nor a rebuild brings back" "delete only build output or temporary files, such as rm -rf ./target or a folder from mktemp -d";
    DELETE_UNKNOWN Boundary Free "delete-unknown" "nobody can say beforehand what it would delete; an empty variable makes it the root" "name the folder in full, such as rm -rf ./target";
    DELETE_ROOT Forbidden Same "delete-work-tree" "it would delete the work tree or its git data" "git stash push -u keeps everything and gives a clean tree";
    DELETE_WORK Discards Free "delete-work" "it would delete files of the work tree that may hold uncommitted work" "commit first, then git rm";
    DELETE_FILE Discards Free "delete-work" "it would delete a file of the work tree that may hold uncommitted work" "commit first, then git rm";
    DELETE_ASK Boundary Shut "delete-shared" "it would delete files that other programs or runs may need" "delete only a folder of your own, made with mktemp -d";
    WRITE_SYSTEM Forbidden Same "write-outside" "it would change files of the system or of other programs" "write into the repository or under /tmp";
    WRITE_HOME Boundary Shut "write-home" "it would write outside the repository" "write into the repository or under /tmp";
    WRITE_STARTUP Forbidden Same "persistence" "it would install code that runs later or for others" "set it for one command, such as NAME=value command";
    WRITE_CREDENTIALS Forbidden Same "write-credentials" "it would change keys or credentials" "leave credentials to the person";
    WRITE_GUARD Ruin Same "guard-tamper" "it would change settings, hooks, the guard or the state that it decides by" "leave these files to the person; note what is needed in progress/blocked.md";
    WRITE_GIT Forbidden Same "write-git" "it would write into .git, past git itself" "use git commands";
    WRITE_STATE Boundary Shut "run-state" "it would change the state of the run by hand" "task-lock, progress-log and completion-check write these files";
    WRITE_PIPELINE Boundary Same "ci-change" "it would change what CI runs with secrets after a push" "describe the change in progress/blocked.md";
    WRITE_STARTS Boundary Same "code-configuration" "it would change what git, an editor or a tool runs by itself" "say in progress/blocked.md what is needed, or set it for one command";
    WRITE_SECRETS Boundary Same "write-secrets" "it would change a file of local secrets" "change the template, such as .env.example";
    WRITE_UNKNOWN Boundary Free "write-unknown" "nobody can say beforehand where it would write" "name the file in full";
    EMPTY Discards Free "empties-file" "it would empty a file of the work tree" "edit the file, or commit it first";
    READ_CREDENTIALS Forbidden Same "reads-credentials" "it would read credentials into the transcript and the logs" "let the program that needs them read them itself";
    READ_SECRETS Boundary Same "reads-secrets" "it would read local secrets into the transcript and the logs" "read the template, such as .env.example";
    ENVIRONMENT Boundary Same "environment-dump" "it would print environment variables that may be secrets" "print one harmless variable, such as printenv PATH";
    EXFILTRATE Forbidden Same "exfiltration" "it would send secrets, files or output of commands to another machine" "keep the data here; write it under /tmp";
    SEND Boundary Same "sends-out" "it would send data to another machine or change something there" "leave it to the person";
    RAW_NETWORK Forbidden Same "raw-network" "it would open a raw connection from the shell" "use curl for a plain download";
    REMOTE_CODE Forbidden Same "remote-code" "it would run code that came over the network or that nobody has seen" "download to a file, read it, and let a person run it";
    OPAQUE_CODE Boundary Free "opaque-code" "it would run text that is computed, so that nobody can say what it does" "write the commands out";
    COMPUTED Boundary Free "computed-command" "the program itself is computed" "write the program's name out";
    INLINE_CODE Boundary Free "inline-code" "its inline code does what the guard cannot follow" "put the code into a file of the repository and run its tests";
    INLINE_FORBIDDEN Forbidden Same "inline-code-deletes" "its inline code deletes, sends or runs what is forbidden" "use plain commands on named files";
    TAMPER Ruin Same "guard-tamper" "it would switch off or get around the guard, its settings or its hooks" "leave it to the person; take another task";
    ENV_CODE Forbidden Same "environment-code" "a variable would make a harmless program run other code" "run the command without that variable";
    GIT_CODE Forbidden Same "git-config-code" "it would make later git commands run other code" "leave git's hooks, aliases and helpers as they are";
    GIT_CONFIG Boundary Shut "git-config" "it would change git's configuration beyond this repository, or credentials and checks" "git config user.name in this repository only";
    DISCARD Discards Free "discards-work" "it would throw away uncommitted work for good" "git stash push -u keeps it; or use a new git worktree";
    STASH Discards Same "drops-stash" "it would throw away stashed work" "git stash apply leaves the stash in place";
    REWRITE Boundary Same "rewrites-history" "it would remove or move refs" "work on a new branch: git switch -c auto/…";
    RECOVERY Forbidden Same "destroys-recovery" "it would destroy what lost work is recovered from: reflog, unreachable objects, history" "leave the clean-up to git gc without options";
    PUSH_FORBIDDEN Forbidden Same "push-force" "it would rewrite or delete remote history" "push the own branch without force, and open a draft pull request";
    PUSH_SHARED Boundary Same "push-shared" "it would push to a branch or remote that is not the agent's own" "git push origin HEAD on the agent's own branch, and open a draft pull request";
    FORGE Boundary Same "forge-change" "it would change shared state at the forge" "gh pr create --draft; leave the rest to the person";
    DESTROY Forbidden Same "destroys-remote" "it would destroy data or resources that no rebuild brings back" "use --dry-run, or leave it to the person";
    CHANGE Boundary Same "changes-remote" "it would change a service, a cluster or shared data" "use the read-only or dry-run form";
    PUBLISH Boundary Same "publishes" "publishing cannot be undone" "use --dry-run, or leave it to the person";
    UNPUBLISH Forbidden Same "unpublishes" "it would remove or mark what others depend on" "leave it to the person";
    SQL Forbidden Same "sql-destroys" "it would change or drop data in a database" "run it on a throw-away database in a test";
    DATABASE Boundary Same "database" "nobody can say what it would do to the database" "use a plain SELECT";
    SYSTEM_STATE Forbidden Same "system-state" "it would stop services, processes or the machine, or change who may do what" "stop only the processes started here, by their id";
    PROCESSES Boundary Free "ends-processes" "it would end processes that it may not have started" "kill the id of a process started here";
    DISK Catastrophe Same "disk" "it would change disks or file systems" "use an image file under /tmp";
    INSTALL Boundary Shut "installs-globally" "it would change programs of the machine or of the person" "add it to the project: cargo add, npm install --save-dev, uv add";
    PRIVILEGE Boundary Shut "privilege" "it needs the rights of another user" "do it without sudo, or leave it to the person";
    PERMISSIONS Forbidden Same "permissions" "it would open permissions or owners widely, or give a program special rights" "chmod u+x on the one file that needs it";
    OWNER Boundary Same "permissions-ask" "it would change owners or permissions that others rely on" "chmod u+x on the one file that needs it";
    SCHEDULE Forbidden Same "persistence" "it would install code that runs later or for others" "run it now, in the foreground";
    REMOTE_HOST Forbidden Same "remote-host" "it would run commands or change files on another machine" "leave other machines to the person";
    EXHAUST Forbidden Same "exhausts" "it would exhaust processes, memory or disk" "bound it: head -c, timeout, seq";
    RECURSION Boundary Free "recursion" "a function calls itself: the guard cannot follow that" "write a loop";
    ESCAPE Forbidden Same "container-escape" "it would give a container the rights of the machine" "run the container without --privileged and without mounts of / or the socket";
    CONTAINER Boundary Same "container" "it would change containers or services in use" "use docker compose up in the project";
    UNKNOWN_PROGRAM Unproven Free "unknown-program" "the guard does not know this program" "";
    ELSEWHERE_PROGRAM Boundary Free "program-elsewhere" "it runs a program from outside the repository that nobody vouches for" "put the script into the repository";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What cannot be followed is a question; a denial needs a proven destructive effect on a named target. The loss of
    /// home or root and of whole systems, and what leaves the machine, is proven by the rule itself.
    #[test]
    fn no_rule_denies_what_cannot_be_followed() {
        let unknown = format!("/srv/{}/x", mark::ANY);
        let run = Context::repository("/srv/repo", "/home/dev");
        let there = Context {
            attended: true,
            ..run
        };
        for rule in ALL {
            let proven =
                matches!(rule.class, Class::Ruin | Class::Catastrophe) || rule.id == LEAVES;
            let said = rule.verdict(&run, &unknown).decision;
            assert!(proven || said <= Decision::Ask, "{}: {said:?}", rule.id);
            let named = rule.verdict(&run, "/srv/a/x").decision;
            assert_eq!(
                named == Decision::Deny,
                rule.class <= Class::Forbidden,
                "{}",
                rule.id
            );
            let said = rule.verdict(&there, &unknown).decision;
            assert!(
                rule.class == Class::Ruin || said <= Decision::Ask,
                "{}: {said:?}",
                rule.id
            );
        }
    }
}
