//! Does a file that was put together from two sides still have its structure?

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// Structured files that cannot be checked here: lines of both sides are not put together in them.
const UNCHECKED: [&str; 6] = ["yaml", "yml", "xml", "ipynb", "svg", "plist"];

fn ending(name: &str) -> Option<String> {
    let (_, ending) = name.rsplit('/').next()?.rsplit_once('.')?;
    Some(ending.to_lowercase())
}

/// Is it a file whose structure [`parses`] tells?
pub fn is_checked(name: &str) -> bool {
    matches!(ending(name).as_deref(), Some("json" | "toml"))
}

/// Has it a structure that nobody checks here, or is it a list of a tool's own that only that
/// tool may write?
pub fn is_delicate(name: &str) -> bool {
    let lock = name.to_lowercase().ends_with(".lock") || name.contains("-lock.");
    lock || ending(name).is_some_and(|ending| UNCHECKED.contains(&ending.as_str()))
}

/// Is it well-formed, with no key twice?
pub fn parses(name: &str, bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    match ending(name).as_deref() {
        Some("json") => {
            let mut reader = serde_json::Deserializer::from_str(text);
            Once.deserialize(&mut reader)
                .and_then(|()| reader.end())
                .is_ok()
        }
        Some("toml") => text.parse::<toml::Table>().is_ok(),
        _ => true,
    }
}

/// Any JSON value in which no object has a key twice.
struct Once;

impl<'de> DeserializeSeed<'de> for Once {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON without a key twice")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Once)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            if !keys.insert(key) {
                return Err(A::Error::custom("a key stands twice"));
            }
            entries.next_value_seed(Once)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_put_together_must_parse_and_have_no_key_twice() {
        assert!(parses(
            "a/p.json",
            b"{\"a\": [1, {\"b\": null}], \"c\": \"x\"}\n"
        ));
        for broken in [
            "{\"a\": 1\n \"b\": 2}",
            "{\"a\": 1, \"a\": 2}",
            "{} {}",
            "[{\"a\": {\"b\":1,\"b\":1}}]",
        ] {
            assert!(!parses("p.json", broken.as_bytes()), "{broken}");
        }
        assert!(parses("Cargo.toml", b"[a]\nb = 1\n"));
        assert!(!parses("Cargo.toml", b"[a]\nb = 1\n[a]\n"));
        assert!(is_checked("x/Y.JSON") && !is_checked("x.json/y"));
        assert!(
            is_delicate("ci.yml") && is_delicate("Cargo.lock") && is_delicate("package-lock.json")
        );
        assert!(!is_delicate("CHANGELOG.md") && !is_delicate("src/lib.rs"));
    }
}
