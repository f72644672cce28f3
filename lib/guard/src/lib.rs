//! The guard: tools, paths, settings and questions become a verdict.

pub mod allowed;
pub mod answer;
pub mod area;
pub mod epoch;
pub mod foreign;
pub mod payload;
pub mod question;
pub mod secret;
pub mod settings;
pub mod setup;
pub mod tally;
pub mod tool;
