//! What the small tools that stand beside a run do to the world: samples of tests, clones of code,
//! panes of tmux.

#![forbid(unsafe_code)]

pub mod clones;
pub mod sample;
pub mod tmux;
