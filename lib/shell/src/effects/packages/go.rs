//! Go.

use super::answer;
use crate::data::Data;
use crate::effects::{effect, interpreters, options, runs_text};
use crate::machine::{Call, Machine};
use crate::policy;

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(
        args,
        &[
            "-o", "-C", "-run", "-tags", "-ldflags", "-mod", "-count", "-timeout", "-bench",
            "--config",
        ],
    );
    let first = words.first().copied().unwrap_or("");
    for (index, arg) in args.iter().enumerate() {
        let value = arg
            .split_once('=')
            .map(|(_, value)| value)
            .or(args.get(index + 1).map(String::as_str))
            .unwrap_or("")
            .to_owned();
        let name = arg.split_once('=').map_or(arg.as_str(), |(name, _)| name);
        if matches!(
            name,
            "-exec" | "-toolexec" | "--exec" | "--toolexec" | "-vettool"
        ) {
            runs_text(machine, &value, &Data::unknown());
            // A checker that is installed is a program like any other.
            if name != "-vettool" {
                effect(machine, &policy::ENV_CODE, name);
            }
        } else if name == "-o" {
            crate::effects::writes(machine, &value, crate::effects::How::Write);
        }
    }
    let rule = match (call.name.as_str(), first) {
        ("goreleaser", "release")
            if !options::any(args, &["--snapshot", "--skip-publish", "--skip=publish"]) =>
        {
            &policy::PUBLISH
        }
        // Without a verb it releases too.
        ("goreleaser", "")
            if !args.is_empty()
                && !options::any(
                    args,
                    &["--snapshot", "--version", "--help", "--skip=publish"],
                ) =>
        {
            &policy::PUBLISH
        }
        ("goreleaser", "publish" | "announce" | "continue") => &policy::PUBLISH,
        ("go", "env") if options::any(args, &["-w", "-u"]) => &policy::INSTALL,
        ("go", "install") if words.iter().any(|word| word.contains('@')) => &policy::INSTALL,
        ("go", "run") if matches!(words.get(1), Some(&("-" | "/dev/stdin"))) => {
            interpreters::input(machine, call, &call.stdin);
            return Data::unknown();
        }
        ("go", "run") if words.get(1).is_some_and(|word| word.contains(['@', ':'])) => {
            &policy::REMOTE_CODE
        }
        _ => return Data::unknown(),
    };
    answer(machine, call, rule, &words)
}
