//! Permissions and owners.

use super::{Row, effect, options, place_of};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::place::{self, PathClass};
use crate::policy;

pub(super) const ROWS: &[Row] = &[
    ("chmod", chmod),
    ("chown chgrp", chown),
    ("setfacl chattr setcap chflags xattr setfattr", attributes),
];

/// Set-user-id, set-group-id or writable for all.
pub(super) fn special(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) && !mode.is_empty() {
        let high = mode.len() >= 4 && matches!(mode.as_bytes()[mode.len() - 4], b'2'..=b'7');
        return high || matches!(mode.as_bytes()[mode.len() - 1], b'2' | b'3' | b'6' | b'7');
    }
    mode.split(',').any(|clause| {
        let Some((who, rights)) = clause.split_once(['+', '=']) else {
            return false;
        };
        let all = who.is_empty() && clause.contains('=') || who.contains(['a', 'o']);
        rights.contains('s') || (all && rights.contains('w'))
    })
}

fn chmod(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "", "reference", false);
    let recursive = options.has("R", "recursive");
    // A mode may start with a dash: `chmod -x file`.
    let dashed = call.args().iter().find(|arg| {
        arg.starts_with('-') && arg.len() > 1 && arg[1..].chars().all(|c| "rwxXst".contains(c))
    });
    let mut operands = options.operands.clone();
    let mode = match dashed {
        Some(mode) => mode.as_str(),
        None if operands.is_empty() => return Data::empty(),
        None => operands.remove(0),
    };
    for path in operands {
        let place = place_of(machine, path);
        let rule = match place {
            PathClass::Temporary | PathClass::Build
                if !mode.contains('s') && !special_bits(mode) =>
            {
                continue;
            }
            PathClass::Work
            | PathClass::Root
            | PathClass::RunState
            | PathClass::LocalSecret
            | PathClass::Pipeline
            | PathClass::Temporary
            | PathClass::Build => {
                if special_bits(mode) || special(mode) && (recursive || place == PathClass::Root) {
                    &policy::PERMISSIONS
                } else if special(mode) || (recursive && removes(mode)) {
                    &policy::OWNER
                } else {
                    continue;
                }
            }
            PathClass::Guard | PathClass::Git => &policy::WRITE_HOOKS,
            _ if recursive && vital(machine, path) => &policy::OPEN_HOME,
            PathClass::Home | PathClass::HomeCache | PathClass::Elsewhere
                if !recursive && !special(mode) =>
            {
                &policy::OWNER
            }
            _ => &policy::PERMISSIONS,
        };
        effect(machine, rule, path);
    }
    Data::empty()
}

fn vital(machine: &Machine<'_>, path: &str) -> bool {
    place::vital(machine.context, &machine.resolve(path, false))
}

fn special_bits(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return mode.len() >= 4 && matches!(mode.as_bytes()[mode.len() - 4], b'2'..=b'7');
    }
    mode.split_once(['+', '='])
        .is_some_and(|(_, rights)| rights.contains('s'))
}

/// Does the mode take rights away from the owner?
fn removes(mode: &str) -> bool {
    mode.starts_with("000")
        || mode.starts_with('0') && mode.len() == 3
        || mode == "0"
        || mode.starts_with("a-")
        || mode.starts_with("u-")
        || mode.starts_with('-')
}

fn chown(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(call.args(), "", "reference from", false);
    for path in options.operands.iter().skip(1) {
        let rule = match place_of(machine, path) {
            _ if options.has("R", "recursive") && vital(machine, path) => &policy::OPEN_HOME,
            PathClass::Temporary | PathClass::Build => continue,
            PathClass::Work | PathClass::Root | PathClass::RunState | PathClass::Elsewhere => {
                &policy::OWNER
            }
            _ => &policy::PERMISSIONS,
        };
        effect(machine, rule, path);
    }
    Data::empty()
}

fn attributes(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name == "setcap" {
        effect(machine, &policy::PERMISSIONS, "setcap");
        return Data::empty();
    }
    let last = call
        .args()
        .last()
        .map_or(PathClass::Unknown, |path| place_of(machine, path));
    let reads_only = call.name == "xattr" && options::any(call.args(), "-l -p");
    let rule = match last {
        _ if reads_only => return Data::unknown(),
        PathClass::Temporary | PathClass::Build => return Data::empty(),
        PathClass::Work | PathClass::Root => &policy::OWNER,
        _ => &policy::PERMISSIONS,
    };
    effect(machine, rule, &call.name);
    Data::empty()
}
