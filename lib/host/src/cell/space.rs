//! Namespaces: what Landlock leaves open ends here. Everything but what may be written is mounted
//! read-only, so that modes, owners and times stay as they are too; sockets that lead out are covered.

mod devices;
mod refs;
mod scratch;

use super::SHARED_MEMORY;
use super::plan::{Scratch, Space};
use nix::sched::CloneFlags;
use overnight_run::cell::Way;
use rustix::io::Errno;
use rustix::mount::{self, MountFlags, MountPropagationFlags};
use rustix::net::{self, AddressFamily, SendFlags, SocketFlags, SocketType};
use rustix::thread::CapabilitySet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// What no work on files and processes of one's own takes: powers over the machine.
const POWERS: &[CapabilitySet] = &[
    CapabilitySet::SYS_BOOT,
    CapabilitySet::SYS_TIME,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_RAWIO,
    CapabilitySet::SYS_PTRACE,
    CapabilitySet::SYS_PACCT,
    CapabilitySet::SYS_RESOURCE,
    CapabilitySet::SYS_TTY_CONFIG,
    CapabilitySet::SYSLOG,
    CapabilitySet::WAKE_ALARM,
    CapabilitySet::NET_ADMIN,
    CapabilitySet::MKNOD,
    CapabilitySet::LINUX_IMMUTABLE,
    CapabilitySet::MAC_ADMIN,
    CapabilitySet::MAC_OVERRIDE,
    CapabilitySet::AUDIT_CONTROL,
    CapabilitySet::PERFMON,
    CapabilitySet::BPF,
    // Opens a file by its number on the disk, whatever is mounted over it.
    CapabilitySet::DAC_READ_SEARCH,
    CapabilitySet::CHECKPOINT_RESTORE,
];

/// More than most lists of mounts take.
const MOUNTS_BYTES: usize = 32 << 10;

/// What was made for a view alone.
#[derive(Debug, Default)]
pub(super) struct Made<'s> {
    /// The folder of everybody's that is its own in it, if one is.
    pub(super) scratch: Option<&'s Path>,
    /// Git's folder as it is seen in it, and where that locks references.
    pub(super) locks: Option<(&'s Path, PathBuf)>,
    /// Folders of devices that are its own.
    pub(super) devices: Vec<&'static Path>,
}

impl Space {
    /// Is it another view than that of the process that makes it?
    pub(super) fn is_own(&self) -> bool {
        self.writable.is_some() || self.offline
    }

    /// Makes the view and lets this thread live in it. Without root's rights only a process of one
    /// thread can.
    pub(super) fn enter(&self) -> io::Result<Made<'_>> {
        let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
        let mut kinds = CloneFlags::empty();
        kinds.set(CloneFlags::CLONE_NEWNS, self.writable.is_some());
        kinds.set(CloneFlags::CLONE_NEWNET, self.offline);
        // Memory and queues without a path, which databases and sessions of the person's have, too.
        let queues = self.writable.is_some() && Path::new("/proc/self/ns/ipc").exists();
        kinds.set(CloneFlags::CLONE_NEWIPC, queues);
        if kinds.is_empty() {
            return Ok(Made::default());
        }
        kinds.set(CloneFlags::CLONE_NEWUSER, !user.is_root());
        let here = std::env::current_dir();
        nix::sched::unshare(kinds)?;
        if !user.is_root() {
            let (user, group) = (user.as_raw(), group.as_raw());
            std::fs::write("/proc/self/setgroups", "deny")?;
            std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
            std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        }
        let mut made = Made::default();
        if let Some(writable) = &self.writable {
            made.scratch = close(writable, &self.kept, self.scratch.as_ref())?;
            if self.devices {
                made.devices = devices::make();
            }
            let mut empty = None;
            for path in &self.covered {
                cover(path, &mut empty)?;
            }
            if let Some(git) = &self.locking {
                made.locks = refs::make(git)?.map(|locks| (git.as_path(), locks));
            }
            // The folder of before lies in what is closed now.
            if let Ok(here) = here {
                std::env::set_current_dir(here)?;
            }
        }
        if self.offline {
            loopback()?;
        }
        Ok(made)
    }
}

/// Takes root's powers over the machine from what this thread will start. `all`: also that over
/// namespaces.
pub(super) fn weaken(all: bool) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let last = all.then_some(CapabilitySet::SYS_ADMIN);
    for power in POWERS.iter().copied().chain(last) {
        // Who has not got it, or may not give it up, is weak already.
        let _ = rustix::thread::remove_capability_from_bounding_set(power);
    }
}

/// Mounts everything read-only but `writable`, and of that what is `kept`. Gives the `scratch` where it was
/// made.
fn close<'a>(
    writable: &[PathBuf],
    kept: &[PathBuf],
    scratch: Option<&'a Scratch>,
) -> io::Result<Option<&'a Path>> {
    mount::mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    let before = mounts()?;
    let mut own = None;
    if let Some(Scratch { folder, closed }) = scratch {
        let points = before.iter().map(|(point, _)| point);
        let real = writable.iter().chain(closed).chain(points).cloned();
        // What somebody answers at is another thing in another file system.
        let real = real.chain(sockets()).collect();
        own = scratch::make(folder, real)?.then_some(folder.as_path());
        let mut closed = closed.iter().filter(|_| own.is_some());
        closed.try_for_each(|path| close_one(path, &before))?;
    }
    let apart_already = |path: &Path| own.is_some_and(|folder| path.starts_with(folder));
    for path in writable.iter().filter(|path| !apart_already(path)) {
        match mount::mount_bind_recursive(path, path) {
            Err(error) if error != Errno::NOENT => return Err(error.into()),
            _ => {}
        }
    }
    // Landlock keeps these; namespaces of browsers are set up in /proc.
    let shared = writable.iter().any(|path| path.starts_with(SHARED_MEMORY));
    let device =
        |point: &Path| point.starts_with("/dev") && !(shared && point.starts_with(SHARED_MEMORY));
    let apart = |point: &Path| point.starts_with("/proc") || device(point);
    let open = Way::to(writable);
    for (point, flags) in &before {
        if apart(point) || open.around(point).is_some() || own == Some(point.as_path()) {
            continue;
        }
        let closed =
            mount::mount_remount(point, *flags | MountFlags::BIND | MountFlags::RDONLY, c"");
        // One that another covers, or that was taken away, cannot be reached by its path.
        if point == Path::new("/") {
            closed?;
        }
    }
    for path in kept {
        match mount::mount_bind_recursive(path, path) {
            Err(Errno::NOENT) => continue,
            bound => bound?,
        }
        close_one(path, &before)?;
    }
    Ok(own)
}

/// Makes one mount read-only, which was part of one of these.
fn close_one(path: &Path, before: &[(PathBuf, MountFlags)]) -> io::Result<()> {
    // Where its mount comes from a view with more rights, its options have to stay.
    let around = before.iter().filter(|(point, _)| path.starts_with(point));
    let flags = around.max_by_key(|(point, _)| point.as_os_str().len());
    let flags = flags.map_or(MountFlags::empty(), |(_, flags)| *flags);
    let closed = flags | MountFlags::BIND | MountFlags::RDONLY;
    Ok(mount::mount_remount(path, closed, c"")?)
}

/// Where something is mounted, with what must stay of its options.
fn mounts() -> io::Result<Vec<(PathBuf, MountFlags)>> {
    // Read at once: of such a file nobody says how long it is.
    let mut text = String::with_capacity(MOUNTS_BYTES);
    File::open("/proc/self/mountinfo")?.read_to_string(&mut text)?;
    let mounted = |line: &str| {
        let mut fields = line.split(' ').skip(4);
        let (point, options) = (fields.next()?, fields.next()?);
        let flags = options.split(',').map(|option| match option {
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            _ => MountFlags::empty(),
        });
        Some((unescaped(point), flags.collect()))
    };
    Ok(text.lines().filter_map(mounted).collect())
}

/// A path as the kernel lists it: `\040` is a space.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let octal = (*first == b'\\')
            .then(|| std::str::from_utf8(after.get(..3)?).ok())
            .flatten();
        let byte = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = byte.map_or(after, |_| &after[3..]);
    }
    OsString::from_vec(bytes).into()
}

/// Puts nothing over a folder or a socket. Folders are covered with the `empty` one that is there already: a
/// file system of its own for each would cost more than everything else.
fn cover<'p>(path: &'p Path, empty: &mut Option<&'p Path>) -> io::Result<()> {
    // Most are not there, and the others mostly files: without a look before, each takes one call.
    if matches!(
        mount::mount_bind("/dev/null", path),
        Ok(()) | Err(Errno::NOENT)
    ) {
        return Ok(());
    }
    let covered = match std::fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => match *empty {
            // Under this one it would be out of reach itself.
            Some(empty) if !empty.starts_with(path) => mount::mount_bind(empty, path),
            _ => {
                let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::RDONLY;
                let options = c"size=4k,mode=755";
                let mounted = mount::mount(c"overnight", path, c"tmpfs", flags, options);
                if mounted.is_ok() {
                    *empty = Some(path);
                }
                mounted
            }
        },
        Ok(about) if !about.is_symlink() => mount::mount_bind("/dev/null", path),
        _ => Ok(()),
    };
    match covered {
        // Another cover is over it, or it has gone.
        Err(Errno::NOENT) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Switches loopback on in a new network: `RTM_NEWLINK` for its first interface, with `IFF_UP`.
fn loopback() -> io::Result<()> {
    const REQUEST_WITH_ANSWER: u16 = 1 | 4;
    const NEW_LINK: u16 = 16;
    const BYTES: u32 = 32;
    let mut message = Vec::new();
    message.extend(BYTES.to_ne_bytes());
    message.extend(NEW_LINK.to_ne_bytes());
    message.extend(REQUEST_WITH_ANSWER.to_ne_bytes());
    message.extend([0; 8]); // Number and sender.
    message.extend([0; 4]); // Family and kind: any.
    message.extend(1_i32.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes()); // IFF_UP
    message.extend(1_u32.to_ne_bytes()); // is what changes.
    let socket = net::socket_with(
        AddressFamily::NETLINK,
        SocketType::RAW,
        SocketFlags::CLOEXEC,
        None, // That for links and addresses.
    )?;
    net::send(&socket, &message, SendFlags::empty())?;
    let mut answer = [0; 64];
    let (length, _) = net::recv(&socket, &mut answer, net::RecvFlags::empty())?;
    let error = answer[..length.min(64)]
        .get(16..20)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, i32::from_ne_bytes);
    if error == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(-error))
    }
}

/// The sockets with a path that somebody listens on.
pub(super) fn sockets() -> Vec<PathBuf> {
    let text = std::fs::read("/proc/net/unix").unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let path = |line: &str| {
        let at = line.find(" /")?;
        Some(PathBuf::from(&line[at + 1..]))
    };
    let mut all: Vec<PathBuf> = text.lines().skip(1).filter_map(path).collect();
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_path_is_read_as_the_kernel_wrote_it() {
        for (text, path) in [
            ("/a", "/a"),
            (r"/a\040b\134c", r"/a b\c"),
            (r"/x\0", r"/x\0"),
            (r"/y\999", r"/y\999"),
        ] {
            assert_eq!(unescaped(text), Path::new(path), "{text}");
        }
        assert!(
            mounts()
                .unwrap()
                .iter()
                .any(|(point, _)| point == Path::new("/"))
        );
    }
}
