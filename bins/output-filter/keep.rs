//! `output-filter keep`: the process that reads a command's output.

use overnight_core::code::Code;
use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_host::tee::keeper;

pub(crate) fn run(task: &str) -> Result<Exit, Fault> {
    let task = serde_json::from_str(task)
        .map_err(|error| Fault::new(Code::InputInvalid, format!("task: {error}")))?;
    keeper::keep(task)
}
