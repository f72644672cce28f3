//! What a member is told of the others' work.

use crate::State;
use overnight_base::text::one_line;
use std::fmt::Write;

/// The most that a member is told about what others did.
const CONTEXT_BYTES_MAX: usize = 6 << 10;
/// Characters of one task's summary in it.
const SAID_CHARS_MAX: usize = 300;

/// What the others did, for the member's prompt: the tasks it depends on first, then the newest;
/// bounded.
pub fn context(state: &State, task: &str) -> String {
    let needed = state
        .task(task)
        .map(|task| task.spec.depends_on.as_slice())
        .unwrap_or_default();
    let newest = state.members.merged.iter().rev();
    let (first, rest): (Vec<_>, Vec<_>) = newest.partition(|merged| needed.contains(&merged.task));
    let mut text = String::new();
    for merged in first.into_iter().chain(rest) {
        let objective = state
            .task(&merged.task)
            .map_or("", |task| task.spec.objective.as_str());
        let mut line = format!(
            "- {} is merged: {}",
            merged.task,
            one_line(objective, SAID_CHARS_MAX)
        );
        let said = one_line(&merged.said, SAID_CHARS_MAX);
        if !said.is_empty() {
            let _ = write!(line, "; its agent said: {said}");
        }
        if text.len() + line.len() >= CONTEXT_BYTES_MAX {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::members::Merged;
    use crate::state::TaskState;
    use crate::task::TaskSpec;

    #[test]
    fn what_a_member_is_told_is_bounded_and_begins_with_what_its_task_needs() {
        let mut state = State::default();
        for at in 0..500 {
            let task = format!("t{at}");
            let objective = "Write all of it, \u{1b}[31mwith care. ".repeat(50);
            let spec = TaskSpec::named(&task, &objective);
            state.tasks.push(TaskState::new(spec));
            state.members.merged.push(Merged {
                task,
                commit: "c".into(),
                said: "It is written, every line of it.\n".repeat(100),
                way: String::new(),
            });
        }
        let needs = TaskSpec {
            depends_on: vec!["t3".into()],
            ..TaskSpec::named("last", "The rest.")
        };
        state.tasks.push(TaskState::new(needs));
        let text = context(&state, "last");
        assert!(text.len() <= CONTEXT_BYTES_MAX && text.len() > CONTEXT_BYTES_MAX / 2);
        let told: Vec<&str> = text
            .lines()
            .map(|line| line.split(' ').nth(1).unwrap())
            .collect();
        assert_eq!(told[..3], ["t3", "t499", "t498"]);
        assert!(!text.contains('\u{1b}'));
    }
}
