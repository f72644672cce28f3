//! Whose exit status a shell reports: of a pipeline that of its last command.

use super::{route, words};

/// The program whose status stands for the whole command, when it ends with a pipeline and is not
/// the program that matters; `None` for plain commands, with `pipefail`, and where it is not clear.
pub fn speaker(command: &str) -> Option<String> {
    if command.contains("pipefail") {
        return None;
    }
    let line = words::parse(command.trim())?;
    let last = line.last().filter(|pipeline| pipeline.len() > 1)?.last()?;
    let (name, _) = route::program(last);
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_of_a_pipeline_speaks() {
        let said = |command: &str| speaker(command);
        assert_eq!(
            said("cargo test 2>&1 | tee out.log"),
            Some("tee".to_owned())
        );
        assert_eq!(
            said("cd a && npm test | /usr/bin/cat"),
            Some("cat".to_owned())
        );
        assert_eq!(said("cargo test"), None);
        assert_eq!(said("cat x | grep y; cargo test"), None);
        assert_eq!(said("set -o pipefail; cargo test | tee out.log"), None);
        assert_eq!(said("for i in 1 2; do echo | cat; done"), None);
    }
}
