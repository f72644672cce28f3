//! Packages of the machine.

use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{effect, options, runs_text};
use crate::machine::{Call, Machine};
use crate::policy;

const READING: &str = "list search show info policy depends rdepends why query outdated deps leaves config doctor home cat desc uses provides repolist history check-update files find log version formulae casks tap-info showpkg madison --version flake/show flake/check flake/metadata eval develop build fmt run shell";

const NAMES: &str = "--list --listfiles --status --search --get-selections --print-architecture";

/// Package managers of the machine: reading is ordinary.
pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, "-o -c -t -n");
    let first = words.first().copied().unwrap_or("");
    let letters = |allowed: &str| {
        args.first().is_some_and(|arg| {
            arg.starts_with('-') && arg[1..].chars().all(|c| allowed.contains(c))
        })
    };
    let reads = match call.name.as_str() {
        "dpkg" => letters("lLsSpc") || options::any(args, NAMES),
        "rpm" => args
            .first()
            .is_some_and(|arg| arg.starts_with("-q") || arg == "--query" || arg == "-V"),
        "pacman" | "yay" | "paru" => args.first().is_some_and(|arg| {
            arg.starts_with("-Q")
                || arg.starts_with("-Ss")
                || arg.starts_with("-Si")
                || arg.starts_with("-F")
        }),
        "nix-shell" | "nix" => nix(machine, call, &words),
        // Without a word: what would be taken, what would be updated.
        "softwareupdate" => !options::any(args, "-i --install -d --download -ia"),
        "apt-get" | "apt" if options::any(args, "-s --simulate --dry-run --just-print") => true,
        "brew" if matches!(first, "" | "--prefix" | "deps" | "shellenv") => true,
        _ => words.is_empty() || says(READING, &words[..1]),
    };
    if !reads {
        let grave = call.name == "apt-get" && words.contains(&"--force-yes");
        effect(
            machine,
            if grave {
                &policy::SYSTEM_STATE
            } else {
                &policy::INSTALL
            },
            &format!("{} {first}", call.name),
        );
    }
    Data::unknown()
}

/// Programs in an environment made by nix. Does it only read otherwise?
fn nix(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> bool {
    let args = call.args();
    // A flake of somebody: code from the network.
    if matches!(words.first(), Some(&"run" | &"shell" | &"develop"))
        && let Some(flake) = words[1..].iter().take(1).find(|word| word.contains(':'))
        && !flake.starts_with("nixpkgs")
        && !flake.starts_with("path:")
        && !flake.starts_with("github:NixOS/nixpkgs")
    {
        effect(machine, &policy::REMOTE_CODE, flake);
    }
    if call.name == "nix-shell" {
        if let Some(text) = options::parse(args, "pIA", "run command", false).value("", "run") {
            runs_text(machine, text, &call.stdin);
        }
        return true;
    }
    if let Some(at) = args
        .iter()
        .position(|arg| matches!(arg.as_str(), "-c" | "--command"))
    {
        let rest = args[at + 1..].to_vec();
        machine.run_words(&rest, &call.stdin);
    }
    if let Some(at) = args.iter().position(|arg| arg == "--") {
        // `nix run nixpkgs#tool -- …`
        let program = words
            .get(1)
            .map_or("", |name| name.rsplit('#').next().unwrap_or(name));
        let mut rest = vec![program.to_owned()];
        rest.extend_from_slice(&args[at + 1..]);
        machine.run_words(&rest, &call.stdin);
    }
    says(READING, &words[..words.len().min(2)])
}
