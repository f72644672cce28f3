//! The tokens of each message, and what they cost by the vendor's list: all there is to go by until the
//! client has named its own figure.

use super::Usage;
use std::collections::BTreeMap;

/// What a model costs by the list.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Price {
    /// A part of the model's name.
    name: &'static str,
    /// Dollars for a million input tokens; output costs five times as much, writing the cache a
    /// quarter more.
    input: f64,
    /// Reading the cache, as a part of that.
    read: f64,
    /// How many times as much all of it costs in a message whose prompt is longer than [`LONG`].
    long: f64,
}

const fn price(name: &'static str, input: f64, read: f64) -> Price {
    Price {
        name,
        input,
        read,
        long: 1.0,
    }
}

/// Tokens of a prompt from which on some models cost more.
const LONG: u64 = 100_000;

/// <https://platform.claude.com/docs/en/about-claude/pricing> as of November 2026; the first name that
/// fits counts. It ages: it holds only until a client of the run has named its price, and is marked as
/// an estimate wherever it is shown.
const LIST: &[Price] = &[
    price("fable-5-1", 10.0, 0.025),
    price("mythos-5-1", 10.0, 0.025),
    price("fable", 10.0, 0.1),
    price("mythos", 10.0, 0.1),
    price("opus-5-5", 4.0, 0.05),
    price("opus-4-0", 15.0, 0.1),
    price("opus-4-1", 15.0, 0.1),
    price("opus-4-2025", 15.0, 0.1),
    price("opus-4@", 15.0, 0.1),
    price("3-opus", 15.0, 0.1),
    price("opus", 5.0, 0.1),
    price("sonnet-5-5", 2.0, 0.05),
    price("sonnet-5", 2.0, 0.1),
    price("sonnet", 3.0, 0.1),
    Price {
        name: "haiku-5-5",
        input: 0.1,
        read: 0.1,
        long: 5.0,
    },
    price("3-haiku", 0.25, 0.1),
    price("3-5-haiku", 0.8, 0.1),
    price("haiku", 1.0, 0.1),
];

/// Of a model that is not in the list, or named nothing: what the client itself reckons for its
/// default model (`estimated_cache_write_usd`).
const OTHER: Price = price("", 5.0, 0.1);

impl Price {
    fn of(model: Option<&str>) -> Self {
        let known = model.and_then(|model| LIST.iter().find(|price| model.contains(price.name)));
        known.copied().unwrap_or(OTHER)
    }

    // Tokens of one message are far below 2^52.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    fn dollars(self, used: Usage) -> f64 {
        let (input, output) = (used.input_tokens as f64, used.output_tokens as f64);
        let written = used.cache_creation_input_tokens as f64;
        let read = used.cache_read_input_tokens as f64;
        let tokens = input + 5.0 * output + 1.25 * written + self.read * read;
        let times = if input + written + read > LONG as f64 {
            self.long
        } else {
            1.0
        };
        tokens * self.input * times / 1e6
    }
}

/// Messages by their id. A client tells of one message several times, each time with what it knows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Spoken(BTreeMap<String, (Usage, Option<Price>)>);

impl Spoken {
    /// Takes a message in; gives what is known of it by now.
    pub(super) fn add(&mut self, id: String, model: Option<&str>, usage: Usage) -> Usage {
        let (known, price) = self.0.entry(id).or_default();
        *known = known.max(usage);
        price.get_or_insert_with(|| Price::of(model));
        *known
    }

    /// All tokens.
    pub(super) fn total(&self) -> Usage {
        let used = self.0.values().map(|(usage, _)| *usage);
        used.fold(Usage::default(), Usage::plus)
    }

    /// What they cost by the list, and the input tokens that this would have bought.
    pub(super) fn listed(&self) -> (f64, u64) {
        let dollars =
            |(usage, price): &(Usage, Option<Price>)| price.unwrap_or(OTHER).dollars(*usage);
        (self.0.values().map(dollars).sum(), self.total().weight())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(model: Option<&str>, input: u64, read: u64) -> f64 {
        let mut spoken = Spoken::default();
        let usage = Usage {
            input_tokens: input,
            cache_read_input_tokens: read,
            ..Usage::default()
        };
        spoken.add("m1".to_owned(), model, usage);
        spoken.listed().0
    }

    #[test]
    fn a_model_costs_what_the_first_name_that_fits_costs() {
        for (model, dollars) in [
            (Some("claude-opus-5"), 5.0),
            (Some("claude-opus-5-5[1m]"), 4.0),
            (Some("claude-opus-4-5-20251101"), 5.0),
            (Some("anthropic.claude-opus-4-1-20250805-v1:0"), 15.0),
            (Some("claude-opus-4-20250514"), 15.0),
            (Some("claude-opus-4@20250514"), 15.0),
            (Some("claude-sonnet-5"), 2.0),
            (Some("claude-sonnet-4-5"), 3.0),
            (Some("claude-3-5-sonnet-20241022"), 3.0),
            (Some("claude-haiku-4-5"), 1.0),
            (Some("claude-fable-5"), 10.0),
            (Some("some-other-model"), 5.0),
            (None, 5.0),
        ] {
            let told = listed(model, 1_000_000, 0);
            assert!((told - dollars).abs() < 1e-9, "{model:?}: {told}");
        }
    }

    #[test]
    fn the_cache_is_read_at_the_models_own_rate_and_a_long_prompt_may_cost_more() {
        let is =
            |model, input, read, usd: f64| (listed(Some(model), input, read) - usd).abs() < 1e-9;
        assert!(is("claude-fable-5-1", 0, 1_000_000, 0.25));
        assert!(is("claude-sonnet-5-5", 0, 1_000_000, 0.1));
        assert!(is("claude-haiku-5-5", 100_000, 0, 0.01));
        assert!(is("claude-haiku-5-5", 100_000, 100_000, 0.055));
    }

    #[test]
    fn a_message_counts_once_at_the_price_of_its_model() {
        let mut spoken = Spoken::default();
        let usage = |output_tokens| Usage {
            output_tokens,
            ..Usage::default()
        };
        spoken.add("a".to_owned(), Some("claude-haiku-4-5"), usage(10));
        spoken.add("a".to_owned(), Some("claude-haiku-4-5"), usage(100_000));
        spoken.add("b".to_owned(), Some("claude-opus-5"), usage(100_000));
        let (dollars, weight) = spoken.listed();
        assert!((dollars - 3.0).abs() < 1e-9, "{dollars}");
        assert_eq!(weight, 1_000_000);
    }
}
