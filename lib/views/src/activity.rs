//! What an agent said and ran, read from its output line by line: the client's stream, or plain text.

use crate::summary::clean;
use overnight_run::client::Ending;
use serde_json::{Map, Value};
use std::collections::VecDeque;

/// One thing that an agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// It said something; lines of a message.
    Said(Vec<String>),
    /// Its client ended with these words, or errors.
    Ended(Vec<String>),
    /// It ran a command.
    Ran(String),
    /// It used another tool: the tool, and on what.
    Used(String, String),
    /// A tool call failed, with the first line of what came back.
    Failed(String),
    /// A line of an output that is no stream.
    Printed(String),
}

/// What an output holds so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Activity {
    /// The first line of the last words.
    pub words: Option<String>,
    /// The command that was started last.
    pub command: Option<String>,
    /// Files that tools wrote, newest last.
    pub files: Vec<String>,
    /// The last lines, as a person reads them.
    pub lines: VecDeque<String>,
    /// What the stream says of tokens.
    stream: Ending,
    reader: Reader,
}

/// Files that are remembered of one output.
const FILES_MAX: usize = 50;
/// Lines that are remembered of one output.
const KEPT_MAX: usize = 500;
/// Lines shown of one message.
const LINES_MAX: usize = 40;

/// Reads an output line by line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reader {
    /// The last words: a stream's result repeats them.
    said: Vec<String>,
    /// Where the client works, by its first line.
    folder: Option<String>,
}

impl Reader {
    /// What the next line says; nothing for lines that only machines read.
    pub fn read(&mut self, line: &str) -> Vec<Act> {
        if self.folder.is_none() {
            self.folder = folder(line);
        }
        let mut acts = read(line);
        // A client names every file whole: of a run's own work tree only its path could be seen.
        if let Some(folder) = &self.folder {
            for act in &mut acts {
                match act {
                    Act::Used(_, on) => {
                        *on = on
                            .strip_prefix(&format!("{folder}/"))
                            .unwrap_or(on)
                            .to_owned();
                    }
                    Act::Ran(command) => *command = within(command, folder),
                    _ => {}
                }
            }
        }
        acts.retain(|act| !matches!(act, Act::Ended(lines) if *lines == self.said));
        for act in &acts {
            if let Act::Said(lines) | Act::Ended(lines) = act {
                self.said.clone_from(lines);
            }
        }
        acts
    }
}

/// Where the client works, if this is the line that says it.
fn folder(line: &str) -> Option<String> {
    let first: Value = line
        .contains("\"init\"")
        .then(|| serde_json::from_str(line).ok())??;
    let folder = clean(first.get("cwd")?.as_str()?);
    (first.get("subtype")? == "init" && folder.len() > 1 && folder.starts_with('/'))
        .then_some(folder)
}

/// A command with `.` for the folder that it is run in, not for one whose name only begins so.
fn within(command: &str, folder: &str) -> String {
    let mut parts = command.split(folder);
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let ends = !part.starts_with(|next: char| next.is_alphanumeric() || "._-".contains(next));
        said.push_str(if ends { "." } else { folder });
        said.push_str(part);
    }
    said
}

fn read(line: &str) -> Vec<Act> {
    let line = line.trim();
    if line.is_empty() {
        return Vec::new();
    }
    let Some(Value::Object(object)) = line
        .starts_with('{')
        .then(|| serde_json::from_str(line).ok())
        .flatten()
    else {
        return vec![Act::Printed(clean(line))];
    };
    if object.get("type").and_then(Value::as_str) == Some("result") {
        return ended(&object).into_iter().collect();
    }
    let content = object
        .get("message")
        .and_then(|message| message.get("content"));
    let Some(Value::Array(parts)) = content else {
        return Vec::new();
    };
    parts.iter().filter_map(part).collect()
}

/// What the client's last line says, where it says anything to a person.
fn ended(object: &Map<String, Value>) -> Option<Act> {
    let said = object.get("result").and_then(Value::as_str);
    let errors = object.get("errors").and_then(Value::as_array);
    let errors = errors.into_iter().flatten().filter_map(Value::as_str);
    let all: Vec<&str> = said.into_iter().chain(errors).collect();
    message(&all.join("\n")).map(Act::Ended)
}

/// A message in lines; `None` for one that says nothing.
fn message(text: &str) -> Option<Vec<String>> {
    let lines = text.lines().map(clean).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.take(LINES_MAX).collect();
    (!lines.is_empty()).then_some(lines)
}

fn part(part: &Value) -> Option<Act> {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    match text("type")? {
        "text" => message(text("text")?).map(Act::Said),
        "tool_use" => {
            let input = part.get("input");
            let of = |key: &str| {
                input
                    .and_then(|input| input.get(key))
                    .and_then(Value::as_str)
            };
            let name = clean(text("name")?);
            if let Some(command) = of("command") {
                return Some(Act::Ran(clean(command)));
            }
            let on = [
                "file_path",
                "path",
                "pattern",
                "url",
                "description",
                "prompt",
            ];
            let on = on.iter().find_map(|key| of(key)).unwrap_or_default();
            Some(Act::Used(name, clean(on)))
        }
        "tool_result" if part.get("is_error").and_then(Value::as_bool) == Some(true) => {
            let said = match part.get("content")? {
                Value::String(said) => said.clone(),
                Value::Array(parts) => {
                    let texts = parts
                        .iter()
                        .filter_map(|part| part.get("text").and_then(Value::as_str));
                    texts.collect::<Vec<_>>().join("\n")
                }
                _ => String::new(),
            };
            let first = said.lines().map(clean).find(|line| !line.is_empty());
            Some(Act::Failed(first.unwrap_or_default()))
        }
        _ => None,
    }
}

/// It in lines for a person.
pub fn lines(act: &Act) -> Vec<String> {
    match act {
        Act::Said(lines) | Act::Ended(lines) => lines.clone(),
        Act::Ran(command) => vec![format!("  $ {command}")],
        Act::Used(tool, on) => vec![format!("  {tool} {on}").trim_end().to_owned()],
        Act::Failed(why) => vec![format!("  failed: {why}")],
        Act::Printed(line) => vec![line.clone()],
    }
}

impl Activity {
    /// Takes the next line of the output.
    pub fn add(&mut self, line: &str) {
        for act in self.reader.read(line) {
            self.lines.extend(lines(&act));
            match act {
                Act::Said(lines) | Act::Ended(lines) => self.words = lines.into_iter().next(),
                Act::Printed(line) => self.words = Some(line),
                Act::Ran(command) => self.command = Some(command),
                Act::Used(tool, on) if writes(&tool) => self.file(on),
                Act::Used(..) | Act::Failed(_) => {}
            }
        }
        let more = self.lines.len().saturating_sub(KEPT_MAX);
        self.lines.drain(..more);
        self.stream.read(line.as_bytes());
    }

    /// Tokens of all kinds so far, by each message.
    pub fn tokens(&self) -> u64 {
        self.stream.seen().0
    }

    /// About how many dollars they are, at the price that the run has seen.
    pub fn about_usd(&self, priced: (f64, u64)) -> f64 {
        self.stream.about_usd(priced)
    }

    fn file(&mut self, path: String) {
        self.files.retain(|known| *known != path);
        if self.files.len() == FILES_MAX {
            self.files.remove(0);
        }
        self.files.push(path);
    }
}

fn writes(tool: &str) -> bool {
    matches!(tool, "Write" | "Edit" | "MultiEdit" | "NotebookEdit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_becomes_what_was_said_run_and_written() {
        let stream = [
            r#"{"type":"system","subtype":"init"}"#,
            r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I look\u001b[2J.\nThen I mend."},{"type":"tool_use","name":"Bash","input":{"command":"cargo test"}}],"usage":{"input_tokens":10,"output_tokens":5}}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"\nerror: no\nmore"}]}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"src/a.rs"}}]}}"#,
        ];
        let mut reader = Reader::default();
        let told: Vec<String> = stream
            .iter()
            .flat_map(|line| reader.read(line))
            .flat_map(|act| lines(&act))
            .collect();
        assert_eq!(
            told,
            [
                "I look[2J.",
                "Then I mend.",
                "  $ cargo test",
                "  failed: error: no",
                "  Edit src/a.rs"
            ]
        );
        let mut activity = Activity::default();
        for line in stream {
            activity.add(line);
        }
        assert_eq!(activity.words.as_deref(), Some("I look[2J."));
        assert_eq!(activity.command.as_deref(), Some("cargo test"));
        assert_eq!(
            (&activity.files, activity.tokens()),
            (&vec!["src/a.rs".to_owned()], 15)
        );
        // 10 tokens in, 5 out at five times their price, a dollar for each.
        assert!((activity.about_usd((1.0, 1)) - 35.0).abs() < 1e-9);
        assert_eq!(activity.lines.len(), 5);
    }

    #[test]
    fn what_lies_in_the_clients_own_folder_is_named_from_there() {
        let stream = [
            r#"{"type":"system","subtype":"init","cwd":"/w/night/shop"}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"/w/night/shop/src/a.rs"}},{"type":"tool_use","name":"Read","input":{"file_path":"/w/night/shop2/b.rs"}},{"type":"tool_use","name":"Bash","input":{"command":"cd /w/night/shop && ls /w/night/shop/src /w/night/shop2 '/w/night/shop'"}}]}}"#,
        ];
        let mut activity = Activity::default();
        for line in stream {
            activity.add(line);
        }
        assert_eq!(activity.files, ["src/a.rs"]);
        assert_eq!(
            activity.lines,
            [
                "  Write src/a.rs",
                "  Read /w/night/shop2/b.rs",
                "  $ cd . && ls ./src /w/night/shop2 '.'"
            ]
        );
    }

    #[test]
    fn a_result_is_told_once_and_so_are_the_errors_of_one_that_failed() {
        let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"All is\nmoved."}]}}"#;
        let result = r#"{"type":"result","subtype":"success","result":"All is\nmoved."}"#;
        let failed = r#"{"type":"result","is_error":true,"errors":["no more turns"]}"#;
        let ended = |lines: &[&str]| {
            let mut reader = Reader::default();
            let acts: Vec<Act> = lines.iter().flat_map(|line| reader.read(line)).collect();
            acts.iter().flat_map(self::lines).collect::<Vec<_>>()
        };
        for stream in [&[said, result][..], &[result]] {
            assert_eq!(ended(stream), ["All is", "moved."]);
        }
        assert_eq!(ended(&[failed]), ["no more turns"]);
    }

    #[test]
    fn plain_output_is_told_as_it_is() {
        assert_eq!(
            read("wrote page 2 of 40\n"),
            [Act::Printed("wrote page 2 of 40".to_owned())]
        );
        assert_eq!(read("{broken"), [Act::Printed("{broken".to_owned())]);
        assert!(read("  ").is_empty());
    }
}
