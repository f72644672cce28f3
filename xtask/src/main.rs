//! `cargo xtask dist`: a marketplace folder that installs offline. `cargo xtask test`: all tests,
//! and at the end what was skipped; with `--quick` what a change needs. `cargo xtask docs`: the generated pages.
//! `cargo xtask npm`: the npm package of the plugin, from those of its platforms. `cargo xtask picture`: the README's picture.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to a person"
)]

mod dist;
mod interpreter;
mod picture;
mod quick;
mod scratch;
mod test;

use dist::Build;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask dist [--target TRIPLE | --debug] | docs | npm FOLDER | picture | test [--quick | CARGO TEST ARGUMENT…]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap_or(Path::new("."));
    let outcome = match words.as_slice() {
        ["docs"] => test::pages(root),
        ["dist"] => dist::run(root, Build::Release(None)),
        ["dist", "--debug"] => dist::run(root, Build::Debug),
        ["dist", "--target", target] => dist::run(root, Build::Release(Some(target))),
        ["npm", folder] => dist::npm(root, Path::new(folder)),
        ["picture"] => picture::run(root),
        ["test", "--quick"] => quick::run(root),
        ["test", rest @ ..] => test::run(root, rest),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(64);
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}
