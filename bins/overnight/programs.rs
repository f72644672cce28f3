//! The programs beside `overnight`, each under its own name: through a link of that name, as
//! `overnight NAME`, or, for Claude Code's events, as `overnight hook EVENT`.

#[path = "../circuit-breaker/main.rs"]
mod circuit_breaker;
#[path = "../command-guard/main.rs"]
mod command_guard;
#[path = "../completion-check/main.rs"]
mod completion_check;
#[path = "../error-codes.rs"]
mod error_codes;
#[path = "../find-clones.rs"]
mod find_clones;
#[path = "../flow-start/main.rs"]
mod flow_start;
#[path = "../output-filter/main.rs"]
mod output_filter;
#[path = "../progress-log.rs"]
mod progress_log;
#[path = "../sample-tests/main.rs"]
mod sample_tests;
#[path = "../session-end.rs"]
mod session_end;
#[path = "../session-start.rs"]
mod session_start;
#[path = "../stop-gate.rs"]
mod stop_gate;
#[path = "../task-lock/main.rs"]
mod task_lock;
#[path = "../with-timeout.rs"]
mod with_timeout;

use crate::statusline;
use overnight_base::programs;
use overnight_host::cli::{self, Words};
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;

/// Starts what was called by name; gives the words back where that is `overnight` itself.
pub(crate) fn start(mut words: Words) -> Result<ExitCode, Words> {
    if let Some(program) = words.first().and_then(|word| called(word)) {
        return Ok(program(words));
    }
    // The client draws its line every few hundred milliseconds.
    if let [_, only] = words.as_slice()
        && only == "statusline"
    {
        return Ok(cli::bare(statusline::run));
    }
    if let [_, hook, event] = words.as_slice()
        && hook == "hook"
        && let Some(answerer) = event.to_str().and_then(programs::of_event)
    {
        words.splice(1.., answerer.iter().map(Into::into));
    }
    match words.get(1).and_then(|word| named(word)) {
        Some(program) => Ok(program(words.split_off(1))),
        None => Err(words),
    }
}

type Program = fn(Words) -> ExitCode;

/// The program of a link's name, in any folder.
fn called(path: &OsStr) -> Option<Program> {
    named(Path::new(path).file_name()?)
}

fn named(name: &OsStr) -> Option<Program> {
    Some(match name.to_str()? {
        "circuit-breaker" => circuit_breaker::main,
        "command-guard" => command_guard::main,
        "completion-check" => completion_check::main,
        "error-codes" => error_codes::main,
        "find-clones" => find_clones::main,
        "flow-start" => flow_start::main,
        "output-filter" => output_filter::main,
        "progress-log" => progress_log::main,
        "sample-tests" => sample_tests::main,
        "session-end" => session_end::main,
        "session-start" => session_start::main,
        "stop-gate" => stop_gate::main,
        "task-lock" => task_lock::main,
        "with-timeout" => with_timeout::main,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_program() {
        for name in programs::NAMES {
            assert!(named(name.as_ref()).is_some(), "{name}");
        }
        assert!(named(programs::PROGRAM.as_ref()).is_none());
    }
}
