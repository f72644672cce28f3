//! What the members of an object say, by their names.

/// What a member of an object says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Message,
    /// A message, if there is no other.
    Spare,
    File,
    Line,
    Column,
    Rule,
    Level,
    Full,
    Name,
    Status,
}

/// How many slots there are.
pub(super) const SLOTS: usize = 10;

/// What this member says; `text` is its value.
pub(super) fn slot(key: &str, text: &str) -> Option<Slot> {
    let level = |text: &str| {
        let text = text.to_ascii_lowercase();
        LEVELS.contains(&text.as_str())
    };
    let slot = Some(match key {
        "message" | "msg" | "text" | "Text" | "reason" | "issue_text" | "summary"
        | "failureMessages" | "error_message" | "stdout" | "ruleDescription" => Slot::Message,
        "description" | "detail" | "stack" => Slot::Spare,
        "filePath" | "file" | "filename" | "fileName" | "path" | "file_path" | "file_name"
        | "Filename" | "source" | "uri" | "location.path" => Slot::File,
        "line" | "row" | "line_number" | "lineNumber" | "line_no" | "start_line" | "line_start"
        | "line_from" | "Line" | "startLine" | "begin" => Slot::Line,
        "column" | "col" | "Column" | "character" | "column_start" => Slot::Column,
        "ruleId" | "rule" | "code" | "cop_name" | "symbol" | "rule_id" | "check_id" | "test_id"
        | "check_name" | "identifier" | "FromLinter" | "check" | "ruleNames" | "category" => {
            Slot::Rule
        }
        "severity" | "level" | "issue_severity" | "Severity" => Slot::Level,
        "type" if level(text) => Slot::Level,
        "fullName" | "full_description" | "fullTitle" => Slot::Full,
        "name" | "title" => Slot::Name,
        "status" | "state" | "outcome" | "event" | "ok" => Slot::Status,
        _ => return None,
    });
    // `code` is a rule's name, or the code itself.
    slot.filter(|slot| *slot != Slot::Rule || text.len() < 80 && !text.contains('\n'))
}

/// What `type` says when it means how bad a problem is.
const LEVELS: &[&str] = overnight_base::words!("error fatal warning convention refactor info note");

/// Objects that say more about the object they stand in.
pub(super) fn is_part(key: &str) -> bool {
    matches!(
        key,
        "location"
            | "start"
            | "range"
            | "Pos"
            | "exception"
            | "err"
            | "error"
            | "extra"
            | "lines"
            | "path"
            | "positions"
            | "code"
            | "rule"
            | "span"
            | "spans"
            | "labels"
            | "result"
            | "results"
            | "steps"
            | "errorDetail"
            | "tests"
    )
}
