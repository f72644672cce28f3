//! The schema of a task list: every problem is collected, none ends the check.

use super::json::{self, Member, Node, Value};
use super::problem::{self, Found, Problem};
use super::{Proof, Status, TASKS_MAX, THOUGHT_BYTES_MAX, Task, TaskId, TaskList, graph, wrapping};
use super::{issue, meant, model, paths};
use std::collections::BTreeSet;

/// The leader's reasons; the one key that is no task.
pub(super) const THOUGHT: &str = "_thought";
/// Reads and checks a whole list.
pub(super) fn check(text: &str) -> Result<TaskList, Vec<Problem>> {
    let syntax = |problem| vec![problem];
    let start = wrapping::before(text).map_err(syntax)?;
    let (node, end) = json::read(text, start)
        .map_err(|error| vec![wrapping::one(text, error.at, &error.message)])?;
    wrapping::after(text, end).map_err(syntax)?;
    let mut checker = Checker::default();
    let mut list = checker.list(&node);
    if checker.found.is_empty() {
        list.warnings = problem::place(text, checker.doubtful, false);
        return Ok(list);
    }
    Err(problem::place(text, checker.found, false))
}

/// One dependency as written: from which task, to which id, where.
pub(super) struct Edge {
    pub(super) task: usize,
    pub(super) to: String,
    pub(super) at: usize,
}

#[derive(Default)]
struct Checker {
    found: Vec<Found>,
    doubtful: Vec<Found>,
    task: Option<String>,
    edges: Vec<Edge>,
}

impl Checker {
    fn report(&mut self, at: usize, field: Option<&str>, message: impl Into<String>) {
        self.found.push(Found {
            at,
            task: self.task.clone(),
            field: field.map(str::to_owned),
            message: message.into(),
        });
    }

    /// What is no error, but probably not what was meant.
    fn doubt(&mut self, at: usize, field: &str, message: String) {
        self.doubtful.push(Found {
            at,
            task: self.task.clone(),
            field: Some(field.to_owned()),
            message,
        });
    }

    fn list(&mut self, node: &Node) -> TaskList {
        let mut list = TaskList {
            warnings: Vec::new(),
            thought: None,
            tasks: Vec::new(),
        };
        let Value::Object(members) = &node.value else {
            let kind = node.value.kind();
            self.report(
                node.span.start,
                None,
                format!("the list must be an object {{\"<task id>\": {{…}}}}, not {kind}"),
            );
            return list;
        };
        self.duplicates(members);
        let mut tasks = 0;
        for member in members {
            if member.key == THOUGHT {
                list.thought = self.thought(&member.node);
                continue;
            }
            tasks += 1;
            if tasks > TASKS_MAX {
                let message = format!("more than {TASKS_MAX} tasks");
                self.report(member.key_span.start, None, message);
                break;
            }
            list.tasks.push(self.task(member, tasks - 1));
            self.task = None;
        }
        if tasks == 0 {
            self.report(node.span.start, None, "the list has no task");
        }
        graph::check(&mut list.tasks, &self.edges, &mut self.found);
        list
    }

    fn duplicates(&mut self, members: &[Member]) {
        let mut seen = BTreeSet::new();
        for member in members {
            if !seen.insert(&member.key) {
                let message = format!("the key {:?} stands here a second time", shown(&member.key));
                self.report(member.key_span.start, None, message);
            }
        }
    }

    fn thought(&mut self, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) if text.len() <= THOUGHT_BYTES_MAX => return Some(text.clone()),
            Value::Text(text) => {
                let message = format!(
                    "has {} bytes, at most {THOUGHT_BYTES_MAX} are read",
                    text.len()
                );
                self.report(node.span.start, Some(THOUGHT), message);
            }
            other => {
                let message = format!("must be a string, not {}", other.kind());
                self.report(node.span.start, Some(THOUGHT), message);
            }
        }
        None
    }

    fn task(&mut self, member: &Member, index: usize) -> Task {
        let id = TaskId::parse(&member.key);
        if let Err(reason) = &id {
            self.report(member.key_span.start, None, reason.clone());
        }
        self.task = Some(shown(&member.key));
        let mut task = Task {
            id: id.unwrap_or_else(|_| TaskId::unchecked(&member.key)),
            objective: String::new(),
            definition_of_done: Vec::new(),
            allowed_tools: Vec::new(),
            status: Status::default(),
            depends_on: Vec::new(),
            allowed_paths: Vec::new(),
            max_changed_files: None,
            may_change: Vec::new(),
            model: None,
            proof: None,
            issue: None,
        };
        let Value::Object(fields) = &member.node.value else {
            let kind = member.node.value.kind();
            let message = format!("a task must be an object, not {kind}");
            self.report(member.node.span.start, None, message);
            return task;
        };
        self.duplicates(fields);
        for field in fields {
            self.field(&mut task, field, index);
        }
        for name in &meant::FIELDS[..3] {
            if !fields.iter().any(|field| field.key == *name) {
                self.report(member.key_span.start, Some(name), "this field is missing");
            }
        }
        task
    }

    fn field(&mut self, task: &mut Task, member: &Member, index: usize) {
        let node = &member.node;
        match member.key.as_str() {
            "objective" => task.objective = self.text(node, "objective"),
            "definition_of_done" => {
                task.definition_of_done = self.texts(node, "definition_of_done");
                if matches!(&node.value, Value::Array(items) if items.is_empty()) {
                    let message = "is empty: without a condition nothing proves the task done";
                    self.report(node.span.start, Some("definition_of_done"), message);
                }
            }
            "allowed_tools" => {
                task.allowed_tools = self.texts(node, "allowed_tools");
                for tool in &task.allowed_tools {
                    if let Some(meant) = meant::tool(tool) {
                        let message =
                            format!("unknown tool {:?}; did you mean {meant:?}?", shown(tool));
                        self.doubt(node.span.start, "allowed_tools", message);
                    }
                }
            }
            "status" => task.status = self.status(node),
            "depends_on" => self.depends_on(node, index),
            "allowed_paths" => task.allowed_paths = self.patterns(node, "allowed_paths"),
            "may_change" => task.may_change = self.patterns(node, "may_change"),
            "model" => task.model = self.model(node),
            "proof" => task.proof = self.proof(node),
            "issue" => task.issue = self.issue(node),
            "max_changed_files" => task.max_changed_files = self.count(node),
            other => {
                let message = |meant: &str| {
                    format!("unknown field {:?}; did you mean {meant:?}?", shown(other))
                };
                if let Some(meant) = meant::misspelt(other) {
                    self.report(member.key_span.start, Some(&shown(other)), message(meant));
                } else if let Some(meant) = meant::field(other) {
                    self.doubt(member.key_span.start, &shown(other), message(meant));
                }
            }
        }
    }

    /// A string that says something.
    fn text(&mut self, node: &Node, field: &str) -> String {
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => {
                self.report(node.span.start, Some(field), "is empty");
            }
            Value::Text(text) if text.contains('\0') => {
                self.report(node.span.start, Some(field), "contains a NUL character");
            }
            Value::Text(text) => return text.clone(),
            other => {
                let message = format!("must be a string, not {}", other.kind());
                self.report(node.span.start, Some(field), message);
            }
        }
        String::new()
    }

    fn items<'n>(&mut self, node: &'n Node, field: &str) -> &'n [Node] {
        if let Value::Array(items) = &node.value {
            return items;
        }
        let message = format!("must be an array of strings, not {}", node.value.kind());
        self.report(node.span.start, Some(field), message);
        &[]
    }

    fn texts(&mut self, node: &Node, field: &str) -> Vec<String> {
        let items = self.items(node, field);
        let name = |index| format!("{field}[{index}]");
        items
            .iter()
            .enumerate()
            .map(|(index, item)| self.text(item, &name(index)))
            .collect()
    }

    fn status(&mut self, node: &Node) -> Status {
        let message = match &node.value {
            Value::Text(word) => match Status::parse(word) {
                Some(status) => return status,
                None => format!("unknown status {:?}", shown(word)),
            },
            other => format!("must be a string, not {}", other.kind()),
        };
        let words = Status::ALL.map(Status::word).join(", ");
        let message = format!("{message}; one of {words}");
        self.report(node.span.start, Some("status"), message);
        Status::default()
    }

    fn proof(&mut self, node: &Node) -> Option<Proof> {
        if matches!(&node.value, Value::Text(word) if word == "green") {
            return Some(Proof::Green);
        }
        let message = "must be \"green\", for work that keeps every gate green by nature";
        self.report(node.span.start, Some("proof"), message);
        None
    }

    fn model(&mut self, node: &Node) -> Option<String> {
        let name = Some(self.text(node, "model")).filter(|name| !name.is_empty())?;
        if model::is_name(&name) {
            return Some(name);
        }
        let message = format!("{:?} is no name of a model", shown(&name));
        self.report(node.span.start, Some("model"), message);
        None
    }

    fn issue(&mut self, node: &Node) -> Option<String> {
        let name = Some(self.text(node, "issue")).filter(|name| !name.is_empty())?;
        if issue::is_name(&name) {
            return Some(name);
        }
        let message = format!(
            "{:?} is no name of an issue, such as \"#12\" or \"owner/name#12\"",
            shown(&name)
        );
        self.report(node.span.start, Some("issue"), message);
        None
    }

    fn patterns(&mut self, node: &Node, field: &str) -> Vec<String> {
        let patterns = self.texts(node, field);
        let Value::Array(items) = &node.value else {
            return patterns;
        };
        for (index, (item, pattern)) in items.iter().zip(&patterns).enumerate() {
            if let Some(reason) = paths::check(pattern).err().filter(|_| !pattern.is_empty()) {
                let name = format!("{field}[{index}]");
                self.report(item.span.start, Some(&name), reason);
            }
        }
        patterns
    }

    fn count(&mut self, node: &Node) -> Option<u64> {
        if let Value::Number(Some(count)) = node.value {
            return Some(count);
        }
        let message = format!(
            "must be a whole number from 0 on, not {}",
            node.value.kind()
        );
        self.report(node.span.start, Some("max_changed_files"), message);
        None
    }

    fn depends_on(&mut self, node: &Node, index: usize) {
        for (position, item) in self.items(node, "depends_on").iter().enumerate() {
            let name = format!("depends_on[{position}]");
            let to = self.text(item, &name);
            if !to.is_empty() {
                self.edges.push(Edge {
                    task: index,
                    to,
                    at: item.span.start,
                });
            }
        }
    }
}

/// A key of any length, cut for a message.
pub(super) fn shown(key: &str) -> String {
    const SHOWN_CHARS: usize = 64;
    let mut text: String = key.chars().take(SHOWN_CHARS).collect();
    if text.len() < key.len() {
        text.push('…');
    }
    text
}
