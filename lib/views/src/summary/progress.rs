//! The summary as the progress files take it.

use super::{Ending, Standing, Summary, Task, screen};
use crate::report::words::{dollars, length};
use overnight_run::State;
use overnight_run::progress::{Phase, Snapshot, Spoken, Standing as Listed, TaskLine};
use overnight_run::step::Reason;
use overnight_run::task::{SINGLE, Status};

/// What people read about this run now.
pub fn snapshot(state: &State, night: &Summary) -> Snapshot {
    let open = state.open.as_ref();
    let running = open.map_or(state.iterations, |open| open.iteration);
    let tasks = state.tasks.iter().filter_map(|task| {
        let id = super::clean(&task.spec.id);
        let told = night.tasks.iter().find(|told| told.id == id)?;
        let last = state.last_on(&task.spec.id);
        let summary = last.and_then(|last| last.verdict.summary.as_deref());
        Some(line(listed(state, task.status), told, summary))
    });
    Snapshot {
        phase: Phase::Implementation,
        iteration: (running, state.config.max_iterations),
        result: state
            .finished
            .as_ref()
            .map(|reason| result(night, reason, state.count(Status::Blocked))),
        needs: night.needs.iter().map(|need| need.what.clone()).collect(),
        tasks: tasks.collect(),
    }
}

/// How it ended, and where its work was offered.
fn result(night: &Summary, reason: &Reason, blocked: usize) -> Spoken {
    let request = screen::request(night);
    let request = request.map_or(String::new(), |request| format!(" {request}"));
    Spoken {
        english: format!("{}{request}", night.sentence),
        japanese: format!("{}{request}", japanese(night, reason, blocked)),
    }
}

/// The run's sentence; what agents and gates said stands among the needs, as they said it.
fn japanese(night: &Summary, reason: &Reason, blocked: usize) -> String {
    let word = match night.ending {
        Ending::Done => "完了",
        Ending::Stopped => "未完了",
        Ending::NeedsYou => "要対応",
        Ending::Interrupted => "中断",
        Ending::Paused => "一時停止",
        Ending::Crashed => "異常終了",
        Ending::Running => "実行中",
    };
    let why = match reason {
        Reason::MaxIterations => "（反復回数の上限）",
        Reason::BudgetSpent => "（予算の上限）",
        Reason::MaxDuration => "（時間の上限）",
        Reason::UsageLimit(_) => "（利用上限）",
        Reason::BreakerOpen(_) => "（サーキットブレーカー）",
        Reason::Blocked(_) => "（進められるタスクなし）",
        _ => "",
    };
    let blocked = match blocked {
        0 => String::new(),
        blocked => format!("、ブロック {blocked} 件"),
    };
    let about = if night.cost.estimated { "約 " } else { "" };
    format!(
        "{word}{why}: {} 件中 {} 件完了{blocked}、反復 {} 回、{}、{about}{}。",
        night.total,
        night.done.all(),
        night.iterations,
        length(night.ended_ms.saturating_sub(night.started_ms)),
        dollars(night.cost.usd),
    )
}

/// What was begun and not finished is nobody's work once the run has ended: it comes next.
fn listed(state: &State, status: Status) -> Listed {
    match status {
        Status::Doing if state.finished.is_none() => Listed::Doing,
        Status::Todo | Status::Doing => Listed::Next,
        Status::Done => Listed::Done,
        Status::Blocked => Listed::Blocked,
    }
}

fn line(standing: Listed, task: &Task, summary: Option<&str>) -> TaskLine {
    let title = match task.title.as_str() {
        "" => task.id.clone(),
        title if task.id == SINGLE => title.to_owned(),
        title => format!("{}: {title}", task.id),
    };
    let silent = matches!(task.standing, Standing::AtWork | Standing::Waiting);
    let why = match standing {
        Listed::Done => summary.map(super::clean),
        _ => (!silent && !task.why.is_empty()).then(|| task.why.clone()),
    };
    TaskLine {
        title,
        standing,
        why,
    }
}
