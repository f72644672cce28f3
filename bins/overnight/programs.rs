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
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::programs;
use overnight_host::cli::{self, Words};
use std::ffi::{OsStr, OsString};
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
    if words.get(1).is_some_and(|word| word == "hook") {
        match answerer(&words[2..]) {
            Ok(answerer) => words.splice(1.., answerer.iter().map(Into::into)),
            Err(fault) => return Ok(cli::bare(|| Err(fault))),
        };
    }
    match words.get(1).and_then(|word| named(word)) {
        Some(program) => Ok(program(words.split_off(1))),
        None => Err(words),
    }
}

/// The words of the program that answers an event.
fn answerer(event: &[OsString]) -> Result<&'static [&'static str], Fault> {
    let named = match event {
        [event] => event.to_str().and_then(programs::of_event),
        _ => None,
    };
    named.ok_or_else(|| {
        let known: Vec<&str> = programs::EVENTS.iter().map(|(name, _)| *name).collect();
        let reason = format!(
            "`overnight hook` takes an event of Claude Code, and its JSON on stdin: {}",
            known.join(", ")
        );
        Fault::new(Code::InputInvalid, reason)
    })
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
