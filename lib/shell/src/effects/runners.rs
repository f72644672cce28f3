//! Programs that run or install files: what came over the network, or was written by the same
//! command, is judged as what it is.

use super::{code, effect, options, runs_written};
use crate::machine::{Call, Machine};
use crate::policy;

/// Programs that run or install what their arguments or their input hold.
const RUNNERS: &[&str] = overnight_base::words!(
    "uv uvx pipx poetry pdm hatch rye pipenv bun deno tsx go dart crystal nim swift kotlin groovy \
     scala just task dpkg rpm apt apt-get dnf yum zypper pacman apk installer snap flatpak pip \
     pip3 npm pnpm yarn gem brew psql mysql mariadb redis-cli mongosh ansible-playbook gdb lldb \
     ed ex vim nvim emacs dc m4 code systemctl java mono wine docker podman nerdctl kubectl oc \
     terraform tofu helm npx bunx rustc cargo zig nix guix fish nu awk gawk gnuplot maxima"
);
/// Options of tools that name the package whose program is run.
const PACKAGE_OPTIONS: &[&str] = &["--spec", "--from", "--with", "--package", "-p"];

/// Is it a rehearsal, which runs nothing?
pub(super) fn rehearses(args: &[String]) -> bool {
    args.iter().any(|arg| arg.starts_with("--dry-run"))
}

/// Files that came over the network with this command, or that it wrote, given to a program that
/// runs or installs them.
pub(super) fn hands_on(machine: &mut Machine<'_>, call: &Call) {
    if !RUNNERS.contains(&call.name.as_str()) {
        return;
    }
    let args = call.args();
    if rehearses(args) {
        return;
    }
    let reads_input = call.is("ed ex gdb lldb dc m4") || options::any(args, "-");
    if call.stdin.network && reads_input {
        effect(machine, &policy::REMOTE_CODE, &call.name);
    }
    for pair in args.windows(2) {
        let address = pair[1].contains("git+") || pair[1].contains("://");
        if PACKAGE_OPTIONS.contains(&pair[0].as_str()) && address {
            effect(machine, &policy::REMOTE_CODE, &pair[1]);
        }
    }
    for arg in args.iter().take(64) {
        let path = arg.split_once('=').map_or(arg.as_str(), |(_, value)| value);
        if path.starts_with('-') || path.is_empty() || path.contains("://") {
            continue;
        }
        let resolved = machine.resolve(path, false);
        let Some(data) = machine
            .files
            .get(path)
            .or_else(|| machine.files.get(&resolved))
            .cloned()
        else {
            continue;
        };
        if data.network {
            effect(machine, &policy::REMOTE_CODE, path);
        } else if path.starts_with("/dev/fd/") {
            if let Some(text) = data.text {
                code::judge(machine, &text, &call.name);
            }
        } else {
            runs_written(machine, path, None);
        }
    }
}
