//! The cell in a person's own client: the shells of a session in which a run is armed live behind walls.

use super::api::{Kind, Request, Script, Turn};
use super::stage::Stage;
use super::support;

/// What nobody wants of a shell, and what everybody wants of one; the work tree is the person's own.
const PROBE: &str = r#"
echo evil > ~/evil; echo evil >> ~/.gitconfig; rm -rf ~/Documents
cat ~/.claude/.credentials.json ~/.claude.json ~/.ssh/id_ed25519; echo key=$ANTHROPIC_API_KEY
echo evil > ~/.claude/CLAUDE.md; echo evil > ~/.local/state/overnight/cells/evil
mkdir -p .git/hooks; echo evil > .git/hooks/post-commit; git config core.fsmonitor evil
mv .git moved; echo evil > .git/overnight/sessions/evil; rm -rf .git/overnight/runs
echo evil > .git/info/attributes; echo work > work.txt; git add -A; git commit -qm work && echo committed
file=$(mktemp) && echo x > "$file" && echo temporary
echo "cell $OVERNIGHT_CELL"
"#;

fn put(stage: &Stage, name: &str, text: &str) {
    let path = stage.client.home.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A stage whose person has things at home, works on an agent's branch, and has a remote.
fn lived_in(script: Script) -> Option<Stage> {
    if !overnight_host::cell::gives().namespaces {
        support::skip("the kernel gives no cell with namespaces");
        return None;
    }
    let stage = Stage::new(script)?;
    put(&stage, ".claude/.credentials.json", "hunter2");
    put(&stage, ".ssh/id_ed25519", "hunter2");
    put(&stage, "Documents/thesis.tex", "years\n");
    let author = "[user]\nname = T\nemail = t@example.invalid\n";
    put(&stage, ".gitconfig", author);
    std::fs::write(stage.at("probe.sh"), PROBE).unwrap();
    std::fs::write(
        stage.at("free.sh"),
        "echo \"cell $OVERNIGHT_CELL\"; echo x > ~/free\n",
    )
    .unwrap();
    let remote = stage.client.home.join("remote.git");
    let remote = remote.to_str().unwrap();
    for words in [
        &["init", "-q", "--bare", remote][..],
        &["switch", "-q", "-c", "auto/work"],
        &["add", "-A"],
        &["commit", "-q", "-m", "begun"],
        &["remote", "add", "origin", remote],
    ] {
        let mut git = stage.client.dressed("git", stage.folder.path());
        assert!(git.args(words).status().unwrap().success(), "{words:?}");
    }
    Some(stage)
}

/// What its model does: in an armed session it tries the walls, in an ordinary one it sees that there are none.
fn model(at: usize, request: &Request) -> Turn {
    if !request.first.contains("walls") {
        return if at == 0 {
            Turn::bash("sh free.sh")
        } else {
            Turn::say("ok")
        };
    }
    let turns = [
        Turn::bash("sh probe.sh"),
        Turn::bash("mkdir -p sub && cd sub"),
        Turn::bash("pwd > where.txt; ls"),
        Turn::bash("git push origin HEAD"),
        Turn::say("INCOMPLETE: more is left"),
    ];
    let next = turns.into_iter().nth(at);
    next.unwrap_or(Turn::say("<DONE>tried</DONE>"))
}

#[track_caller]
fn assert_untouched(stage: &Stage) {
    let home = |name: &str| stage.client.home.join(name);
    for evil in [
        "evil",
        ".claude/CLAUDE.md",
        ".local/state/overnight/cells/evil",
    ] {
        assert!(!home(evil).exists(), "{evil}");
    }
    assert!(home("Documents/thesis.tex").exists());
    for evil in [
        "hooks/post-commit",
        "info/attributes",
        "overnight/sessions/evil",
    ] {
        assert!(!stage.at(".git").join(evil).exists(), "{evil}");
    }
    assert!(!stage.at("moved").exists());
    assert!(!stage.read(".git/config").contains("fsmonitor"));
}

#[test]
fn the_shells_of_a_session_with_an_armed_run_live_behind_walls() {
    let Some(stage) = lived_in(Script::new().answer(Kind::Main, model)) else {
        return;
    };
    stage.run("/flow try the walls --autonomous --cell on --max-iterations 2");
    let requests = stage.api.main_requests();
    let results: Vec<&str> = requests
        .iter()
        .map(|one| one.tool_result.as_str())
        .collect();
    let all = results.join("\n");
    assert!(!all.contains("hunter2") && !all.contains("sk-ant"), "{all}");
    for said in ["committed", "temporary", "cell shell"] {
        assert!(all.contains(said), "{said}: {all}");
    }
    assert_untouched(&stage);
    let top = stage.folder.path().canonicalize().unwrap();
    let there = stage.read("sub/where.txt");
    assert_eq!(there.trim(), top.join("sub").to_str().unwrap());
    // The Stop hook carried the push out and told the next iteration what is closed.
    assert!(all.contains("Noted: the driver pushes auto/work"), "{all}");
    let remote = stage.client.home.join("remote.git");
    let mut git = stage.client.dressed("git", &remote);
    let pushed = git.args(["log", "--format=%s", "auto/work"]).output();
    let pushed = pushed.unwrap().stdout;
    assert!(String::from_utf8_lossy(&pushed).contains("work"));
    let journal = stage.journals().remove(0);
    let mut outcomes = journal.iter().filter(|event| event["event"] == "outcome");
    let walled = outcomes.next().unwrap()["walled"].to_string();
    let evil = stage.client.home.join("evil");
    assert!(walled.contains(evil.to_str().unwrap()), "{walled}");
    let run = journal[0]["run"].as_str().unwrap();
    let prompt = stage.read(&format!("agent_logs/{run}/2.prompt.md"));
    assert!(prompt.contains("closed for good"), "{prompt}");
    let report = stage.read(&format!("agent_logs/{run}/report.md"));
    assert!(report.contains("Refused there"), "{report}");
}

#[test]
fn the_shells_of_an_ordinary_session_live_in_no_cell() {
    let Some(stage) = lived_in(Script::new().answer(Kind::Main, model)) else {
        return;
    };
    let mut plain = stage.flow("an ordinary session");
    let done = stage.client.finish(plain.arg("Bash(sh:*)"));
    assert!(done.status.success(), "{done:#?}");
    assert!(stage.client.home.join("free").exists());
    let told = stage.api.main_requests();
    assert_eq!(told.last().unwrap().tool_result.trim(), "cell");
}
