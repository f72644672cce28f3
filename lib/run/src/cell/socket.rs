//! Sockets with a path: behind one somebody acts with the person's rights, whom no wall holds.

use super::{Cell, expand};
use std::path::{Path, PathBuf};

/// Folders that hold such sockets and nothing that work needs, below home.
const BELOW_HOME: &[&str] = &[
    ".docker/run",
    ".docker/desktop",
    ".colima",
    ".lima",
    ".orbstack",
    ".rd",
    ".1password",
    ".gnupg",
];
/// The same for everybody.
const ABOVE: &[&str] = &["/tmp/.X11-unix", "/tmp/.ICE-unix"];
/// Services that everybody's programs talk to, and databases, which ask for a name of their own.
const SERVICES: &[&str] = &[
    "/run/systemd/journal",
    "/run/systemd/resolve",
    "/run/systemd/userdb",
    "/run/nscd",
    "/dev/log",
    "/nix/var/nix/daemon-socket",
    "/run/postgresql",
    "/run/mysqld",
    "/run/redis",
];

/// What is covered: folders of such sockets, and every other one that somebody listens on outside of
/// `own`, which the cell writes or asks at. `runtime` is the person's folder for sockets.
pub fn covered(
    settings: &Cell,
    home: Option<&Path>,
    runtime: Option<PathBuf>,
    listening: Vec<PathBuf>,
    own: &[PathBuf],
) -> Vec<PathBuf> {
    let asked: Vec<PathBuf> = settings
        .sockets
        .iter()
        .filter_map(|text| expand(text, home))
        .collect();
    let needed = |folder: &PathBuf| asked.iter().chain(own).any(|path| path.starts_with(folder));
    let below = home
        .into_iter()
        .flat_map(|home| BELOW_HOME.iter().map(|name| home.join(name)));
    let folders = below.chain(ABOVE.iter().map(PathBuf::from)).chain(runtime);
    let mut covered: Vec<PathBuf> = folders.filter(|folder| !needed(folder)).collect();
    let free = |path: &Path| {
        let services = SERVICES.iter().map(Path::new);
        let kept = asked.iter().chain(own).map(PathBuf::as_path);
        services.chain(kept).any(|kept| path.starts_with(kept))
    };
    for socket in listening {
        if !free(&socket) && !covered.iter().any(|folder| socket.starts_with(folder)) {
            covered.push(socket);
        }
    }
    covered
}

/// Does the value of a variable lead to one of the sockets that may be talked to?
pub fn leads_to(settings: &Cell, home: Option<&Path>, value: &str) -> bool {
    let mut asked = settings
        .sockets
        .iter()
        .filter_map(|text| expand(text, home));
    asked.any(|path| path.to_str().is_some_and(|path| value.contains(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_socket_is_covered_but_services_the_cells_own_and_what_is_asked_for() {
        let settings = Cell {
            sockets: vec![
                "/run/docker.sock".into(),
                "/run/user/7/podman/podman.sock".into(),
            ],
            ..Cell::default()
        };
        let listening = [
            "/run/docker.sock",
            "/run/containerd/containerd.sock",
            "/run/systemd/resolve/io.systemd.Resolve",
            "/run/user/7/bus",
            "/run/user/7/podman/podman.sock",
            "/p/tree/test.sock",
            "/h/.gnupg/S.gpg-agent",
        ];
        let covered = covered(
            &settings,
            Some(Path::new("/h")),
            Some("/run/user/7".into()),
            listening.map(PathBuf::from).to_vec(),
            &["/p/tree".into()],
        );
        let is = |path: &str| {
            covered
                .iter()
                .any(|covered| Path::new(path).starts_with(covered))
        };
        for closed in [
            "/run/containerd/containerd.sock",
            "/run/user/7/bus",
            "/h/.gnupg/S.gpg-agent",
            "/tmp/.X11-unix/X0",
        ] {
            assert!(is(closed), "{closed}");
        }
        for open in [
            "/run/docker.sock",
            "/run/user/7/podman/podman.sock",
            "/run/systemd/resolve/io.systemd.Resolve",
            "/p/tree/test.sock",
        ] {
            assert!(!is(open), "{open}");
        }
        assert!(leads_to(&settings, None, "unix:///run/docker.sock"));
        assert!(!leads_to(&settings, None, "tcp://elsewhere"));
    }
}
