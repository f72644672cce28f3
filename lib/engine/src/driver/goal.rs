//! The goal of a run: as typed, or from its file.

use crate::files::{self, Content};
use crate::pinned;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::options::AGENT_PROMPT;
use overnight_views::init;
use std::path::Path;

/// A goal larger than this is no prompt.
const GOAL_BYTES_MAX: u64 = 1 << 20;
/// The goal of a person who wrote nothing but a task list.
const LIST: &str = "Do the tasks of tasks.json, each until its definition of done holds.\n";

/// The goal of a new run: as typed, else of the file that is named from this folder or from the top
/// of the project, else of `AGENT_PROMPT.md`, else that of the task list.
pub fn of(
    (place, folder): (&Place, &Path),
    typed: Option<&str>,
    named: Option<&str>,
) -> Result<String, Fault> {
    match typed {
        Some(goal) if goal.trim().is_empty() => {
            return Err(Fault::new(Code::InputInvalid, "the goal is empty"));
        }
        Some(goal) => return Ok(goal.to_owned()),
        None => {}
    }
    let file = Path::new(named.unwrap_or(AGENT_PROMPT.default));
    let here = folder.join(file);
    let path = if here.exists() || file.is_absolute() {
        here
    } else {
        place.top.join(file)
    };
    let given = path.exists() && !is_untouched(&path);
    if named.is_none() && !given && pinned::is_listed(place) {
        return Ok(LIST.to_owned());
    }
    read(&path)
}

/// Is it the first goal as `overnight init` wrote it, with nothing said in it?
fn is_untouched(path: &Path) -> bool {
    matches!(files::read_bounded(path, GOAL_BYTES_MAX), Ok(Content::Bytes(bytes)) if bytes.trim_ascii() == init::GOAL.trim().as_bytes())
}

/// The goal's text: a regular file, not empty.
pub fn read(path: &Path) -> Result<String, Fault> {
    let named = |reason: &str| format!("{}: {reason}", path.display());
    let bytes = match files::read_bounded(path, GOAL_BYTES_MAX)? {
        Content::Bytes(bytes) => bytes,
        Content::Missing => {
            let fault = Fault::new(Code::InputMissing, named("there is no goal"));
            return Err(
                fault.hint("write the goal there, or name another file with --agent-prompt")
            );
        }
        Content::Refused(what) => return Err(Fault::new(Code::InputPath, named(what))),
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| Fault::new(Code::InputData, named("is not UTF-8 text")))?;
    if text.trim().is_empty() {
        return Err(Fault::new(Code::InputData, named("the goal is empty")));
    }
    if text.trim() == init::GOAL.trim() {
        let reason = named("nothing is said in it yet: it is as overnight init wrote it");
        return Err(Fault::new(Code::InputData, reason).hint("write there what is to be done"));
    }
    Ok(text)
}
