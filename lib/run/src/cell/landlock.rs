//! What a version of the kernel's walls keeps.

use std::fmt;

/// The oldest version that keeps files: before it a file could be emptied, or moved away.
pub const ABI_LEAST: u32 = 3;
/// From here on signals and abstract sockets end at the walls.
const ABI_SCOPES: u32 = 6;

/// The version of Landlock that the kernel speaks; 0: none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(pub u32);

impl Level {
    /// Does it keep files?
    pub fn keeps_files(self) -> bool {
        self.0 >= ABI_LEAST
    }

    /// Do signals end at the walls?
    pub fn keeps_signals(self) -> bool {
        self.0 >= ABI_SCOPES
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
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
        let said = [0, 2, 5, 7].map(|abi| Level(abi).to_string());
        assert!(said[0].contains("no Landlock"));
        assert!(said[1].contains("takes version 3"));
        assert!(said[2].starts_with("Landlock 5: files; signals"));
        assert_eq!(said[3], "Landlock 7: files, signals, abstract sockets");
    }
}
