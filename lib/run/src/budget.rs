//! Budgets: what a run may still spend, alone or with members side by side.
//!
//! Dollars and tokens are counted when an attempt ends. Members that work at the same time would
//! all see the same rest and overshoot together; so each takes a *share* before its agent starts,
//! recorded with its `hand_out` in the journal of the run that holds the budget, and gives it back
//! with what it really spent when it ended (`member_ended`). [`share`] says how much it gets: the rest
//! that nobody holds, divided by the members that hold nothing. The agent gets its share as its own
//! limit, so all together stay within the budget, up to the one request by which a client may pass
//! its limit. Tokens have no such limit in the client: its stream is read for them, and for dollars too.
//!
//! A member that died holds its share until its driver has read what its journal says it spent.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A share below a cent or a thousand tokens buys no request.
const LEAST: Amount = Amount {
    usd: 0.01,
    tokens: 1_000,
};

/// Money and tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Amount {
    /// Dollars.
    pub usd: f64,
    /// Tokens of all kinds.
    #[serde(default)]
    pub tokens: u64,
}

/// A budget; an absent part is without limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Dollars.
    pub usd: Option<f64>,
    /// Tokens of all kinds.
    pub tokens: Option<u64>,
}

/// What a member may do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Share {
    /// Spend so much.
    Of(Limits),
    /// Wait: others hold the rest, and may give some of it back.
    Wait,
    /// Nothing is left.
    Spent,
}

/// Dollars in whole millionths: a sum of prices has no digits behind them.
pub fn to_micros(usd: f64) -> f64 {
    (usd * 1e6).round() / 1e6
}

/// What one of `seats` members that hold nothing may spend now. `seats` counts the asking one;
/// `elsewhere` is held by members of other machines.
pub fn share(
    limits: &Limits,
    spent: Amount,
    (reserved, elsewhere): (&BTreeMap<String, Amount>, Amount),
    seats: u32,
) -> Share {
    let own: f64 = reserved.values().map(|amount| amount.usd.max(0.0)).sum();
    let held = own + elsewhere.usd;
    let held_tokens = reserved.values().fold(elsewhere.tokens, |sum, amount| {
        sum.saturating_add(amount.tokens)
    });
    let usd = limits.usd.map(|limit| (limit - spent.usd, held));
    let tokens = limits
        .tokens
        .map(|limit| (limit.saturating_sub(spent.tokens), held_tokens));
    if usd.is_some_and(|(rest, _)| rest < LEAST.usd)
        || tokens.is_some_and(|(rest, _)| rest < LEAST.tokens)
    {
        return Share::Spent;
    }
    let usd = usd.map(|(rest, held)| rest - held);
    let tokens = tokens.map(|(rest, held)| rest.saturating_sub(held));
    if usd.is_some_and(|free| free < LEAST.usd) || tokens.is_some_and(|free| free < LEAST.tokens) {
        return Share::Wait;
    }
    let seats = seats.max(1);
    Share::Of(Limits {
        usd: usd.map(|free| (free / f64::from(seats)).max(LEAST.usd)),
        tokens: tokens.map(|free| (free / u64::from(seats)).max(LEAST.tokens)),
    })
}

/// What a client that has not named its cost has spent, by its tokens: at the price that the run has
/// seen so far, before that at the vendor's list. Both are dollars, and the input tokens they bought.
pub fn reckoned(priced: (f64, u64), listed: (f64, u64), weight: u64) -> f64 {
    let (usd, bought) = if priced.1 > 0 { priced } else { listed };
    // Tokens of one run are far below 2^52.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    let (bought, weight) = (bought.max(1) as f64, weight as f64);
    weight * usd / bought
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOBODY: Amount = Amount {
        usd: 0.0,
        tokens: 0,
    };

    fn dollars(usd: f64) -> Limits {
        Limits {
            usd: Some(usd),
            tokens: None,
        }
    }

    fn spent(usd: f64) -> Amount {
        Amount { usd, tokens: 0 }
    }

    #[test]
    fn alone_it_is_the_rest_and_without_a_budget_anything() {
        let none = BTreeMap::new();
        assert_eq!(
            share(&dollars(4.0), spent(1.0), (&none, NOBODY), 1),
            Share::Of(dollars(3.0))
        );
        assert_eq!(
            share(&Limits::default(), spent(9.0), (&none, NOBODY), 3),
            Share::Of(Limits::default())
        );
        assert_eq!(
            share(&dollars(4.0), spent(3.995), (&none, NOBODY), 1),
            Share::Spent
        );
        let tokens = Limits {
            usd: None,
            tokens: Some(10_000),
        };
        let used = Amount {
            usd: 0.0,
            tokens: 9_500,
        };
        assert_eq!(share(&tokens, used, (&none, NOBODY), 1), Share::Spent);
    }

    #[test]
    fn who_finds_the_rest_in_other_hands_waits() {
        let held = BTreeMap::from([("m1".to_owned(), spent(3.0))]);
        assert_eq!(
            share(&dollars(4.0), spent(1.0), (&held, NOBODY), 1),
            Share::Wait
        );
        assert_eq!(
            share(&dollars(8.0), spent(1.0), (&held, NOBODY), 2),
            Share::Of(dollars(2.0))
        );
    }

    #[test]
    fn a_killed_clients_tokens_cost_what_tokens_cost_before() {
        let listed = (8.0, 1_000_000);
        assert!((reckoned((3.0, 1_000_000), listed, 500_000) - 1.5).abs() < 1e-9);
        assert!((reckoned((0.0, 0), listed, 500_000) - 4.0).abs() < 1e-9);
        assert!(reckoned((0.0, 0), (0.0, 0), 0).abs() < 1e-9);
    }

    proptest! {
        /// Members come and go in any order, each spends at most its share: the budget holds.
        #[test]
        fn members_never_overshoot_together(budget in 0.0..50.0_f64, moves in proptest::collection::vec((0..8_u32, 0.0..1.0_f64), 0..200)) {
            let mut reserved: BTreeMap<String, Amount> = BTreeMap::new();
            let mut total = Amount::default();
            for (member, part) in moves {
                let name = member.to_string();
                if let Some(held) = reserved.remove(&name) {
                    total.usd += held.usd * part;
                    continue;
                }
                let seats = 8 - u32::try_from(reserved.len()).unwrap();
                if let Share::Of(mine) = share(&dollars(budget), total, (&reserved, NOBODY), seats) {
                    reserved.insert(name, spent(mine.usd.unwrap()));
                }
                let held: f64 = reserved.values().map(|amount| amount.usd).sum();
                prop_assert!(total.usd + held <= budget + 1e-9, "{} of {budget}", total.usd + held);
            }
        }
    }
}
