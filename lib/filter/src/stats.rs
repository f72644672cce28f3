//! What the filter saved, added up.

use serde::{Deserialize, Serialize};

/// Bytes per token, as everybody estimates it; the figures say so.
const BYTES_PER_TOKEN: u64 = 4;

/// One run, or the sum of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Outputs that were shortened.
    pub runs: u64,
    /// Lines that came in.
    pub lines_in: u64,
    /// Lines that went out.
    pub lines_out: u64,
    /// Bytes that came in.
    pub bytes_in: u64,
    /// Bytes that went out.
    pub bytes_out: u64,
}

impl Stats {
    /// Adds up records, one JSON object a line; unreadable lines count for nothing.
    pub fn sum(records: &str) -> Self {
        let records = records
            .lines()
            .filter_map(|line| serde_json::from_str::<Self>(line).ok());
        records.fold(Self::default(), |sum, one| Self {
            runs: sum.runs.saturating_add(one.runs),
            lines_in: sum.lines_in.saturating_add(one.lines_in),
            lines_out: sum.lines_out.saturating_add(one.lines_out),
            bytes_in: sum.bytes_in.saturating_add(one.bytes_in),
            bytes_out: sum.bytes_out.saturating_add(one.bytes_out),
        })
    }

    /// Tokens saved, estimated.
    pub fn tokens_saved(&self) -> u64 {
        self.bytes_in.saturating_sub(self.bytes_out) / BYTES_PER_TOKEN
    }

    /// For people.
    pub fn text(&self) -> String {
        let saved = |out: u64, whole: u64| {
            let tenths = whole
                .saturating_sub(out)
                .saturating_mul(1_000)
                .checked_div(whole)
                .unwrap_or(0);
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        format!(
            "outputs shortened: {}\nlines: {} in, {} out ({} % saved)\nbytes: {} in, {} out ({} % saved)\ntokens saved: about {} (bytes / 4)\n",
            self.runs,
            self.lines_in,
            self.lines_out,
            saved(self.lines_out, self.lines_in),
            self.bytes_in,
            self.bytes_out,
            saved(self.bytes_out, self.bytes_in),
            self.tokens_saved(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_add_up_and_torn_lines_count_for_nothing() {
        let one = r#"{"runs":1,"lines_in":100,"lines_out":10,"bytes_in":4000,"bytes_out":400}"#;
        let sum = Stats::sum(&format!("{one}\n{{\"runs\":\n{one}\n"));
        assert_eq!(
            (sum.runs, sum.lines_in, sum.tokens_saved()),
            (2, 200, 1_800)
        );
        assert!(sum.text().contains("90.0 % saved"));
        assert!(Stats::default().text().contains("outputs shortened: 0"));
    }
}
