//! What the filter must know of the settings.

use super::section::Filter;

/// What the person set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// False leaves every output alone.
    pub enabled: bool,
    /// In a session without a run too.
    pub attended: bool,
    /// The most lines of a digest.
    pub lines_max: usize,
    /// A digest is filled up to so many bytes.
    pub page_bytes: usize,
    /// The line that a failed command's digest ends with.
    pub error_format: String,
}

impl Settings {
    /// As configured; `raw` is the escape before a command, which reaches the tool too when a
    /// script exports it.
    pub fn of(filter: &Filter, raw: bool) -> Self {
        Self {
            enabled: filter.enabled && !raw,
            attended: filter.attended == "on",
            lines_max: usize::try_from(filter.max_lines).unwrap_or(usize::MAX),
            page_bytes: usize::try_from(filter.page_bytes).unwrap_or(usize::MAX),
            error_format: filter.error_format.clone(),
        }
    }
}
