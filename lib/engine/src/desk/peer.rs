//! Which process is at the other end of a connection on this machine.

use crate::{cell, person};
use rustix::process::getuid;
use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr};

/// Is whoever asks refused: another user, something that an agent started, or that lives in a cell? Where
/// the kernel does not tell whose a connection is, the page's secrets decide alone.
pub(super) fn is_refused(peer: SocketAddr, port: u16) -> bool {
    let Some((user, inode)) = connection(peer.port(), port) else {
        return false;
    };
    let is_agents = |process| cell::holds(process) || person::is_an_agents(process);
    user != getuid().as_raw() || holder(inode).is_some_and(is_agents)
}

/// User and socket of the other end, by `/proc/net/tcp` (`proc_net_tcp(5)`).
fn connection(theirs: u16, ours: u16) -> Option<(u32, u64)> {
    let table = std::fs::read_to_string("/proc/net/tcp").ok()?;
    let end = |port: u16| {
        let mut text = String::new();
        for byte in Ipv4Addr::LOCALHOST.octets().iter().rev() {
            let _ = write!(text, "{byte:02X}");
        }
        format!("{text}:{port:04X}")
    };
    let (from, to) = (end(theirs), end(ours));
    table.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        if fields.next()? != from || fields.next()? != to {
            return None;
        }
        let user = fields.nth(4)?.parse().ok()?;
        Some((user, fields.nth(1)?.parse().ok()?))
    })
}

/// The process that holds this socket.
fn holder(inode: u64) -> Option<u32> {
    let socket = format!("socket:[{inode}]");
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let holds = |process: &u32| {
        let files = std::fs::read_dir(format!("/proc/{process}/fd"));
        files.is_ok_and(|files| {
            let mut links = files
                .flatten()
                .filter_map(|file| std::fs::read_link(file.path()).ok());
            links.any(|link| link.as_os_str() == socket.as_str())
        })
    };
    numbers.into_iter().find(holds)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_process_at_the_other_end_is_found() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let ours = listener.local_addr().unwrap().port();
        let client = TcpStream::connect((Ipv4Addr::LOCALHOST, ours)).unwrap();
        let theirs = client.local_addr().unwrap().port();
        let (user, inode) = connection(theirs, ours).unwrap();
        assert_eq!(
            (user, holder(inode)),
            (getuid().as_raw(), Some(std::process::id()))
        );
        assert_eq!(connection(1, ours), None);
    }
}
