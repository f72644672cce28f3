//! The cell, from outside: an agent and a gate that do what nobody wants, for real, in a home that is
//! made for it; and work that is ordinary.

use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What nobody wants, each a line. `$H` is the person's home, `$P` their project.
const HOSTILE: &str = r#"
rm -rf "$H/Documents"
rm -rf "$H/other-project"
echo evil >> "$H/.bashrc"
echo evil >> "$H/.profile"
mkdir -p "$H/.config/autostart" && echo evil > "$H/.config/autostart/x.desktop"
echo evil > "$H/.config/systemd-user"
echo evil > /etc/overnight-test-evil
echo evil > "$H/.ssh/authorized_keys"
mv "$H/notes.txt" "$H/gone.txt"
true > "$H/notes.txt"
ln "$H/notes.txt" ./linked
truncate -s 0 "$H/notes.txt"
echo evil > "$P/tracked"
mkdir -p "$P/.git/hooks" && echo evil > "$P/.git/hooks/pre-commit"
git config core.fsmonitor "touch $H/evil"
git -C "$P" config core.hooksPath /tmp/evil
echo '* filter=evil' > "$P/.git/info/attributes"
echo '[core]' >> "$P/.git/config"
rm -rf "$P/.git/overnight/runs"
echo '{}' > "$H/.local/state/overnight/approvals/x.json"
rm -rf "$H/.local/state/overnight/trust"
sh -c 'kill -9 "$VICTIM"'
kill -9 "$DRIVER"
prlimit --pid "$VICTIM" --nofile=3:3
prlimit --pid "$DRIVER" --cpu=1:1
ls "$H" > listed.txt
for secret in .ssh/id_ed25519 .aws/credentials .kube/config .netrc .npmrc .config/gh/hosts.yml .bash_history .local/state/overnight/approvals/book.json; do
  cat "$H/$secret" >> stolen.txt
  cp "$H/$secret" "./$(basename "$secret")"
  ln -s "$H/$secret" "./by-link-$(basename "$secret")" && cat "./by-link-$(basename "$secret")" >> stolen.txt
done
env >> stolen.txt
"#;

const SECRETS: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".kube/config",
    ".netrc",
    ".npmrc",
    ".config/gh/hosts.yml",
    ".bash_history",
    ".local/state/overnight/approvals/book.json",
];

/// Stands in every secret of the sacrificial home.
const SECRET: &str = "hunter2-of-the-person";

/// A project whose person has a home with things in it.
fn lived_in() -> Project {
    let project = Project::on_disk();
    project.git(&["switch", "-q", "-c", "main"]);
    std::fs::write(project.path("tracked"), "1\n").unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "tracked"]);
    let put = |name: &str, text: &str| {
        let path = project.home().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for name in SECRETS {
        put(name, SECRET);
    }
    put("Documents/thesis.tex", "years\n");
    put("other-project/src/main.rs", "fn main() {}\n");
    put(".bashrc", "alias ll='ls -l'\n");
    put("notes.txt", "notes\n");
    put(".local/state/overnight/trust/x.json", "{}");
    project
}

/// The person's files: their home without what the run made for itself, and their project.
fn everything(project: &Project) -> BTreeMap<PathBuf, Vec<u8>> {
    fn walk(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let ours = [
                "worktrees",
                "rooms",
                "agent_logs",
                "progress",
                "overnight",
                "objects",
                "refs",
                "logs",
            ];
            let about = path.symlink_metadata().unwrap();
            if about.is_dir() {
                if !ours.iter().any(|name| path.ends_with(name))
                    || path.ends_with(".local/state/overnight")
                {
                    all.insert(path.clone(), Vec::new());
                    walk(&path, all);
                }
            } else {
                all.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(project.home(), &mut all);
    walk(&project.path(""), &mut all);
    // Books that git keeps of its work trees, and the person's list of what is ours.
    all.retain(|path, _| {
        !path.to_string_lossy().contains("/.git/worktrees") && !path.ends_with("info/exclude")
    });
    all
}

/// Whether the kernel here gives a cell.
pub(crate) fn has_cell() -> bool {
    let kept = overnight_host::cell::level().keeps_files();
    if !kept {
        crate::support::skip("the kernel gives no cell");
    }
    kept
}

/// Runs `agent` with `gate`, as `args` say, with the hostile script at hand.
fn night(project: &Project, agent: &str, gate: &str, victim: u32) -> assert_cmd::assert::Assert {
    let script = project.home().join("hostile.sh");
    std::fs::write(&script, HOSTILE).unwrap();
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command
        .args([
            "run",
            "do it",
            "--no-pr",
            "--cell=auto",
            "--agent",
            &format!("command:{agent}"),
            "--gate",
            gate,
        ])
        .env("H", project.home())
        .env("P", project.path(""))
        .env("VICTIM", victim.to_string())
        .env("GITHUB_TOKEN", SECRET)
        .env("SSH_AUTH_SOCK", "/nowhere");
    assert_cmd::Command::from_std(command).assert()
}

fn limits_of(process: u32) -> String {
    std::fs::read_to_string(format!("/proc/{process}/limits")).unwrap_or_default()
}

#[test]
fn an_agent_and_a_gate_that_would_ruin_a_home_change_nothing_and_read_no_secret() {
    if !has_cell() {
        return;
    }
    let project = lived_in();
    let mut victim = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let limits = limits_of(victim.id());
    let script = project.home().join("hostile.sh");
    std::fs::write(&script, HOSTILE).unwrap();
    std::fs::write(project.home().join(".gitconfig"), "").unwrap();
    let before = everything(&project);
    let hostile = format!("DRIVER=$PPID sh {} >/dev/null 2>&1", script.display());
    let agent = format!("{hostile}; echo work > made.txt; echo '<DONE>made</DONE>'");
    let gate = format!("{hostile}; test -f made.txt && ! grep -rqs {SECRET} .");
    night(&project, &agent, &gate, victim.id()).success();
    let after = everything(&project);
    let differs: Vec<_> = before
        .iter()
        .filter(|(path, bytes)| after.get(*path) != Some(*bytes))
        .map(|(path, _)| path)
        .chain(after.keys().filter(|path| !before.contains_key(*path)))
        .collect();
    assert!(differs.is_empty(), "{differs:#?}");
    assert!(!Path::new("/etc/overnight-test-evil").exists());
    assert!(victim.try_wait().unwrap().is_none(), "killed");
    assert_eq!(limits_of(victim.id()), limits);
    victim.kill().unwrap();
    victim.wait().unwrap();
    // What the agent got together is on its branch.
    let branch = project.git_out(&[
        "for-each-ref",
        "--format=%(refname)",
        "refs/heads/auto/do-it-*",
    ]);
    let stolen = project.git_out(&["show", &format!("{}:stolen.txt", branch.trim())]);
    assert!(stolen.contains("VICTIM="), "{stolen}");
    assert!(!stolen.contains(SECRET), "{stolen}");
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn ordinary_work_goes_on_in_a_cell() {
    if !has_cell() {
        return;
    }
    let project = lived_in();
    let agent = r#"set -e
        test "$OVERNIGHT_CELL" = agent
        echo work > made.txt; git add made.txt; git commit -qm made; git log -1 --format=%s | grep -q made
        git switch -q -c side; git switch -q -; git tag t; git status --short
        file=$(mktemp); echo x > "$file"; mkfifo "$TMPDIR/pipe"; rm "$file"
        echo x > /dev/null; echo x >&2; : > /dev/shm/overnight-cell-test; rm /dev/shm/overnight-cell-test
        mkdir -p "${XDG_CACHE_HOME:-$HOME/.cache}/tool" && echo x > "${XDG_CACHE_HOME:-$HOME/.cache}/tool/x"
        sleep 60 & kill $!
        completion-check declare complete --reason made"#;
    let gate = r#"test "$OVERNIGHT_CELL" = gate && test -f made.txt && mktemp >/dev/null && echo built > built.txt"#;
    night(&project, agent, gate, 0).success();
    project
        .overnight(&["status"])
        .success()
        .stdout(contains("made"));
}

#[test]
fn a_kernel_without_walls_is_said_and_refused_where_they_are_demanded() {
    let project = lived_in();
    let run = |cell: &str, abi: &str| {
        let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
        command
            .args([
                "run",
                "do it",
                "--no-pr",
                "--cell",
                cell,
                "--agent",
                "command:echo w > made.txt; echo '<DONE>made</DONE>'",
            ])
            .env("OVERNIGHT_LANDLOCK", abi);
        assert_cmd::Command::from_std(command).assert()
    };
    run("on", "0").code(69).stderr(contains("no Landlock"));
    assert!(project.runs().is_empty(), "nothing was started");
    run("on", "2").code(69).stderr(contains("takes version 3"));
    run("auto", "0")
        .success()
        .stderr(contains("no cell, the agent reaches what you reach"));
}

/// Everything in git's configuration that starts a program.
const STARTERS: &str = r#"
for key in core.fsmonitor core.pager core.editor core.sshCommand core.askPass core.alternateRefsCommand \
  diff.external diff.x.command diff.x.textconv filter.x.clean filter.x.smudge filter.x.process merge.x.driver \
  gpg.program credential.helper interactive.diffFilter sequence.editor uploadpack.packObjectsHook; do
  git config --file "$P/.git/config" $key "touch $H/evil-$key; cat"
done
git config --file "$P/.git/config" commit.gpgSign true
git config --file "$P/.git/config" core.hooksPath "$H/hooks"
mkdir -p "$H/hooks"
for hook in pre-commit post-commit post-checkout post-merge reference-transaction post-index-change pre-push; do
  printf '#!/bin/sh\ntouch %s/evil-%s\n' "$H" $hook > "$H/hooks/$hook"
  chmod +x "$H/hooks/$hook"
done
echo '* filter=x diff=x merge=x' > .gitattributes
echo changed > tracked; echo work > made.txt; echo '<DONE>made</DONE>'
"#;

#[test]
fn without_a_cell_git_starts_nothing_that_an_agent_wrote_into_its_configuration() {
    for place in ["--here", "--with-changes"] {
        let project = lived_in();
        let script = project.home().join("starters.sh");
        std::fs::write(&script, STARTERS).unwrap();
        let agent = format!("command:sh {}", script.display());
        let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
        command
            .args(["run", "do it", "--no-pr", "--cell=off", place])
            .args(["--agent", &agent, "--gate", "test -f made.txt"])
            .env("H", project.home())
            .env("P", project.path(""));
        assert_cmd::Command::from_std(command).assert().success();
        let run = project.only_run();
        for look in [
            &["status", &run][..],
            &["report", &run],
            &["diff", &run],
            &["undo", &run],
        ] {
            project.overnight(look).success();
        }
        let all = std::fs::read_dir(project.home()).unwrap().flatten();
        let evil: Vec<_> = all
            .map(|entry| entry.file_name())
            .filter(|name| name.to_string_lossy().starts_with("evil"))
            .collect();
        assert!(evil.is_empty(), "{place}: {evil:?}");
    }
}

#[test]
fn what_the_walls_refuse_is_told_to_the_next_agent_in_the_report_and_in_the_rehearsal() {
    if !has_cell() {
        return;
    }
    let project = Project::new();
    let closed = project.home().join("closed");
    let agent = format!(
        "command:cat > {}.$OVERNIGHT_ITERATION; touch {}; echo x >> made.txt; [ $OVERNIGHT_ITERATION = 1 ] || echo '<DONE>ok</DONE>'",
        project.meeting("prompt").display(),
        closed.display()
    );
    project.run(&["--agent", &agent]).success();
    let line = format!("- `{}`", closed.display());
    let prompt =
        |at: u32| std::fs::read_to_string(project.meeting(&format!("prompt.{at}"))).unwrap();
    assert!(!prompt(1).contains(&line) && prompt(2).contains(&line));
    project
        .overnight(&["report"])
        .success()
        .stdout(contains("Refused there").and(contains("closed (2)")));
    let gate = format!("touch {}", closed.display());
    project
        .overnight(&["rehearse", "--agent", "command:true", "--gate", &gate])
        .stdout(contains("below [cell] in ").and(contains("config.toml: write = [")));
    assert!(!closed.exists());
}

/// Whether the kernel here gives namespaces beside.
pub(crate) fn has_namespaces() -> bool {
    let given = overnight_host::cell::gives().namespaces;
    if !given {
        crate::support::skip("the kernel gives no namespaces");
    }
    given
}

#[test]
fn modes_times_and_sockets_are_out_of_reach_and_a_cell_without_namespaces_says_so() {
    if !has_cell() || !has_namespaces() {
        return;
    }
    let project = lived_in();
    let daemon = project.home().join("daemon.sock");
    let _listens = std::os::unix::net::UnixListener::bind(&daemon).unwrap();
    let notes = project.home().join("notes.txt");
    let before = std::fs::metadata(&notes).unwrap();
    let agent = r#"chmod 777 "$H/notes.txt"; touch -d 2001-01-01 "$H/notes.txt" "$H/Documents"
        chmod -R 777 "$H/.ssh"; cd . && echo work > made.txt
        python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$H/daemon.sock" 2> socket.txt
        echo "$?" >> socket.txt; echo '<DONE>made</DONE>'"#;
    night(&project, agent, "tail -1 socket.txt | grep -qv '^0$'", 0).success();
    let after = std::fs::metadata(&notes).unwrap();
    assert_eq!(after.permissions(), before.permissions());
    assert_eq!(after.modified().unwrap(), before.modified().unwrap());
    let report = project.overnight(&["report"]).success();
    report.stdout(contains("namespaces: sockets with a path"));
    let mut doctor = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    doctor.arg("doctor").env("OVERNIGHT_NAMESPACES", "0");
    assert_cmd::Command::from_std(doctor)
        .assert()
        .stdout(contains("no namespaces: sockets with a path"));
}

#[test]
fn a_gate_writes_to_a_tmp_of_its_own() {
    if !has_cell() || !has_namespaces() {
        return;
    }
    let project = lived_in();
    let left = tempfile::tempdir_in("/tmp").unwrap();
    std::fs::write(left.path().join("there"), "of everybody\n").unwrap();
    let there = left.path().display();
    let gate = format!(
        "grep -q everybody {there}/there && echo x > {there}/there && echo x > {there}.new && grep -q x {there}.new \
         && test -f made.txt && ! grep -qs {SECRET} $H/.netrc && ! touch $H/new"
    );
    let agent = "echo work > made.txt; echo '<DONE>made</DONE>'";
    night(&project, agent, &gate, 0).success();
    let text = std::fs::read_to_string(left.path().join("there")).unwrap();
    assert_eq!(text, "of everybody\n");
    assert!(!Path::new(&format!("{there}.new")).exists());
}

#[test]
fn a_push_of_the_agents_own_branch_is_carried_out_by_the_driver_and_no_other() {
    if !has_cell() {
        return;
    }
    let project = lived_in();
    let remote = project.home().join("remote.git");
    let remote = remote.to_str().unwrap();
    project.git(&["init", "-q", "--bare", remote]);
    project.git(&["remote", "add", "origin", remote]);
    project.git(&["push", "-q", "origin", "main"]);
    let main = project.git_out(&["--git-dir", remote, "rev-parse", "main"]);
    let agent = r#"echo work > made.txt; git add -A; git commit -qm made
        git push origin HEAD 2> said.txt || exit 1
        git push origin HEAD:main 2>> said.txt && exit 1
        git init -q --bare "$TMPDIR/own.git"; git init -q "$TMPDIR/test"; cd "$TMPDIR/test"
        git remote add origin "$TMPDIR/own.git"; git commit -q --allow-empty -m x; git push -q origin HEAD:x || exit 1
        git --git-dir "$TMPDIR/own.git" rev-parse x >/dev/null || exit 1
        cd "$OLDPWD"; echo '<DONE>made</DONE>'"#;
    night(
        &project,
        agent,
        "grep -q 'Noted: the driver pushes auto/' said.txt",
        0,
    )
    .success()
    .stderr(contains("as the agent asked"));
    let there = project.git_out(&["--git-dir", remote, "for-each-ref", "--format=%(refname)"]);
    assert!(there.contains("refs/heads/auto/do-it-"), "{there}");
    assert_eq!(
        project.git_out(&["--git-dir", remote, "rev-parse", "main"]),
        main
    );
}

#[test]
fn the_network_of_a_cell_is_what_the_person_says_and_loopback_works() {
    if !has_cell() || !has_namespaces() {
        return;
    }
    let outside = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    let gate = format!(
        r#"python3 -c '
import socket
own = socket.socket(); own.bind(("127.0.0.1", 0)); own.listen()
socket.create_connection(own.getsockname(), 5)
try: socket.create_connection(("127.0.0.1", {port}), 5)
except OSError: print("closed")
else: raise SystemExit(1)'"#
    );
    let project = lived_in();
    project.person("[cell]\nnetwork = \"none\"\n");
    let agent = format!("{gate} > made.txt; grep closed made.txt && echo '<DONE>made</DONE>'");
    night(&project, &agent, &gate, 0).success();
    // By their numbers: a port that is not named is refused before anything is sent.
    let gate = r#"python3 -c '
import errno, socket
own = socket.socket(); own.bind(("127.0.0.1", 0)); own.listen()
socket.create_connection(own.getsockname(), 5)
def met(port):
    try: socket.create_connection(("127.0.0.1", port), 5)
    except OSError as error: return error.errno
assert met(25) == errno.EACCES and met(443) != errno.EACCES'"#;
    let project = lived_in();
    project.person("[cell]\nnetwork = [443, 80]\n");
    night(
        &project,
        "echo work > made.txt; echo '<DONE>made</DONE>'",
        gate,
        0,
    )
    .success();
}

#[test]
fn a_runaway_is_ended_and_the_report_says_by_what() {
    if !has_cell() {
        return;
    }
    let project = lived_in();
    project.person("[cell]\nprocesses = 30\nfile_gb = 1\n");
    // The first thing that it does is to start something: that has the limit, too.
    let large = "truncate -s 2G large; rm -f large; git config a.b c";
    let many = "for one in $(seq 60); do sleep 60 & done; wait";
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command.args(["run", "do it", "--no-pr", "--max-iterations=2"]);
    command.args(["--agent", &format!("command:{large}; echo w >> made.txt; [ $OVERNIGHT_ITERATION = 2 ] || {{ {many}; }}; echo '<DONE>made</DONE>'")]);
    command.args([
        "--gate",
        "while rm -f large; truncate -s 2G large; do :; done; exit 153",
    ]);
    assert_cmd::Command::from_std(command)
        .assert()
        .stderr(contains("more than cell.processes = 30"));
    let report = project.overnight(&["report"]).success();
    let refused =
        contains("An agent met a limit there").and(contains("refused to what it started"));
    report.stdout(
        contains("An agent was ended by a limit there")
            .and(contains("cell.file_gb = 1"))
            .and(refused)
            .and(contains("/.git/config (")),
    );
}
