//! The machine itself: services, processes, users, disks.

pub(super) mod administration;
mod screens;

use screens::{editor, terminals};

use super::{Handler, Row, effect, options};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::place::PathClass;
use crate::{mark, policy};

/// Programs that must not be stopped: the guard, the loop, the client.
const GUARDS: &[&str] =
    overnight_base::words!("guard overnight claude stop-gate circuit-breaker session- flow");

pub(super) const ROWS: &[Row] = &[
    ("mount umount fusermount losetup cryptsetup mdadm", mounts),
    (
        "fdisk sfdisk gdisk sgdisk parted wipefs blkdiscard hdparm nvme mkswap mke2fs lvremove \
         vgremove pvremove lvreduce lvresize pvcreate vgcreate lvcreate zpool zfs btrfs badblocks \
         e2fsck fsck tune2fs resize2fs xfs_repair diskutil newfs partprobe dmsetup sg_format \
         flashrom debugfs cfdisk format hdiutil xfs_growfs bcache mkdosfs smartctl vgchange \
         lvchange vgreduce fdformat",
        disks,
    ),
    (
        "systemctl service rc-service initctl launchctl sv s6-svc supervisorctl pm2 monit svcadm \
         rc-update chkconfig",
        services,
    ),
    ("kill", kill),
    (
        "pkill killall skill killall5 fuser kill-port fkill xkill taskkill",
        kill_by_name,
    ),
    ("tmux screen zellij byobu tmate", terminals),
    ("sysctl", sysctl),
    (
        "dmesg journalctl lsof ss netstat ps top htop free uptime vmstat iostat lscpu lsblk blkid \
         lsusb lspci id whoami hostname who w last groups pgrep pidof pstree findmnt locale lsmod \
         ifconfig sar pidstat lsns ipcs numastat sensors acpi",
        inspect,
    ),
    ("stress stress-ng", |machine, call| {
        effect(machine, &policy::EXHAUST, &call.name);
        Data::unknown()
    }),
    ("logger", logger),
    (
        "apropos man info whatis notify-send say banner figlet cowsay tldr clear reset stty \
         toilet lolcat",
        |_, _| Data::unknown(),
    ),
    ("code cursor subl idea codium", workbench),
    (
        "vim vi nvim emacs nano ed ex emacsclient micro hx view vimdiff rview rvim gvim evim red \
         vimtutor kak jed joe pico mg ne",
        editor,
    ),
];

/// Those whose names are told by their form or stand in a table of their own.
pub(super) fn by_form(name: &str) -> Option<Handler> {
    if name.starts_with("mkfs") || name.starts_with("fsck.") {
        return Some(disks);
    }
    administration::handler(name)
}

fn logger(machine: &mut Machine<'_>, call: &Call) -> Data {
    if options::any(call.args(), "-n --server") {
        let data = call.stdin.derived();
        super::sends(machine, &data, "logger");
    }
    for file in super::commands::values(call.args(), "-f --file") {
        super::reads(machine, &file);
    }
    Data::empty()
}

/// Editors with windows: their extensions, and their ways to other machines.
fn workbench(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if options::any(args, "--install-extension --uninstall-extension") {
        effect(machine, &policy::INSTALL, &call.name);
    }
    if options::any(args, "tunnel serve-web --remote") {
        effect(machine, &policy::SEND, &call.name);
    }
    Data::unknown()
}

fn inspect(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let changes = match call.name.as_str() {
        "journalctl" => args
            .iter()
            .any(|arg| arg.starts_with("--vacuum") || arg == "--rotate"),
        "dmesg" => options::any(args, "-C -c --clear --read-clear"),
        "hostname" => args.iter().any(|arg| !arg.starts_with('-')),
        "ss" => options::any(args, "-K"),
        "ifconfig" => args.iter().filter(|arg| !arg.starts_with('-')).count() > 1,
        _ => false,
    };
    if changes {
        effect(machine, &policy::SYSTEM_STATE, &call.name);
    }
    let guards = call.is("pgrep pidof")
        && args
            .iter()
            .any(|arg| GUARDS.iter().any(|guard| arg.contains(guard)));
    if guards {
        return Data::known(&format!("{}guard\n", mark::OUTPUT));
    }
    // With the environment of all processes.
    if call.name == "ps"
        && args.iter().enumerate().any(|(at, arg)| {
            let named = at > 0 && args[at - 1].starts_with('-') && args[at - 1].len() == 2;
            let letters = arg.len() <= 6 && arg.bytes().all(|byte| byte.is_ascii_lowercase());
            letters && arg.contains('e') && (at == 0 || !named || arg == "e")
        })
    {
        effect(machine, &policy::ENVIRONMENT, "ps e");
    }
    Data::unknown()
}

fn mounts(machine: &mut Machine<'_>, call: &Call) -> Data {
    let lists = call.args().is_empty()
        || call
            .args()
            .iter()
            .all(|arg| matches!(arg.as_str(), "-l" | "-a" | "--list" | "status"));
    if !lists || call.name == "umount" {
        effect(machine, &policy::MOUNT, &call.name);
    }
    Data::unknown()
}

fn disks(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let shows = options::any(
        args,
        "-l --list list status get -p --print print id-ctrl smart-log show info -N subvolume-list usage",
    ) && !options::any(
        args,
        "destroy create delete format eraseDisk rm mkpart mklabel",
    );
    // A file system in an image file of one's own is ordinary.
    let image = args
        .last()
        .is_some_and(|path| !path.starts_with("/dev/") && super::place_of(machine, path).is_own())
        && (call.name.starts_with("mk") || call.name.starts_with("fsck"));
    if !(shows || image) {
        effect(machine, &policy::DISK, &call.name);
    }
    Data::unknown()
}

fn services(machine: &mut Machine<'_>, call: &Call) -> Data {
    let words = options::words(call.args(), "-p -n --property -t --type -H --state");
    let verb = if call.name == "service" {
        words.get(1)
    } else {
        words.first()
    }
    .copied()
    .unwrap_or("status");
    let rule = match verb {
        "status" | "is-active" | "is-enabled" | "is-failed" | "list-units" | "list-unit-files"
        | "show" | "cat" | "list-timers" | "list-dependencies" | "list" | "ls" | "logs"
        | "describe" | "print" | "avail" | "list-sockets" | "get-default" | "jlist" | "monit"
        | "show-environment" | "tail" | "info" | "help" | "list-jobs" | "summary" => {
            return Data::unknown();
        }
        "restart" | "reload" | "daemon-reload" | "start" | "reload-or-restart" | "try-restart"
        | "reread" | "update" | "kickstart" => &policy::PROCESSES,
        _ => &policy::SYSTEM_STATE,
    };
    effect(machine, rule, &format!("{} {verb}", call.name));
    Data::unknown()
}

fn kill(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if options::any(args, "-l -L -0") {
        return Data::unknown();
    }
    let mut targets: Vec<&str> = Vec::new();
    let mut skip = false;
    for (index, arg) in args.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        match arg.as_str() {
            "-s" | "-n" => skip = true,
            "--" => {}
            arg if arg.starts_with('-') && index == 0 && args.len() > 1 => {}
            arg => targets.push(arg),
        }
    }
    for target in targets {
        if matches!(target, "-1" | "1" | "0" | "-0") {
            effect(machine, &policy::SYSTEM_STATE, &format!("kill {target}"));
        } else if GUARDS.iter().any(|guard| target.contains(guard)) {
            effect(machine, &policy::SIDESTEP, "kill");
        } else if target.contains([mark::OUTPUT, mark::ANY, mark::PARENT])
            && !target.starts_with('%')
        {
            effect(machine, &policy::PROCESSES, "kill by a search");
        }
    }
    Data::empty()
}

const VITAL: &[&str] = overnight_base::words!(
    "sshd systemd init dockerd Xorg gnome dbus -1 tmux bash zsh loginwindow NetworkManager"
);

fn kill_by_name(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if call.name == "fuser" && !options::parse(args, "ns", "", false).has("k", "kill") {
        return Data::unknown();
    }
    let words = options::words(args, "-u -U -s --signal -t -g");
    let own = |word: &&str| {
        let built = !word.contains(' ') && super::place_of(machine, word) == PathClass::Build;
        word.contains([' ', '/']) && (built || machine.started(word))
    };
    let by_line = options::parse(args, "uUstgGP", "signal", false).has("f", "full");
    if call.name == "pkill" && by_line && !words.is_empty() && words.iter().all(own) {
        return Data::empty();
    }
    let all = words.iter().any(|word| matches!(*word, "." | ".*" | ""))
        || args
            .iter()
            .any(|arg| arg == "-u" || arg == "-U" || arg.starts_with("-u"));
    let rule = if words
        .iter()
        .any(|word| GUARDS.iter().any(|guard| word.contains(guard)))
    {
        &policy::SIDESTEP
    } else if call.name == "killall5" || all || words.iter().any(|word| VITAL.contains(word)) {
        &policy::SYSTEM_STATE
    } else {
        &policy::PROCESSES
    };
    effect(machine, rule, &call.name);
    Data::empty()
}

fn sysctl(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if args.iter().any(|arg| {
        arg.contains('=') || matches!(arg.as_str(), "-w" | "-p" | "--system" | "--write")
    }) {
        effect(machine, &policy::SYSTEM_STATE, "sysctl");
    }
    Data::unknown()
}
