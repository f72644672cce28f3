//! `output-filter keep`: the process that reads a command's output.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_tools::filter::keeper;

pub(crate) fn run(task: &str) -> Result<Exit, Fault> {
    let task = serde_json::from_str(task)
        .map_err(|error| Fault::new(Code::InputInvalid, format!("task: {error}")))?;
    keeper::keep(task)
}
