//! Some tasks of a list: those that a person chose, those that belong together, and the issues that are
//! closed once their tasks are done.

use crate::state::State;
use crate::task::{Status, TaskSpec};
use std::collections::{BTreeMap, BTreeSet};

/// The tasks that were chosen; all where none was. One that needs another that is neither chosen nor done
/// cannot be chosen alone.
pub fn only(specs: Vec<TaskSpec>, chosen: &[String]) -> Result<Vec<TaskSpec>, String> {
    if chosen.is_empty() {
        return Ok(specs);
    }
    let is_chosen = |id: &String| chosen.contains(id);
    if let Some(unknown) = chosen
        .iter()
        .find(|id| !specs.iter().any(|spec| spec.id == **id))
    {
        return Err(format!("the list has no task {unknown:?}"));
    }
    let done: BTreeSet<String> = specs
        .iter()
        .filter(|spec| spec.done)
        .map(|spec| spec.id.clone())
        .collect();
    // An issue of which other tasks are open is not closed by these.
    let others = specs
        .iter()
        .filter(|spec| !spec.done && !is_chosen(&spec.id));
    let open: BTreeSet<String> = others.filter_map(|spec| spec.issue.clone()).collect();
    let mut kept: Vec<TaskSpec> = specs
        .into_iter()
        .filter(|spec| is_chosen(&spec.id))
        .collect();
    for spec in &mut kept {
        let needs = spec.depends_on.iter();
        if let Some(needed) = needs
            .clone()
            .find(|id| !is_chosen(id) && !done.contains(*id))
        {
            return Err(format!(
                "task {} needs {needed}, which is not chosen",
                spec.id
            ));
        }
        spec.depends_on.retain(|id| chosen.contains(id));
        spec.issue = spec.issue.take().filter(|issue| !open.contains(issue));
    }
    Ok(kept)
}

/// The tasks that are not done, by what belongs together: a task with those that it needs, and those of
/// one issue. In the order of the list.
pub fn groups(specs: &[TaskSpec]) -> Vec<Vec<&TaskSpec>> {
    let open: Vec<&TaskSpec> = specs.iter().filter(|spec| !spec.done).collect();
    let at: BTreeMap<&str, usize> = open
        .iter()
        .enumerate()
        .map(|(at, spec)| (spec.id.as_str(), at))
        .collect();
    let mut leader: Vec<usize> = (0..open.len()).collect();
    let mut issues: BTreeMap<&str, usize> = BTreeMap::new();
    for (own, spec) in open.iter().enumerate() {
        let needs = spec
            .depends_on
            .iter()
            .filter_map(|id| at.get(id.as_str()).copied());
        let issue = spec
            .issue
            .as_deref()
            .map(|issue| *issues.entry(issue).or_insert(own));
        for other in needs.chain(issue) {
            let (one, two) = (find(&mut leader, own), find(&mut leader, other));
            leader[one.max(two)] = one.min(two);
        }
    }
    let mut groups: BTreeMap<usize, Vec<&TaskSpec>> = BTreeMap::new();
    for (own, spec) in open.iter().enumerate() {
        groups.entry(find(&mut leader, own)).or_default().push(spec);
    }
    groups.into_values().collect()
}

/// The first task of the group that this one is in.
fn find(leader: &mut [usize], mut at: usize) -> usize {
    while leader[at] != at {
        leader[at] = leader[leader[at]];
        at = leader[at];
    }
    at
}

/// The issues that the run's work closes: all of their tasks are done, at least one by this run.
pub fn closed_issues(state: &State) -> Vec<String> {
    let mut issues: BTreeMap<&String, (bool, bool)> = BTreeMap::new();
    for task in &state.tasks {
        let Some(issue) = &task.spec.issue else {
            continue;
        };
        let done = task.status == Status::Done;
        let mut judged = state.history.on(&task.spec.id);
        let here = judged.any(|past| past.verdict.complete());
        let (all, any) = issues.entry(issue).or_insert((true, false));
        *all &= done;
        *any |= done && here;
    }
    let closed = issues.into_iter().filter(|(_, (all, any))| *all && *any);
    closed.map(|(issue, _)| issue.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Iteration, TaskState};
    use overnight_judge::{Decision, Verdict};

    fn spec(id: &str, needs: &[&str], issue: Option<&str>) -> TaskSpec {
        TaskSpec {
            depends_on: needs.iter().map(|id| (*id).to_owned()).collect(),
            issue: issue.map(str::to_owned),
            ..TaskSpec::named(id, id)
        }
    }

    fn list() -> Vec<TaskSpec> {
        let mut list = vec![
            spec("a", &[], Some("#1")),
            spec("b", &["z"], None),
            spec("c", &["a"], None),
            spec("d", &[], Some("#1")),
            spec("e", &[], None),
            spec("z", &[], None),
            spec("done", &[], Some("#2")),
        ];
        list[6].done = true;
        list
    }

    #[test]
    fn what_needs_another_or_is_of_the_same_issue_belongs_together() {
        let list = list();
        let names: Vec<Vec<&str>> = groups(&list)
            .into_iter()
            .map(|group| group.into_iter().map(|spec| spec.id.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["a", "c", "d"], vec!["b", "z"], vec!["e"]]);
    }

    #[test]
    fn a_choice_stands_for_itself() {
        let chosen = |ids: &[&str]| {
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            only(list(), &ids)
        };
        assert_eq!(chosen(&[]).unwrap().len(), 7);
        assert_eq!(
            chosen(&["nope"]).unwrap_err(),
            "the list has no task \"nope\""
        );
        assert_eq!(
            chosen(&["c"]).unwrap_err(),
            "task c needs a, which is not chosen"
        );
        // Another task of its issue is open: it does not close it.
        let alone = chosen(&["a"]).unwrap();
        assert_eq!((alone.len(), &alone[0].issue), (1, &None));
        let whole = chosen(&["a", "c", "d"]).unwrap();
        assert_eq!(whole[0].issue.as_deref(), Some("#1"));
    }

    #[test]
    fn an_issue_is_closed_by_a_run_that_did_the_last_of_its_tasks() {
        let mut state = State {
            tasks: list().into_iter().map(TaskState::new).collect(),
            ..State::default()
        };
        for task in &mut state.tasks {
            task.status = Status::Done;
        }
        // Nothing was done here.
        assert!(closed_issues(&state).is_empty());
        let verdict = Verdict {
            decision: Decision::Complete,
            ..Verdict::nothing("done")
        };
        state.history.push(Iteration {
            number: 1,
            attempts: 1,
            task: "a".to_owned(),
            model: None,
            started: 0,
            ended: 0,
            verdict,
            unreported: Vec::new(),
            timed_out: None,
            changed: 1,
            cost_usd: 0.0,
            said: String::new(),
        });
        assert_eq!(closed_issues(&state), ["#1"]);
        state.tasks[3].status = Status::Blocked;
        assert!(closed_issues(&state).is_empty());
    }
}
