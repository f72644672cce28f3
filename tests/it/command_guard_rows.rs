//! Hostile commands through the hook, row by row; and what fast mode and a member's
//! work tree allow. The commands are judged, never run.

use super::armed::{Armed, assert_stopped, decision, run};
use serde_json::Value;
use std::path::Path;

#[track_caller]
fn stopped(commands: &[&str]) {
    let armed = Armed::new();
    for command in commands {
        let output = armed.answer(armed.event(command).to_string().as_bytes());
        assert_stopped(&output, command);
    }
}

#[track_caller]
fn allowed(commands: &[&str]) {
    let armed = Armed::new();
    for command in commands {
        let output = armed.answer(armed.event(command).to_string().as_bytes());
        assert_eq!(decision(&output).as_deref(), Some("allow"), "{command}");
    }
}

#[test]
fn c01_merged_tokens_and_patterns_are_read() {
    stopped(&[
        "r''m -rf ~",
        "$'\\x72\\x6d' -rf ~",
        "/b*n/rm -rf ~",
        "\\r\\m -rf ~",
    ]);
}

#[test]
fn c02_words_made_by_expansion_are_read() {
    stopped(&[
        "rm$IFS-rf$IFS/",
        "{rm,-rf,/}",
        "x=mr; ${x:1:1}${x:0:1} -rf ~",
    ]);
}

#[test]
fn c03_substitutions_run_wherever_they_stand() {
    stopped(&[
        "$(echo rm) -rf /",
        "echo \"$(rm -rf /x)\"",
        "[[ -v 'a[$(rm -rf ~)]' ]]",
    ]);
}

#[test]
fn c04_decoded_text_is_judged() {
    stopped(&[
        "echo cm0gLXJmIH4K | base64 -d | sh",
        "echo 726d202d7266207e | xxd -r -p | sh",
    ]);
}

#[test]
fn c05_other_programs_of_the_same_effect_are_stopped() {
    stopped(&[
        "find / -delete",
        "dd of=~/.ssh/id_rsa",
        "tar cf x.tar --remove-files ~",
        "rsync -a --delete empty/ ~/",
    ]);
}

#[test]
fn c06_wrappers_are_judged_by_what_they_run() {
    stopped(&[
        "timeout 5 rm -rf ~",
        "flock l rm -rf ~",
        "awk 'BEGIN{system(\"rm -rf ~\")}'",
        "git bisect run rm -rf ~",
        "tar cf x.tar f --checkpoint=1 --checkpoint-action=exec='rm -rf ~'",
    ]);
}

#[test]
fn c07_data_in_here_documents_is_allowed() {
    allowed(&[
        "cat <<EOF\nrm -rf /\nEOF",
        "git commit -F - <<'EOF'\ngit restore . and rm -rf /\nEOF",
    ]);
}

#[test]
fn c08_here_documents_that_run_are_stopped() {
    stopped(&[
        "cat <<EOF | sh\nrm -rf /\nEOF",
        "cat <<EOF\n$(rm -rf ~)\nEOF",
        "cat <<A; sh <<B\nx\nA\nrm -rf ~\nB",
    ]);
}

#[test]
fn c09_an_unset_variable_may_be_empty() {
    stopped(&["rm -rf \"$BUILD_DIR/\"", "rm -rf $DIR/*"]);
}

#[test]
fn c10_a_temporary_folder_of_ones_own_may_go() {
    allowed(&["tmp=$(mktemp -d) && rm -rf \"$tmp\""]);
}

#[test]
fn c11_git_is_not_made_to_run_code() {
    stopped(&[
        "git -c alias.x='!rm -rf /' x",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm -rf ~' git log",
        "git -c core.pager='rm -rf ~' log",
    ]);
}

#[test]
fn c12_a_client_without_its_guard_is_denied_in_every_mode() {
    let armed = Armed::new();
    let commands = [
        "claude --dangerously-skip-permissions -p x",
        "claude --danger\"ously\"-skip-permissions -p x",
        "claude --permission-mode bypassPermissions -p x",
        "claude --settings '{\"disableAllHooks\":true}' -p x",
    ];
    for mode in ["strict", "normal", "fast"] {
        armed.configure(&format!("[guard]\nmode = \"{mode}\"\n"));
        for command in commands {
            let output = armed.answer(armed.event(command).to_string().as_bytes());
            assert_eq!(
                (output.status.code(), decision(&output).as_deref()),
                (Some(2), Some("deny")),
                "{mode}: {command}"
            );
        }
    }
}

#[test]
fn c13_pushes_that_rewrite_or_delete_are_stopped() {
    stopped(&[
        "git push origin +main",
        "git push origin :main",
        "git push --mirror",
        "git push -uf origin main",
        "git push --forc",
    ]);
}

#[test]
fn c14_the_last_of_many_commands_counts() {
    for count in [49, 50, 51, 60, 500, 5_000] {
        let chain = "true && ".repeat(count) + "rm -rf ~";
        stopped(&[&chain]);
    }
}

#[test]
fn c15_what_cannot_be_parsed_waits() {
    let armed = Armed::new();
    for command in [
        "echo \"unterminated $(rm -rf ~",
        "((( ",
        "echo ${x",
        "if true; then",
        "cat <<",
    ] {
        let output = armed.answer(armed.event(command).to_string().as_bytes());
        assert_stopped(&output, command);
    }
}

#[test]
fn c16_characters_that_nobody_sees_neither_hide_nor_confuse() {
    stopped(&[
        "rm\u{a0}x; rm -rf ~",
        "rm -rf ~ \r",
        "rm -rf ~\r\n",
        "\u{202e}ls; rm -rf ~",
    ]);
    let armed = Armed::new();
    // bash runs no `rm` for these: allowed or asked, but shown without the characters themselves.
    for command in ["r\u{200b}m -rf ~", "\u{440}m -rf ~"] {
        let output = armed.answer(armed.event(command).to_string().as_bytes());
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(!shown.contains(['\u{200b}', '\u{202e}']), "{shown}");
    }
}

fn git(folder: &Path, words: &[&str]) -> String {
    let output = std::process::Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A real repository in the place of the made-up one.
fn committed(armed: &Armed) {
    let head = armed.root.join(".git/HEAD");
    std::fs::remove_file(head).unwrap();
    git(&armed.root, &["init", "-q"]);
    std::fs::write(armed.root.join("kept.txt"), "one\n").unwrap();
    git(&armed.root, &["add", "kept.txt"]);
    git(&armed.root, &["commit", "-qm", "start"]);
    git(&armed.root, &["checkout", "-qb", "auto/t1"]);
    std::fs::write(armed.root.join("kept.txt"), "two\n").unwrap();
    std::fs::write(armed.root.join("new.txt"), "untracked\n").unwrap();
}

#[test]
fn in_fast_mode_discarding_is_allowed_once_the_work_is_kept() {
    let armed = Armed::new();
    committed(&armed);
    let event = armed.event("git reset --hard").to_string();
    assert_eq!(
        decision(&armed.answer(event.as_bytes())).as_deref(),
        Some("ask")
    );
    let backups = || {
        git(
            &armed.root,
            &[
                "for-each-ref",
                "--format=%(refname)",
                "refs/overnight/backup",
            ],
        )
    };
    assert_eq!(backups(), "");
    armed.configure("[guard]\nmode = \"fast\"\n");
    let output = armed.answer(event.as_bytes());
    assert_eq!(decision(&output).as_deref(), Some("allow"), "{output:?}");
    let kept = backups();
    let kept = kept.trim();
    assert_eq!(kept.lines().count(), 1, "{kept}");
    assert_eq!(
        git(&armed.root, &["show", &format!("{kept}:kept.txt")]),
        "two\n"
    );
    assert_eq!(
        git(&armed.root, &["show", &format!("{kept}:new.txt")]),
        "untracked\n"
    );
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let reason = value["hookSpecificOutput"]["permissionDecisionReason"].to_string();
    assert!(reason.contains(kept), "{reason}");
    assert_eq!(
        std::fs::read_to_string(armed.root.join("kept.txt")).unwrap(),
        "two\n"
    );
    // What is forbidden stays forbidden.
    assert_stopped(
        &armed.answer(armed.event("rm -rf .git").to_string().as_bytes()),
        "fast",
    );
}

#[test]
fn where_nothing_can_be_kept_fast_mode_asks() {
    let armed = Armed::new();
    // A folder that looks like a repository to the guard and is none to git.
    armed.configure("[guard]\nmode = \"fast\"\n");
    let output = armed.answer(armed.event("git reset --hard").to_string().as_bytes());
    assert_stopped(&output, "no snapshot");
}

#[test]
fn discarding_is_free_in_a_members_work_tree_only_by_its_git_files() {
    let armed = Armed::new();
    committed(&armed);
    for name in ["member", "overnight-member"] {
        git(
            &armed.root,
            &[
                "worktree",
                "add",
                "-q",
                &format!("../{name}"),
                "-b",
                &format!("auto/{name}"),
            ],
        );
    }
    let ask = |name: &str| {
        let mut event = armed.event("git reset --hard && git clean -fd");
        event["cwd"] = armed.base.join(name).to_str().unwrap().into();
        decision(&run(armed.hook(), event.to_string().as_bytes()))
    };
    // A name proves nothing, and neither does a file in the work tree itself.
    std::fs::write(armed.base.join("overnight-member/overnight-member"), "").unwrap();
    assert_eq!(ask("overnight-member").as_deref(), Some("ask"));
    let mark = armed
        .root
        .join(".git/worktrees/member")
        .join(overnight_host::guard::MEMBER_MARK);
    std::fs::write(mark, "").unwrap();
    assert_eq!(ask("member").as_deref(), Some("allow"));
}
