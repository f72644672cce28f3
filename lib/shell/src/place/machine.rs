//! What stands outside of the work tree.

use super::{PathClass, inside, last};
use crate::context::Context;
use crate::{mark, names};

pub(super) fn device(path: &str) -> Option<PathClass> {
    let name = path.strip_prefix("/dev/")?;
    let harmless = [
        "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "ptmx",
    ];
    if harmless.contains(&name) || name.starts_with("fd/") || name.starts_with("pts/") {
        return Some(PathClass::Harmless);
    }
    (!name.starts_with("shm")).then_some(PathClass::Device)
}

const STARTUP: &[&str] = overnight_base::words!(
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv \
     .zprofile .zlogin .kshrc .inputrc .gitconfig .config/git .config/fish .config/autostart \
     .config/systemd .config/environment.d Library/LaunchAgents .local/bin bin .cargo/bin \
     .cargo/config .cargo/config.toml .npm-global .vimrc .config/nvim .tmux.conf .xinitrc \
     .xprofile .pam_environment .pythonrc .local/share/applications .emacs .emacs.d .pyenv/shims \
     .config/pip .pip .condarc .yarnrc .yarnrc.yml .bunfig.toml .config/nushell .gemrc .irbrc \
     .npm .bin go/bin .bun/bin .deno/bin"
);

pub(super) fn in_home(relative: &str) -> PathClass {
    let under = |list: &[&str]| list.iter().any(|entry| inside(relative, entry));
    if relative.is_empty() {
        return PathClass::Home;
    }
    let folded = names::fold(relative);
    if names::store_at_home(&folded) || names::local_secret(last(&folded)) {
        return PathClass::Credentials;
    }
    if inside(relative, ".claude")
        || inside(relative, ".config/overnight")
        || inside(relative, ".config/claude")
        || inside(relative, ".local/share/overnight")
        || inside(relative, ".local/state/overnight")
    {
        return PathClass::Guard;
    }
    if relative.split('/').any(|part| part == ".git") {
        return PathClass::Git;
    }
    if under(STARTUP) {
        return PathClass::Startup;
    }
    if inside(relative, ".cache") && relative.len() > ".cache".len() {
        return PathClass::HomeCache;
    }
    PathClass::Home
}

const SYSTEM: &[&str] = overnight_base::words!(
    "/bin /boot /etc /lib /lib32 /lib64 /opt /proc /root /run /sbin /snap /srv /sys /usr /var \
     /home /Users /System /Library /Applications /nix /dev /lost+found /mnt /media /Volumes \
     /private /cygdrive /c"
);

/// Is it the system's, by its name?
pub(super) fn of_system(path: &str) -> bool {
    path == "/" || SYSTEM.iter().any(|entry| inside(path, entry))
}

pub(super) fn outside(context: &Context<'_>, path: &str) -> PathClass {
    let folded = names::fold(path);
    let parts: Vec<&str> = folded.split('/').filter(|part| !part.is_empty()).collect();
    if names::store(&folded, &parts) {
        return PathClass::Credentials;
    }
    if path.split('/').any(|part| part == ".git") {
        return PathClass::Git;
    }
    let sibling = context
        .root
        .and_then(|root| root.rsplit_once('/'))
        .is_some_and(|(parent, _)| parent.len() > 1 && inside(path, parent));
    if sibling {
        return PathClass::Elsewhere;
    }
    if of_system(path) {
        return PathClass::System;
    }
    // `/b*n`, `/?tc`: a pattern in the first component may reach the system.
    if path.split('/').nth(1).is_some_and(mark::unknown) {
        return PathClass::System;
    }
    PathClass::Elsewhere
}
