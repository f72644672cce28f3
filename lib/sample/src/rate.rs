//! The sampling rate as an exact decimal: a tenth is a tenth, not the nearest binary fraction.

use overnight_base::code::Code;
use overnight_base::fault::Fault;

/// Decimal places that are kept exactly: with them and 2³² tests the products fit 128 bits.
const PLACES_MAX: usize = 28;
/// Smallest rate, in thousandths (FR-3: 0.001 to 1).
const THOUSANDTHS_MIN: u128 = 1;

/// A share of the tests, from 0.001 to 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    digits: u128,
    scale: u128,
    text: String,
}

impl Rate {
    /// Reads a plain decimal such as `0.1`, `.05` or `1`: no sign, no exponent, no other text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let wrong = |why: &str| {
            let shown: String = text.chars().take(40).collect();
            Fault::new(Code::SampleRate, format!("{shown:?} {why}"))
        };
        let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if places.is_empty() || !all_digits(whole) || !all_digits(places) || text.is_empty() {
            return Err(wrong("is not a plain decimal such as 0.1"));
        }
        let whole = whole.trim_start_matches('0');
        let places = places.trim_end_matches('0');
        if places.len() > PLACES_MAX {
            return Err(wrong("has more than 28 decimal places"));
        }
        let scale = places.bytes().fold(1, |scale: u128, _| scale * 10);
        let fraction = decimal(places);
        let digits = match whole {
            "" => fraction,
            "1" if fraction == 0 => 1,
            _ => return Err(wrong("is above 1")),
        };
        if digits * 1000 < THOUSANDTHS_MIN * scale {
            return Err(wrong("is below 0.001"));
        }
        let text = match (whole, places) {
            ("1", _) => "1".to_owned(),
            (_, places) => format!("0.{places}"),
        };
        Ok(Self {
            digits,
            scale,
            text,
        })
    }

    /// One part of `parts`, as a rate: what a team of that many agents takes each.
    pub fn one_of(parts: u64) -> Self {
        Self {
            digits: 1,
            scale: u128::from(parts.max(1)),
            text: format!("1/{}", parts.max(1)),
        }
    }

    /// `max(1, ceil(rate · n))`, and 0 of nothing.
    pub fn size(&self, n: usize) -> usize {
        let product = self.digits * n as u128;
        let size = product.div_ceil(self.scale);
        usize::try_from(size).unwrap_or(n).max(1).min(n)
    }

    /// `ceil(1 / rate)`: how many agents or iterations see everything.
    pub fn buckets(&self) -> u64 {
        u64::try_from(self.scale.div_ceil(self.digits)).unwrap_or(u64::MAX)
    }

    /// The whole part and the remainder of `rate · n`, the remainder in units of 1/scale.
    pub fn split(&self, n: usize) -> (usize, u128) {
        let product = self.digits * n as u128;
        let whole = usize::try_from(product / self.scale).unwrap_or(n);
        (whole, product % self.scale)
    }

    /// The rate in billionths, for arcs of time, where a billionth is far below any clock.
    pub fn billionths(&self) -> u128 {
        if self.scale <= 1_000_000_000 {
            self.digits * 1_000_000_000 / self.scale
        } else {
            self.digits / (self.scale / 1_000_000_000)
        }
    }

    /// The rate as it is printed, in its shortest form.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn decimal(digits: &str) -> u128 {
    digits
        .bytes()
        .fold(0, |value, byte| value * 10 + u128::from(byte - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_exact() {
        // 0.07 · 100 is 7.000000000000001 in binary floating point, whose ceiling is 8.
        assert_eq!(Rate::parse("0.07").unwrap().size(100), 7);
        assert_eq!(Rate::parse("0.1").unwrap().size(1), 1);
        assert_eq!(Rate::parse("0.001").unwrap().size(1_000_001), 1001);
        assert_eq!(Rate::parse("1.000").unwrap().size(17), 17);
        assert_eq!(Rate::parse(".5").unwrap(), Rate::parse("0.50").unwrap());
        assert_eq!(Rate::parse("0.3").unwrap().buckets(), 4);
        assert_eq!(Rate::parse("0.1").unwrap().size(0), 0);
        assert_eq!(Rate::one_of(7).size(100), 15);
    }

    #[test]
    fn whatever_is_no_rate_is_refused() {
        for text in [
            "",
            ".",
            "1.",
            "NaN",
            "nan",
            "inf",
            "-1",
            "-0.1",
            "+0.1",
            "0",
            "0.0",
            "0.0009",
            "1.1",
            "1e-400",
            "1e-1",
            "0.1abc",
            " 0.1",
            "0,1",
            "10%",
            "1.0000000000000000000000000000001",
            "0.10000000000000000000000000001",
            "2",
            "１",
        ] {
            let fault = Rate::parse(text).unwrap_err();
            assert_eq!(fault.code, Code::SampleRate, "{text}");
        }
    }

    #[test]
    fn billionths_of_short_and_long_decimals() {
        assert_eq!(Rate::parse("0.1").unwrap().billionths(), 100_000_000);
        let third = Rate::parse("0.3333333333333333333333333333").unwrap();
        assert_eq!(third.billionths(), 333_333_333);
        assert_eq!(Rate::one_of(3).billionths(), 333_333_333);
    }
}
