//! When to ask again for a lease that somebody else holds.
//!
//! An agent without work asks for what others have: if one dies, its task must be taken up. With
//! many such agents that asking is what weighs on the remote, so an agent spreads its looks: the
//! more tasks it found held, the longer until it looks at each again, and no two agents come in
//! step.

/// The first pause, in milliseconds; doubled with each look in vain.
const FIRST_MS: u64 = 2_000;
/// The longest pause of an agent that knows of one held task, in milliseconds.
const ONE_MAX_MS: u64 = 30_000;
/// No pause is longer, in milliseconds: a task that is given back waits so long at most.
const MAX_MS: u64 = 10 * 60 * 1_000;

/// What the pause depends on.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// How often in a row this task was asked for in vain before.
    pub times: u32,
    /// How many tasks the agent knows to be held by others, this one included.
    pub held: u32,
    /// The lease's time to live in seconds: nobody looks less often than twice in it.
    pub ttl_s: u64,
}

/// The Unix time in milliseconds at which to ask again. `seed` tells agents and tasks apart: the
/// same one gives the same pause, others spread over the half of it.
pub fn again_at(asked: Asked, seed: &str, now: u64) -> u64 {
    let one = (FIRST_MS << asked.times.min(8)).min(ONE_MAX_MS);
    let most = MAX_MS.min(asked.ttl_s.saturating_mul(500)).max(ONE_MAX_MS);
    let pause = one.saturating_mul(u64::from(asked.held.max(1))).min(most);
    let text = format!("{seed} {}", asked.times);
    let spread = u64::from(crc32c::crc32c(text.as_bytes())) % (pause / 2 + 1);
    now.saturating_add(pause - spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(times: u32, held: u32, seed: &str) -> u64 {
        let asked = Asked {
            times,
            held,
            ttl_s: 3_600,
        };
        again_at(asked, seed, 1_000) - 1_000
    }

    #[test]
    fn one_held_task_is_asked_for_within_half_a_minute_and_many_less_often() {
        for times in 0..40 {
            let doubled = (2_000 << times.min(8)).min(30_000);
            assert!((doubled / 2..=doubled).contains(&pause(times, 1, "a t1")));
        }
        // Ten held tasks are looked at ten times less often each: the agent asks as often in all.
        assert!((150_000..=300_000).contains(&pause(9, 10, "a t1")));
        assert!((300_000..=600_000).contains(&pause(9, 10_000, "a t1")));
    }

    #[test]
    fn a_short_lease_is_looked_at_in_time_and_agents_do_not_come_in_step() {
        let short = Asked {
            times: 9,
            held: 500,
            ttl_s: 120,
        };
        assert!(again_at(short, "a t1", 0) <= 60_000);
        let pauses: std::collections::BTreeSet<u64> = (0..100)
            .map(|at| pause(9, 1, &format!("a{at} t1")))
            .collect();
        assert!(pauses.len() > 95);
        assert_eq!(pause(9, 1, "a t1"), pause(9, 1, "a t1"));
    }
}
