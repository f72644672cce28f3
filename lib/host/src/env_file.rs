//! `CLAUDE_ENV_FILE`, written.

use crate::agent::own_words;
use crate::cell::armed;
use crate::files::{self, Content};
use crate::{config, env};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_filter::env_file::{Change, install};
use overnight_filter::reexec::{env_guard_of, env_options};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A larger file is none that the client or a hook made.
const BYTES_MAX: u64 = 1 << 20;

/// Where no run is ever armed.
const NOWHERE: &str = "/nonexistent/armed";

/// Makes every shell of this session run its command through the output filter. Without the
/// client's file nothing is done.
pub fn install_filter(session: Option<&str>) -> Result<(), Fault> {
    let Some(path) = env::get_os(&vars::CLAUDE_ENV_FILE).map(PathBuf::from) else {
        return Ok(());
    };
    let words = own_words("output-filter")?;
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    match words {
        Some(words) => {
            let options = env_options(&config::plugin_options());
            let armed = session.and_then(armed::file);
            let armed = armed.as_deref().and_then(Path::to_str).unwrap_or(NOWHERE);
            write(&path, &format!("{options}{}", env_guard_of(&words, armed)))
        }
        None => Ok(()),
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
