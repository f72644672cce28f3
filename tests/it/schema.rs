//! `lib-docs/summary.schema.json` says what the summary is, wherever it is printed for programs.

use crate::morning::{night, out};
use crate::project::Project;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../lib-docs/summary.schema.json");

/// What of a value the schema does not allow. Of the schema language it knows what ours uses.
fn wrong(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(named) = schema["$ref"].as_str() {
        let target = root.pointer(named.trim_start_matches('#')).unwrap();
        return wrong(root, target, value, at);
    }
    let mut all = Vec::new();
    let mut no = |fits: bool| {
        if !fits {
            all.push(format!("{at}: {value} is not {schema}"));
        }
    };
    if let Some(either) = schema["anyOf"].as_array() {
        let fits = |one: &Value| wrong(root, one, value, at).is_empty();
        no(either.iter().any(fits));
    }
    if let Some(values) = schema["enum"].as_array() {
        no(values.contains(value));
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    no(types.is_empty() || types.iter().any(|name| is(name.as_str().unwrap(), value)));
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64()) {
        no(number >= least);
    }
    if let Some(items) = value.as_array() {
        let inner = items.iter().enumerate();
        all.extend(
            inner.flat_map(|(n, item)| wrong(root, &schema["items"], item, &format!("{at}/{n}"))),
        );
    }
    if let Some(fields) = value.as_object() {
        all.extend(of_object(root, schema, fields, at));
    }
    all
}

fn of_object(
    root: &Value,
    schema: &Value,
    fields: &serde_json::Map<String, Value>,
    at: &str,
) -> Vec<String> {
    let mut all = Vec::new();
    for name in schema["required"].as_array().into_iter().flatten() {
        if !fields.contains_key(name.as_str().unwrap()) {
            all.push(format!("{at}: there is no {name}"));
        }
    }
    for (name, value) in fields {
        match schema["properties"].get(name) {
            Some(inner) => all.extend(wrong(root, inner, value, &format!("{at}/{name}"))),
            None if schema["additionalProperties"] == false => {
                all.push(format!("{at}: {name} is not in the schema"));
            }
            None => {}
        }
    }
    all
}

fn is(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the test does not know the type {other}"),
    }
}

/// The data block of a page.
fn of_page(page: &str) -> Value {
    let (_, data) = page
        .split_once("<SCRIPT type=\"application/json\" id=\"night\">")
        .unwrap();
    serde_json::from_str(data.split_once("</SCRIPT>").unwrap().0).unwrap()
}

#[test]
fn status_report_and_page_hold_the_same_summary_as_the_schema_has_it() {
    let project = Project::new();
    night(&project);
    // A file that no commit holds, larger than what is usually looked at.
    let lines = "a line of the agent's\n".repeat(100_000);
    std::fs::write(project.path("left.txt"), lines).unwrap();
    let run = project.only_run();
    project
        .overnight(&["report", "--html", ".git/page.html"])
        .success();
    let json =
        |arguments: &[&str]| serde_json::from_str::<Value>(&out(&project, arguments)).unwrap();
    let mut summaries = [
        json(&["status", &run, "--json"])["night"].take(),
        json(&["report", &run, "--json"])["night"].take(),
        of_page(&project.read(".git/page.html")),
    ];
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    for summary in &mut summaries {
        assert_eq!(wrong(&schema, &schema, summary, ""), Vec::<String>::new());
        let open = &summary["work"]["uncommitted"][0];
        assert_eq!(
            (&open["path"], &open["added"]),
            (&"left.txt".into(), &100_000.into())
        );
        // Each need and message is there: the schema was tried on something.
        assert!(summary["needs"][0]["commands"][0].is_string(), "{summary}");
        let refuted = summary["tasks"].as_array().unwrap().iter();
        assert!(
            refuted
                .filter(|task| task["refuted_by"]["lines"][0].is_string())
                .count()
                > 0
        );
    }
    assert_eq!(summaries[0], summaries[1]);
    assert_eq!(summaries[1], summaries[2]);
    let mut other = summaries[0].clone();
    other["new"] = true.into();
    other["tasks"][0]["tries"] = (-1).into();
    other["needs"][0].as_object_mut().unwrap().remove("what");
    assert_eq!(wrong(&schema, &schema, &other, "").len(), 3);
}
