//! Changes to a task list that touch only the bytes they are about.

use super::json::{self, Member, Node, Value};
use super::{Problem, Proof, Status, Task, TaskId, parse, problem, wrapping};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde::Serialize;

/// The text with this task's status set: the word is exchanged in place, or the field is added
/// behind the task's last one, in the style of that one. Everything else stays byte for byte.
pub fn set_status(text: &str, id: &TaskId, status: Status) -> Result<String, Fault> {
    let list = valid(text)?;
    if list.get(id).is_none() {
        let known: Vec<_> = list.tasks.iter().map(|task| task.id.as_str()).collect();
        return Err(Fault::new(
            Code::TaskUnknown,
            format!("no task {id:?}", id = id.as_str()),
        )
        .with("tasks", known));
    }
    let word = format!("\"{}\"", status.word());
    let root = root(text)?;
    let (at, insertion) =
        match find(&root, id.as_str()).and_then(|task| find(task, "status").or(Some(task))) {
            Some(node) => match &node.value {
                Value::Object(members) => behind(text, node, members, "status", |_| word.clone()),
                _ => (node.span.clone(), word),
            },
            None => return Err(unreadable()),
        };
    Ok(replace(text, at, &insertion))
}

/// The text with this task added as the last one, in the style of the list. The status is written
/// as given; the result is checked like any other list.
pub fn add(text: &str, task: &Task) -> Result<String, Fault> {
    if valid(text)?.get(&task.id).is_some() {
        let reason = format!("the list has a task {:?} already", task.id.as_str());
        return Err(Fault::new(Code::TasksInvalid, reason));
    }
    let root = root(text)?;
    let Value::Object(members) = &root.value else {
        return Err(unreadable());
    };
    let fields = Fields::of(task);
    let (at, insertion) = behind(text, &root, members, task.id.as_str(), |indent| {
        written(&fields, indent)
    });
    let changed = replace(text, at, &insertion);
    valid(&changed)?;
    Ok(changed)
}

/// The text of a new list with this one task.
pub fn first(task: &Task) -> Result<String, Fault> {
    let text = format!(
        "{{\n  \"{}\": {}\n}}\n",
        task.id,
        written(&Fields::of(task), Some("  "))
    );
    valid(&text)?;
    Ok(text)
}

fn valid(text: &str) -> Result<super::TaskList, Fault> {
    parse(text.as_bytes())
        .map_err(|problems: Vec<Problem>| problem::fault("the task list", &problems))
}

fn root(text: &str) -> Result<Node, Fault> {
    let start = wrapping::mark(text);
    json::read(text, start)
        .map(|(node, _)| node)
        .map_err(|_| unreadable())
}

fn unreadable() -> Fault {
    Fault::new(Code::TasksSyntax, "the task list is not one JSON object")
}

fn find<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Object(members) => members
            .iter()
            .find(|member| member.key == key)
            .map(|member| &member.node),
        _ => None,
    }
}

fn replace(text: &str, at: std::ops::Range<usize>, by: &str) -> String {
    [&text[..at.start], by, &text[at.end..]].concat()
}

/// Where and what to insert so that `key` becomes the last member of an object. `value` is told
/// the indentation of the members when each stands on its own line.
fn behind(
    text: &str,
    node: &Node,
    members: &[Member],
    key: &str,
    value: impl Fn(Option<&str>) -> String,
) -> (std::ops::Range<usize>, String) {
    let Some(last) = members.last() else {
        let inside = node.span.start + 1..node.span.end - 1;
        return (inside, format!("\"{key}\": {}", value(None)));
    };
    let before = match members.len() {
        1 => node.span.start + 1,
        count => json::skip_space(text, members[count - 2].node.span.end) + 1,
    };
    let gap = &text[before..last.key_span.start];
    let colon = &text[last.key_span.end..last.node.span.start];
    let indent = gap.rsplit_once('\n').map(|(_, indent)| indent);
    let gap = if indent.is_none() && members.len() == 1 {
        " "
    } else {
        gap
    };
    let end = last.node.span.end;
    (end..end, format!(",{gap}\"{key}\"{colon}{}", value(indent)))
}

/// A task's fields in the order in which people write them.
#[derive(Serialize)]
struct Fields<'t> {
    objective: &'t str,
    definition_of_done: &'t [String],
    allowed_tools: &'t [String],
    status: Status,
    #[serde(skip_serializing_if = "<[TaskId]>::is_empty")]
    depends_on: &'t [TaskId],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    allowed_paths: &'t [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_changed_files: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    may_change: &'t [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    issue: Option<&'t str>,
}

impl<'t> Fields<'t> {
    fn of(task: &'t Task) -> Self {
        Self {
            objective: &task.objective,
            definition_of_done: &task.definition_of_done,
            allowed_tools: &task.allowed_tools,
            status: task.status,
            depends_on: &task.depends_on,
            allowed_paths: &task.allowed_paths,
            max_changed_files: task.max_changed_files,
            may_change: &task.may_change,
            model: task.model.as_deref(),
            proof: task.proof,
            issue: task.issue.as_deref(),
        }
    }
}

/// The fields as JSON: on one line, or one a line below members that are indented by `indent`.
fn written(fields: &Fields<'_>, indent: Option<&str>) -> String {
    let Some(indent) = indent else {
        return serde_json::to_string(fields).unwrap_or_default();
    };
    let unit = if indent.is_empty() { "  " } else { indent };
    let mut bytes = Vec::new();
    let style = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, style);
    // Writing strings to memory cannot fail; an empty text would be refused by the check after it.
    let _ = fields.serialize(&mut writer);
    String::from_utf8(bytes)
        .unwrap_or_default()
        .replace('\n', &format!("\n{indent}"))
}
