//! Go.

use super::answer;
use crate::data::Data;
use crate::effects::{effect, interpreters, options, runs_text};
use crate::machine::{Call, Machine};
use crate::names::one_of;
use crate::policy;

const REHEARSING: &str = "--snapshot --version --help --skip-publish --skip=publish";

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(
        args,
        "-o -C -run -tags -ldflags -mod -count -timeout -bench --config",
    );
    let first = words.first().copied().unwrap_or("");
    for (name, value) in options::pairs(args) {
        if one_of(name, "-exec -toolexec --exec --toolexec -vettool") {
            runs_text(machine, value, &Data::unknown());
            // A checker that is installed is a program like any other.
            if name != "-vettool" {
                effect(machine, &policy::ENV_CODE, name);
            }
        } else if name == "-o" {
            crate::effects::writes(machine, value, crate::effects::How::Write);
        }
    }
    if let ["run", "-" | "/dev/stdin", ..] = words.as_slice() {
        interpreters::input(machine, call, &call.stdin);
    }
    let second = words.get(1).copied().unwrap_or("");
    let rule = match (call.name.as_str(), first) {
        // Without a verb it releases too.
        ("goreleaser", "release" | "publish" | "announce" | "continue" | "")
            if !args.is_empty() && !options::any(args, REHEARSING) =>
        {
            Some(&policy::PUBLISH)
        }
        ("go", "env") if options::any(args, "-w -u") => Some(&policy::INSTALL),
        ("go", "install") if words.iter().any(|word| word.contains('@')) => Some(&policy::INSTALL),
        ("go", "run") if second.contains(['@', ':']) => Some(&policy::REMOTE_CODE),
        _ => None,
    };
    answer(machine, call, rule, &words)
}
