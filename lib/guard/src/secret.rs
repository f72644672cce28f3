//! Does a text that is about to leave the machine hold a secret? The shapes are `redact`'s;
//! here they are looked for in addresses too, where characters are written as `%41`.

use overnight_redact::redact;

/// What `redact` puts before the kind of a secret that it replaced.
const MARK: &str = "[REDACTED:";

/// The kind of the first secret found.
pub fn kind(text: &str) -> Option<String> {
    let decoded = || text.contains('%').then(|| percent_decoded(text));
    shape(text).or_else(|| shape(&decoded()?))
}

fn shape(text: &str) -> Option<String> {
    let (masked, count) = redact(text.as_bytes());
    let masked = String::from_utf8_lossy(&masked);
    let kind = || {
        masked
            .split(MARK)
            .nth(1)?
            .split(':')
            .next()
            .map(str::to_owned)
    };
    (count > 0).then(|| kind().unwrap_or_else(|| "secret".to_owned()))
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
