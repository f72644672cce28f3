//! Agent teams in the real client: its hooks about tasks, answered by the plugin.

use super::api::{Kind, Script, Turn};
use super::stage::Stage;
use serde_json::json;

fn create(subject: &str) -> Turn {
    Turn::tool(
        "TaskCreate",
        json!({"subject": subject, "description": "as the list says"}),
    )
}

fn complete(id: &str) -> Turn {
    Turn::tool("TaskUpdate", json!({"taskId": id, "status": "completed"}))
}

#[test]
fn a_held_task_is_not_created_and_an_unproved_one_stays_open_in_the_client() {
    let script = Script::new().session(vec![
        create("parser: port it"),
        create("icons: draw them"),
        complete("2"),
        Turn::tool("TaskList", json!({})),
        Turn::bash("echo drawn > icons.txt"),
        complete("2"),
        Turn::tool("TaskList", json!({})),
        Turn::say("end"),
    ]);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let list = json!({
        "parser": {"objective": "Port it.", "definition_of_done": ["true"], "allowed_tools": []},
        "icons": {"objective": "Draw them.", "definition_of_done": ["test -s icons.txt"], "allowed_tools": []},
    });
    std::fs::write(stage.at("tasks.json"), list.to_string()).unwrap();
    let ours = |program: &str| {
        stage.client.dressed(
            stage.plugin.folder.join("bin").join(program),
            stage.folder.path(),
        )
    };
    let trusted = ours("overnight").args(["trust", "tasks.json"]).output();
    assert!(trusted.unwrap().status.success());
    let held = ours("task-lock")
        .args(["acquire", "parser", "--agent", "somebody"])
        .output();
    assert!(held.unwrap().status.success());

    let mut command = stage.client.print(stage.folder.path(), "go");
    command.arg("--plugin-dir").arg(&stage.plugin.folder);
    command.args(["--allowedTools", "TaskCreate,TaskUpdate,TaskList,Bash"]);
    command.env("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "1");
    let done = stage.client.finish(&mut command);
    assert_eq!(done.result()["result"], "end", "{done:#?}");
    let told: Vec<String> = stage
        .api
        .of_kind(Kind::Main)
        .into_iter()
        .map(|request| request.tool_result)
        .filter(|result| !result.is_empty())
        .collect();
    assert!(told[0].contains("held by somebody"), "{told:#?}");
    assert!(told[1].contains("created successfully"), "{told:#?}");
    assert!(
        told[2].contains("not proved done") && told[2].contains("test -s icons.txt"),
        "{told:#?}"
    );
    assert!(
        told[3].contains("icons") && !told[3].contains("completed"),
        "{told:#?}"
    );
    assert!(!told[3].contains("parser"), "{told:#?}");
    assert!(told[6].contains("completed"), "{told:#?}");
    let list: serde_json::Value = serde_json::from_str(&stage.read("tasks.json")).unwrap();
    assert_eq!(list["icons"]["status"], "done", "{list}");
}

#[test]
fn an_idle_teammate_is_handed_the_next_task_in_the_client() {
    let spawn = json!({"description": "w", "prompt": "be worker one", "subagent_type": "general-purpose", "name": "worker1", "run_in_background": true});
    let script = Script::new()
        .session(vec![
            Turn::tool("Agent", spawn),
            Turn::say("the lead waits"),
        ])
        .subagent(vec![
            Turn::say("nothing to do"),
            Turn::say("the mate goes on"),
        ]);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let list = json!({"icons": {"objective": "Draw them.", "definition_of_done": ["It is drawn."], "allowed_tools": []}});
    std::fs::write(stage.at("tasks.json"), list.to_string()).unwrap();
    let settings = stage.client.home.join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let on = json!({"env": {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS": "1"}});
    std::fs::write(settings, on.to_string()).unwrap();
    let Some(terminal) = stage.terminal() else {
        return;
    };
    terminal.line("begin");
    terminal.until("second turn of the teammate", || {
        let asked = stage.api.of_kind(Kind::Subagent);
        asked
            .iter()
            .any(|request| request.last.contains("the next task is icons"))
    });
    assert!(stage.read("current_tasks/icons.txt").contains("session-"));
}
