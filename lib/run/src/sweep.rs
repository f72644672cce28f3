//! How long what a run keeps beside its journal stays.

/// Days after its last record in which a run can be resumed with the ignored files of its dusk, as long as
/// the logs of its agents are kept.
const STORE_DAYS: u64 = 7;
/// Days in which a run can be gone back to an iteration: so long git keeps what nothing reaches
/// (`gc.reflogExpireUnreachable`).
const REFS_DAYS: u64 = 30;
const DAY_MS: u64 = 24 * 3_600_000;

/// How long ago a run's journal was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// So many milliseconds.
    Ms(u64),
    /// There is no journal any more.
    Gone,
    /// It could not be looked at.
    Unknown,
}

/// Does the copy of dusk's ignored files go?
pub fn store_goes(age: Age) -> bool {
    is_older(age, STORE_DAYS)
}

/// Do the snapshots and the ways of forks go?
pub fn refs_go(age: Age) -> bool {
    is_older(age, REFS_DAYS)
}

fn is_older(age: Age, days: u64) -> bool {
    match age {
        Age::Ms(ms) => ms > days * DAY_MS,
        Age::Gone => true,
        Age::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_goes_after_a_week_and_the_rest_after_a_month() {
        let days = |days: u64| Age::Ms(days * DAY_MS + 1);
        for (age, store, refs) in [
            (days(0), false, false),
            (days(6), false, false),
            (days(7), true, false),
            (days(29), true, false),
            (days(30), true, true),
            (Age::Gone, true, true),
            (Age::Unknown, false, false),
        ] {
            assert_eq!((store_goes(age), refs_go(age)), (store, refs), "{age:?}");
        }
    }
}
