//! What is known of tools beside the lines that they print, as `build.rs` read it from `grammars/tools.toml`.

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// What these (`*`: all) state stands in its tests, and is counted by its own result.
    pub(super) encloses: &'static [&'static str],
    /// The runs that its problems belong to.
    pub(super) serves: &'static [&'static str],
    /// The problems of these are counted by what it states.
    pub(super) sums: &'static [&'static str],
    /// Single lines of it are printed by tests of others, too.
    pub(super) echoed: bool,
    /// Of single tests it names only those that failed.
    pub(super) names_failing_only: bool,
    /// It calls a test that is left out pending.
    pub(super) pending: bool,
}

/// Those that differ from the rest.
pub(super) const TOOLS: &[Tool] = include!(concat!(env!("OUT_DIR"), "/tools.rs"));

static ANY: Tool = Tool {
    name: "",
    encloses: &[],
    serves: &[],
    sums: &[],
    echoed: false,
    names_failing_only: false,
    pending: false,
};

/// What is known of the tool of this name.
pub(super) fn of(name: &str) -> &'static Tool {
    TOOLS.iter().find(|tool| tool.name == name).unwrap_or(&ANY)
}

impl Tool {
    /// Whether what the other states is part of its own result.
    pub(super) fn takes_in(&self, other: &str) -> bool {
        self.name != other && (self.encloses.contains(&"*") || self.encloses.contains(&other))
    }
}
