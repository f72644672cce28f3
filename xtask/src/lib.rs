//! Chores of the repository, also used by its tests.

pub mod npm;
pub mod plugin;
