//! Man pages and shell completions of a program, from the definitions that its command line is
//! parsed by. Only `cargo xtask dist` builds this in.

use clap::CommandFactory;
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The hidden first argument; the folder follows.
const ASKED: &str = "--write-pages";

/// The folder, when pages are asked for.
pub(crate) fn asked(arguments: &[OsString]) -> Option<PathBuf> {
    match arguments {
        [_, word, folder] if word == ASKED => Some(PathBuf::from(folder)),
        _ => None,
    }
}

/// Writes `man/man1/NAME.1`, one more for each subcommand, and `completions/` for three shells.
pub(crate) fn write<A: CommandFactory>(program: &OsString, folder: &Path) -> std::io::Result<()> {
    let name = Path::new(program).file_name().unwrap_or(program);
    // A process of its own for each program: the name lives as long as it does.
    let name: &'static str = Box::leak(name.to_string_lossy().into_owned().into_boxed_str());
    let (man, completions) = (folder.join("man/man1"), folder.join("completions"));
    std::fs::create_dir_all(&man)?;
    std::fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(A::command().name(name), &man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut A::command().name(name), name, &completions)?;
    }
    Ok(())
}
