//! Dependencies: every name known, none twice, no cycle.

use super::problem::Found;
use super::schema::{Edge, shown};
use super::{Task, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// Cycles that are reported: to name each of a million would take too long, and helps nobody.
const CYCLES_MAX: usize = 100;

/// Checks the written dependencies and fills `depends_on` of the tasks.
pub(super) fn check(tasks: &mut [Task], edges: &[Edge], found: &mut Vec<Found>) {
    let index: BTreeMap<String, usize> = tasks
        .iter()
        .enumerate()
        .map(|(index, task)| (task.id.as_str().to_owned(), index))
        .collect();
    let mut known: Vec<Vec<(usize, usize)>> = vec![Vec::new(); tasks.len()];
    let mut seen = BTreeSet::new();
    for edge in edges {
        let Some(task) = tasks.get_mut(edge.task) else {
            continue;
        };
        let mut refuse = |message| {
            found.push(Found {
                at: edge.at,
                task: Some(shown(task.id.as_str())),
                field: Some("depends_on".to_owned()),
                message,
            });
        };
        match index.get(&edge.to) {
            None => refuse(format!("unknown task {:?}", shown(&edge.to))),
            Some(to) if *to == edge.task => refuse("a task cannot depend on itself".to_owned()),
            Some(to) if !seen.insert((edge.task, *to)) => {
                refuse(format!("{:?} stands here a second time", edge.to));
            }
            Some(to) => {
                known[edge.task].push((*to, edge.at));
                task.depends_on.push(TaskId::unchecked(&edge.to));
            }
        }
    }
    cycles(tasks, &known, found);
}

/// Reports each edge that closes a cycle, with the whole cycle. Depth first, without recursion:
/// a chain of 10,000 tasks is legal.
fn cycles(tasks: &[Task], edges: &[Vec<(usize, usize)>], found: &mut Vec<Found>) {
    let enough = found.len() + CYCLES_MAX;
    let mut finished = vec![false; edges.len()];
    let mut on_path = vec![false; edges.len()];
    for root in 0..edges.len() {
        if finished[root] || found.len() >= enough {
            continue;
        }
        let mut path = vec![(root, 0)];
        on_path[root] = true;
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            let Some((to, at)) = edges[node].get(*next).copied() else {
                finished[node] = true;
                on_path[node] = false;
                path.pop();
                continue;
            };
            *next += 1;
            if on_path[to] && found.len() < enough {
                found.push(closing(tasks, &path, to, at));
            } else if !finished[to] && !on_path[to] {
                on_path[to] = true;
                path.push((to, 0));
            }
        }
    }
}

fn closing(tasks: &[Task], path: &[(usize, usize)], to: usize, at: usize) -> Found {
    const SHOWN_MAX: usize = 10;
    let members = path
        .iter()
        .map(|(node, _)| *node)
        .skip_while(|node| *node != to);
    let mut names: Vec<_> = members.map(|node| tasks[node].id.as_str()).collect();
    let task = names.last().map(|name| (*name).to_owned());
    if names.len() > SHOWN_MAX {
        names.truncate(SHOWN_MAX);
        names.push("…");
    }
    names.push(tasks[to].id.as_str());
    Found {
        at,
        task,
        field: Some("depends_on".to_owned()),
        message: format!("a cycle: {}", names.join(" -> ")),
    }
}
