//! Seven o'clock: what must be there after a night, in every view.

use crate::project::Project;

const MESSAGE: &str = "src/a.ts(3,5): error TS2345: Argument of type 'string' is not assignable";
const NEED: &str = "PAY_KEY is not set: a person must give the key";

/// An agent that does `parse`, claims `price` in vain, needs a key for `pay`, and leaves a file.
const AGENT: &str = r#"command:
declare() { completion-check declare "$@" >/dev/null; }
case "$OVERNIGHT_TASK" in
parse) echo x > parsed; git add parsed; git commit -qm 'Parse it'; echo 'all parsed'; declare complete --reason 'the parser stands' ;;
price) date +%N > price.txt; echo 'wrote page 2 of 40'; declare complete ;;
words) date +%N > words.txt; declare complete --reason 'chapter one stands' --answer '1: it is' ;;
pay) date +%N > pay.txt; declare incomplete --needs 'PAY_KEY is not set: a person must give the key' ;;
esac
seq 200 > src_parser.rs"#;

fn tasks(project: &Project) {
    let gate = format!("echo \"{MESSAGE}\"; seq 300; exit 2");
    let tasks = serde_json::json!({
        "_thought": "the shop",
        "parse": {"objective": "parses", "definition_of_done": ["$ test -s parsed"], "allowed_tools": [], "status": "todo"},
        "price": {"objective": "prices", "definition_of_done": [format!("$ {gate}")], "allowed_tools": [], "status": "todo"},
        "words": {"objective": "writes", "definition_of_done": ["The chapter is written."], "allowed_tools": [], "status": "todo"},
        "pay": {"objective": "pays", "definition_of_done": ["$ false"], "allowed_tools": [], "status": "todo"},
    });
    std::fs::write(project.path("tasks.json"), tasks.to_string()).unwrap();
}

/// A night of all four, with what the run printed.
pub(crate) fn night(project: &Project) -> String {
    tasks(project);
    project.overnight(&["trust"]).success();
    let bins = assert_cmd::cargo::cargo_bin!("overnight");
    let path = format!(
        "{}:/usr/local/bin:/usr/bin:/bin",
        bins.parent().unwrap().display()
    );
    let mut command = project.command(bins);
    command
        .args(["run", "--here", "--agent", AGENT, "--no-pr"])
        .env("PATH", path);
    let done = assert_cmd::Command::from_std(command).assert().code(77);
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

pub(crate) fn out(project: &Project, arguments: &[&str]) -> String {
    let done = project.overnight(arguments);
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

#[test]
fn nothing_is_missing_in_any_view() {
    let project = Project::new();
    let screen = night(&project);
    let run = project.only_run();
    assert!(screen.lines().count() <= 24, "{screen}");
    let report = out(&project, &["report"]);
    let status = out(&project, &["status"]);
    let page = project.read(&format!("agent_logs/{run}/report.html"));
    let why = out(&project, &["why", &run, "price"]);
    for (name, view) in [
        ("screen", &screen),
        ("status", &status),
        ("report", &report),
        ("page", &page),
    ] {
        for told in [
            "TS2345",
            "wrote page 2 of 40",
            "PAY",
            "KEY is not set: a person must give the key",
            "src",
        ] {
            let plain = view.replace("\\_", "_");
            assert!(
                plain.contains(told),
                "{told:?} is not in the {name}:\n{view}"
            );
        }
        assert!(view.contains("2 of 4"), "{name}: {view}");
        assert!(!view.contains("every task is proved"), "{name}: {view}");
    }
    assert!(
        why.contains("TS2345") && why.contains("wrote page 2 of 40"),
        "{why}"
    );
    for view in [&screen, &status] {
        // What the agent left uncommitted was committed before it was proved.
        assert!(view.contains("files changed"), "{view}");
        assert!(!view.contains("tasks.json"), "{view}");
    }
    assert!(
        report.contains("chapter one stands") && report.contains("by the agent's word"),
        "{report}"
    );
}

#[test]
fn status_and_report_give_the_same_summary() {
    let project = Project::new();
    night(&project);
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&out(&project, arguments)).unwrap()
    };
    let (status, report) = (json(&["status", "--json"]), json(&["report", "--json"]));
    for field in ["tasks", "needs", "done", "total", "work", "goal", "ending"] {
        assert_eq!(status["night"][field], report["night"][field], "{field}");
    }
    let tasks = status["night"]["tasks"].as_array().unwrap();
    let standing = |id: &str| {
        let task = tasks.iter().find(|task| task["id"] == id).unwrap();
        task["standing"].as_str().unwrap().to_owned()
    };
    let standings = ["parse", "price", "words", "pay"].map(standing);
    assert_eq!(standings, ["proved", "refuted", "by_word", "needs_you"]);
    let need = &status["night"]["needs"][0];
    assert_eq!(
        (&need["kind"], &need["task"]),
        (&"agent".into(), &"pay".into())
    );
    assert!(need["what"].as_str().unwrap().contains(NEED), "{need}");
}

#[test]
fn the_logs_show_what_agents_said_by_task() {
    let project = Project::new();
    night(&project);
    let run = project.only_run();
    let all = out(&project, &["logs"]);
    assert!(
        all.contains("all parsed") && all.contains("wrote page 2 of 40"),
        "{all}"
    );
    let one = out(&project, &["logs", &run, "--task", "parse"]);
    assert!(
        one.contains("all parsed") && !one.contains("page 2"),
        "{one}"
    );
    project.overnight(&["logs", "--task", "nothing"]).code(66);
    // What rotation compressed is read all the same.
    let first = project.path(&format!("agent_logs/{run}/1.jsonl"));
    let mut gzip = project.command("gzip");
    assert!(gzip.arg(&first).status().unwrap().success());
    assert!(!first.exists());
    assert_eq!(out(&project, &["logs"]), all);
}

#[test]
fn what_an_agent_says_twice_in_its_reason_is_listed_as_its_words() {
    let project = Project::new();
    let agent = format!(
        r#"command:printf '{{"decision":"incomplete","reason":"{NEED}","check_id":"%s"}}' "$OVERNIGHT_CHECK_ID" > "$OVERNIGHT_DECISION_FILE"; date +%N > w"#
    );
    project
        .run(&["--agent", &agent, "--max-iterations", "2"])
        .code(1);
    for view in ["status", "report"] {
        let text = out(&project, &[view]).replace("\\_", "_");
        assert!(text.contains(&format!("main says: {NEED}")), "{text}");
        assert!(!text.contains("Nothing has to be answered"), "{text}");
    }
}

#[test]
fn progress_speaks_japanese_where_the_project_asks_for_it_or_does_already() {
    let project = Project::new();
    std::fs::write(
        project.path("overnight.toml"),
        "[progress]\nlang = \"ja\"\n",
    )
    .unwrap();
    project.overnight(&["trust"]).success();
    let page = project.path("progress/README.md");
    for again in [false, true] {
        if again {
            let own = "\n## メモ\n手で書いた。\n";
            let text = std::fs::read_to_string(&page).unwrap() + own;
            std::fs::write(&page, text).unwrap();
            std::fs::remove_file(project.path("overnight.toml")).unwrap();
        }
        project
            .run(&["--agent", "command:date +%N > w", "--max-iterations", "1"])
            .code(1);
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(
            text.contains("## 現在の状態") && !text.contains("Current state"),
            "{text}"
        );
        assert_eq!(text.contains("手で書いた。"), again, "{text}");
        let result = "- 結果: 未完了（反復回数の上限）: 1 件中 0 件完了、反復 1 回、";
        assert!(text.contains(result), "{text}");
    }
}

#[test]
fn an_answer_ends_the_need_in_every_view_and_stands_in_the_next_prompt() {
    let project = Project::new();
    night(&project);
    let run = project.only_run();
    let answer = "the key lies in the vault";
    project
        .overnight(&["tell", &run, "--task", "pay", answer])
        .success();
    for view in ["status", "report"] {
        let text = out(&project, &[view]).replace("\\_", "_");
        assert!(!text.contains("PAY_KEY"), "{view}: {text}");
    }
    let status: serde_json::Value =
        serde_json::from_str(&out(&project, &["status", "--json"])).unwrap();
    let kinds: Vec<&str> = status["night"]["needs"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|need| need["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["blocked"], "{status}");
    let prompts = project.meeting("prompts");
    let agent = format!("command:cat >> {}; false", prompts.display());
    let resume = ["run", "--resume", &run, "--agent", &agent, "--no-pr"];
    project.overnight(&resume);
    let prompts = std::fs::read_to_string(prompts).unwrap();
    let pay = prompts
        .split("## Goal")
        .find(|prompt| prompt.contains("Your task now: pay"))
        .unwrap();
    assert!(pay.contains(answer), "{pay}");
}
