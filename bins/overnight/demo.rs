//! `overnight demo`: a night in a few seconds, without an account.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::driver::{self, Orders};
use overnight_host::agent::Agent;
use overnight_host::state::{self, Place};
use overnight_host::trust::Trust;
use overnight_host::{cli, files, git, journal, random};
use overnight_run::config::Config;
use overnight_run::event::Door;
use overnight_run::task::Status;
use overnight_run::{Reason, State, overview};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// How long the agent that hangs is waited for.
const TASK_TIMEOUT_MS: u64 = 2_000;

/// The project: a small shell library with tests that fail, and a list of three tasks.
const PROJECT: [(&str, &str); 6] = [
    (
        "AGENT_PROMPT.md",
        include_str!("demo/project/AGENT_PROMPT.md"),
    ),
    ("tasks.json", include_str!("demo/project/tasks.json")),
    ("tests/check.sh", include_str!("demo/project/check.sh")),
    ("tests/slug.sh", include_str!("demo/project/slug_test.sh")),
    ("tests/words.sh", include_str!("demo/project/words_test.sh")),
    ("tests/price.sh", include_str!("demo/project/price_test.sh")),
];
/// What the agent does in that night.
const NIGHT: &str = include_str!("demo/project/night.json");

/// Shows a night in a few seconds: a real run on a real repository, with a scripted agent
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to make the project; a new folder in the system's temporary one by default
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = make_project(&folder(args)?)?;
    cli::print(&format!(
        "A small project with failing tests: {}\n\n",
        place.top.display()
    ))?;
    let trust = Trust::of(&place)?;
    trust.add("tasks.json", PROJECT[1].1.as_bytes())?;
    let night = place.state.join("night.json");
    files::write_atomic(&night, NIGHT.as_bytes(), files::PRIVATE)?;
    let run = driver::create(&place, &place.top.join("AGENT_PROMPT.md"), Door::Driver)?;
    let config = |_| Config {
        task_timeout_ms: TASK_TIMEOUT_MS,
        ..Config::default()
    };
    let orders = Orders {
        place: place.clone(),
        agent: Agent::Scripted(night),
        config: &config,
        say: |line| {
            let _ = cli::print(&format!("  {line}\n"));
        },
    };
    let ended = driver::take_over(orders, &run).and_then(driver::Driver::run);
    trust.revoke("tasks.json")?;
    let (reason, state) = ended?;
    cli::print(&summary(&place, &run, &reason, &state))?;
    let planned = state.count(Status::Done) == 2 && state.count(Status::Blocked) == 1;
    Ok(if planned { Exit::Yes } else { Exit::Software })
}

/// The folder of the project: new, so that nothing of the person's is touched.
fn folder(args: &Args) -> Result<PathBuf, Fault> {
    let folder = match &args.dir {
        Some(folder) => folder.clone(),
        None => std::env::temp_dir().join(format!("overnight-demo-{}", random::hex::<4>()?)),
    };
    let occupied = std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        let reason = format!("{} is not empty", folder.display());
        return Err(Fault::new(Code::InputPath, reason).hint("name a new folder with --dir"));
    }
    Ok(folder)
}

fn make_project(folder: &Path) -> Result<Place, Fault> {
    for (name, text) in PROJECT {
        files::write_atomic(&folder.join(name), text.as_bytes(), files::SHARED)?;
    }
    for name in ["slug", "words", "price"] {
        let text = format!("{name}() {{ echo \"not written yet\"; }}\n");
        files::write_atomic(
            &folder.join(format!("lib/{name}.sh")),
            text.as_bytes(),
            files::SHARED,
        )?;
    }
    git::read(folder, &["init", "-q", "-b", "auto/demo"])?;
    git::read(folder, &["add", "-A"])?;
    let author = [
        "-c",
        "user.name=Overnight",
        "-c",
        "user.email=demo@overnight.invalid",
    ];
    git::read(
        folder,
        &[
            &author[..],
            &["commit", "-q", "-m", "A library with failing tests"],
        ]
        .concat(),
    )?;
    state::locate(folder)
}

fn summary(place: &Place, run: &str, reason: &Reason, state: &State) -> String {
    let mut text = format!("\nThe night is over: {}.\n", overview::sentence(reason));
    for task in &state.tasks {
        let status = format!("{:?}", task.status).to_lowercase();
        let why = task
            .blocked
            .as_ref()
            .map(|block| format!(" ({})", block.reason))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "  {:<6} {status} after {} iterations{why}",
            task.spec.id, task.iterations
        );
    }
    let top = place.top.display();
    let _ = write!(
        text,
        "\nprogress  {top}/progress/README.md\njournal   {}\nlogs      {top}/agent_logs/{run}/\n\
         \nThe same decisions from the journal alone: (cd {top} && overnight replay {run})\n",
        place.run_folder(run).join(journal::FILE).display(),
    );
    text
}
