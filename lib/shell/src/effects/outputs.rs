//! Files that programs write by an option or by their place among the arguments, beside what they
//! print.

use super::{How, commands, effect, folders, options, packages, stands_in, unknown, writes};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::{names, place, policy, table};

/// Options whose value is a file that is written. Programs that nobody lists have `-o` looked at by
/// `unknown`.
const BY_OPTION: &[[&str; 2]] = table::rows!("../../tables/outputs.txt");

/// What a program writes beside its output.
pub(super) fn written(machine: &mut Machine<'_>, call: &Call) {
    folders::elsewhere(machine, call);
    for [_, options] in BY_OPTION.iter().filter(|[names, _]| call.is(names)) {
        for file in commands::values(call.args(), options) {
            if file != "-" && !file.is_empty() {
                writes(machine, &file, How::Append);
                let path = machine.resolve(&file, false);
                machine.files.entry(path).or_insert_with(Data::unknown);
            }
        }
    }
    if stands_in(packages::ROWS, &call.name) {
        unknown::foreign(machine, call);
    }
    // The second operand.
    if call.is("uniq xxd")
        && let Some(file) = options::words(call.args(), "-f -s -w -l -c -g -o -n").get(1)
    {
        writes(machine, file, How::Write);
    }
    if call.is("docker podman nerdctl") && options::any(call.args(), "save export") {
        for file in commands::values(call.args(), "-o --output") {
            writes(machine, &file, How::Write);
        }
    }
}

/// Attributes that name a filter make git run what its configuration says; that of large files is everybody's.
pub(crate) fn attributes(machine: &mut Machine<'_>, path: &str, data: &Data) {
    let text = data.text.as_deref().unwrap_or("");
    let filters = names::filters(text);
    if filters && place::last(path) == ".gitattributes" {
        effect(machine, &policy::WRITE_STARTS, path);
    }
}
