//! A run in one line, for the client's status line.

use super::glance::{Assignment, Beside, Glance};
use super::{Doing, Life, Vitals, member};
use overnight_base::text::is_unshowable;

/// Cells of the line at most.
const CELLS_MAX: usize = 80;
/// What is typed to look at a run that is over.
const LOOK: &str = "overnight status";
/// What goes on with one whose turn its person broke off.
const GO_ON: &str = "\"continue\" goes on";

/// One line of at most 80 cells; empty once a person has looked at the run's end. A turn that was broken off is no
/// end, and no journal grows by it.
pub fn line(run: &Glance, beside: &Beside) -> String {
    let life = life(run, beside);
    let over = !life.is_under_way();
    let looked = beside.looked == run.bytes && !beside.by_esc;
    if over && (looked || !run.vitals.begun) {
        return String::new();
    }
    let mut parts = vec![match run.members {
        _ if beside.by_esc => format!("overnight: {} by Esc", life.name()),
        _ if over => format!("overnight: {}", life.name()),
        0 => format!("overnight {}/{}", run.iteration, run.iterations_max),
        all => format!("overnight {}/{all} members", run.at_work.len()),
    }];
    let needs = beside.questions + run.needs;
    if needs > 0 {
        parts.push(format!("needs you: {needs}"));
    }
    let own = |assignment: &Assignment| beside.of(assignment)?.0.waits_for.as_deref();
    let cause = run.waits_for.as_deref();
    if let Some(cause) = cause
        .or_else(|| run.at_work.iter().find_map(own))
        .filter(|_| life == Life::Waiting)
    {
        parts.push(format!("waits ({cause})"));
    }
    let tasks = run.tasks;
    parts.push(tasks.done_of());
    if tasks.blocked > 0 {
        parts.push(format!("{} blocked", tasks.blocked));
    }
    let usd = run.usd
        + run.open_usd
        + run
            .at_work
            .iter()
            .map(|at| unbooked(at, beside))
            .sum::<f64>();
    if usd > 0.0 {
        let mut all = beside.members.iter().map(|(_, own, _)| own);
        let reckoned = |own: &Glance| own.estimated || own.open_usd > 0.0;
        let estimated = reckoned(run) || all.any(reckoned);
        let about = if estimated { "about " } else { "" };
        parts.push(format!("{about}${usd:.2}"));
    }
    if over {
        // A command that is cut is none.
        let next = if beside.by_esc { GO_ON } else { LOOK };
        let fits = parts.join(" · ").chars().count() + 3 + next.len() <= CELLS_MAX;
        parts.extend(fits.then(|| next.to_owned()));
    } else {
        parts.extend(run.task.clone());
    }
    cut(&parts.join(" · "), CELLS_MAX)
}

/// A run whose members all wait does so too.
fn life(run: &Glance, beside: &Beside) -> Life {
    let doing = |at: &Assignment| {
        let own = beside.of(at).map(|(own, alive)| (own.vitals, alive));
        member::doing(own, at.started, beside.alive, beside.now)
    };
    let vitals = Vitals {
        paused: run.vitals.paused || beside.by_esc,
        ..run.vitals
    };
    let life = vitals.life(beside.alive, beside.now);
    let mut at_work = run.at_work.iter().peekable();
    let wait = at_work.peek().is_some() && at_work.all(|at| doing(at) == Doing::Waiting);
    if wait && life == Life::Running {
        return Life::Waiting;
    }
    life
}

/// Dollars of a member that the run's journal has not heard of yet.
fn unbooked(assignment: &Assignment, beside: &Beside) -> f64 {
    let spent = beside
        .of(assignment)
        .map_or(0.0, |(own, _)| own.usd + own.open_usd);
    (spent - assignment.booked_usd).max(0.0)
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
