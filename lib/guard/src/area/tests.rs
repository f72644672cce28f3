use super::*;
use overnight_shell::{Decision, Entry, Facts};
use std::collections::BTreeMap;

const ROOT: &str = "/home/dev/project";

fn grounds() -> Grounds {
    Grounds {
        project: Some(ROOT.to_owned()),
        git_common: Some(format!("{ROOT}/.git")),
        ours: vec![
            format!("{ROOT}/.git/overnight"),
            "/home/dev/.local/state/overnight".to_owned(),
        ],
        plugin: Some("/home/dev/plugins/overnight".to_owned()),
        temporary: vec!["/scratch".to_owned()],
        decision_file: Some(format!("{ROOT}/.git/overnight/runs/r/decision.json")),
        unattended: true,
    }
}

fn context() -> Context<'static> {
    Context::repository(ROOT, "/home/dev")
}

#[track_caller]
fn writes(expected: Decision, paths: &[&str]) {
    for path in paths {
        let verdict = write(path, &context(), &grounds());
        assert_eq!(verdict.decision, expected, "{path}: {verdict:?}");
    }
}

#[track_caller]
fn reads(expected: Decision, paths: &[&str]) {
    for path in paths {
        let verdict = read(path, &context(), &grounds());
        assert_eq!(verdict.decision, expected, "{path}: {verdict:?}");
    }
}

#[test]
fn the_projects_own_files_and_temporary_ones_are_free() {
    writes(
        Decision::Allow,
        &[
            "/home/dev/project/src/lib.rs",
            "src/a b.rs",
            "./docs/../README.md",
            ".gitignore",
            ".env.example",
            ".github/ISSUE_TEMPLATE/bug.md",
            "tests/fixtures/tasks.json",
            "progress/README.md",
            "/tmp/x",
            "/scratch/y",
            ".claude/worktrees/agent-1/src/lib.rs",
            "certs/ca-cert.pem",
            "src/keyring/token.rs",
            "hooks/use-x.ts",
            "/home/dev/project/.git/overnight/runs/r/decision.json",
            ".gitattributes",
            "environment.ts",
            "/dev/null",
        ],
    );
}

#[test]
fn git_settings_and_the_guard_itself_are_out_of_reach() {
    writes(
        Decision::Deny,
        &[
            ".git/hooks/pre-commit",
            ".git/config",
            "src/../.git/HEAD",
            ".GIT/config",
            ".g\u{200c}it/config",
            "git~1/config",
            "vendor/lib/.git/hooks/post-checkout",
            ".git",
            "/home/dev/project/.git/overnight/runs/r/epoch",
            "/home/dev/.local/state/overnight/approvals/x",
            ".claude/settings.json",
            ".claude/settings.local.json",
            ".claude/hooks/x.sh",
            "~/.claude/settings.json",
            "/home/dev/.claude/plugins/x/hooks.json",
            "~/.claude.json",
            "/home/dev/plugins/overnight/bin/command-guard",
            ".claude/worktrees/a/.claude/settings.json",
            "/etc/claude-code/managed-settings.json",
            "tasks.json",
            "current_tasks/t1.txt",
            ".agentcore-loop/decision.json",
            ".flow/config.json",
            "",
            "a\0b",
        ],
    );
}

#[test]
fn a_work_tree_among_our_own_state_is_the_project() {
    let top = "/home/dev/.local/state/overnight/worktrees/k/r/project";
    let grounds = Grounds {
        project: Some(top.to_owned()),
        ..grounds()
    };
    let context = Context::repository(top, "/home/dev");
    let decide = |path: &str| write(path, &context, &grounds).decision;
    assert_eq!(decide("src/lib.rs"), Decision::Allow);
    assert_eq!(decide(&format!("{top}/new.txt")), Decision::Allow);
    for path in [
        "../other/src/lib.rs",
        "../../../../approvals/x",
        ".git",
        "tasks.json",
        "/home/dev/.local/state/overnight/trust/x",
    ] {
        assert_eq!(decide(path), Decision::Deny, "{path}");
    }
}

#[test]
fn a_path_that_no_system_opens_is_not_walked() {
    writes(Decision::Deny, &[&"a/".repeat(3_000)]);
    writes(Decision::Allow, &[&"a/".repeat(2_000)]);
}

#[test]
fn the_account_and_the_system_are_out_of_reach() {
    writes(
        Decision::Deny,
        &[
            "~/.bashrc",
            "/home/dev/.ssh/authorized_keys",
            "/home/dev/.config/systemd/user/x.service",
            "~/bin/git",
            "/home/dev/Library/LaunchAgents/x.plist",
            "/etc/passwd",
            "/usr/local/bin/git",
            "/var/spool/cron/x",
            "/x",
            "/proc/sys/kernel/x",
            "../../../../etc/hosts",
            "/dev/sda",
            "~/.local/bin/git",
            "/home/dev/.gitconfig",
        ],
    );
}

#[test]
fn what_runs_elsewhere_or_lies_outside_is_a_question() {
    writes(
        Decision::Ask,
        &[
            ".github/workflows/ci.yml",
            ".gitlab-ci.yml",
            ".circleci/config.yml",
            "Jenkinsfile",
            ".husky/pre-commit",
            ".envrc",
            ".mcp.json",
            ".vscode/tasks.json",
            ".env",
            ".env.local",
            "prod.env",
            "deploy/id_rsa",
            "server.key",
            "../other/src/lib.rs",
            "/home/dev/notes.txt",
            "/data/x.txt",
            ".claude/commands/x.md",
            ".claude/agents/a.md",
            "AGENT_PROMPT.md",
            "overnight.toml",
        ],
    );
}

#[test]
fn credentials_are_not_shown_to_the_model() {
    reads(
        Decision::Deny,
        &[
            "~/.ssh/id_ed25519",
            "/home/dev/.aws/credentials",
            "~/.netrc",
            "~/.claude/.credentials.json",
            "/etc/shadow",
            "/proc/self/environ",
            "~/.config/gh/hosts.yml",
            "~/.docker/config.json",
        ],
    );
    reads(
        Decision::Ask,
        &[
            ".env",
            ".env.production",
            "deploy/server.key",
            "certs/private.pem",
        ],
    );
    reads(
        Decision::Allow,
        &[
            "src/lib.rs",
            ".env.example",
            "/usr/include/stdio.h",
            ".git/config",
            "~/.ssh/id_ed25519.pub",
            "certs/ca.pem",
            "/etc/os-release",
            ".claude/settings.json",
            "src/keys.rs",
            "id_rsa.pub",
        ],
    );
}

/// A file system of nothing but links.
struct Links(BTreeMap<&'static str, &'static str>);

impl Facts for Links {
    fn entry(&self, path: &str) -> Entry {
        match self.0.get(path) {
            Some(target) => Entry::Link((*target).to_owned()),
            None => Entry::Missing,
        }
    }
    fn ignored(&self, _path: &str) -> Option<bool> {
        None
    }
    fn recoverable(&self, _path: &str) -> Option<bool> {
        None
    }
}

#[test]
fn links_are_followed_to_where_a_tool_would_write() {
    let links = Links(BTreeMap::from([
        ("/home/dev/project/notes", ".git"),
        ("/home/dev/project/rc", "/home/dev/.bashrc"),
        ("/home/dev/project/up", ".."),
        ("/home/dev/project/loop", "loop"),
        ("/home/dev/project/docs", "src"),
        ("/home/dev/project/.git2", "docs/../.git"),
    ]));
    let context = Context {
        facts: &links,
        ..context()
    };
    for (path, expected) in [
        ("notes/hooks/pre-commit", Decision::Deny),
        ("rc", Decision::Deny),
        ("up/other/x", Decision::Ask),
        ("loop/x", Decision::Ask),
        ("docs/x.md", Decision::Allow),
        (".git2/config", Decision::Deny),
    ] {
        assert_eq!(
            write(path, &context, &grounds()).decision,
            expected,
            "{path}"
        );
    }
}

#[test]
fn where_the_folder_is_unknown_nothing_is_the_projects() {
    let nowhere = Context {
        cwd: "/",
        root: None,
        ..context()
    };
    assert_eq!(
        write("src/lib.rs", &nowhere, &Grounds::default()).decision,
        Decision::Ask
    );
    assert_eq!(
        write("etc/passwd", &nowhere, &Grounds::default()).decision,
        Decision::Deny
    );
}

#[test]
fn in_a_session_with_a_person_the_task_list_is_not_forbidden() {
    let attended = Grounds {
        unattended: false,
        ..grounds()
    };
    assert_eq!(
        write("tasks.json", &context(), &attended).decision,
        Decision::Allow
    );
    assert_eq!(
        write(".claude/settings.json", &context(), &attended).decision,
        Decision::Deny
    );
}
