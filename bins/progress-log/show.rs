//! What `progress-log` prints.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::text;
use overnight_host::state::Place;
use overnight_host::{cli, progress};
use overnight_run::progress::{Item, Progress};
use serde_json::{Value, json};

/// The summary as it stands, escapes taken out, or the whole model as JSON.
pub(crate) fn summary(place: &Place, json: bool) -> Result<Exit, Fault> {
    let missing = || {
        let reason = format!("{} has no {}/", place.top.display(), progress::FOLDER);
        Fault::new(Code::InputMissing, reason).hint("progress-log render creates it")
    };
    if json {
        let model = progress::load(place)?.ok_or_else(missing)?;
        cli::print_json(&to_json(&model))?;
    } else {
        let text = progress::summary(place)?.ok_or_else(missing)?;
        cli::print(&text::showable(&text))?;
    }
    Ok(Exit::Yes)
}

/// One line, or the whole model as JSON.
pub(crate) fn changed(model: &Progress, json: bool) -> Result<Exit, Fault> {
    if json {
        cli::print_json(&to_json(model))?;
    } else {
        cli::print(&format!(
            "{}%: {} done, {} under way, {} blocked, {} next\n",
            model.percent,
            model.done.len(),
            model.doing.len(),
            model.blocked.len(),
            model.next.len()
        ))?;
    }
    Ok(Exit::Yes)
}

fn to_json(model: &Progress) -> Value {
    json!({
        "project": model.project,
        "updated": model.updated,
        "session": model.session,
        "phase": model.phase.name(),
        "percent": model.percent,
        "iteration": model.iteration.map(|(at, of)| json!({"at": at, "of": of})),
        "result": model.result.as_ref().map(|result| &result.english),
        "done": items(&model.done),
        "doing": items(&model.doing),
        "blocked": items(&model.blocked),
        "next": items(&model.next),
    })
}

fn items(items: &[Item]) -> Vec<Value> {
    let item = |item: &Item| json!({"title": item.title, "session": item.session, "when": item.when, "reason": item.reason});
    items.iter().map(item).collect()
}
