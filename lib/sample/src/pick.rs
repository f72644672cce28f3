//! The sample by count: the k smallest places, a bucket of the ring, or a share of each stratum.

use super::bucket::Bucket;
use super::rate::Rate;
use super::ring::Ring;
use std::collections::BTreeMap;

/// Positions of the ring that are drawn, ascending.
pub type Positions = Vec<usize>;

/// The `max(1, ceil(rate · n))` smallest places, or the bucket's part of the ring.
pub fn by_count(n: usize, rate: &Rate, bucket: Option<Bucket>) -> Positions {
    match bucket {
        Some(bucket) => bucket.range(n).collect(),
        None => (0..rate.size(n)).collect(),
    }
}

/// As many in all as [`by_count`] draws, with each stratum's share of them: whole parts first, the
/// rest to the largest remainders, ties to the stratum that has the smaller place.
pub fn stratified(ring: &Ring<'_>, strata: &[Positions], rate: &Rate) -> Positions {
    let mut left = rate.size(ring.len());
    let mut shares = Vec::with_capacity(strata.len());
    let mut order = Vec::with_capacity(strata.len());
    for (number, stratum) in strata.iter().enumerate() {
        let (whole, rest) = rate.split(stratum.len());
        left = left.saturating_sub(whole);
        shares.push(whole);
        let place = stratum.first().map_or(0, |first| ring.place(*first));
        order.push((std::cmp::Reverse(rest), place, number));
    }
    order.sort_unstable();
    for (_, _, number) in order.into_iter().take(left) {
        shares[number] += 1;
    }
    let drawn = strata
        .iter()
        .zip(shares)
        .flat_map(|(stratum, share)| stratum.iter().take(share).copied());
    let mut positions: Positions = drawn.collect();
    positions.sort_unstable();
    positions
}

/// The ring's positions by the stratum that `of` names, in the order of the names.
pub fn strata<'a>(ring: &Ring<'a>, of: impl Fn(&'a str) -> &'a str) -> Vec<(&'a str, Positions)> {
    let mut strata: BTreeMap<&str, Positions> = BTreeMap::new();
    for (position, id) in ring.ids().enumerate() {
        strata.entry(of(id)).or_default().push(position);
    }
    strata.into_iter().collect()
}
