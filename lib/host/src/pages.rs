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
pub(crate) fn write<A: CommandFactory>(folder: &Path) -> std::io::Result<()> {
    let (man, completions) = (folder.join("man/man1"), folder.join("completions"));
    std::fs::create_dir_all(&man)?;
    std::fs::create_dir_all(&completions)?;
    let mut command = A::command();
    let name = command.get_name().to_owned();
    clap_mangen::generate_to(command.clone(), &man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, &name, &completions)?;
    }
    Ok(())
}
