//! What the small tools that stand beside a run do to the world: outputs that become digests, samples
//! of tests, clones of code, panes of tmux, plans, traces, what agents printed.

#![forbid(unsafe_code)]

pub mod clones;
pub mod filter;
pub mod planner;
pub mod player;
pub mod prints;
pub mod sample;
pub mod tmux;
pub mod trace;
