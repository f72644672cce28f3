//! `overnight`, under each of its names.

use std::process::ExitCode;

/// musl's own is several times slower, which a filter of many small texts feels.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    overnight_programs::main()
}
