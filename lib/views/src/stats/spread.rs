//! Mean, median and 90th percentile.

use serde::Serialize;

/// How values spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// How many values.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// The middle one; the lower of two.
    pub median: u64,
    /// The smallest that nine of ten do not exceed (nearest rank).
    pub p90: u64,
}

impl Spread {
    /// None of nothing.
    pub fn of(mut values: Vec<u64>) -> Option<Self> {
        values.sort_unstable();
        let n = values.len();
        let rank = |percent: usize| {
            let at = (n * percent).div_ceil(100).saturating_sub(1);
            values.get(at).copied()
        };
        let count = f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        let mean = values.iter().map(|value| float(*value) / count).sum();
        Some(Self {
            n,
            mean,
            median: rank(50)?,
            p90: rank(90)?,
        })
    }
}

/// Exact below 2^53, far above any count or time here.
#[expect(clippy::cast_precision_loss, reason = "a mean for people")]
fn float(value: u64) -> f64 {
    value as f64
}
