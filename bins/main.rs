//! `overnight`, under each of its names.

use std::process::ExitCode;

fn main() -> ExitCode {
    overnight_programs::main()
}
