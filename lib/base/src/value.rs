//! What a setting or an option can hold, and how it is read and shown.

use crate::duration;
use serde_json::json;
use std::fmt::Write;
use std::num::NonZeroU16;
use std::time::Duration;

/// More ports are not named one by one.
const PORTS_MAX: usize = 100;

/// The kinds of values, with their ranges (both ends belong to them).
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// True or false.
    Flag,
    /// A whole number.
    Count(u64, u64),
    /// A number with a fraction.
    Decimal(f64, f64),
    /// A time: `90s`, `30m`, `1h`, or seconds. The range in milliseconds.
    Time(u64, u64),
    /// One of these words. Where one is stricter than another, it stands before it.
    Choice(&'static [&'static str]),
    /// A text, what it must be, and whether it is.
    Text(&'static str, fn(&str) -> bool),
    /// One of these words, the strictest first, or a list of ports, which stands before the last.
    Ports(&'static [&'static str]),
    /// So many texts at most, what each must be, and whether it is.
    List(usize, &'static str, fn(&str) -> bool),
}

/// A value within its range.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A number with a fraction.
    Decimal(f64),
    /// A time.
    Time(Duration),
    /// A text, or the chosen word.
    Text(String),
    /// Texts.
    List(Vec<String>),
}

impl Kind {
    /// Reads what a person typed into the environment; `None` when it is outside the range. Lists
    /// cannot be typed there.
    pub fn read_text(&self, text: &str) -> Option<Value> {
        let value = match self {
            Self::Flag => match text.to_ascii_lowercase().as_str() {
                "true" | "1" | "yes" | "on" => Value::Flag(true),
                "false" | "0" | "no" | "off" => Value::Flag(false),
                _ => return None,
            },
            Self::Count(..) => {
                let digits = text.bytes().all(|byte| byte.is_ascii_digit());
                Value::Count(text.parse().ok().filter(|_| digits)?)
            }
            Self::Decimal(..) => {
                let plain = |byte: u8| byte.is_ascii_digit() || byte == b'.';
                Value::Decimal(text.parse().ok().filter(|_| text.bytes().all(plain))?)
            }
            Self::Time(..) => Value::Time(duration::parse(text).ok()?),
            Self::Choice(_) | Self::Text(..) | Self::Ports(_) => Value::Text(text.to_owned()),
            Self::List(..) if text.is_empty() => Value::List(Vec::new()),
            Self::List(..) => return None,
        };
        self.holds(&value).then_some(value)
    }

    /// Reads what stands in a file.
    pub fn read_toml(&self, value: &toml::Value) -> Option<Value> {
        let value = match (self, value) {
            (Self::Flag, toml::Value::Boolean(flag)) => Value::Flag(*flag),
            (Self::Count(..), toml::Value::Integer(number)) => {
                Value::Count(u64::try_from(*number).ok()?)
            }
            (Self::Decimal(..), toml::Value::Float(number)) => Value::Decimal(*number),
            (Self::Decimal(..), toml::Value::Integer(number)) => {
                Value::Decimal(f64::from(i32::try_from(*number).ok()?))
            }
            (Self::Time(..), toml::Value::Integer(seconds)) => {
                Value::Time(Duration::from_secs(u64::try_from(*seconds).ok()?))
            }
            (Self::Time(..), toml::Value::String(text)) => Value::Time(duration::parse(text).ok()?),
            (Self::Ports(_), toml::Value::Array(list)) => {
                let port = |entry: &toml::Value| match entry {
                    toml::Value::Integer(port) => Some(port.to_string()),
                    other => other.as_str().map(str::to_owned),
                };
                Value::List(list.iter().map(port).collect::<Option<_>>()?)
            }
            (Self::Choice(_) | Self::Text(..) | Self::Ports(_), toml::Value::String(text)) => {
                Value::Text(text.clone())
            }
            // One entry needs no brackets.
            (Self::List(..), toml::Value::String(text)) => Value::List(vec![text.clone()]),
            (Self::List(..), toml::Value::Array(list)) => {
                let text = |entry: &toml::Value| entry.as_str().map(str::to_owned);
                Value::List(list.iter().map(text).collect::<Option<_>>()?)
            }
            _ => return None,
        };
        self.holds(&value).then_some(value)
    }

    /// Reads what a person typed on a command line; for a list one entry of it.
    pub fn read_word(&self, text: &str) -> Option<Value> {
        let value = match self {
            Self::List(..) => Value::List(vec![text.to_owned()]),
            _ => return self.read_text(text),
        };
        self.holds(&value).then_some(value)
    }

    /// Is the value in the range?
    pub fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Flag, Value::Flag(_)) => true,
            (Self::Count(least, most), Value::Count(number)) => (least..=most).contains(&number),
            (Self::Decimal(least, most), Value::Decimal(number)) => {
                (least..=most).contains(&number)
            }
            (Self::Time(least, most), Value::Time(time)) => {
                (Duration::from_millis(*least)..=Duration::from_millis(*most)).contains(time)
            }
            (Self::Choice(words) | Self::Ports(words), Value::Text(word)) => {
                words.contains(&word.as_str())
            }
            (Self::Ports(_), Value::List(ports)) => {
                ports.len() <= PORTS_MAX
                    && ports.iter().all(|port| port.parse::<NonZeroU16>().is_ok())
            }
            (Self::Text(_, good), Value::Text(text)) => good(text),
            (Self::List(most, _, good), Value::List(list)) => {
                list.len() <= *most && list.iter().all(|text| good(text))
            }
            _ => false,
        }
    }

    /// The range, as it stands behind "is not".
    pub fn range(&self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Count(least, most) => format!("a number from {least} to {most}"),
            Self::Decimal(least, most) => format!("a number from {least} to {most}"),
            Self::Time(least, most) => {
                let show = |ms: &u64| duration::show(Duration::from_millis(*ms));
                format!("a time from {} to {}", show(least), show(most))
            }
            Self::Choice(_) => self.words(),
            Self::Ports(_) => format!("{} or a list of ports", self.words()),
            Self::Text(what, _) => (*what).to_owned(),
            Self::List(most, what, _) => format!("a list of at most {most} entries, each {what}"),
        }
    }

    /// The words of a choice, quoted.
    fn words(&self) -> String {
        let (Self::Choice(words) | Self::Ports(words)) = self else {
            return String::new();
        };
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        quoted.join(" or ")
    }

    /// The range as JSON Schema.
    pub fn schema(&self) -> serde_json::Value {
        match self {
            Self::Flag => json!({"type": "boolean"}),
            Self::Count(least, most) => {
                json!({"type": "integer", "minimum": least, "maximum": most})
            }
            Self::Decimal(least, most) => {
                json!({"type": "number", "minimum": least, "maximum": most})
            }
            Self::Time(least, most) => json!({"oneOf": [
                {"type": "string", "pattern": "^([0-9.]+(ms|s|m|h|d))+$|^[0-9.]+$"},
                {"type": "integer", "minimum": least.div_ceil(1_000), "maximum": most / 1_000},
            ]}),
            Self::Choice(words) => json!({"enum": words}),
            Self::Ports(words) => json!({"oneOf": [
                {"enum": words},
                {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 65_535}, "maxItems": PORTS_MAX},
            ]}),
            Self::Text(..) => json!({"type": "string"}),
            Self::List(most, ..) => {
                json!({"type": ["array", "string"], "items": {"type": "string"}, "maxItems": most})
            }
        }
    }

    /// Which of two values is lower, if they can be compared. A choice's first word is the lowest;
    /// false is lower than true.
    pub fn below(&self, one: &Value, other: &Value) -> Option<bool> {
        match (self, one, other) {
            (_, Value::Flag(one), Value::Flag(other)) => Some(!one & other),
            (_, Value::Count(one), Value::Count(other)) => Some(one < other),
            (_, Value::Decimal(one), Value::Decimal(other)) => Some(one < other),
            (_, Value::Time(one), Value::Time(other)) => Some(one < other),
            (Self::Choice(words) | Self::Ports(words), Value::Text(one), Value::Text(other)) => {
                let place = |text| words.iter().position(|word| word == text);
                Some(place(one) < place(other))
            }
            (Self::Ports(_), Value::List(one), Value::List(other)) => {
                Some(one != other && one.iter().all(|port| other.contains(port)))
            }
            (Self::Ports(words), Value::Text(word), Value::List(_)) => {
                Some(words.last() != Some(&word.as_str()))
            }
            (Self::Ports(words), Value::List(_), Value::Text(word)) => {
                Some(words.last() == Some(&word.as_str()))
            }
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    /// As it would stand in a file.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Count(number) => write!(f, "{number}"),
            Self::Decimal(number) => write!(f, "{number}"),
            Self::Time(time) => write!(f, "\"{}\"", duration::show(*time)),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(list) => write!(f, "{list:?}"),
        }
    }
}

impl Value {
    /// The field that it becomes.
    pub fn typed<T: Typed>(&self) -> T {
        T::typed(Some(self.clone()))
    }

    /// A time in milliseconds; 0 for anything else.
    pub fn ms(&self) -> u64 {
        match self {
            Self::Time(time) => u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            _ => 0,
        }
    }

    /// As [`Kind::read_word`] reads it back: one word, several for a list, none for a flag.
    pub fn words(&self) -> Vec<String> {
        match self {
            Self::Flag(_) => Vec::new(),
            Self::Count(number) => vec![number.to_string()],
            Self::Decimal(number) => vec![number.to_string()],
            Self::Time(time) => vec![duration::show(*time)],
            Self::Text(text) => vec![text.clone()],
            Self::List(list) => list.clone(),
        }
    }

    /// For `--json`: times as text.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Flag(flag) => json!(flag),
            Self::Count(number) => json!(number),
            Self::Decimal(number) => json!(number),
            Self::Time(time) => json!(duration::show(*time)),
            Self::Text(text) => json!(text),
            Self::List(list) => json!(list),
        }
    }
}

/// What stands in a file, for a message about it: short, and on one line.
pub fn shown(value: &toml::Value) -> String {
    const QUOTE_MAX: usize = 40;
    match value {
        toml::Value::String(text) => {
            format!("{:?}", text.chars().take(QUOTE_MAX).collect::<String>())
        }
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        toml::Value::Datetime(time) => time.to_string(),
        toml::Value::Table(_) => "a section".to_owned(),
        toml::Value::Array(list) => {
            let mut text = String::from("[");
            for entry in list.iter().filter_map(toml::Value::as_str).take(3) {
                let short: String = entry.chars().take(QUOTE_MAX).collect();
                let _ = write!(text, "{short:?}, ");
            }
            text + "…]"
        }
    }
}

/// How a value becomes the field of the typed struct. The value was read by the field's kind, so
/// the fall-backs are out of reach.
pub trait Typed {
    /// The field's content.
    fn typed(value: Option<Value>) -> Self;
}

macro_rules! typed {
    ($($type:ty: $pattern:pat => $result:expr, $else:expr;)*) => {
        $(impl Typed for $type {
            fn typed(value: Option<Value>) -> Self {
                match value {
                    Some($pattern) => $result,
                    _ => $else,
                }
            }
        })*
    };
}

typed! {
    bool: Value::Flag(flag) => flag, false;
    u32: Value::Count(number) => u32::try_from(number).unwrap_or(Self::MAX), 0;
    u64: Value::Count(number) => number, 0;
    f64: Value::Decimal(number) => number, 0.0;
    Option<u64>: Value::Count(number) => Some(number), None;
    Option<f64>: Value::Decimal(number) => Some(number), None;
    Duration: Value::Time(time) => time, Self::ZERO;
    Option<Duration>: Value::Time(time) => Some(time), None;
    String: Value::Text(text) => text, Self::new();
    Option<String>: Value::Text(text) => Some(text), None;
    Vec<String>: Value::List(list) => list, Self::new();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [Kind; 5] = [
        Kind::Flag,
        Kind::Count(5, 1_000),
        Kind::Decimal(0.001, 1.0),
        Kind::Time(1_000, 86_400_000),
        Kind::Choice(&["strict", "normal"]),
    ];

    #[test]
    fn only_plain_values_within_the_range_are_read() {
        let lines = Kind::Count(5, 1_000);
        assert_eq!(lines.read_text("70"), Some(Value::Count(70)));
        for bad in [
            "-1",
            "1e9",
            "50; rm -rf ~",
            "4",
            "1001",
            "+50",
            "99999999999999999999",
            "NaN",
            "",
        ] {
            assert_eq!(lines.read_text(bad), None, "{bad}");
        }
        for bad in ["nan", "inf", "1e-2", "-0.1", "2", "0"] {
            assert_eq!(Kind::Decimal(0.001, 1.0).read_text(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_in_the_range_and_reads_the_same_again(text in ".{0,12}|[0-9.]{1,5}[smh]?") {
            for kind in KINDS {
                if let Some(value) = kind.read_text(&text) {
                    prop_assert!(kind.holds(&value));
                    let shown = value.to_string();
                    prop_assert_eq!(kind.read_text(shown.trim_matches('"')), Some(value));
                }
            }
        }
    }
}
