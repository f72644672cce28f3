#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! A deterministic sample of tests: the same for each agent, everything within `1/rate` turns.
//!
//! Tests stand on a ring in the order of a keyed hash. A sample is the start of that ring, a
//! bucket one part of it, and with durations an arc of time; since a test's place depends on its
//! id and the seed alone, adding or removing others hardly moves a sample.

pub mod arcs;
pub mod bucket;
pub mod changed;
mod choice;
pub mod draw;
pub mod durations;
pub mod emit;
pub mod extras;
pub mod hash;
pub mod last;
pub mod listing;
pub mod mode;
pub mod outcomes;
pub mod pick;
pub mod plan;
pub mod rate;
pub mod record;
pub mod ring;
pub mod runner;
pub mod settings;
pub mod unit;
pub mod weights;

#[cfg(test)]
mod tests;
