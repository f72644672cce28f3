//! Environment variables, by the registry in `base::vars`.

use overnight_base::vars::{self, Var};
use std::ffi::OsString;

/// The variable's value as text, under its documented name or its alias; `None` when unset or
/// empty. A value that is not UTF-8 is given lossily, so that range checks can name it.
pub fn get(var: &Var) -> Option<String> {
    get_os(var).map(|value| value.to_string_lossy().into_owned())
}

/// The variable's value as the operating system has it; `None` when unset or empty.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
pub fn get_os(var: &Var) -> Option<OsString> {
    [Some(var.name), var.alias]
        .into_iter()
        .flatten()
        .filter_map(std::env::var_os)
        .find(|value| !value.is_empty())
}

/// Is the variable set, be it to nothing?
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
pub fn is_set(var: &Var) -> bool {
    std::env::var_os(var.name).is_some()
}

/// Under which of its names the variable is set and not empty, for messages about its value.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
pub fn name_in_use(var: &Var) -> &'static str {
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match var.alias.filter(|_| !set(&var.name)) {
        Some(alias) if set(&alias) => alias,
        _ => var.name,
    }
}

/// A plugin option by its name, as the client exports it to hooks; `None` when unset or empty.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the environment"
)]
pub fn plugin_option(name: &str) -> Option<String> {
    let variable = format!("{}{}", vars::PLUGIN_OPTION, name.to_ascii_uppercase());
    let value = std::env::var_os(variable)?.to_string_lossy().into_owned();
    (!value.is_empty()).then_some(value)
}
