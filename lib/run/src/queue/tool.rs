//! Files that only their tool may write, such as lock files, and the commands that write them.

use overnight_base::setting::is_command;

/// The pattern of the files and the command of an entry `GLOB=COMMAND`.
pub fn parts(entry: &str) -> Option<(&str, &str)> {
    let (glob, command) = entry.split_once('=')?;
    let (glob, command) = (glob.trim(), command.trim());
    (!glob.is_empty() && !command.is_empty()).then_some((glob, command))
}

/// Is it such an entry?
pub fn is_tool(entry: &str) -> bool {
    is_command(entry) && parts(entry).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_a_pattern_and_a_command() {
        let entry = "**/Cargo.lock = cargo update --workspace --config a=1";
        let command = "cargo update --workspace --config a=1";
        assert_eq!(parts(entry), Some(("**/Cargo.lock", command)));
        for wrong in ["", "Cargo.lock", "=x", "x= ", "x=a\nb"] {
            assert!(!is_tool(wrong), "{wrong}");
        }
    }
}
