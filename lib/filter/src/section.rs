//! What a person sets of the filter and of logs.

use overnight_base::section;
use overnight_base::setting::is_short_line;
use overnight_base::value::Kind;

section! {
    /// How long outputs are shortened.
    filter: Filter {
        /// Whether they are.
        enabled: bool = "true", Kind::Flag, Never, FILTER_ENABLED option "Shorten long outputs";
        /// In a session without a run: `limit`: only outputs that the client itself cuts; `on`: all long ones, as in a run.
        attended: String = "limit", Kind::Choice(&["limit", "on"]), Never;
        /// The most lines that an output has afterwards.
        max_lines: u64 = "50", Kind::Count(5, 1_000), Free, OUTPUT_LINES option "Lines of a shortened output";
        /// Where something failed or nothing is recognised, the digest is filled up to so many bytes.
        page_bytes: u64 = "3500", Kind::Count(500, 8_000), Free;
        /// The one line that a digest ends with when the command failed; fields `{code}`, `{name}`, `{reason}`.
        error_format: String = "ERROR: {reason}", Kind::Text("one line of at most 200 bytes", is_short_line), Never, ERROR_FORMAT option "Error line";
    }
}

section! {
    /// What is kept of logs.
    logs: Logs {
        /// Megabytes that `logs/` takes at most, and as many `agent_logs/`; the oldest go first.
        quota_mb: u64 = "500", Kind::Count(1, 1_000_000), Less;
        /// Days after which one of either is deleted; after three it is compressed.
        keep_days: u64 = "7", Kind::Count(1, 3_650), Less;
    }
}
