//! `progress-log`: shows and keeps `progress/`, what people read about a project.

#[path = "progress-log/args.rs"]
mod args;
#[path = "progress-log/show.rs"]
mod show;

use args::{Cli, Verb};
use overnight_base::fault::Fault;
use overnight_host::cli::Words;
use overnight_host::state::{self, Place};
use overnight_host::{cli, clock, progress};
use overnight_run::progress::{Progress, Stamp};
use std::process::ExitCode;

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |cli: Cli| {
        let place = state::locate(&cli.dir)?;
        if matches!(cli.verb, Verb::Show) {
            return show::summary(&place, cli.json);
        }
        let stamp = Stamp {
            session: cli.session.unwrap_or_else(progress::session_label),
            when: clock::stamp_text(clock::wall_ms()),
        };
        let model = change(&place, &cli.verb, &stamp)?;
        show::changed(&model, cli.json)
    })
}

fn change(place: &Place, verb: &Verb, stamp: &Stamp) -> Result<Progress, Fault> {
    progress::update(place, |model| match verb {
        Verb::Show => {}
        Verb::Start { task } => model.start(task, stamp),
        Verb::Done { task } => model.finish(task, stamp),
        Verb::Block { task, reason } => model.block(task, reason, stamp),
        Verb::Next { tasks } => tasks.iter().for_each(|task| model.plan(task, stamp)),
        Verb::Render { phase } => model.renew(*phase, stamp),
    })
}
