//! What was drawn and why, for people (one line that reproduces it) and for machines.

use super::bucket::Bucket;
use super::hash::ALGORITHM;
use serde::Serialize;
use std::fmt::Write as _;

/// Giants that the line names; JSON names all.
const NAMED_MAX: usize = 3;

/// Tests on top of the sample, of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Extra {
    /// How many run besides the sample.
    pub added: usize,
    /// How many are in the sample anyway.
    pub in_sample: usize,
    /// How many the cap left out.
    pub over_cap: usize,
    /// How many are not in the list.
    pub unknown: usize,
}

/// Times in seconds; shares from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Time {
    /// The sample's predicted share of the time of all tests that are no giants.
    pub share: f64,
    /// Predicted seconds of the sample's tests.
    pub sample_s: f64,
    /// Predicted seconds of all tests.
    pub total_s: f64,
    /// Tests without a known duration.
    pub unknown: usize,
    /// Tests too long for any sample; the full gate runs them.
    pub giants: Vec<String>,
    /// Seconds that any run costs, however few tests it runs: start, collection, listing.
    pub fixed_s: Option<f64>,
    /// Seconds on the wall of the whole run with this sample, listing included.
    pub cost_s: Option<f64>,
    /// Seconds on the wall of the whole run with all tests.
    pub full_s: Option<f64>,
}

/// The plan of one draw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// Name and version of the algorithm.
    pub algorithm: &'static str,
    /// The seed whose key orders the tests.
    pub seed: String,
    /// Who asked, when that was said.
    pub agent: Option<String>,
    /// The iteration, when that was said.
    pub iteration: Option<u64>,
    /// The agent's number and its team's size, when that was said.
    pub member: Option<(u64, u64)>,
    /// The bucket that follows from both.
    pub bucket: Option<Bucket>,
    /// The rate, as an exact decimal.
    pub rate: String,
    /// What was drawn: test, file or module.
    pub unit: &'static str,
    /// Was each module given its share?
    pub stratified: bool,
    /// Tests in the list.
    pub n: usize,
    /// Tests in the sample, extras apart.
    pub k: usize,
    /// Units in the list and in the sample, when they are not single tests.
    pub units: Option<(usize, usize)>,
    /// Tests that failed last time or are always wanted.
    pub always: Extra,
    /// Tests in changed files.
    pub changed: Extra,
    /// Present when durations are known.
    pub time: Option<Time>,
    /// What was done otherwise than asked, and why.
    pub notes: Vec<String>,
    /// Chance that the sample holds one of 1, 5 and 10 tests that a regression breaks.
    pub sees: [f64; 3],
    /// Fingerprint of the set of ids under this seed's key.
    pub set: String,
    /// The arguments that draw the same again.
    pub again: String,
}

impl Plan {
    /// One line: everything that is needed to draw the same again, and what to expect of it.
    pub fn line(&self) -> String {
        let whole_units = self.units.is_some_and(|units| units == (self.n, self.k));
        let mut line = format!(
            "sample-tests: {} of {} {}s ({ALGORITHM} {} set {})",
            self.k,
            self.n,
            if whole_units { self.unit } else { "test" },
            self.again,
            self.set
        );
        if let Some((units, drawn)) = self.units.filter(|_| !whole_units) {
            let _ = write!(line, ", {drawn} of {units} {}s", self.unit);
        }
        if let Some(bucket) = self.bucket {
            let _ = write!(line, ", bucket {} of {}", bucket.index + 1, bucket.of);
        }
        for (name, extra) in [("always", &self.always), ("changed", &self.changed)] {
            if extra.added + extra.over_cap > 0 {
                let _ = write!(line, ", +{} {name}", extra.added);
            }
            if extra.over_cap > 0 {
                let _ = write!(line, " ({} over the cap)", extra.over_cap);
            }
        }
        if let Some(time) = &self.time {
            line.push_str(&time.text(self.unit));
        }
        for note in &self.notes {
            line.push_str("; ");
            line.push_str(note);
        }
        let [one, five, ten] = self.sees.map(|chance| (chance * 100.0).round());
        let _ = write!(
            line,
            "; sees a regression that breaks 1/5/10 tests with {one}/{five}/{ten} %"
        );
        line
    }
}

impl Time {
    fn text(&self, unit: &str) -> String {
        let mut text = format!(
            "; {:.1} % of the time ({:.2} s of {:.2} s)",
            self.share * 100.0,
            self.sample_s,
            self.total_s
        );
        if !self.giants.is_empty() {
            let named: Vec<&str> = self
                .giants
                .iter()
                .take(NAMED_MAX)
                .map(String::as_str)
                .collect();
            let more = self.giants.len() - named.len();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            let _ = write!(
                text,
                ", {} left to the full gate: {}{more}",
                if self.giants.len() == 1 {
                    "1 giant"
                } else {
                    "giants"
                },
                named.join(", ")
            );
        }
        if self.unknown > 0 {
            let _ = write!(text, ", {} without a duration", self.unknown);
        }
        if let (Some(fixed), Some(cost), Some(full)) = (self.fixed_s, self.cost_s, self.full_s) {
            let of = |part: f64| if full > 0.0 { part / full } else { 0.0 };
            let _ = write!(
                text,
                ", {cost:.1} s in all, fixed cost {fixed:.1} s of {full:.1} s: best possible {:.2}",
                of(cost)
            );
            if of(fixed) > COLLECTION_DOMINATES && unit == "test" {
                text.push_str("; use --unit file");
            }
        }
        text
    }
}

/// Above this share of fixed cost, drawing whole files pays: files that are not drawn need not be
/// collected. A quarter, since below it a tenth of the tests still takes less than a third of the
/// time.
pub const COLLECTION_DOMINATES: f64 = 0.25;

/// Chance that `k` of `n` tests hold at least one of `broken`: `1 − C(n−broken, k) / C(n, k)`.
pub fn chance(n: usize, k: usize, broken: usize) -> f64 {
    if k == 0 || n == 0 {
        return 0.0;
    }
    let broken = broken.min(n);
    if k + broken > n {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2⁵³")]
    let missed: f64 = (0..broken)
        .map(|i| (n - k - i) as f64 / (n - i) as f64)
        .product();
    1.0 - missed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_hypergeometric() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(close(chance(100, 10, 1), 0.1));
        // 1 − C(95, 10) / C(100, 10), by hand with Python's math.comb.
        assert!(close(chance(100, 10, 5), 0.416_247_633_073_848_04));
        assert!(close(chance(10, 10, 1), 1.0) && close(chance(3, 1, 10), 1.0));
        assert!(close(chance(10, 0, 1), 0.0) && close(chance(0, 0, 1), 0.0));
    }
}
