//! `/flow`: what a person typed behind it, and what Claude is told.

pub mod brief;
pub mod kind;
mod order;
pub mod request;
pub mod specialists;
mod words;

pub use kind::Kind;
pub use order::{Order, order};
pub use request::Request;
