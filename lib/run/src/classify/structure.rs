//! The client's JSON: result lines, rate-limit events, error messages, the `StopFailure` hook.

use super::{Class, Finding, phrase};
use serde_json::Value;

/// What the lines of a stream add up to.
#[derive(Debug, Default)]
struct Seen {
    result: Option<Value>,
    /// The last synthetic message that reports an API error.
    api_error: Option<Value>,
    /// The last rate-limit event, if it says "rejected".
    rejected: Option<Value>,
    any: bool,
}

/// A result object, an array of events, or one event a line.
pub(super) fn stream(text: &str, failed: bool) -> Finding {
    let mut seen = Seen::default();
    match serde_json::from_str::<Value>(text.trim().trim_start_matches('\u{feff}')) {
        Ok(Value::Array(events)) => events.iter().for_each(|event| see(&mut seen, event)),
        Ok(event) => see(&mut seen, &event),
        Err(_) => {
            let lines = text
                .lines()
                .map(|line| line.trim().trim_start_matches('\u{feff}'));
            for line in lines.filter(|line| line.starts_with('{')) {
                if let Ok(event) = serde_json::from_str(line) {
                    see(&mut seen, &event);
                }
            }
        }
    }
    if let Some(result) = seen.result.take() {
        return from_result(&result, &seen, failed);
    }
    if !failed && seen.api_error.is_none() && seen.rejected.is_none() {
        return Finding::default();
    }
    if let Some(error) = &seen.api_error {
        return from_error(error, &seen);
    }
    if let Some(info) = &seen.rejected {
        return limited("", info);
    }
    // Text before any JSON: the client failed before it spoke its format.
    match (seen.any, phrase::lines(text)) {
        (false, Some(finding)) => finding,
        _ => Finding::new(
            Class::Unknown,
            if seen.any { "" } else { text },
            "no result line",
        ),
    }
}

/// A hook's input: its `error` names the class, its message tells a limit from a mere 429.
pub(super) fn hook(text: &str) -> Finding {
    let Ok(input) = serde_json::from_str::<Value>(text) else {
        return Finding::new(Class::Unknown, "", "unreadable hook input");
    };
    let field = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    let message = field("last_assistant_message");
    let name = field("error");
    if name.is_empty() && field("hook_event_name") != "StopFailure" {
        return Finding::default();
    }
    named(name, message, format!("error: {name}"))
}

fn see(seen: &mut Seen, event: &Value) {
    seen.any = true;
    let kind = event.get("type").and_then(Value::as_str);
    let aside = event
        .get("parent_tool_use_id")
        .is_some_and(|id| !id.is_null());
    match kind {
        Some("result") => seen.result = Some(event.clone()),
        Some("rate_limit_event") => {
            let info = event.get("rate_limit_info").unwrap_or(event);
            let rejected = info.get("status").and_then(Value::as_str) == Some("rejected");
            seen.rejected = rejected.then(|| info.clone());
        }
        Some("assistant") if !aside => {
            let failed = ["is_api_error_message", "isApiErrorMessage"]
                .iter()
                .any(|key| event.get(key) == Some(&Value::Bool(true)))
                || event.get("error").is_some_and(Value::is_string);
            seen.api_error = failed.then(|| event.clone());
        }
        None if event.get("is_error").is_some() => seen.result = Some(event.clone()),
        _ => {}
    }
}

fn from_result(result: &Value, seen: &Seen, failed: bool) -> Finding {
    let text = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default();
    let errors = result.get("errors").and_then(Value::as_array);
    let first = errors
        .and_then(|errors| errors.first())
        .and_then(Value::as_str);
    let message = Some(text("result"))
        .filter(|text| !text.is_empty())
        .or(first)
        .unwrap_or_default();
    let subtype = text("subtype");
    let is_error =
        result.get("is_error") == Some(&Value::Bool(true)) || subtype.starts_with("error");
    if !is_error {
        if failed {
            return Finding::new(
                Class::Unknown,
                "",
                "exit status although the result is no error",
            );
        }
        return Finding::default();
    }
    match (text("terminal_reason"), subtype) {
        ("budget_exhausted", _) | (_, "error_max_budget_usd") => {
            return Finding::new(Class::Budget, message, "budget_exhausted");
        }
        ("max_turns", _) | (_, "error_max_turns") => {
            return Finding::new(Class::Budget, message, "max_turns");
        }
        ("prompt_too_long", _) => return Finding::new(Class::Context, message, "prompt_too_long"),
        _ => {}
    }
    if let Some(info) = &seen.rejected {
        return limited(message, info);
    }
    if phrase::of_message(message) == Some(Class::UsageLimit) {
        return Finding::new(Class::UsageLimit, message, message);
    }
    let kind = text("api_error_type");
    let status = result.get("api_error_status").and_then(Value::as_i64);
    by_status(status, kind, message)
        .or_else(|| seen.api_error.as_ref().map(|error| from_error(error, seen)))
        .or_else(|| phrase::of_message(message).map(|class| Finding::new(class, message, message)))
        .unwrap_or_else(|| Finding::new(Class::Unknown, message, "is_error"))
}

fn from_error(event: &Value, seen: &Seen) -> Finding {
    let field = |key: &str| event.get(key).and_then(Value::as_str).unwrap_or_default();
    let content = event
        .pointer("/message/content/0/text")
        .and_then(Value::as_str);
    let message = content.unwrap_or_default();
    if let Some(info) = &seen.rejected {
        return limited(message, info);
    }
    let status = event.get("api_error_status").and_then(Value::as_i64);
    if phrase::of_message(message) != Some(Class::UsageLimit)
        && let Some(finding) = by_status(status, field("api_error_type"), message)
    {
        return finding;
    }
    named(
        field("error"),
        message,
        format!("error: {}", field("error")),
    )
}

fn limited(message: &str, info: &Value) -> Finding {
    let at = |info: &Value| info.get("resetsAt").and_then(Value::as_f64);
    let windows = info.get("unifiedWindows").and_then(Value::as_object);
    let window = windows.and_then(|windows| {
        let rejected = windows
            .values()
            .filter(|window| window.get("status").and_then(Value::as_str) == Some("rejected"));
        rejected.filter_map(at).reduce(f64::max)
    });
    let resets_at = at(info).or(window).and_then(super::reset::epoch);
    Finding {
        resets_at,
        ..Finding::new(Class::UsageLimit, message, "rate_limit_event: rejected")
    }
}

fn by_status(status: Option<i64>, kind: &str, message: &str) -> Option<Finding> {
    let said = phrase::of_message(message);
    let class = match (status, kind) {
        (_, "billing_error") | (Some(402), _) => Class::Billing,
        _ if said == Some(Class::Billing) => Class::Billing,
        _ if said == Some(Class::Context) => Class::Context,
        (Some(401 | 403), _) | (_, "authentication_error" | "permission_error") => Class::Auth,
        (Some(413), _) | (_, "request_too_large") => Class::Context,
        (Some(408 | 409 | 429 | 500..=599), _)
        | (_, "rate_limit_error" | "overloaded_error" | "api_error" | "timeout_error") => {
            Class::Transient
        }
        (Some(400..=499), _) => said
            .filter(|class| *class != Class::Transient)
            .unwrap_or(Class::Unknown),
        _ => return None,
    };
    let evidence = status.map_or_else(
        || format!("api_error_type {kind}"),
        |status| format!("api_error_status {status}"),
    );
    Some(Finding::new(class, message, evidence))
}

/// The class by the client's name of an error.
fn named(name: &str, message: &str, evidence: String) -> Finding {
    let said = phrase::of_message(message);
    let class = match name {
        "authentication_failed"
        | "oauth_org_not_allowed"
        | "verification_required"
        | "cloud_credential_error"
        | "account_on_hold" => Class::Auth,
        "billing_error" => Class::Billing,
        // 529 arrives as server_error; the name outranks the message.
        "overloaded" | "server_error" => Class::Transient,
        "rate_limit" => match said {
            Some(Class::UsageLimit) => Class::UsageLimit,
            Some(Class::Billing) => Class::Billing,
            _ if message.is_empty() => Class::UsageLimit,
            _ => Class::Transient,
        },
        "model_not_found" | "max_output_tokens" => Class::Unknown,
        "invalid_request" => said
            .filter(|class| matches!(class, Class::Context | Class::Billing))
            .unwrap_or(Class::Unknown),
        _ => said.unwrap_or(Class::Unknown),
    };
    Finding::new(class, message, evidence)
}
