//! Randomness of the operating system, for ids that nobody may guess.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex as hex_of;
use std::io::Read;

/// Random bytes.
pub fn bytes<const N: usize>() -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut file| file.read_exact(&mut bytes))
        .map_err(|error| Fault::new(Code::FileRead, format!("/dev/urandom: {error}")))?;
    Ok(bytes)
}

/// `2 * N` random hexadecimal digits.
pub fn hex<const N: usize>() -> Result<String, Fault> {
    Ok(hex_of(&bytes::<N>()?))
}

/// A random UUID (version 4), as the client's `--session-id` wants it.
pub fn uuid() -> Result<String, Fault> {
    let mut bytes = bytes::<16>()?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex_of(&bytes);
    Ok(format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_its_version_and_its_variant() {
        let uuid = uuid().unwrap();
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
        assert!(matches!(&uuid[19..20], "8" | "9" | "a" | "b"));
    }
}
