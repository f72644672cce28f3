//! What a version of the kernel's walls keeps.

use super::Network;
use std::fmt;
use std::ops::RangeInclusive;

/// The oldest version that keeps files: before it a file could be emptied, or moved away.
pub const ABI_LEAST: u32 = 3;
/// From here on TCP ports are kept.
const ABI_PORTS: u32 = 4;
/// From here on signals and abstract sockets end at the walls.
const ABI_SCOPES: u32 = 6;

/// What the kernel's walls are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Linux: the version of Landlock; 0: none.
    Landlock(u32),
    /// macOS.
    Seatbelt,
}

impl Level {
    /// The version of Landlock; 0: none.
    pub fn abi(self) -> u32 {
        match self {
            Self::Landlock(abi) => abi,
            Self::Seatbelt => 0,
        }
    }

    /// Does it keep files?
    pub fn keeps_files(self) -> bool {
        self == Self::Seatbelt || self.abi() >= ABI_LEAST
    }

    /// Do signals end at the walls?
    pub fn keeps_signals(self) -> bool {
        self == Self::Seatbelt || self.abi() >= ABI_SCOPES
    }

    /// Can TCP ports be kept one by one?
    fn keeps_ports(self) -> bool {
        self == Self::Seatbelt || self.abi() >= ABI_PORTS
    }
}

/// What a machine gives for cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gives {
    /// Its walls.
    pub level: Level,
    /// Can user and mount namespaces be had, or what closes the same?
    pub namespaces: bool,
    /// Are limits of processes outside kept from being set?
    pub limits: bool,
}

impl Gives {
    /// What of this network it cannot keep, in a line.
    pub fn missing(self, network: &Network) -> Option<String> {
        match network {
            Network::None if !self.namespaces => Some(
                "cell.network = \"none\" takes namespaces, which this machine does not give: where the kernel \
                 keeps ports (Linux 6.7) TCP reaches those of tests' servers alone, everything else is open"
                    .to_owned(),
            ),
            Network::Ports(_) if !self.level.keeps_ports() => Some(format!(
                "cell.network names ports, which take Landlock {ABI_PORTS} (Linux 6.7): the network is open"
            )),
            _ => None,
        }
    }

    /// The TCP ports that may be connected to, from and to; `None`: all. Servers of tests listen on
    /// `ephemeral`.
    pub fn ports(
        self,
        network: &Network,
        ephemeral: impl Fn() -> RangeInclusive<u16>,
    ) -> Option<Vec<(u16, u16)>> {
        if !self.level.keeps_ports() {
            return None;
        }
        let ends = |range: RangeInclusive<u16>| (*range.start(), *range.end());
        match network {
            Network::Open => None,
            Network::None if self.namespaces => None,
            Network::None => Some(vec![ends(ephemeral())]),
            Network::Ports(named) => {
                let named = named.iter().map(|port| (*port, *port));
                Some(named.chain([ends(ephemeral())]).collect())
            }
        }
    }
}

impl fmt::Display for Gives {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        const MORE: &str = "sockets with a path, modes, owners and times of files";
        match (self.level.keeps_files(), self.namespaces) {
            (false, _) => return self.level.fmt(f),
            (true, _) if self.level == Level::Seatbelt => write!(f, "{}, {MORE}", self.level),
            (true, true) => write!(f, "{}; namespaces: {MORE}", self.level),
            (true, false) => write!(f, "{}; no namespaces: {MORE} are not kept", self.level),
        }?;
        if self.limits {
            return Ok(());
        }
        f.write_str("; no seccomp: limits of your other processes are not kept")
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let abi = match self {
            Self::Seatbelt => return f.write_str("seatbelt: files, signals"),
            Self::Landlock(abi) => *abi,
        };
        match abi {
            0 => {
                f.write_str("this kernel has no Landlock (Linux 6.2 or newer, switched on at boot)")
            }
            abi if !self.keeps_files() => write!(
                f,
                "Landlock {abi} does not keep files from being emptied: it takes version {ABI_LEAST} (Linux 6.2)"
            ),
            abi if !self.keeps_signals() => write!(
                f,
                "Landlock {abi}: files; signals and abstract sockets take version {ABI_SCOPES} (Linux 6.12)"
            ),
            abi => write!(f, "Landlock {abi}: files, signals, abstract sockets"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_says_what_it_keeps_and_what_is_missing() {
        let gives = |abi, namespaces| Gives {
            level: Level::Landlock(abi),
            namespaces,
            limits: true,
        };
        assert!(gives(7, false).to_string().contains("not kept"));
        assert!(!gives(7, true).to_string().contains("not kept"));
        let unfiltered = Gives {
            limits: false,
            ..gives(7, true)
        };
        assert!(unfiltered.to_string().ends_with("are not kept"));
        let ports = Network::Ports(vec![443]);
        let some = |gives: Gives, network| gives.ports(network, || 5..=6);
        assert_eq!(
            some(gives(4, false), &ports),
            Some(vec![(443, 443), (5, 6)])
        );
        assert_eq!(some(gives(7, true), &Network::None), None);
        assert_eq!(some(gives(7, false), &Network::None), Some(vec![(5, 6)]));
        assert_eq!(some(gives(7, true), &Network::Open), None);
        assert!(
            gives(3, true).missing(&ports).is_some() && gives(4, true).missing(&ports).is_none()
        );
        assert!(gives(7, false).missing(&Network::None).is_some());
        let said = [0, 2, 5, 7].map(|abi| Level::Landlock(abi).to_string());
        assert!(said[0].contains("no Landlock"));
        assert!(said[1].contains("takes version 3"));
        assert!(said[2].starts_with("Landlock 5: files; signals"));
        assert_eq!(said[3], "Landlock 7: files, signals, abstract sockets");
        let seatbelt = Gives {
            level: Level::Seatbelt,
            namespaces: true,
            limits: true,
        };
        assert_eq!(seatbelt.missing(&ports), None);
        assert!(
            seatbelt
                .to_string()
                .starts_with("seatbelt: files, signals, sockets")
        );
    }
}
