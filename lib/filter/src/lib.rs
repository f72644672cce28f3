//! The output filter's decisions, apart from the digest itself: which commands it leaves alone,
//! what is shown while a command runs, and how the client's shells are led through it.

pub mod binary;
pub mod env_file;
pub mod hook;
pub mod kind;
pub mod pipeline;
pub mod reexec;
pub mod rotate;
pub mod route;
pub mod screen;
pub mod section;
pub mod settings;
pub mod show;
pub mod stats;
pub mod words;
