//! Names of refs and files made of task ids and remotes.

use overnight_tasks::TaskId;
use std::fmt::Write;

/// Where leases live: a space of refs that no clone fetches and no host builds.
pub const NAMESPACE: &str = "refs/overnight/leases";
/// Where they live on hosts that accept nothing but branches.
pub const NAMESPACE_HEADS: &str = "refs/heads/overnight/leases";
/// Where the last seen state of a remote's lease is kept in a clone.
pub const SEEN: &str = "refs/overnight/seen";
/// Where all leases of a remote are kept as they were last listed: beside the single ones, where no
/// task's name can stand in the way.
pub const LISTED: &str = "refs/overnight/listed";

/// A name with everything but `[a-z0-9_-]` percent-encoded: valid as a ref and as a file name
/// (`a..b` or `x.lock` are not valid refs, `A` and `a` are one file on some systems).
pub fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-' {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02x}");
        }
    }
    encoded
}

/// The task of an encoded name; `None` when it is none.
pub fn decode(encoded: &str) -> Option<TaskId> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (high, low) = (rest.next()?, rest.next()?);
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
    }
    let id = TaskId::parse(std::str::from_utf8(&bytes).ok()?).ok()?;
    (encode(id.as_str()) == encoded).then_some(id)
}

/// The lease's ref.
pub fn lease(namespace: &str, task: &TaskId) -> String {
    format!("{namespace}/{}", encode(task.as_str()))
}

/// Where this clone keeps what it last saw of it.
pub fn seen(remote: &str, task: &TaskId) -> String {
    format!("{SEEN}/{}/{}", encode(remote), encode(task.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_git_refuses_as_refs_are_encoded_and_come_back() {
        for (id, encoded) in [("t1", "t1"), ("a..b", "a%2e%2eb"), ("x.lock", "x%2elock")] {
            let task = TaskId::parse(id).unwrap();
            assert_eq!(encode(id), encoded);
            assert_eq!(decode(encoded), Some(task));
        }
        for foreign in ["", "%", "%zz", "%74", "A", "a/b", "%2e%2e"] {
            assert_eq!(decode(foreign), None, "{foreign}");
        }
    }
}
