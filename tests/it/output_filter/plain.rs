//! Which commands the client's shell runs itself, without the filter in between.

use overnight_filter::reexec::{env_guard, typed};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A filter that only says that it was asked.
fn asking(folder: &std::path::Path) -> String {
    let program = folder.join("out put/filter");
    std::fs::create_dir(program.parent().unwrap()).unwrap();
    std::fs::write(&program, "#!/bin/sh\necho asked\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program.to_str().unwrap().to_owned()
}

#[test]
fn only_what_is_left_alone_anyway_runs_in_the_clients_own_shell() {
    let folder = tempfile::tempdir().unwrap();
    let guard = env_guard(&asking(folder.path()));
    let long = format!("echo {}", "word ".repeat(100));
    for shell in ["bash", "zsh"] {
        if Command::new(shell).arg("--version").output().is_err() {
            return crate::support::skip(format!("there is no {shell}"));
        }
        for (command, own) in [
            ("echo hi", true),
            ("pwd", true),
            ("echo", true),
            ("cd .", true),
            ("cat out.txt", true),
            ("ls -la --color=never .", true),
            ("git log --oneline -5", true),
            ("echo 'hi'", false),
            ("echo $HOME", false),
            ("echo hi; seq 1000", false),
            ("echo hi && eval echo hi", false),
            ("echo hi\nseq 1000", false),
            ("ls *", false),
            ("cargo test", false),
            ("git push", false),
            ("git logs", false),
            ("echoes", false),
            ("find . -exec x", false),
            ("env cargo test", false),
            ("(echo hi)", false),
            ("", false),
            (&long, false),
        ] {
            let quoted = if command.contains(' ') || command.is_empty() {
                format!("'{}'", command.replace('\'', r#"'"'"'"#))
            } else {
                command.to_owned()
            };
            let string = format!(
                "{guard}: && \\builtin true || true && eval {quoted} < /dev/null && pwd -P >| cwd"
            );
            assert_eq!(typed(&string).as_deref(), Some(command));
            let mut line = Command::new(shell);
            line.args(["-c", &string]).current_dir(folder.path());
            line.env_remove("OUTPUT_FILTER_ENABLED");
            let done = line.output().unwrap();
            let out = String::from_utf8_lossy(&done.stdout);
            assert_eq!(out != "asked\n", own, "{shell}: {command:?}: {done:?}");
            let left = format!("{string}; set");
            let mut line = Command::new(shell);
            line.args(["-c", &left]).current_dir(folder.path());
            let done = line.output().unwrap();
            let out = String::from_utf8_lossy(&done.stdout);
            let kept = |line: &str| line.starts_with("OVERNIGHT_FILTER_");
            assert!(!out.lines().any(kept), "{shell}: {command:?}: {out}");
        }
    }
}
