//! The file whose text Claude Code puts in front of every shell command of a session: our part of
//! it stands there once, whatever else others wrote.

/// How our part begins, and what its last line holds.
const FIRST: &str = "if [ -z \"${OVERNIGHT_FILTER_ACTIVE:-}\" ]";
const LAST: &str = "unset OVERNIGHT_FILTER_ACTIVE";

/// What is to be done with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is as it should be.
    Nothing,
    /// This goes to its end; others may write to it at the same moment.
    Append(String),
    /// An outdated part of ours is in it: this is the whole new text.
    Rewrite(String),
}

/// Brings the guard into the file. It stands last: whatever others export comes before the
/// command's shell is replaced. (No comment may end it: the client puts the command behind it.)
pub fn install(existing: &str, guard: &str) -> Change {
    match part(existing) {
        Some((first, last)) => {
            let lines: Vec<&str> = existing.split_inclusive('\n').collect();
            if lines[first..=last].concat().trim_end() == guard.trim_end() {
                return Change::Nothing;
            }
            let rest = [&lines[..first], &lines[last + 1..]].concat().concat();
            Change::Rewrite(joined(&rest, guard))
        }
        None if existing.is_empty() || existing.ends_with('\n') => Change::Append(guard.to_owned()),
        None => Change::Append(format!("\n{guard}")),
    }
}

/// Does it hold our part?
pub fn holds(existing: &str) -> bool {
    part(existing).is_some()
}

/// Takes our part out; the rest stays as it is.
pub fn remove(existing: &str) -> Change {
    match part(existing) {
        Some((first, last)) => {
            let lines: Vec<&str> = existing.split_inclusive('\n').collect();
            Change::Rewrite([&lines[..first], &lines[last + 1..]].concat().concat())
        }
        None => Change::Nothing,
    }
}

/// The first and the last of our lines.
fn part(existing: &str) -> Option<(usize, usize)> {
    let mut lines = existing.lines();
    let first = lines.position(|line| line.starts_with(FIRST))?;
    let last = existing
        .lines()
        .skip(first)
        .position(|line| line.contains(LAST))?;
    Some((first, first + last))
}

fn joined(rest: &str, guard: &str) -> String {
    let gap = if rest.is_empty() || rest.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{rest}{gap}{guard}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reexec::{env_guard, env_options};

    #[test]
    fn our_part_stands_once_and_last_and_others_stay() {
        let guard = env_guard("/plugin/bin/output-filter");
        assert_eq!(install("", &guard), Change::Append(guard.clone()));
        assert_eq!(
            install("export A=1", &guard),
            Change::Append(format!("\n{guard}"))
        );
        let whole = format!("export A=1\n{guard}");
        assert_eq!(install(&whole, &guard), Change::Nothing);
        let newer = env_guard("/plugin/2/bin/output-filter");
        let options = env_options(&[("CLAUDE_PLUGIN_OPTION_A".to_owned(), "it's".to_owned())]);
        assert!(options.contains(r"export CLAUDE_PLUGIN_OPTION_A='it'\''s'; fi"));
        let configured = format!("{options}{newer}");
        assert_eq!(
            install(&whole, &configured),
            Change::Rewrite(format!("export A=1\n{configured}"))
        );
        assert_eq!(install(&configured, &newer), Change::Rewrite(newer.clone()));
        let both = format!("{whole}export B=2\n");
        assert_eq!(
            install(&both, &newer),
            Change::Rewrite(format!("export A=1\nexport B=2\n{newer}"))
        );
        assert!(holds(&both) && !holds("export A=1\n"));
        let rest = "export A=1\nexport B=2\n".to_owned();
        assert_eq!(remove(&both), Change::Rewrite(rest));
        assert_eq!(remove("export A=1\n"), Change::Nothing);
    }
}
