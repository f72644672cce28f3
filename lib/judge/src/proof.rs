//! Proof: what an agent claims counts only where the agent cannot bend what decides.
//!
//! The host makes a clean work tree of the claimed commit and runs gates in it; which files decide
//! ([`protect`], [`scripts`]), what becomes of manifests that decide in part ([`manifest`]), which
//! failing tests are planted ([`canary`]), in which order all that is tried ([`order`]) and what the
//! results mean ([`weigh`]) is said here.

pub mod answers;
pub mod blank;
pub mod built;
pub mod canary;
pub mod contest;
pub mod demands;
mod doctests;
pub mod expect;
pub mod fresh;
pub mod hollow;
pub mod hunks;
pub mod inline;
pub mod manifest;
pub mod named;
pub mod narrow;
pub mod order;
pub mod outside;
pub mod overlay;
pub mod protect;
pub mod receipt;
pub mod script_end;
pub mod scripts;
pub mod silenced;
pub mod special;
pub mod spoken;
pub mod weigh;

pub use overlay::{Edit, overlay};
pub use weigh::{Dusk, Findings, Proof, Standing, weigh};
