//! `CLAUDE_ENV_FILE`, written.

use crate::agent::own_program;
use crate::files::{self, Content};
use crate::{config, env};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_filter::env_file::{Change, install};
use overnight_filter::reexec::{env_guard, env_options};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The program that shells are handed to; it stands beside this one.
const FILTER: &str = "output-filter";
/// A larger file is none that the client or a hook made.
const BYTES_MAX: u64 = 1 << 20;

/// Makes every shell of the session run its command through the output filter. Without the
/// client's file, or without the filter, nothing is done.
pub fn install_filter() -> Result<(), Fault> {
    let filter = own_program()?.with_file_name(FILTER);
    let Some(path) = env::get_os(&vars::CLAUDE_ENV_FILE).map(PathBuf::from) else {
        return Ok(());
    };
    match filter.to_str() {
        Some(program) if filter.is_file() => {
            let options = env_options(&config::plugin_options());
            write(&path, &format!("{options}{}", env_guard(program)))
        }
        _ => Ok(()),
    }
}

fn write(path: &Path, guard: &str) -> Result<(), Fault> {
    let existing = match files::read_bounded(path, BYTES_MAX)? {
        Content::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Content::Missing => String::new(),
        Content::Refused(what) => {
            return Err(Fault::new(
                Code::InputPath,
                format!("{} is {what}", path.display()),
            ));
        }
    };
    match install(&existing, guard) {
        Change::Nothing => Ok(()),
        Change::Append(text) => std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .mode(files::PRIVATE)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))),
        Change::Rewrite(text) => files::replace(path, text.as_bytes(), files::PRIVATE),
    }
}
