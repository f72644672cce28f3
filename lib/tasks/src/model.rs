//! Names of models.

/// Can this be the name of a model? It becomes an argument of the client.
pub fn is_name(text: &str) -> bool {
    const BYTES_MAX: usize = 200;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-:/@[]".contains(c);
    text.len() <= BYTES_MAX
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_option_and_no_text() {
        for good in [
            "opus",
            "claude-opus-4-5@20251101",
            "anthropic.claude-v1:0",
            "opus[1m]",
        ] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "-p", "--model", "a b", "a\n", "ü"] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
