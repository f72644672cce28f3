//! The filter's settings, from the environment, with their ranges.

use crate::code::Code;
use crate::config::vars::{self, Var};
use crate::digest::LINES_MAX;
use crate::fault::Fault;

/// The least and the most that `MAX_OUTPUT_LINES` may say: below five lines a digest cannot hold
/// result, name, reason, log and error; above a thousand it is none.
pub const LINES_RANGE: std::ops::RangeInclusive<usize> = 5..=1_000;
const ERROR_FORMAT_MAX: usize = 200;

/// What the person set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `OUTPUT_FILTER_ENABLED`: false leaves every output alone.
    pub enabled: bool,
    /// `MAX_OUTPUT_LINES`.
    pub lines_max: usize,
    /// `ERROR_FORMAT`; empty: the default.
    pub error_format: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: true,
            lines_max: LINES_MAX,
            error_format: String::new(),
        }
    }
}

impl Settings {
    /// Reads the variables through `get`. A wrong value keeps its default and is named by a fault,
    /// all of them are: whether to stop is the caller's choice.
    pub fn read(get: impl Fn(&Var) -> Option<String>) -> (Self, Vec<Fault>) {
        let mut settings = Self::default();
        let mut faults = Vec::new();
        if let Some(value) = get(&vars::FILTER_ENABLED) {
            match flag(&value) {
                Some(enabled) => settings.enabled = enabled,
                None => faults.push(wrong(&vars::FILTER_ENABLED, &value, "true or false")),
            }
        }
        // The escape reaches the tool too when a script exports it.
        if get(&vars::FILTER_MODE).is_some_and(|mode| mode == "raw") {
            settings.enabled = false;
        }
        if let Some(value) = get(&vars::OUTPUT_LINES) {
            let digits = value.bytes().all(|byte| byte.is_ascii_digit());
            let number = value
                .parse()
                .ok()
                .filter(|number| digits && LINES_RANGE.contains(number));
            match number {
                Some(number) => settings.lines_max = number,
                None => faults.push(wrong(
                    &vars::OUTPUT_LINES,
                    &value,
                    "a number from 5 to 1000",
                )),
            }
        }
        if let Some(value) = get(&vars::ERROR_FORMAT) {
            if value.len() <= ERROR_FORMAT_MAX && !value.chars().any(char::is_control) {
                settings.error_format = value;
            } else {
                let range = "one line of at most 200 bytes";
                faults.push(wrong(&vars::ERROR_FORMAT, &value, range));
            }
        }
        (settings, faults)
    }
}

fn flag(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn wrong(var: &Var, value: &str, range: &str) -> Fault {
    const QUOTE_MAX: usize = 40;
    let shown: String = value.chars().take(QUOTE_MAX).collect();
    let name = var.alias.unwrap_or(var.name);
    Fault::new(
        Code::SettingInvalid,
        format!("{name}={shown:?} is not {range}"),
    )
    .with("variable", name)
    .with("value", shown)
    .with("range", range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &'static str, value: &str) -> (Settings, Vec<Fault>) {
        Settings::read(|var| (var.name == name).then(|| value.to_owned()))
    }

    #[test]
    fn good_values_are_taken() {
        assert_eq!(Settings::read(|_| None), (Settings::default(), vec![]));
        assert_eq!(read(vars::OUTPUT_LINES.name, "70").0.lines_max, 70);
        assert!(!read(vars::FILTER_ENABLED.name, "false").0.enabled);
        assert_eq!(
            read(vars::ERROR_FORMAT.name, "E {reason}").0.error_format,
            "E {reason}"
        );
    }

    #[test]
    fn a_bad_value_is_named_and_the_default_holds() {
        for value in [
            "-1",
            "1e9",
            "50; rm -rf ~",
            "4",
            "1001",
            "+50",
            "99999999999999999999",
            "NaN",
        ] {
            let (settings, faults) = read(vars::OUTPUT_LINES.name, value);
            assert_eq!(settings, Settings::default());
            assert!(
                faults[0].to_string().contains("MAX_OUTPUT_LINES"),
                "{value}"
            );
        }
        assert_eq!(read(vars::FILTER_ENABLED.name, "maybe").1.len(), 1);
        assert_eq!(read(vars::ERROR_FORMAT.name, "a\nb").1.len(), 1);
    }
}
