//! What people see of runs: report, status, watch, trace, statistics and notices; and the settings of all
//! parts, put together.

pub mod activity;
pub mod clones;
pub mod config;
pub mod decisions;
pub mod doctor;
pub mod fleet;
pub mod init;
pub mod left;
pub mod notify;
pub mod remedy;
pub mod report;
pub mod review;
pub mod stats;
pub mod status;
pub mod summary;
pub mod trace;
pub mod watch;
