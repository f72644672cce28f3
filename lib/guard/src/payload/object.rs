//! One JSON object whose values stay unread until asked for; a repeated key is an error.

use super::Malformed;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

/// Keys of one object at most; the client's have a dozen.
const KEYS_MAX: usize = 10_000;

/// An object's values by key, each as the JSON text that stands in the input.
#[derive(Debug)]
pub(super) struct Object<'a>(BTreeMap<String, &'a RawValue>);

impl<'a> Object<'a> {
    /// Reads exactly one object; anything behind it is an error.
    pub(super) fn parse(text: &'a str) -> Result<Self, Malformed> {
        serde_json::from_str(text).map_err(|error| Malformed::NotJson(error.to_string()))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn raw(&self, key: &str) -> Option<&'a str> {
        self.0.get(key).map(|value| value.get())
    }

    /// The text under this key; `None` when absent or null.
    pub(super) fn optional_text(&self, key: &str) -> Result<Option<String>, Malformed> {
        match self.raw(key) {
            None | Some("null") => Ok(None),
            Some(raw) => serde_json::from_str(raw)
                .map(Some)
                .map_err(|_| Malformed::Field(wrong_type(key))),
        }
    }
}

fn wrong_type(key: &str) -> &'static str {
    match key {
        "tool_name" => "tool_name is not text",
        "session_id" => "session_id is not text",
        "hook_event_name" => "hook_event_name is not text",
        _ => "an argument is not text",
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    if entries.len() == KEYS_MAX {
                        return Err(A::Error::custom("too many keys"));
                    }
                    if entries.contains_key(&key) {
                        return Err(A::Error::custom("a key stands twice"));
                    }
                    entries.insert(key, map.next_value::<&'de RawValue>()?);
                }
                Ok(Object(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
