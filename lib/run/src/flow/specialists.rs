//! Which specialist agents look at what a task changed, and how that is said to whoever starts them: after an
//! implementation the search for duplicates, after a refactoring speed and quality side by side.

use super::kind::{Kind, detect};

/// The agents that are to look at a task of these words.
pub fn due(words: &str) -> &'static [&'static str] {
    of(detect(words).0)
}

/// What the next iteration is told of those that did not report on a task that is done.
pub fn again(task: &str, unreported: &[String]) -> String {
    format!(
        "The task {task} is done, and no report of {} came. First of all start {} with the Agent tool \
         (run_in_background false) on what that task changed, and go on with yours when the report is there.",
        unreported.join(" and "),
        if unreported.len() > 1 {
            "these agents side by side"
        } else {
            "this agent"
        }
    )
}

/// The agents for work of this kind.
fn of(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Feature => &["overnight:dedup-agent"],
        Kind::Refactoring => &["overnight:perf-agent", "overnight:quality-agent"],
        _ => &[],
    }
}

/// What is said of them for a task of these words; `None` where none is due. In a session the main
/// conversation starts them after its worker; behind a driver the agent itself, before it claims to be done.
pub fn brief(words: &str, in_session: bool) -> Option<String> {
    let agents = due(words);
    let named: Vec<String> = agents.iter().map(|agent| format!("\"{agent}\"")).collect();
    let what = match named.as_slice() {
        [] => return None,
        [one] => format!("the agent {one}"),
        all => format!(
            "the agents {}, in one message, so that they work side by side,",
            all.join(" and ")
        ),
    };
    let when = if in_session {
        "When the worker reports that the task is done"
    } else {
        "When the work of this task is done, before you claim it"
    };
    Some(format!(
        "{when}, start {what} with the Agent tool (run_in_background false) on what this task changed, once. \
         Their reports are kept and given to the next iteration; what belongs to this task is done now, the rest is named."
    ))
}

#[cfg(test)]
mod tests {
    use super::{again, brief};

    #[test]
    fn whoever_did_not_report_is_asked_for_once_more() {
        let late = [
            "overnight:perf-agent".to_owned(),
            "overnight:quality-agent".to_owned(),
        ];
        let said = again("a", &late);
        assert!(
            said.contains("no report of overnight:perf-agent and overnight:quality-agent"),
            "{said}"
        );
        assert!(again("a", &late[..1]).contains("start this agent"));
    }

    #[test]
    fn an_implementation_is_searched_for_duplicates_and_a_refactoring_measured_and_looked_over() {
        let said = brief("add an export to CSV", false).unwrap();
        assert!(
            said.contains("\"overnight:dedup-agent\"") && said.contains("before you claim"),
            "{said}"
        );
        let said = brief("refactor the parser", true).unwrap();
        assert!(
            said.contains(
                "\"overnight:perf-agent\" and \"overnight:quality-agent\", in one message"
            ),
            "{said}"
        );
        for words in [
            "fix the failing login",
            "document the format",
            "why is it slow",
        ] {
            assert_eq!(brief(words, true), None, "{words}");
        }
    }
}
