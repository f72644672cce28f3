//! Settings: each declared once, with name, default, range and meaning, and who may set it.

pub mod pages;
pub mod resolve;
pub mod settings;
pub mod value;
pub mod vars;

use value::{Kind, Value};
use vars::Var;

/// One setting. Its typed form is a field of [`settings::Settings`].
#[derive(Debug)]
pub struct Setting {
    /// The section of the files that it stands in.
    pub section: &'static str,
    /// Its key there.
    pub name: &'static str,
    /// What holds when nobody sets it, as text; empty: nothing.
    pub default: &'static str,
    /// What it can hold.
    pub kind: Kind,
    /// What a project may do with it.
    pub project: Project,
    /// The environment variable that sets it.
    pub var: Option<&'static Var>,
    /// Its title among the plugin's options, if it is one.
    pub title: Option<&'static str>,
    /// Meaning and unit.
    pub doc: &'static str,
}

/// What a project's `overnight.toml` may do with a setting. Nothing of it can loosen what the
/// person set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// Nothing: it is the person's alone.
    Never,
    /// Anything in the range: nothing is loosened by it.
    Free,
    /// Lower it.
    Less,
    /// Raise it.
    More,
    /// Add entries.
    Adds,
    /// Add entries that are commands: only when a person trusts the file.
    AddsTrusted,
}

impl Setting {
    /// `run.max_iterations`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The value that holds when nobody sets it.
    pub fn default_value(&self) -> Option<Value> {
        self.kind.read_text(self.default)
    }

    /// The name of the plugin's option, if it is one: that of the variable, without our prefix.
    pub fn option(&self) -> Option<String> {
        let var = self.title.and(self.var)?;
        let short = var.name.strip_prefix("OVERNIGHT_").unwrap_or(var.name);
        Some(short.to_ascii_lowercase())
    }
}
