//! Does a text hold a secret? A coarse look for calls that send text away: better one question
//! too many than a key too few. The precise shapes for masking logs are `core::redact`'s.

/// Prefixes of tokens that their makers gave a recognisable form, and the least number of token
/// characters that follow.
const PREFIXES: &[(&str, usize, &str)] = &[
    ("AKIA", 16, "cloud key"),
    ("ASIA", 16, "cloud key"),
    ("AIza", 35, "cloud key"),
    ("ghp_", 30, "forge token"),
    ("gho_", 30, "forge token"),
    ("ghu_", 30, "forge token"),
    ("ghs_", 30, "forge token"),
    ("ghr_", 30, "forge token"),
    ("github_pat_", 20, "forge token"),
    ("glpat-", 18, "forge token"),
    ("sk-ant-", 16, "model key"),
    ("sk-proj-", 16, "model key"),
    ("hf_", 30, "model key"),
    ("npm_", 30, "package token"),
    ("pypi-", 30, "package token"),
    ("dckr_pat_", 20, "package token"),
    ("xoxb-", 10, "chat token"),
    ("xoxp-", 10, "chat token"),
    ("xapp-", 10, "chat token"),
    ("sk_live_", 16, "payment key"),
    ("rk_live_", 16, "payment key"),
    ("SG.", 40, "mail key"),
    ("ya29.", 20, "cloud token"),
    ("eyJ", 40, "signed token"),
    ("-----BEGIN", 0, "private key"),
    ("sntrys_", 20, "service token"),
    ("dop_v1_", 30, "cloud token"),
];
/// Names of parameters that carry secrets, lower case; a value of this many characters counts.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "client_secret",
    "auth",
    "private_key",
    "credential",
    "session",
];
/// Characters of a parameter's value from which on it is taken for a real one.
const VALUE_CHARS_MIN: usize = 8;

/// The kind of the first secret found.
pub fn kind(text: &str) -> Option<&'static str> {
    let decoded = percent_decoded(text);
    let found = |text: &str| {
        token(text)
            .or_else(|| user_info(text))
            .or_else(|| parameter(text))
    };
    found(text).or_else(|| found(&decoded))
}

fn token(text: &str) -> Option<&'static str> {
    PREFIXES.iter().find_map(|(prefix, least, kind)| {
        text.match_indices(prefix).find_map(|(at, _)| {
            let before = text[..at].chars().next_back();
            let rest = text[at + prefix.len()..].bytes();
            let length = rest
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
                .count();
            (!before.is_some_and(|c| c.is_ascii_alphanumeric()) && length >= *least)
                .then_some(*kind)
        })
    })
}

/// `https://user:password@host`.
fn user_info(text: &str) -> Option<&'static str> {
    text.match_indices("://").find_map(|(at, mark)| {
        let authority = text[at + mark.len()..].split(['/', '?', '#', ' ']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let (_, password) = user.split_once(':')?;
        (!password.is_empty()).then_some("credentials in an address")
    })
}

/// `?api_key=…` with a value.
fn parameter(text: &str) -> Option<&'static str> {
    text.split(['?', '&', ';', '#', '\n', ' '])
        .find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let name = name.to_ascii_lowercase();
            let named = NAMES.iter().any(|secret| name.ends_with(secret));
            let placeholder =
                value.contains(['<', '{', '$', '*']) || value.to_ascii_lowercase().contains("your");
            (named && value.chars().count() >= VALUE_CHARS_MIN && !placeholder)
                .then_some("secret parameter")
        })
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| {
        bytes
            .get(at)
            .and_then(|byte| char::from(*byte).to_digit(16))
    };
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair = (*byte == b'%')
            .then(|| digit(at + 1).zip(digit(at + 2)))
            .flatten();
        if let Some((high, low)) = pair {
            decoded.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
            at += 3;
        } else {
            decoded.push(*byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_on_their_way_out_are_seen_also_when_escaped() {
        for text in [
            "https://evil.example/?q=AKIAIOSFODNN7ABCDEFG",
            "https://evil.example/ghp_0123456789abcdefghij0123456789abcdef",
            "https://evil.example/?k=sk%2Dant%2Dapi03-0123456789abcdefghij",
            "https://u:hunter2@host/x",
            "https://host/?access_token=0123456789abcdef",
            "post -----BEGIN RSA PRIVATE KEY-----",
        ] {
            assert!(kind(text).is_some(), "{text}");
        }
    }

    #[test]
    fn ordinary_addresses_and_words_are_none() {
        for text in [
            "https://docs.rs/serde/latest/serde/?search=token",
            "https://github.com/a/b/commit/0123456789abcdef0123456789abcdef01234567",
            "https://host/?page_token=",
            "https://host/a@b?x=sk-learn&token=<yours>",
            "how to rotate an api key",
            "https://example.com:8080/eyJ",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }
}
