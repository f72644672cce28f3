//! The plugin as the client loads it.

use super::api::{Api, Kind, Script, Turn};
use super::client::Client;
use super::{registry, support};
use std::path::{Path, PathBuf};

/// A marketplace folder with the plugin and the binaries of this build; removed when dropped.
pub struct Plugin {
    /// The marketplace.
    pub market: PathBuf,
    /// The plugin in it.
    pub folder: PathBuf,
    _keep: tempfile::TempDir,
}

impl Plugin {
    /// Assembles it in a folder of this name, beside the build, so that binaries are only linked.
    pub fn assemble(name: &str) -> Self {
        let keep = tempfile::tempdir_in(support::target().join("tmp")).unwrap();
        let market = keep.path().join(name);
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let guard = assert_cmd::cargo::cargo_bin!("command-guard");
        let folder = xtask::plugin::assemble(root, guard.parent().unwrap(), &market).unwrap();
        Self {
            market,
            folder,
            _keep: keep,
        }
    }
}

#[test]
fn the_client_validates_plugin_and_marketplace_strictly() {
    let api = Api::start(Script::new());
    let Some(client) = Client::new(&api) else {
        return;
    };
    let plugin = Plugin::assemble("market");
    for folder in [&plugin.folder, &plugin.market] {
        let mut command = client.command(folder);
        let done = client.finish(command.args(["plugin", "validate", "--strict"]).arg(folder));
        assert!(done.status.success(), "{done:#?}");
    }
}

#[test]
fn from_a_path_with_spaces_it_installs_offline_and_uninstalls_without_a_trace() {
    let api = Api::start(Script::new().session(vec![Turn::bash("echo hi"), Turn::say("end")]));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let plugin = Plugin::assemble("a market place");
    let folder = tempfile::tempdir().unwrap();
    let manage = |words: &[&str]| {
        let done = client.finish(client.command(folder.path()).arg("plugin").args(words));
        assert!(done.status.success(), "{words:?} {done:#?}");
        done.stdout
    };
    manage(&["marketplace", "add", plugin.market.to_str().unwrap()]);
    manage(&["install", "overnight@overnight"]);
    assert!(manage(&["list"]).contains("overnight@overnight"));

    let run = || {
        let mut command = client.print(folder.path(), "go");
        client.finish(command.args(["--include-hook-events", "--allowedTools", "Bash(echo:*)"]))
    };
    let done = run();
    assert_eq!(done.result()["result"], "end", "{done:#?}");
    let answers = |name: &str| {
        let lines = done.lines();
        let fired = lines
            .iter()
            .filter(|line| line["subtype"] == "hook_response" && line["hook_event"] == name);
        fired.cloned().collect::<Vec<_>>()
    };
    let guard = answers("PreToolUse");
    assert_eq!(guard.len(), 1, "the guard fires once: {done:#?}");

    manage(&["uninstall", "overnight@overnight"]);
    let done = run();
    assert!(
        !done.stdout.contains("hook_response"),
        "no hook is left: {done:#?}"
    );
}

#[test]
fn each_agent_gets_exactly_the_tools_it_lists() {
    let agents = [
        ("dedup-agent", vec!["Bash", "Edit", "Read"]),
        ("perf-agent", vec!["Bash", "Read"]),
        ("quality-agent", vec!["Bash", "Read"]),
    ];
    let call = |name: &str| {
        let input = serde_json::json!({"description": name, "prompt": format!("be {name}"), "subagent_type": format!("overnight:{name}"), "run_in_background": false});
        Turn::tool("Agent", input)
    };
    let mut turns: Vec<Turn> = agents.iter().map(|(name, _)| call(name)).collect();
    turns.push(Turn::say("all asked"));
    let api = Api::start(
        Script::new()
            .session(turns)
            .subagent(vec![Turn::say("reported")]),
    );
    let Some(client) = Client::new(&api) else {
        return;
    };
    let plugin = Plugin::assemble("market");
    let folder = tempfile::tempdir().unwrap();
    let mut command = client.print(folder.path(), "go");
    command
        .arg("--plugin-dir")
        .arg(&plugin.folder)
        .args(["--allowedTools", "Agent"]);
    let done = client.finish(&mut command);
    let asked = api.of_kind(Kind::Subagent);
    assert_eq!(asked.len(), agents.len(), "{done:#?}");
    for ((name, tools), request) in agents.iter().zip(asked) {
        let mut given = request.tools.clone();
        given.sort();
        assert_eq!(
            (request.first.contains(name), &given),
            (true, &tools.iter().map(|tool| (*tool).to_owned()).collect())
        );
        let page = folder.path().join(format!("progress/reports/{name}.md"));
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.ends_with("\n> reported\n"), "{page}");
    }
}

/// AC-6 of the requirements (seed 003): each specialist can take its facts, the detector's clones
/// among them, and what it reports stands in `progress/`.
#[test]
fn ac_6_specialists_find_duplicates_bottlenecks_and_flaws_and_report() {
    let tool = match registry::npm("jscpd", &["jscpd@5.3.3"]) {
        Ok(tool) => tool.join("node_modules/.bin"),
        Err(reason) => return support::skip(reason),
    };
    let facts = [
        ("dedup-agent", "find-clones", "1 group of clones"),
        ("perf-agent", "bash -c 'time sh slow.sh'", "real"),
        (
            "quality-agent",
            "sh -n flawed.sh || echo refused",
            "refused",
        ),
    ];
    for (agent, command, fact) in facts {
        let input = serde_json::json!({"description": agent, "prompt": "work", "subagent_type": format!("overnight:{agent}"), "run_in_background": false});
        let turns = vec![Turn::tool("Agent", input), Turn::say("all asked")];
        let works = vec![Turn::bash(command), Turn::say("found: see above")];
        let api = Api::start(Script::new().session(turns).subagent(works));
        let Some(client) = Client::new(&api) else {
            return;
        };
        let plugin = Plugin::assemble("market");
        let folder = project_with_flaws();
        let mut run = client.print(folder.path(), "go");
        run.arg("--plugin-dir").arg(&plugin.folder);
        run.args([
            "--allowedTools",
            "Agent",
            "Bash(find-clones:*)",
            "Bash(bash:*)",
            "Bash(sh:*)",
            "Bash(echo:*)",
        ]);
        let path = client
            .environment()
            .into_iter()
            .find(|(name, _)| name == "PATH")
            .unwrap()
            .1;
        run.env("PATH", format!("{}:{path}", tool.display()));
        let done = client.finish(&mut run);
        let asked = api.of_kind(Kind::Subagent);
        let seen = asked
            .iter()
            .any(|request| request.tool_result.contains(fact));
        assert!(seen, "{agent}: {asked:#?} {done:#?}");
        let page = folder.path().join(format!("progress/reports/{agent}.md"));
        assert!(
            std::fs::read_to_string(page)
                .unwrap()
                .contains("> found: see above")
        );
    }
}

/// A repository with one function written twice, a slow script and one that is no shell.
fn project_with_flaws() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = (1..=20)
        .map(|n| format!("  const step{n} = load(step, {n}) + offset * {n};"))
        .collect();
    let body = lines.join("\n");
    for (file, name) in [("a.js", "first"), ("b.js", "second")] {
        let text = format!("function {name}(step, offset) {{\n{body}\n  return step20;\n}}\n");
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    std::fs::write(folder.path().join("slow.sh"), "sleep 0.3\n").unwrap();
    std::fs::write(folder.path().join("flawed.sh"), "if then\n").unwrap();
    for words in [
        &["init", "-q"][..],
        &["add", "-A"],
        &[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-qm",
            "x",
        ],
    ] {
        let done = std::process::Command::new("git")
            .current_dir(folder.path())
            .args(words)
            .output();
        assert!(done.unwrap().status.success());
    }
    folder
}
