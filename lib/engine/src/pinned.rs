//! The task list as the run pins it, and its status written back.

use crate::files::{self, Content};
use crate::state::Place;
use crate::tasklist::condition;
use crate::trust::Trust;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::done::Condition;
use overnight_run::task::{SINGLE, TaskSpec};
use overnight_run::{Config, chosen};
use overnight_tasks::{Problem, Status, problem};
use std::path::Path;

/// Name of the task list at the top of the work tree.
const FILE: &str = "tasks.json";

/// Is there a task list?
pub(crate) fn is_listed(place: &Place) -> bool {
    place.list_folder().join(FILE).is_file()
}

/// The tasks of the list, or the single task of a goal without one.
pub(crate) fn read(place: &Place) -> Result<Vec<TaskSpec>, Fault> {
    read_in(place, place.list_folder())
}

/// The same, and says what is probably not meant as it stands there.
pub(crate) fn read_telling(place: &Place, say: fn(&str)) -> Result<Vec<TaskSpec>, Fault> {
    let (specs, warnings) = listed(place, place.list_folder())?;
    for warning in &warnings {
        say(&format!("{FILE}: {warning}"));
    }
    Ok(specs)
}

/// Those of the tasks that a run with these limits works on.
pub(crate) fn chosen(specs: Vec<TaskSpec>, config: &Config) -> Result<Vec<TaskSpec>, Fault> {
    chosen::only(specs, &config.only).map_err(|reason| Fault::new(Code::TaskUnknown, reason))
}

/// The tasks of the list in this folder.
pub(crate) fn read_in(place: &Place, folder: &Path) -> Result<Vec<TaskSpec>, Fault> {
    listed(place, folder).map(|(specs, _)| specs)
}

fn listed(place: &Place, folder: &Path) -> Result<(Vec<TaskSpec>, Vec<Problem>), Fault> {
    let bytes = match files::read_bounded(&folder.join(FILE), overnight_tasks::LIST_BYTES_MAX)? {
        Content::Missing => return Ok((vec![TaskSpec::named(SINGLE, "")], Vec::new())),
        Content::Bytes(bytes) => bytes,
        Content::Refused(what) => {
            return Err(Fault::new(Code::TasksInvalid, format!("{FILE} is {what}")));
        }
    };
    let (specs, warnings) = parsed(&place.top, &bytes)?;
    trusted(place, &specs)?;
    if let Some(spec) = specs
        .iter()
        .find(|spec| spec.is_scoped() && place.git_common.is_none())
    {
        let reason = format!(
            "task {}: allowed_paths and max_changed_files need a git repository, which tells what changed",
            spec.id
        );
        return Err(Fault::new(Code::TasksInvalid, reason));
    }
    Ok((specs, warnings))
}

fn parsed(top: &Path, bytes: &[u8]) -> Result<(Vec<TaskSpec>, Vec<Problem>), Fault> {
    let list = overnight_tasks::parse(bytes).map_err(|problems| problem::fault(FILE, &problems))?;
    let specs = list.tasks.iter().map(|task| spec(top, task)).collect();
    Ok((specs, list.warnings))
}

/// The tasks of the list for who only looks: nothing of it will run. None where there is no list.
pub(crate) fn looked_at(place: &Place) -> Option<Vec<TaskSpec>> {
    let path = place.list_folder().join(FILE);
    match files::read_bounded(&path, overnight_tasks::LIST_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => parsed(&place.top, &bytes).ok().map(|(specs, _)| specs),
        _ => None,
    }
}

/// Commands from a file of the repository run only after a person trusted them.
fn trusted(place: &Place, specs: &[TaskSpec]) -> Result<(), Fault> {
    let commands: Vec<String> = specs
        .iter()
        .flat_map(|spec| spec.gates.iter().cloned())
        .collect();
    if commands.is_empty() {
        return Ok(());
    }
    let trust = Trust::of(place)?;
    match trust.untrusted(FILE, &commands).first() {
        None => Ok(()),
        Some(command) => Err(Fault::new(
            Code::NotTrusted,
            format!("{FILE} names a command that nobody trusted: {command}"),
        )
        .hint(format!("read it, then: overnight trust {FILE}"))),
    }
}

fn spec(top: &Path, task: &overnight_tasks::Task) -> TaskSpec {
    let mut spec = TaskSpec::named(task.id.as_str(), &task.objective);
    for entry in &task.definition_of_done {
        match condition(top, entry) {
            Condition::Gate(command) => spec.gates.push(command),
            Condition::Sentence(sentence) => spec.checklist.push(sentence),
        }
    }
    spec.depends_on = task
        .depends_on
        .iter()
        .map(|id| id.as_str().to_owned())
        .collect();
    spec.allowed_tools.clone_from(&task.allowed_tools);
    spec.allowed_paths.clone_from(&task.allowed_paths);
    spec.max_changed_files = task.max_changed_files;
    spec.may_change.clone_from(&task.may_change);
    spec.model.clone_from(&task.model);
    spec.issue.clone_from(&task.issue);
    spec.green = task.proof == Some(overnight_tasks::Proof::Green);
    spec.done = task.status == Status::Done;
    spec.ended = task.status == Status::Error;
    spec
}
