//! What a name that is not known stands for: a slip of the hand, or what others call it.

/// The fields of a task.
pub(super) const FIELDS: [&str; 11] = [
    "objective",
    "definition_of_done",
    "allowed_tools",
    "status",
    "depends_on",
    "allowed_paths",
    "max_changed_files",
    "may_change",
    "model",
    "proof",
    "issue",
];

/// What other task lists call our fields.
const FIELDS_ELSEWHERE: &[(&str, &str)] = &[
    ("deps", "depends_on"),
    ("dependencies", "depends_on"),
    ("requires", "depends_on"),
    ("after", "depends_on"),
    ("blocked_by", "depends_on"),
    ("state", "status"),
    ("tools", "allowed_tools"),
    ("done", "definition_of_done"),
    ("done_when", "definition_of_done"),
    ("acceptance_criteria", "definition_of_done"),
    ("acceptance", "definition_of_done"),
    ("criteria", "definition_of_done"),
    ("gate", "definition_of_done"),
    ("gates", "definition_of_done"),
    ("tests", "definition_of_done"),
    ("goal", "objective"),
    ("description", "objective"),
    ("paths", "allowed_paths"),
    ("files", "allowed_paths"),
];

/// The client's tools that a task may be given.
const TOOLS: &[&str] = &[
    "Agent",
    "Bash",
    "Edit",
    "Glob",
    "Grep",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "Skill",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// What other clients call them.
const TOOLS_ELSEWHERE: &[(&str, &str)] = &[
    ("shell", "Bash"),
    ("terminal", "Bash"),
    ("exec", "Bash"),
    ("cat", "Read"),
    ("view", "Read"),
    ("open", "Read"),
    ("create", "Write"),
    ("patch", "Edit"),
    ("apply_patch", "Edit"),
    ("str_replace", "Edit"),
    ("search", "Grep"),
    ("fetch", "WebFetch"),
    ("browser", "WebFetch"),
];

/// So many letters may be wrong in a name of this many at least.
const SLIPS: usize = 2;
const SLIPS_FROM: usize = 6;
/// And one in a tool's short name: none of a person's own stands so near.
const SLIP_FROM: usize = 3;

/// The field of which only case, `-` or a missing `_` differ (`dependsOn`). A known field that is
/// silently ignored would run tasks in the wrong order.
pub(super) fn misspelt(key: &str) -> Option<&'static str> {
    let key = bare(key);
    FIELDS.into_iter().find(|field| bare(field) == key)
}

/// The field that an unknown one probably stands for.
pub(super) fn field(key: &str) -> Option<&'static str> {
    elsewhere(key, FIELDS_ELSEWHERE).or_else(|| near(key, &FIELDS, SLIPS, SLIPS_FROM))
}

/// The tool that an unknown one probably stands for. Rules (`Bash(git *)`) are read up to their
/// parenthesis; tools of servers (`mcp__…`) are anybody's.
pub(super) fn tool(entry: &str) -> Option<&'static str> {
    let name = entry.split('(').next().unwrap_or_default().trim();
    if TOOLS.contains(&name) || name.starts_with("mcp__") {
        return None;
    }
    let same = TOOLS.iter().find(|tool| bare(tool) == bare(name)).copied();
    same.or_else(|| elsewhere(name, TOOLS_ELSEWHERE))
        .or_else(|| near(name, TOOLS, SLIPS, SLIPS_FROM))
        .or_else(|| near(name, TOOLS, 1, SLIP_FROM))
}

fn elsewhere(name: &str, table: &[(&str, &'static str)]) -> Option<&'static str> {
    let name = bare(name);
    let row = table.iter().find(|(theirs, _)| bare(theirs) == name);
    row.map(|(_, ours)| *ours)
}

fn near(name: &str, known: &[&'static str], most: usize, from: usize) -> Option<&'static str> {
    let name = bare(name);
    let slips = |known: &str| strsim::osa_distance(&name, &bare(known));
    let mut near = known
        .iter()
        .copied()
        .filter(|known| name.len() >= from && known.len() >= from && slips(known) <= most);
    near.next()
}

fn bare(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{field, misspelt, tool};

    #[test]
    fn fields_of_others_and_slips_are_understood_and_own_fields_left_alone() {
        assert_eq!(misspelt("dependsOn"), Some("depends_on"));
        assert_eq!(field("blocked_by"), Some("depends_on"));
        assert_eq!(field("objetive"), Some("objective"));
        assert_eq!(field("definiton_of_done"), Some("definition_of_done"));
        for own in ["owner", "notes", "priority", "estimate", "id"] {
            assert_eq!(field(own), None, "{own}");
        }
    }

    #[test]
    fn tools_of_others_and_slips_are_understood_and_known_ones_left_alone() {
        assert_eq!(tool("bash(git log)"), Some("Bash"));
        assert_eq!(tool("shell"), Some("Bash"));
        assert_eq!(tool("WebSerach"), Some("WebSearch"));
        assert_eq!(tool("Bsh"), Some("Bash"));
        assert_eq!(tool("Raed"), Some("Read"));
        for known in [
            "Bash(cargo test:*)",
            "Read",
            "mcp__github__list",
            "Workflow",
            "Monitor",
            "LSP",
        ] {
            assert_eq!(tool(known), None, "{known}");
        }
    }
}
