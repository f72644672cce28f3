//! Ports for programs that members start: a block for each, so that two servers do not meet.

use overnight_base::session::hex;
use sha2::{Digest, Sha256};
use std::net::{Ipv4Addr, TcpListener};

/// Ports of one block.
const BLOCK: u16 = 100;
/// The first port: above those of well-known services.
const FIRST: u16 = 20_000;
/// Blocks below 32768, from which Linux takes the ports that nobody asked for.
const BLOCKS: u16 = 127;

/// Members of a run at most; no divisor of the number of blocks, so that every block is tried.
const MEMBERS_MAX: u32 = 64;

/// The first port of a block in which nothing listens now: the same for a member of a run, unless
/// something came in between.
pub(crate) fn block(run: &str, member: u32) -> u16 {
    let digits = hex(Sha256::digest(run.as_bytes()).as_slice());
    let seed = u32::from_str_radix(&digits[..4], 16).unwrap_or(0);
    let starts = (0..u32::from(BLOCKS)).map(|try_| {
        // Of what is passed over, no block is another member's first one.
        let number = seed.wrapping_add(member).wrapping_add(try_ * MEMBERS_MAX) % u32::from(BLOCKS);
        FIRST + BLOCK * u16::try_from(number).unwrap_or(0)
    });
    let mut starts = starts.peekable();
    let first = starts.peek().copied().unwrap_or(FIRST);
    starts.find(|start| is_free(*start)).unwrap_or(first)
}

fn is_free(start: u16) -> bool {
    (start..start + BLOCK).all(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_blocks_of_their_own_and_a_taken_one_is_passed_over() {
        let (one, two) = (block("r", 1), block("r", 2));
        assert!(one.abs_diff(two) >= BLOCK);
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, one + 7)).unwrap();
        assert_ne!(block("r", 1), one);
    }
}
