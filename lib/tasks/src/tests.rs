use super::*;
use proptest::prelude::*;

const GOOD: &str = r#"{
  "_thought": "a { before } b",
  "a": {
    "objective": "write a",
    "definition_of_done": ["cargo test a"],
    "allowed_tools": ["Read", "Edit"],
    "status": "done"
  },
  "b": {"objective": "write b", "definition_of_done": ["cargo test b"], "allowed_tools": [], "depends_on": ["a"], "owner": {"name": "me", "n": 1.5e3}},
  "c": {
      "objective" : "write c",
      "definition_of_done" : ["true"],
      "allowed_tools" : ["Bash(cargo test:*)"],
      "depends_on" : ["a", "b"],
      "notes" : "kept \u00e9\ud83d\ude00"
  }
}
"#;

fn problems(text: &str) -> Vec<String> {
    match parse(text.as_bytes()) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

fn id(text: &str) -> TaskId {
    TaskId::parse(text).unwrap()
}

#[test]
fn a_good_list_is_read_in_order_without_the_thought() {
    let list = parse(GOOD.as_bytes()).unwrap();
    let names: Vec<_> = list.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(list.tasks[0].status, Status::Done);
    assert_eq!(list.tasks[1].status, Status::Todo);
    assert_eq!(list.tasks[2].depends_on, [id("a"), id("b")]);
}

#[test]
fn the_next_task_is_the_first_whose_dependencies_are_done() {
    let list = parse(GOOD.as_bytes()).unwrap();
    let taken = BTreeSet::from([id("b")]);
    assert_eq!(next_ready(&list, &BTreeSet::new()).unwrap().id, id("b"));
    assert_eq!(next_ready(&list, &taken), None);
    let doing = set_status(GOOD, &id("b"), Status::Doing).unwrap();
    let list = parse(doing.as_bytes()).unwrap();
    assert_eq!(next_ready(&list, &BTreeSet::new()).unwrap().id, id("b"));
}

#[test]
fn every_schema_problem_is_told_with_its_place() {
    let text = r#"{
  "_thought": 3,
  "Bad/Id": {"objective": "x", "definition_of_done": ["x"], "allowed_tools": []},
  "a": {"objective": "", "definition_of_done": [], "allowed_tools": "Read", "status": "pending"},
  "b": {"definition_of_done": ["x", 7], "allowed_tools": [], "dependsOn": ["a"], "depends_on": ["b", "nope", "a", "a"]},
  "b": null
}"#;
    insta::assert_snapshot!(problems(text).join("\n"), @r#"
    line 2, column 15: _thought: must be a string, not a number
    line 3, column 3: "Bad/Id" is no task id: lower-case letters, digits, '.', '_' and '-', starting with a letter or digit
    line 4, column 22: task "a": objective: is empty
    line 4, column 48: task "a": definition_of_done: is empty: without a condition nothing proves the task done
    line 4, column 69: task "a": allowed_tools: must be an array of strings, not a string
    line 4, column 87: task "a": status: unknown status "pending"; one of todo, doing, done, error, blocked
    line 5, column 3: task "b": objective: this field is missing
    line 5, column 37: task "b": definition_of_done[1]: must be a string, not a number
    line 5, column 62: task "b": dependsOn: unknown field "dependsOn"; did you mean "depends_on"?
    line 5, column 102: task "b": depends_on: unknown task "nope"
    line 5, column 115: task "b": depends_on: "a" stands here a second time
    line 6, column 3: the key "b" stands here a second time
    line 6, column 8: task "b": a task must be an object, not null
    "#);
}

#[test]
fn a_cycle_is_told_once_with_its_members() {
    let task = |on: &str| {
        format!(
            r#"{{"objective":"x","definition_of_done":["x"],"allowed_tools":[],"depends_on":["{on}"]}}"#
        )
    };
    let text = format!(
        r#"{{"a":{},"b":{},"c":{}}}"#,
        task("b"),
        task("c"),
        task("b")
    );
    insta::assert_snapshot!(problems(&text).join("\n"), @r#"line 1, column 257: task "c": depends_on: a cycle: b -> c -> b"#);
}

const NOT_LISTS: &[&str] = &[
    "",
    " \n",
    "null",
    "[]",
    "\"x\"",
    "12",
    "hello",
    "```json\n{}\n```",
    "Here is the plan:\n\n```json\n{}\n```\n",
    "Plan: {\"a\": 1}",
    "{} done",
    "{}\n```",
    "{}{}",
    "{}}",
    "{\"a\": 1,}",
    "{\"a\": [1,]}",
    "{a: 1}",
    "{'a': 1}",
    "{\"a\": 1 // x\n}",
    "{\"a\" 1}",
    "{\"a\": tru}",
    "{\"a\": 01}",
    "{\"a\": \"x\ny\"}",
    "{\"a\": \"\\x\"}",
    "{\"a\": \"\\ud800\"}",
    "{\"a\": \"never",
    "{\"a\": NaN}",
    "{\"a\": {",
    "{}",
    "{\"_thought\": \"only\"}",
    "\u{feff}{}",
];

#[test]
fn what_is_not_one_json_object_is_named_for_what_it_is() {
    let tell = |case: &&str| {
        format!(
            "{case:?}: {}
",
            problems(case).join("; ")
        )
    };
    let told: String = NOT_LISTS.iter().map(tell).collect();
    insta::assert_snapshot!(told, @r#"
    "": line 1, column 1: the file is empty; expected one JSON object
    " \n": line 2, column 1: the file is empty; expected one JSON object
    "null": line 1, column 1: the list must be an object {"<task id>": {…}}, not null
    "[]": line 1, column 1: the list must be an object {"<task id>": {…}}, not an array
    "\"x\"": line 1, column 1: the list must be an object {"<task id>": {…}}, not a string
    "12": line 1, column 1: the list must be an object {"<task id>": {…}}, not a number
    "hello": line 1, column 1: this is not JSON; expected one JSON object
    "```json\n{}\n```": line 1, column 1: a Markdown code fence around the list; the file must be the JSON object alone, starting with {
    "Here is the plan:\n\n```json\n{}\n```\n": line 1, column 1: text and a Markdown code fence before the list; the file must be the JSON object alone, starting with {
    "Plan: {\"a\": 1}": line 1, column 1: text before the list; the file must be the JSON object alone, starting with {
    "{} done": line 1, column 4: text behind the list
    "{}\n```": line 2, column 1: a Markdown code fence behind the list
    "{}{}": line 1, column 3: a second JSON document behind the list
    "{}}": line 1, column 3: one closing bracket too many
    "{\"a\": 1,}": line 1, column 9: a comma before the closing brace
    "{\"a\": [1,]}": line 1, column 10: a comma before the closing bracket
    "{a: 1}": line 1, column 2: expected a key in double quotes, found 'a'
    "{'a': 1}": line 1, column 2: expected a key in double quotes, strings and keys stand in straight double quotes
    "{\"a\": 1 // x\n}": line 1, column 9: expected a comma or the closing brace, JSON has no comments
    "{\"a\" 1}": line 1, column 6: expected a colon after the key, found '1'
    "{\"a\": tru}": line 1, column 7: expected a value, found 't'
    "{\"a\": 01}": line 1, column 8: expected a comma or the closing brace, found '1'
    "{\"a\": \"x\ny\"}": line 1, column 9: a line break inside a string; write \n
    "{\"a\": \"\\x\"}": line 1, column 8: an unknown escape after the backslash
    "{\"a\": \"\\ud800\"}": line 1, column 8: half of a surrogate pair
    "{\"a\": \"never": line 1, column 7: this string never ends
    "{\"a\": NaN}": line 1, column 7: expected a value, found 'N'
    "{\"a\": {": line 1, column 8: expected a key in double quotes, the text ends here
    "{}": line 1, column 1: the list has no task
    "{\"_thought\": \"only\"}": line 1, column 1: the list has no task
    "\u{feff}{}": line 1, column 1: the list has no task
    "#);
}

#[test]
fn bytes_that_are_not_utf8_have_a_position() {
    let error = parse(b"{\"a\n\": \"\xff\"}").unwrap_err();
    assert_eq!((error[0].line, error[0].column), (2, 5));
    let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(parse(&utf16).is_err());
}

#[test]
fn bombs_are_refused_at_a_position() {
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    assert_eq!(
        problems(&deep),
        ["line 1, column 70: nested deeper than 64 levels"]
    );
    let wide = format!("{{\"a\": [{}0]}}", "0,".repeat(json::VALUES_MAX));
    assert!(problems(&wide)[0].contains("more than 1000000 values"));
    let entries: Vec<_> = (0..=TASKS_MAX)
        .map(|number| format!("\"t{number}\": 0"))
        .collect();
    let many = format!("{{{}}}", entries.join(","));
    assert!(
        problems(&many)
            .iter()
            .any(|line| line.contains("more than 10000 tasks"))
    );
    let thought = format!(
        "{{\"_thought\": \"{}\", \"a\": 1}}",
        "x".repeat(THOUGHT_BYTES_MAX + 1)
    );
    assert!(problems(&thought)[0].starts_with("line 1, column 14: _thought: has "));
}

#[test]
fn a_status_changes_only_its_own_bytes() {
    let changed = set_status(GOOD, &id("a"), Status::Error).unwrap();
    assert_eq!(
        changed,
        GOOD.replace("\"status\": \"done\"", "\"status\": \"error\"")
    );
    let added = set_status(GOOD, &id("b"), Status::Doing).unwrap();
    assert_eq!(
        added,
        GOOD.replace("1.5e3}}", "1.5e3}, \"status\": \"doing\"}")
    );
    let lines = set_status(GOOD, &id("c"), Status::Blocked).unwrap();
    let notes = "\"notes\" : \"kept \\u00e9\\ud83d\\ude00\"";
    assert_eq!(
        lines,
        GOOD.replace(notes, &format!("{notes},\n      \"status\" : \"blocked\""))
    );
    assert_eq!(
        set_status(GOOD, &id("z"), Status::Done).unwrap_err().code,
        overnight_base::code::Code::TaskUnknown
    );
}

#[test]
fn a_status_is_set_behind_a_byte_order_mark_too() {
    let text = format!("\u{feff}{GOOD}");
    let changed = set_status(&text, &id("a"), Status::Todo).unwrap();
    assert_eq!(
        changed,
        text.replace("\"status\": \"done\"", "\"status\": \"todo\"")
    );
}

#[test]
fn a_task_is_added_in_the_style_of_the_list() {
    let task = Task {
        id: id("d"),
        objective: "say \"d\"".to_owned(),
        definition_of_done: vec!["true".to_owned()],
        allowed_tools: Vec::new(),
        status: Status::Todo,
        depends_on: vec![id("a")],
        allowed_paths: vec!["src/**".to_owned()],
        max_changed_files: Some(3),
        model: Some("opus".to_owned()),
        may_change: vec!["tests/**".to_owned()],
        proof: Some(Proof::Green),
        issue: None,
    };
    let added = add(GOOD, &task).unwrap();
    let tail = &added[added.rfind("\"kept").unwrap()..];
    insta::assert_snapshot!(tail, @r#"
    "kept \u00e9\ud83d\ude00"
      },
      "d": {
        "objective": "say \"d\"",
        "definition_of_done": [
          "true"
        ],
        "allowed_tools": [],
        "status": "todo",
        "depends_on": [
          "a"
        ],
        "allowed_paths": [
          "src/**"
        ],
        "max_changed_files": 3,
        "may_change": [
          "tests/**"
        ],
        "model": "opus",
        "proof": "green"
      }
    }
    "#);
    let compact = r#"{"a":{"objective":"x","definition_of_done":["x"],"allowed_tools":[]}}"#;
    insta::assert_snapshot!(add(compact, &task).unwrap(), @r#"{"a":{"objective":"x","definition_of_done":["x"],"allowed_tools":[]}, "d":{"objective":"say \"d\"","definition_of_done":["true"],"allowed_tools":[],"status":"todo","depends_on":["a"],"allowed_paths":["src/**"],"max_changed_files":3,"may_change":["tests/**"],"model":"opus","proof":"green"}}"#);
    assert!(add(&added, &task).unwrap_err().reason.contains("already"));
    let mut lost = task;
    lost.depends_on = vec![id("nobody")];
    assert!(add(compact, &lost).is_err());
    lost.depends_on.clear();
    assert_eq!(
        parse(edit::first(&lost).unwrap().as_bytes()).unwrap().tasks,
        [lost]
    );
}

proptest! {
    /// Cut, doubled or exchanged pieces of a good list: refused with a position, or still a list
    /// that serde_json reads the same way.
    #[test]
    fn a_mutated_list_is_refused_with_a_place_or_good_json(
        edits in prop::collection::vec((0usize..GOOD.len(), 0usize..12, "[{}\\[\\]\":,a-c\\\\0-9 \n\u{e9}]{0,3}"), 1..4)
    ) {
        let mut text = GOOD.to_owned();
        for (at, length, by) in edits {
            let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let range = floor(at)..floor(at + length);
            text.replace_range(range, &by);
        }
        match parse(text.as_bytes()) {
            Ok(list) => {
                let json: serde_json::Value = serde_json::from_str(&text).unwrap();
                for task in &list.tasks {
                    prop_assert_eq!(&json[task.id.as_str()]["objective"], &task.objective);
                }
                let changed = set_status(&text, &list.tasks[0].id, Status::Blocked).unwrap();
                prop_assert_eq!(parse(changed.as_bytes()).unwrap().tasks[0].status, Status::Blocked);
            }
            Err(problems) => {
                prop_assert!(!problems.is_empty());
                let lines = text.split('\n').count();
                prop_assert!(problems.iter().all(|p| (1..=lines).contains(&p.line) && p.column >= 1));
            }
        }
    }

    /// The reader agrees with `serde_json` on what is JSON at all.
    #[test]
    fn the_reader_accepts_what_serde_json_accepts(text in "[{}\\[\\]\":,tfn0-9eE.\\-\\\\u ]{0,24}") {
        let strict = serde_json::from_str::<serde_json::Value>(&text);
        let ours = json::read(&text, 0).is_ok_and(|(_, end)| json::skip_space(&text, end) == text.len());
        // A number like 1e999 is JSON; only serde_json cannot hold it.
        let too_large = strict.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        prop_assert!(ours == strict.is_ok() || too_large, "{:?}", strict);
    }
}
