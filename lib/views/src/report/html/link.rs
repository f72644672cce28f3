//! The links to what agents printed, and what becomes of them when those logs are rotated.

use super::super::{Facts, Line};

/// What stands where a log was.
const GONE: &str = "<span class=\"soft\">log deleted</span>";

/// The link to what the agent of an iteration printed, where that has an address.
pub(super) fn log(line: &Line, facts: &Facts) -> Option<String> {
    let has_address = facts.beside_logs && !line.log.is_empty();
    has_address.then(|| anchor(&line.log))
}

fn anchor(log: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./~".contains(&byte);
    let shown = |byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    let address: String = log.bytes().map(shown).collect();
    format!("<a href=\"{address}\">log</a>")
}

/// The page with the link to a log that is elsewhere by now, or gone.
pub fn relinked(page: &str, log: &str, now: Option<&str>) -> String {
    let now = now.map_or_else(|| GONE.to_owned(), anchor);
    page.replace(&anchor(log), &now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_follows_its_log_and_no_other() {
        let page = [anchor("1.jsonl"), anchor("11.jsonl")].concat();
        let packed = relinked(&page, "1.jsonl", Some("1.jsonl.gz"));
        assert_eq!(packed, [anchor("1.jsonl.gz"), anchor("11.jsonl")].concat());
        let gone = relinked(&packed, "1.jsonl.gz", None);
        assert_eq!(gone, [GONE.to_owned(), anchor("11.jsonl")].concat());
    }
}
