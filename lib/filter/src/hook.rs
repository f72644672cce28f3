//! The hooks behind the env file: what to answer to `PostToolUse` and `PostToolUseFailure`.

use super::route::{Route, route};
use overnight_base::hook::{Event, context};
use overnight_digest::End;
use serde_json::{Value, json};

/// What a digest of ours says: output that carries it went through the filter already.
const MARKER: &str = "; parts: output-filter show ";

/// An output that the hook should shorten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Case {
    /// The command succeeded as the client sees it.
    Success {
        /// What the client gave: the output, or its first part.
        text: String,
        /// Where the client keeps all of it, if it did not give all.
        persisted: Option<String>,
        /// Its status; unknown where the client reads another meaning into it (`grep`, `diff`).
        end: End,
    },
    /// The command failed.
    Failure {
        /// What the client gave, without its first line.
        text: String,
        /// The status that the first line states.
        end: End,
        /// The client itself left a part out.
        cut: bool,
        /// It is data that the agent asked for: only why the command failed is said.
        data: bool,
    },
}

impl Case {
    /// How the command ended.
    pub fn end(&self) -> End {
        match self {
            Self::Success { end, .. } | Self::Failure { end, .. } => *end,
        }
    }
}

/// Whether there is something to do: the output of a Bash command that is longer than `limits`
/// (lines, bytes; without any: that the client itself cut), is not data for the agent (unless the command failed and the client shortened it), does not come
/// from a background task and was not shortened before.
pub fn case(event: &Event, limits: Option<(usize, usize)>) -> Option<Case> {
    if event.text("tool_name")? != "Bash" {
        return None;
    }
    let data = match route(event.command().unwrap_or_default()) {
        Route::Filter => false,
        Route::Raw("data") => true,
        Route::Raw(_) => return None,
    };
    match event.name() {
        "PostToolUse" if !data => success(event.value("tool_response")?, limits),
        "PostToolUseFailure" => failure(event.text("error")?, limits, data),
        _ => None,
    }
}

/// What a call of the Bash tool printed, as far as the client gives it.
pub fn printed(event: &Event) -> String {
    if event.text("tool_name") != Some("Bash") {
        return String::new();
    }
    let response = |key| event.value("tool_response")?.get(key)?.as_str();
    let parts = [response("stdout"), response("stderr"), event.text("error")];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join("\n")
}

fn success(response: &Value, limits: Option<(usize, usize)>) -> Option<Case> {
    let text_of = |key: &str| {
        response
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let is_set = |key: &str| {
        response
            .get(key)
            .is_some_and(|value| *value == Value::Bool(true))
    };
    // The task's id and output file must stay visible to the model.
    if response
        .get("backgroundTaskId")
        .is_some_and(|id| !id.is_null())
        || is_set("isImage")
    {
        return None;
    }
    let stdout = response.get("stdout")?.as_str()?;
    let text = format!("{stdout}{}", text_of("stderr"));
    let persisted = Some(text_of("persistedOutputPath").to_owned()).filter(|path| !path.is_empty());
    if text.contains(MARKER)
        || persisted.is_none() && limits.is_none_or(|limits| is_small(&text, limits))
    {
        return None;
    }
    let end = match response.get("returnCodeInterpretation") {
        None | Some(Value::Null) => End::Exit(0),
        Some(_) => End::Unknown,
    };
    Some(Case::Success {
        text,
        persisted,
        end,
    })
}

fn failure(error: &str, limits: Option<(usize, usize)>, data: bool) -> Option<Case> {
    let cut = error.contains(" characters truncated] ...");
    let short = limits.map_or(!cut, |limits| is_small(error, limits));
    if error.contains(MARKER) || short || data && !cut {
        return None;
    }
    let (first, rest) = error.split_once('\n')?;
    let status = first
        .strip_prefix("Exit code ")
        .and_then(|status| status.trim().parse().ok());
    Some(Case::Failure {
        text: if status.is_some() { rest } else { error }.to_owned(),
        end: status.map_or(End::Unknown, End::Exit),
        cut,
        data,
    })
}

fn is_small(text: &str, limits: (usize, usize)) -> bool {
    text.lines().count() <= limits.0 && text.len() <= limits.1
}

/// The hook's answer with this digest. A replaced output has the tool's own shape, without the
/// path to the client's copy, which would bring its preview back.
pub fn answer(event: &Event, case: &Case, digest: &str) -> Value {
    match case {
        Case::Success { .. } => {
            let mut output = event
                .value("tool_response")
                .cloned()
                .unwrap_or_else(|| json!({}));
            if let Some(fields) = output.as_object_mut() {
                fields.remove("persistedOutputPath");
                fields.remove("persistedOutputSize");
                fields.insert("stdout".to_owned(), json!(digest));
                fields.insert("stderr".to_owned(), json!(""));
                fields.entry("interrupted").or_insert(json!(false));
            }
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": output}})
        }
        Case::Failure { data: true, .. } => {
            let reason = digest.lines().last().unwrap_or_default();
            context("PostToolUseFailure", reason)
        }
        Case::Failure { cut, .. } => {
            let note = if *cut {
                "The client left out the middle of this output and keeps it nowhere; the digest knows the rest only.\n"
            } else {
                ""
            };
            context("PostToolUseFailure", &format!("{note}{digest}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Option<(usize, usize)> = Some((50, 8_000));

    fn post(response: &Value) -> Event {
        let event = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_response": response});
        Event::parse(event.to_string().as_bytes()).unwrap()
    }

    fn long() -> String {
        "line\n".repeat(60)
    }

    #[test]
    fn a_long_success_is_replaced_in_the_tools_own_shape() {
        let event = post(
            &json!({"stdout": long(), "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false, "persistedOutputPath": "/x", "persistedOutputSize": 9}),
        );
        let case = case(&event, LIMITS).unwrap();
        assert!(
            matches!(&case, Case::Success { persisted: Some(path), end: End::Exit(0), .. } if path == "/x")
        );
        assert_eq!(
            answer(&event, &case, "short")["hookSpecificOutput"]["updatedToolOutput"],
            json!({"stdout": "short", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false})
        );
    }

    #[test]
    fn what_is_small_running_an_image_or_ours_is_left_alone() {
        for response in [
            json!({"stdout": "x\n", "stderr": ""}),
            json!({"stdout": long(), "backgroundTaskId": "b1"}),
            json!({"stdout": long(), "isImage": true}),
            json!({"stdout": format!("{}log: logs/x (90 lines); parts: output-filter show LOG --lines A-B\n", long())}),
            json!("text"),
            json!(null),
        ] {
            assert_eq!(case(&post(&response), LIMITS), None, "{response}");
        }
    }

    #[test]
    fn without_limits_only_what_the_client_cut_is_looked_at() {
        let kept = json!({"stdout": "x\n", "stderr": "", "persistedOutputPath": "/x"});
        assert!(case(&post(&kept), None).is_some());
        assert_eq!(
            case(&post(&json!({"stdout": long(), "stderr": ""})), None),
            None
        );
        for (middle, looked_at) in [
            ("", false),
            ("\n\n... [20011 characters truncated] ...\n\n", true),
        ] {
            let error = format!("Exit code 1\n{}{middle}end", long());
            let event = json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "make"}, "error": error});
            let event = Event::parse(event.to_string().as_bytes()).unwrap();
            assert_eq!(case(&event, None).is_some(), looked_at);
        }
    }

    #[test]
    fn of_data_that_the_client_cut_only_the_reason_is_said() {
        let fails = |command: &str, middle: &str| {
            let error = format!("Exit code 2\n{}{middle}end", long());
            let event = json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": command}, "error": error});
            let event = Event::parse(event.to_string().as_bytes()).unwrap();
            let case = case(&event, LIMITS)?;
            Some(answer(
                &event,
                &case,
                "FAILED\nERROR: no such file (exit 2)\n",
            ))
        };
        let cut = "\n\n... [20011 characters truncated] ...\n\n";
        let said = fails("grep -r x .", cut).unwrap();
        assert_eq!(
            said["hookSpecificOutput"]["additionalContext"],
            "ERROR: no such file (exit 2)"
        );
        assert_eq!(fails("grep -r x .", ""), None);
        assert_eq!(fails("OUTPUT_FILTER=raw make", cut), None);
    }

    #[test]
    fn a_failure_gets_context_and_its_status() {
        let error = format!(
            "Exit code 101\n{}\n\n... [20011 characters truncated] ...\n\nend",
            long()
        );
        let event = json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "make"}, "error": error});
        let event = Event::parse(event.to_string().as_bytes()).unwrap();
        let case = case(&event, LIMITS).unwrap();
        assert_eq!(case.end(), End::Exit(101));
        let answer = answer(&event, &case, "short\n");
        assert_eq!(
            answer["hookSpecificOutput"]["hookEventName"],
            "PostToolUseFailure"
        );
        let text = answer["hookSpecificOutput"]["additionalContext"]
            .as_str()
            .unwrap();
        assert!(text.starts_with("The client left out") && text.ends_with("short\n"));
    }
}
