//! Deterministic simulation: whole runs of `run` in a seeded world. Every test run plays a part of the
//! seeds; `cargo test --release --test sim -- --ignored` plays all, as the workflow of pull requests does.
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
//!
//! Proofs have a world of their own (`proof`): what is called proved passes in a clean check-out, whatever
//! cheats and whatever faults. Its mutants leave out one step of the trial each, or believe a fault.
//!
//! The queue of members has one, too (`queue`): drivers share a line, whose every commit must pass the gates
//! of all that it calls done.
//!
//! A failing seed is printed; that it fails again in the same way is asserted of every mutant's.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a test that cannot go on fails"
)]

mod check;
mod leases;
mod proof;
mod queue;
mod random;
mod views;
mod world;

use std::fmt::Write;
use world::{Mutant, World};

fn breaks_no_invariant(least: u64) {
    let mut iterations = 0;
    let mut seed = 0;
    while iterations < least {
        match World::new(seed, Mutant::None).run() {
            Ok(count) => iterations += count.max(1),
            Err(broken) => panic!("seed {seed}: {broken}"),
        }
        seed += 1;
    }
}

#[test]
fn twenty_five_thousand_iterations_break_no_invariant() {
    breaks_no_invariant(25_000);
}

#[test]
#[ignore = "takes a minute of CPU without optimisation"]
fn a_million_iterations_break_no_invariant() {
    breaks_no_invariant(1_000_000);
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
        (Mutant::ForgetSync, "its intent is lost"),
        (Mutant::ForgetFolder, "the run is lost"),
    ] {
        // Another invariant may break first in a world: a claim believed without gates can also
        // leave its scope.
        let run = |seed| World::new(seed, mutant).run();
        let found =
            (0..5_000).find(|seed| run(*seed).is_err_and(|broken| broken.contains(invariant)));
        let seed = found.unwrap_or_else(|| panic!("{mutant:?} was not noticed by {invariant:?}"));
        assert_eq!(run(seed), run(seed), "a failing seed is reproducible");
    }
}

fn proofs_hold(number: u64) {
    let mut proved = 0;
    for seed in 0..number {
        match proof::World::new(seed, proof::Mutant::None).run_proof() {
            Ok(standing) => proved += u64::from(standing.is_some()),
            Err(broken) => panic!("seed {seed}: {broken}"),
        }
    }
    assert!(proved > number / 10, "only {proved} proved");
}

#[test]
fn what_is_called_proved_holds_in_a_clean_check_out_and_can_fail() {
    proofs_hold(40_000);
}

#[test]
#[ignore = "ten times as many proofs"]
fn what_is_called_proved_holds_in_many_more_worlds() {
    proofs_hold(400_000);
}

#[test]
fn each_broken_rule_of_the_trial_is_noticed() {
    use proof::Mutant;
    for mutant in [
        Mutant::SkipDusk,
        Mutant::SkipCanaries,
        Mutant::SkipBlank,
        Mutant::SkipEnds,
        Mutant::SkipFresh,
        Mutant::SkipOutside,
        Mutant::SkipExpectations,
        Mutant::SkipPrograms,
        Mutant::PassFaults,
        Mutant::PassHangs,
        Mutant::BelieveFlickers,
    ] {
        let run = |seed| proof::World::new(seed, mutant).run_proof();
        let found = (0..50_000).find(|seed| run(*seed).is_err());
        let seed = found.unwrap_or_else(|| panic!("{mutant:?} was not noticed"));
        assert_eq!(run(seed), run(seed), "a failing seed is reproducible");
    }
}

/// Lines to simulate.
const LINES: u64 = 1_000;

#[test]
fn what_the_line_calls_done_holds_there_whoever_lies_dies_or_moves_it() {
    let mut landed = 0;
    for seed in 0..LINES {
        match queue::World::new(seed, queue::Mutant::None).run() {
            Ok(count) => landed += count,
            Err(broken) => panic!("seed {seed}: {broken}"),
        }
    }
    assert!(landed > 3 * 1_000, "only {landed} tasks landed");
}

#[test]
fn each_broken_rule_of_the_queue_is_noticed() {
    use queue::Mutant;
    for mutant in [
        Mutant::BelieveClaims,
        Mutant::ForgetLanded,
        Mutant::BlameFirst,
        Mutant::BlameNewcomer,
        Mutant::BelieveFlickers,
        Mutant::ForgetSwap,
        Mutant::CountMoves,
        Mutant::ReserveNothing,
        Mutant::BelieveJournal,
        Mutant::RetryForever,
        Mutant::SkipLastProof,
    ] {
        let run = |seed| queue::World::new(seed, mutant).run();
        let found = (0..2_000).find(|seed| run(*seed).is_err());
        let seed = found.unwrap_or_else(|| panic!("{mutant:?} was not noticed"));
        assert_eq!(run(seed), run(seed), "a failing seed is reproducible");
    }
}

/// The size that `lib-docs/scale.md` speaks of.
const LARGE: leases::Size = leases::Size {
    agents: 1_000,
    tasks: 10_000,
    per_machine: 4,
};
const SMALL: leases::Size = leases::Size {
    agents: 60,
    tasks: 200,
    per_machine: 3,
};

/// A line a figure, as the page shows them.
fn told(figures: &leases::Figures) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| writeln!(text, "| {name} | {value} |").unwrap();
    line(
        "until the last task was done",
        format!("{} min", figures.minutes),
    );
    line("pushes", figures.pushes.to_string());
    line("fetches and looks", figures.reads.to_string());
    line("most requests in one second", figures.busiest.to_string());
    line("messages lost", figures.lost.to_string());
    line("agents that died", figures.deaths.to_string());
    line(
        "agents that paused for up to three times their lease",
        figures.pauses.to_string(),
    );
    for (why, count) in &figures.taken {
        line(&format!("leases taken over: {why}"), count.to_string());
    }
    line(
        "longest time until a dead agent's task was taken",
        format!("{} s", figures.longest_orphaned_s),
    );
    line(
        "stale publications refused",
        figures.stale_refused.to_string(),
    );
    text
}

#[test]
#[ignore = "takes a minute of CPU without optimisation"]
fn leases_of_a_thousand_agents_on_ten_thousand_tasks_over_a_bad_remote() {
    let figures = leases::World::new(1, LARGE, leases::Mutant::None).run();
    let text = told(&figures.unwrap());
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/lib-docs/scale.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(
        page.contains(&text),
        "lib-docs/scale.md has other figures than\n{text}"
    );
}

#[test]
fn leases_break_no_invariant_in_many_small_worlds() {
    for seed in 0..40 {
        let world = || leases::World::new(seed, SMALL, leases::Mutant::None).run();
        let figures = world().unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
        if seed < 5 {
            assert_eq!(world(), Ok(figures), "the same seed gives the same world");
        }
    }
}

#[test]
fn each_broken_rule_of_the_leases_is_noticed() {
    use leases::Mutant as Broken;
    for (mutant, invariant) in [
        (Broken::Impatient, "two holders"),
        (Broken::Timid, "stuck"),
        (Broken::Unfenced, "done twice"),
        (Broken::OldToken, "does not grow"),
    ] {
        let noticed = (0..200).any(|seed| {
            let run = leases::World::new(seed, SMALL, mutant).run();
            run.is_err_and(|broken| broken.contains(invariant))
        });
        assert!(noticed, "{mutant:?} was not noticed by {invariant:?}");
    }
}
