//! Amounts of data, as programs for files take them.

/// More than this fills the disk of a usual machine: cloud runners have 14 to 150 GB free.
const FILLING: u128 = 50 << 30;

/// Does so much fill a disk?
pub(super) fn fills(bytes: u128) -> bool {
    bytes > FILLING
}

/// Is it an amount that fills a disk?
pub(super) fn text_fills(text: &str) -> bool {
    bytes(text).is_some_and(|bytes| fills(u128::from(bytes)))
}

/// `10`, `4k`, `1M`, `2GiB`, `5GB`, `1x2M`: bytes. `None`: not an amount.
pub(super) fn bytes(text: &str) -> Option<u64> {
    text.split(['x', '*']).try_fold(1, |product: u64, factor| {
        let digits = factor.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = match &factor[..digits] {
            "" => return None,
            digits => digits.parse().unwrap_or(u64::MAX),
        };
        let unit = match factor[digits..]
            .to_ascii_lowercase()
            .trim_end_matches(['b', 'i'])
        {
            "" | "c" => 1,
            "w" => 2,
            "k" => 1 << 10,
            "m" => 1 << 20,
            "g" => 1 << 30,
            "t" => 1 << 40,
            "p" => 1 << 50,
            "e" | "z" | "y" => 1 << 60,
            _ => return None,
        };
        Some(product.saturating_mul(number.saturating_mul(unit)))
    })
}

/// `head -c 500G` of something without end.
pub(super) fn head_fills(args: &[String]) -> bool {
    super::options::parse(args, "cn", "bytes lines", false)
        .values("c bytes")
        .iter()
        .any(|size| text_fills(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_dd_and_fallocate_read_them() {
        for (text, expected) in [
            ("512", Some(512)),
            ("4k", Some(4096)),
            ("1M", Some(1 << 20)),
            ("1MB", Some(1 << 20)),
            ("2GiB", Some(2 << 30)),
            ("1Mx3", Some(3 << 20)),
            ("", None),
            ("f.img", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
        assert!(text_fills("1000G") && text_fills("99999999999999999999") && !text_fills("10G"));
    }
}
