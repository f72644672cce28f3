//! `overnight scripted-agent`: what `--agent scripted:FILE` starts for each attempt.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_host::{env, files};
use overnight_run::script;
use overnight_tools::player;
use std::path::PathBuf;

/// A script larger than this is none.
const SCRIPT_BYTES_MAX: u64 = 16 << 20;

/// Plays one session of a script; started by the driver
#[derive(clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    /// The script
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let script = script::parse(&read(&args.file)?)?;
    let number = |var| {
        env::get(var)
            .and_then(|text| text.parse().ok())
            .unwrap_or(1)
    };
    let task = env::get(&vars::TASK).unwrap_or_default();
    let (visit, attempt) = (number(&vars::VISIT), number(&vars::ATTEMPT));
    let session = script.session(&task, visit, attempt).ok_or_else(|| {
        Fault::new(
            Code::InputData,
            format!("the script has no session for task {task}, visit {visit}, attempt {attempt}"),
        )
    })?;
    let folder = std::env::current_dir()
        .map_err(|error| Fault::new(Code::InputPath, format!("current folder: {error}")))?;
    let check_id = env::get(&vars::CHECK_ID);
    let file = env::get_os(&vars::DECISION_FILE).map(PathBuf::from);
    let check = check_id
        .as_deref()
        .zip(file.as_deref())
        .map(|(id, file)| player::Check { id, file });
    player::play(session, &folder, check.as_ref())
}

fn read(path: &std::path::Path) -> Result<String, Fault> {
    let fault = |what: &str| Fault::new(Code::InputMissing, format!("{}: {what}", path.display()));
    match files::read_bounded(path, SCRIPT_BYTES_MAX)? {
        files::Content::Bytes(bytes) => {
            String::from_utf8(bytes).map_err(|_| fault("is not UTF-8 text"))
        }
        files::Content::Missing => Err(fault("there is no script")),
        files::Content::Refused(what) => Err(fault(what)),
    }
}
