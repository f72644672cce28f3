//! The subcommands, and who does them.

use crate::{
    approve, asks, completions, demo, doctor, fleet, init, join, links, logs, member, notify,
    pause, plan, play, rehearse, replay, report, resume, review, run, stats, status, statusline,
    stop, tasks, tell, trust, undo, verify, why,
};
use clap::Subcommand;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;

#[derive(Subcommand)]
pub(crate) enum Command {
    Run(run::Args),
    Join(join::Args),
    Fleet(fleet::Args),
    Init(init::Args),
    Rehearse(rehearse::Args),
    Demo(demo::Args),
    Status(status::Args),
    Watch(crate::watch::Args),
    Stats(stats::Args),
    Statusline(statusline::Args),
    Resume(resume::Args),
    Stop(stop::Args),
    Pause(pause::Args),
    Replay(replay::Args),
    Report(report::Args),
    Review(review::Args),
    Asks(asks::Args),
    Approve(approve::Approve),
    Deny(approve::Deny),
    Plan(plan::Args),
    Tasks(tasks::Args),
    Tell(tell::Args),
    Diff(undo::Diff),
    Undo(undo::Undo),
    Bisect(undo::Bisect),
    Trace(crate::trace::Args),
    Trust(trust::Args),
    Verify(verify::Args),
    Why(why::Args),
    Doctor(doctor::Args),
    Logs(logs::Args),
    Notify(notify::Args),
    InstallLinks(links::Args),
    Completions(completions::Args),
    ScriptedAgent(play::Args),
    Member(member::Args),
}

impl Command {
    pub(crate) fn run(self) -> Result<Exit, Fault> {
        match self {
            Self::Run(args) => run::run(&args),
            Self::Join(args) => join::run(args),
            Self::Fleet(args) => fleet::run(&args),
            Self::Init(args) => init::run(&args),
            Self::Rehearse(args) => rehearse::run(&args),
            Self::Demo(args) => demo::run(&args),
            Self::Status(args) => status::run(&args),
            Self::Watch(args) => crate::watch::run(&args),
            Self::Stats(args) => stats::run(&args),
            Self::Statusline(_) => statusline::run(),
            Self::Resume(args) => resume::run(args),
            Self::Stop(args) => stop::run(&args),
            Self::Pause(args) => pause::run(&args),
            Self::Replay(args) => replay::run(&args),
            Self::Report(args) => report::run(&args),
            Self::Review(args) => review::run(&args),
            Self::Asks(args) => asks::run(&args),
            Self::Approve(args) => approve::approve(&args),
            Self::Deny(args) => approve::deny(&args),
            Self::Plan(args) => plan::run(&args),
            Self::Tasks(args) => tasks::run(&args),
            Self::Tell(args) => tell::run(&args),
            Self::Diff(args) => undo::diff(&args),
            Self::Undo(args) => undo::undo(&args),
            Self::Bisect(args) => undo::bisect(&args),
            Self::Trace(args) => crate::trace::run(&args),
            Self::Trust(args) => trust::run(&args),
            Self::Verify(args) => verify::run(&args),
            Self::Why(args) => why::run(&args),
            Self::Doctor(args) => doctor::run(&args),
            Self::Logs(args) => logs::run(&args),
            Self::Notify(args) => notify::run(&args),
            Self::InstallLinks(args) => links::run(&args),
            Self::Completions(args) => completions::run::<crate::Args>(&args),
            Self::ScriptedAgent(args) => play::run(&args),
            Self::Member(args) => member::run(&args),
        }
    }
}
