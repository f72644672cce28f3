//! Files that hold data, as what they say: lines of two sides that were put together must say what both
//! sides said, and nothing else.

mod yaml;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;

/// Structured files that cannot be read here: lines of both sides are not put together in them.
const UNREAD: [&str; 6] = ["xml", "ipynb", "svg", "plist", "jsonc", "json5"];

/// The end of a file's name, in small letters.
fn ending(name: &str) -> Option<String> {
    let (_, ending) = name.rsplit('/').next()?.rsplit_once('.')?;
    Some(ending.to_lowercase())
}

/// Is it a file that [`says_both`] can read?
pub fn is_read(name: &str) -> bool {
    matches!(
        ending(name).as_deref(),
        Some("json" | "toml" | "yaml" | "yml")
    )
}

/// Has it a structure that nobody reads here, or is it a list of a tool's own that only that tool may write?
pub fn is_delicate(name: &str) -> bool {
    let lock = name.to_lowercase().ends_with(".lock") || name.contains("-lock.");
    lock || ending(name).is_some_and(|ending| UNREAD.contains(&ending.as_str()))
}

/// Does the merged file say all that one of the sides added to the base and all that both kept, and nothing
/// else? `false` where one of the four is not well-formed, or has a key twice.
pub fn says_both(name: &str, [base, ours, theirs]: [&[u8]; 3], merged: &[u8]) -> bool {
    let all = [base, ours, theirs, merged].map(|bytes| said(name, bytes));
    let [Some(base), Some(ours), Some(theirs), Some(merged)] = all else {
        return false;
    };
    let added = &(&ours - &base) | &(&theirs - &base);
    merged == &(&ours & &theirs) | &added
}

/// Each value with the keys that lead to it. What stands in a list is one value, whatever is in it.
fn said(name: &str, bytes: &[u8]) -> Option<BTreeSet<String>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let documents = match ending(name).as_deref() {
        Some("json") => vec![serde_json::from_str::<Once>(text).ok()?.0],
        Some("toml") => vec![toml::from_str::<Once>(text).ok()?.0],
        _ => yaml::documents(text)?,
    };
    let mut said = BTreeSet::new();
    for (number, document) in documents.iter().enumerate() {
        tell(document, &number.to_string(), &mut said);
    }
    Some(said)
}

/// Each value of a node, with what leads to it.
fn tell(node: &Value, path: &str, said: &mut BTreeSet<String>) {
    match node {
        Value::Object(entries) if !entries.is_empty() => {
            for (key, node) in entries {
                tell(node, &format!("{path} {key:?}"), said);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            said.extend(items.iter().map(|item| format!("{path} [{item}]")));
        }
        node => {
            said.insert(format!("{path} = {node}"));
        }
    }
}

/// Any data in which no map has a key twice.
struct Once(Value);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Once;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("data without a key twice")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Once, E> {
        Ok(Once(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Once, E> {
        Ok(Once(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Once, E> {
        Ok(Once(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Once, E> {
        Ok(Once(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Once, E> {
        Ok(Once(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Once, E> {
        Ok(Once(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Once, A::Error> {
        let mut list = Vec::new();
        while let Some(Once(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Once(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Once, A::Error> {
        let mut map = Map::new();
        while let Some((key, Once(node))) = entries.next_entry()? {
            if map.insert(key, node).is_some() {
                return Err(A::Error::custom("a key stands twice"));
            }
        }
        Ok(Once(map.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(name: &str, [base, ours, theirs, merged]: [&str; 4]) -> bool {
        says_both(
            name,
            [base, ours, theirs].map(str::as_bytes),
            merged.as_bytes(),
        )
    }

    #[test]
    fn what_both_sides_insert_is_said_where_they_said_it() {
        let sides = ["a: 1\n", "a: 1\nb: 2\n", "a: 1\nc: [3]\n"];
        let with = |merged| [sides[0], sides[1], sides[2], merged];
        assert!(both("x.yml", with("a: 1\nb: 2\nc: [3]\n")));
        for wrong in [
            "a: 1\nb: 2\n",
            "a: 1\nb: 2\n  c: [3]\n",
            "a: 1\nb: 2\nb: 2\nc: [3]\n",
            "a: 1\nb: 2\nc: [3]\nd: 4\n",
            "a: 1\nb: \"2\"\nc: [3]\n",
        ] {
            assert!(!both("x.yml", with(wrong)), "{wrong}");
        }
        assert!(both(
            "c.toml",
            ["", "[b]\nx = 1\n", "[c]\n", "[b]\nx = 1\n[c]\n"]
        ));
        let json = ["{}", "{\"a\": [1, {}]}", "{\"b\": null}"];
        assert!(both(
            "p.json",
            [json[0], json[1], json[2], "{\"a\": [1, {}], \"b\": null}"]
        ));
    }

    #[test]
    fn a_line_that_came_under_another_heading_is_seen_though_the_file_parses() {
        let yaml = [
            "a:\n  x: 1\n",
            "a:\n  x: 1\nb:\n  y: 2\n",
            "a:\n  x: 1\n  z: 3\n",
        ];
        let under_b = "a:\n  x: 1\nb:\n  y: 2\n  z: 3\n";
        assert!(!both("c.yaml", [yaml[0], yaml[1], yaml[2], under_b]));
        let under_a = "a:\n  x: 1\n  z: 3\nb:\n  y: 2\n";
        assert!(both("c.yaml", [yaml[0], yaml[1], yaml[2], under_a]));
        let toml = ["[a]\n", "[a]\n[b]\n", "[a]\nz = 3\n"];
        assert!(!both(
            "c.toml",
            [toml[0], toml[1], toml[2], "[a]\n[b]\nz = 3\n"]
        ));
        let items = ["- n: 1\n", "- n: 1\n- n: 2\n", "- n: 1\n  p: 1\n"];
        assert!(!both(
            "l.yml",
            [items[0], items[1], items[2], "- n: 1\n- n: 2\n  p: 1\n"]
        ));
        assert!(both(
            "l.yml",
            [items[0], items[1], items[2], "- n: 1\n  p: 1\n- n: 2\n"]
        ));
    }

    #[test]
    fn what_is_not_well_formed_or_has_a_key_twice_says_nothing() {
        for broken in [
            "{\"a\": 1\n \"b\": 2}",
            "{\"a\": 1, \"a\": 2}",
            "{} {}",
            "[{\"a\": {\"b\":1,\"b\":1}}]",
        ] {
            assert_eq!(said("p.json", broken.as_bytes()), None, "{broken}");
        }
        assert_eq!(said("Cargo.toml", b"[a]\nb = 1\n[a]\n"), None);
        for broken in [
            "a: 1\na: 2\n",
            "a: [1\n",
            "a:\n\t- x\n",
            "a: &x 1\nb: *x\n",
            "? [a]\n: 1\n",
        ] {
            assert_eq!(said("c.yml", broken.as_bytes()), None, "{broken}");
        }
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for name in ["c.yml", "c.json", "c.toml"] {
            assert_eq!(said(name, deep.as_bytes()), None);
        }
        assert_eq!(said("c.yml", b"a: !x 1\n---\n- b\n").unwrap().len(), 2);
    }

    #[test]
    fn what_is_read_and_what_nobody_puts_together_is_known_by_its_name() {
        assert!(is_read("x/Y.JSON") && is_read("ci.yml") && !is_read("x.json/y"));
        assert!(
            is_delicate("a.svg") && is_delicate("Cargo.lock") && is_delicate("package-lock.json")
        );
        assert!(!is_delicate("CHANGELOG.md") && !is_delicate("src/lib.rs"));
    }
}
