//! A status in one line, for the client's status line.

use super::{Doing, Life, Status};
use crate::text::is_unshowable;

/// Cells of the line at most.
const CELLS_MAX: usize = 80;

/// One line of at most 80 cells; empty unless the run is under way.
pub fn line(status: &Status) -> String {
    if !matches!(status.state, Life::Running | Life::Waiting) {
        return String::new();
    }
    let busy = status
        .members
        .iter()
        .filter(|member| member.state != Doing::Free);
    let mut parts = vec![match status.members.len() {
        0 => format!("overnight {}/{}", status.iteration, status.iterations_max),
        all => format!("overnight {}/{all} members", busy.count()),
    }];
    if !status.needs_you.is_empty() {
        parts.push(format!("needs you: {}", status.needs_you.len()));
    }
    if let Some(limit) = status
        .limit
        .as_ref()
        .filter(|_| status.state == Life::Waiting)
    {
        parts.push(format!("waits ({})", limit.cause));
    }
    let tasks = status.tasks;
    let all = tasks.done + tasks.doing + tasks.blocked + tasks.left;
    parts.push(format!("{}/{all} done", tasks.done));
    if tasks.blocked > 0 {
        parts.push(format!("{} blocked", tasks.blocked));
    }
    if status.cost.usd > 0.0 {
        parts.push(format!("${:.2}", status.cost.usd));
    }
    parts.extend(status.task.as_ref().map(|task| task.id.clone()));
    cut(&parts.join(" · "), CELLS_MAX)
}

/// At most so many cells. Characters outside Latin scripts count two: too narrow is no harm.
fn cut(text: &str, cells_max: usize) -> String {
    let width = |c: char| if c < '\u{1100}' || c == '…' { 1 } else { 2 };
    let shown = || text.chars().filter(|c| !is_unshowable(*c));
    if shown().map(width).sum::<usize>() <= cells_max {
        return shown().collect();
    }
    let mut cells = 1;
    let kept = shown().take_while(|c| {
        cells += width(*c);
        cells <= cells_max
    });
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn wide_characters_count_two_cells() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("設計書の名前", 6), "設計…");
        assert_eq!(cut("a\u{1b}[2J", 6), "a[2J");
    }
}
