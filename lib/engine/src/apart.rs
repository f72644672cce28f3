//! The tasks of a list as runs of their own: which belong together, and what each run is told.

use crate::driver::goal;
use crate::pinned;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_run::chosen;
use std::path::Path;

/// Characters of a goal's first line.
const TITLE_CHARS_MAX: usize = 200;

/// What one run works on.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Its tasks.
    pub tasks: Vec<String>,
    /// Its goal: the first line says what of the whole it is.
    pub goal: String,
}

/// The open tasks of the project's list, by what belongs together, in the order of the list; `named` is
/// the file of the goal of all.
pub fn parts(place: &Place, folder: &Path, named: Option<&str>) -> Result<Vec<Part>, Fault> {
    if !pinned::is_listed(place) {
        return Err(Fault::new(Code::InputMissing, "there is no tasks.json")
            .hint("overnight plan writes one; without a list: overnight run"));
    }
    let whole = goal::of((place, folder), None, named)?;
    let specs = pinned::read(place)?;
    let parts = chosen::groups(&specs).into_iter().map(|group| {
        let lines = group
            .iter()
            .map(|spec| one_line(&spec.objective, TITLE_CHARS_MAX));
        let lines: Vec<String> = lines.collect();
        Part {
            tasks: group.iter().map(|spec| spec.id.clone()).collect(),
            goal: format!("{}\n\n{whole}", lines.join("; ")),
        }
    });
    Ok(parts.collect())
}
