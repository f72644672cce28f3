//! Options that set the folder in which a program works: it is judged as if it had been started there.

use super::{effect, options, roughly};
use crate::machine::{Call, Machine};
use crate::place::{self, PathClass};
use crate::table::rows;
use crate::{mark, policy};

/// Programs with their options for the folder, or for a file in it.
const OPTIONS: &[[&str; 2]] = rows!("../../tables/folders.txt");

/// Words with which such a program only looks.
const LOOKING: &str = "list ls ll view show info metadata tree search outdated env version help why explain plan validate output status \
     log describe which -n --dry-run --just-print --list --summary --check --version --help -l -v -V";

/// Such a program builds, installs or deletes in the folder where it is started.
pub(super) fn elsewhere(machine: &mut Machine<'_>, call: &Call) {
    let listed = OPTIONS.iter().any(|[programs, _]| call.is(programs));
    if listed && !options::any(call.args(), LOOKING) {
        works(machine, &call.name);
    }
}

/// Something is made or changed in the folder that the shell is in, wherever that is.
pub(super) fn works(machine: &mut Machine<'_>, what: &str) {
    let cwd = machine.state.cwd.to_string();
    let own = machine.context.root.unwrap_or(machine.context.cwd);
    let foreign = matches!(
        roughly(machine, "."),
        PathClass::Home | PathClass::Elsewhere | PathClass::System | PathClass::Startup
    );
    // The repository around ours is the same project's.
    let around = place::inside(own, &cwd) && !place::vital(machine.context, &cwd);
    if foreign && !around && !place::inside(&cwd, own) && !mark::unknown(&cwd) {
        effect(machine, &policy::WRITE_HOME, &format!("{what} in {cwd}"));
    }
}

/// The folder that the call names, and the call without it.
pub(super) fn named(call: &Call) -> Option<(String, Call)> {
    let [_, options] = OPTIONS.iter().find(|[programs, _]| call.is(programs))?;
    let args = call.args();
    // What is global has its place elsewhere.
    if options::any(args, "-g --global") {
        return None;
    }
    let (at, folder, words) = args.iter().enumerate().find_map(|(at, arg)| {
        options.split(' ').find_map(|option| {
            let rest = arg.strip_prefix(option)?;
            let attached = rest.strip_prefix('=').unwrap_or(rest);
            match attached {
                "" => Some((at, args.get(at + 1)?.as_str(), 2)),
                _ if rest == attached && option.len() > 2 => None,
                attached => Some((at, attached, 1)),
            }
        })
    })?;
    let is_file = place::last(folder).contains('.') && folder.ends_with(['l', 'e']);
    let folder = match folder.rsplit_once('/') {
        Some((parent, _)) if is_file => parent,
        _ if is_file => ".",
        _ => folder,
    };
    let mut call = call.clone();
    call.argv.drain(at + 1..at + 1 + words);
    Some((folder.to_owned(), call))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;

    #[test]
    fn the_folder_is_told_from_the_rest() {
        let split = |line: &str| {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (name, stdin) = (argv[0].clone(), Data::empty());
            named(&Call { name, argv, stdin }).map(|(folder, call)| (folder, call.argv.join(" ")))
        };
        for (line, folder, rest) in [
            ("make -C a/b all", "a/b", "make all"),
            ("make -Ca all", "a", "make all"),
            ("npm run --prefix=web x", "web", "npm run x"),
            ("cargo test --manifest-path a/Cargo.toml", "a", "cargo test"),
            ("cargo test --manifest-path Cargo.toml", ".", "cargo test"),
            ("terraform -chdir=infra plan", "infra", "terraform plan"),
        ] {
            assert_eq!(split(line), Some((folder.to_owned(), rest.to_owned())));
        }
        for line in ["make all", "npm i -g --prefix /opt x", "ls -C a"] {
            assert_eq!(split(line), None, "{line}");
        }
    }
}
