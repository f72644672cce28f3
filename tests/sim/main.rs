//! Deterministic simulation: whole runs of `core::run` in a seeded world, a million iterations.
//!
//! The world's agents lie, stall, go round in circles, crash and hang; its service limits, fails
//! and refuses; its clock jumps; its journal tears; signals and dead drivers interrupt it. After
//! each step the invariants of `check` are asked. A run that breaks one is printed with its seed;
//! the world has no other input, so `World::new(seed, Mutant::None).run()` reproduces it.
//!
//! That each invariant can fail is shown by breaking its rule on purpose:
//!
//! | mutant | rule broken | invariant that must notice |
//! |---|---|---|
//! | `BelieveClaims` | gates are not asked | complete only with passed gates |
//! | `ForgetBudget` | the budget in dollars is ignored | never more dollars |
//! | `ForgetIterations` | the number of iterations is ignored | never more iterations |
//! | `ForgetCalls` | the calls per hour are ignored | never more calls in an hour |
//! | `ForgetBreaker` | an open breaker is treated as closed | open means no start |
//! | `NeverFinish` | a run that ends waits instead | every run ends |
//! | `OtherConfig` | replay uses another configuration | replay gives the same decisions |
//! | `ForgetVelocity` | the dollars per hour are ignored | never faster |
//! | `ForgetTokens` | the budget in tokens is ignored | never more tokens |
//! | `ForgetScope` | the files outside a task's scope are ignored | complete only within the scope |
//! | `BelieveSignals` | an exit signal needs no gates | complete only with passed gates |
//! | `HastySignals` | one done signal is enough | complete only by a claim or an exit signal |
//! | `ForgetBaseline` | the run's start is forgotten | no vacuous pass |
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test that cannot go on fails"
)]

mod check;
mod random;
mod world;

use world::{Mutant, World};

/// Iterations to simulate (issue: at least one million).
const ITERATIONS: u64 = 1_000_000;

#[test]
fn a_million_iterations_break_no_invariant() {
    let mut iterations = 0;
    let mut seed = 0;
    while iterations < ITERATIONS {
        match World::new(seed, Mutant::None).run() {
            Ok(count) => iterations += count.max(1),
            Err(broken) => panic!("seed {seed}: {broken}"),
        }
        seed += 1;
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for seed in 0..200 {
        let first = World::new(seed, Mutant::None).journal();
        assert_eq!(
            first,
            World::new(seed, Mutant::None).journal(),
            "seed {seed}"
        );
    }
}

#[test]
fn each_broken_rule_is_noticed() {
    for (mutant, invariant) in [
        (Mutant::BelieveClaims, "complete without"),
        (Mutant::ForgetBudget, "dollars"),
        (Mutant::ForgetIterations, "iterations"),
        (Mutant::ForgetCalls, "calls"),
        (Mutant::ForgetBreaker, "breaker"),
        (Mutant::NeverFinish, "does not end"),
        (Mutant::OtherConfig, "replay"),
        (Mutant::ForgetBaseline, "complete without"),
        (Mutant::ForgetVelocity, "faster than"),
        (Mutant::ForgetTokens, "tokens"),
        (Mutant::ForgetScope, "out of its scope"),
        (Mutant::BelieveSignals, "complete without"),
        (Mutant::HastySignals, "neither claim nor"),
    ] {
        // Another invariant may break first in a world: a claim believed without gates can also
        // leave its scope.
        let noticed = (0..5_000).any(|seed| {
            let run = World::new(seed, mutant).run();
            run.is_err_and(|broken| broken.contains(invariant))
        });
        assert!(noticed, "{mutant:?} was not noticed by {invariant:?}");
    }
}
