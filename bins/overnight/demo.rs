//! `overnight demo`: a night in a few seconds, without an account and away from everything of the person's.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_filter::reexec::quote;
use overnight_host::agent::own_words;
use overnight_host::{cell, cli, env, files, git, random, runs, state};
use std::ffi::OsString;
use std::io::{IsTerminal, stdin};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The project: functions of a small shop, in shell, whose tests fail, and a task for each.
const PROJECT: [(&str, &str); 6] = [
    ("tasks.json", include_str!("demo/project/tasks.json")),
    ("lib/shop.sh", include_str!("demo/project/shop.sh")),
    ("tests/slug.sh", include_str!("demo/project/slug_test.sh")),
    ("tests/words.sh", include_str!("demo/project/words_test.sh")),
    ("tests/price.sh", include_str!("demo/project/price_test.sh")),
    ("tests/tax.sh", include_str!("demo/project/tax_test.sh")),
];
/// What the agent does in that night.
const AGENT: &str = include_str!("demo/project/agent.sh");
const GOAL: &str = "Write the functions of the shop";

/// What one sees at a stop of the tour, and the command that shows it. `RUN` stands for the run.
struct Stop {
    says: &'static str,
    command: &'static [&'static str],
}

/// Before the night.
const EVENING: Stop = Stop {
    says: "Ten in the evening. What would end the night is found now: each gate runs in a clean work tree,\nand must be able to fail.",
    command: &["rehearse"],
};
/// After it.
const MORNING: [Stop; 5] = [
    Stop {
        says: "Seven in the morning. The report: what needs you, what failed and why, what is proved.",
        command: &["report", "RUN"],
    },
    Stop {
        says: "What the agent of slug said and ran. First it made its test pass by emptying it; the judge ran the\ntest as it stood at dusk, and sent it back.",
        command: &["logs", "RUN", "--task", "slug"],
    },
    Stop {
        says: "The agent of price reached for a key and a start-up file. Where the kernel gives a cell it gets neither.",
        command: &["logs", "RUN", "--task", "price"],
    },
    Stop {
        says: "A colleague proves it again, from the receipt in git, in a clean work tree.",
        command: &["verify", "RUN"],
    },
    Stop {
        says: "The desk: answer, look at each hunk, send back, take out. It ends with q.",
        command: &["review", "RUN"],
    },
];

/// Shows a night in a few seconds: a real run on a real repository, with a scripted agent
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to make the project; a new folder in the system's temporary one by default
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Stop at each step, from the evening to the desk, and say what one sees
    #[arg(long)]
    tour: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let stage = Stage::make(&folder(args)?)?;
    cli::print(&format!(
        "A small shop whose tests fail: {}\n",
        stage.shop.display()
    ))?;
    if args.tour {
        stage.show(&EVENING, "")?;
    }
    let ended = stage.night()?;
    let place = state::locate(&stage.shop)?;
    let run = runs::choose(&place, None)?;
    if args.tour {
        // The desk is worked at, not printed.
        let shown = |stop: &&Stop| stdin().is_terminal() || stop.command[0] != "review";
        for stop in MORNING.iter().filter(shown) {
            stage.show(stop, &run)?;
        }
    } else {
        cli::print(&stage.look_around(&run))?;
    }
    // Only a person can go on: one task needs a key.
    let planned = ended == Some(Exit::NoPermission.status().into());
    Ok(if planned { Exit::Yes } else { Exit::Software })
}

/// The folder of the demo: new, so that nothing of the person's is touched.
fn folder(args: &Args) -> Result<PathBuf, Fault> {
    let folder = match &args.dir {
        Some(folder) => std::path::absolute(folder)
            .map_err(|error| Fault::new(Code::InputPath, error.to_string()))?,
        None => std::env::temp_dir().join(format!("overnight-demo-{}", random::hex::<4>()?)),
    };
    let occupied = std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        let reason = format!("{} is not empty", folder.display());
        return Err(Fault::new(Code::InputPath, reason).hint("name a new folder with --dir"));
    }
    Ok(folder)
}

/// A project with a remote, and a home of its own.
struct Stage {
    shop: PathBuf,
    home: PathBuf,
    bin: PathBuf,
    agent: PathBuf,
}

impl Stage {
    fn make(folder: &Path) -> Result<Self, Fault> {
        let stage = Self {
            shop: folder.join("shop"),
            home: folder.join("home"),
            bin: folder.join("bin"),
            agent: folder.join("agent.sh"),
        };
        let write =
            |path: PathBuf, text: &str| files::write_atomic(&path, text.as_bytes(), files::SHARED);
        for (name, text) in PROJECT {
            write(stage.shop.join(name), text)?;
        }
        write(stage.agent.clone(), AGENT)?;
        write(stage.home.join(".ssh/id_ed25519"), "the key of the demo\n")?;
        stage.own(&["install-links", &stage.bin.to_string_lossy()], false)?;
        let remote = folder.join("origin.git");
        let address = remote.to_string_lossy();
        git::read(folder, &["init", "-q", "--bare", &address])?;
        for words in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "You"],
            &["config", "user.email", "you@overnight.invalid"],
            &["add", "-A"],
            &["commit", "-q", "-m", "A shop whose tests fail"],
            &["remote", "add", "origin", &address],
            &["push", "-q", "origin", "main"],
        ] {
            git::read(&stage.shop, words)?;
        }
        Ok(stage)
    }

    /// The night, as a person would begin it. Gives how it ended.
    fn night(&self) -> Result<Option<i32>, Fault> {
        let agent = format!("command:sh {}", quote(&self.agent.to_string_lossy()));
        cli::print(&format!(
            "\n$ overnight run {GOAL:?} --members 2 --agent 'command:sh ../agent.sh'\n"
        ))?;
        self.own(&["trust", "tasks.json"], false)?;
        self.own(&["run", GOAL, "--members", "2", "--agent", &agent], true)
    }

    /// Says what comes, waits until the person wants it, and shows it.
    fn show(&self, stop: &Stop, run: &str) -> Result<(), Fault> {
        let named = |word: &&'static str| if *word == "RUN" { run } else { *word };
        let words: Vec<&str> = stop.command.iter().map(named).collect();
        cli::print(&format!(
            "\n{}\n$ overnight {}\n",
            stop.says,
            words.join(" ")
        ))?;
        if stdin().is_terminal() {
            cli::print("(Enter) ")?;
            let _ = stdin().read_line(&mut String::new());
        }
        self.own(&words, true).map(drop)
    }

    /// Runs this program in the project, in the demo's own home; is it heard?
    fn own(&self, words: &[&str], heard: bool) -> Result<Option<i32>, Fault> {
        let own = own_words("overnight")?;
        let path = vars::PATH.name;
        let theirs = env::get_os(&vars::PATH).unwrap_or_default();
        let folders = [self.bin.clone()]
            .into_iter()
            .chain(std::env::split_paths(&theirs));
        let joined = std::env::join_paths(folders)
            .map_err(|error| Fault::new(Code::InputPath, error.to_string()))?;
        let mut command = Command::new(&own[0]);
        command.args(&own[1..]).args(words).current_dir(&self.shop);
        for (name, _) in std::env::vars_os() {
            if is_a_persons(&name) {
                command.env_remove(name);
            }
        }
        command.env(vars::HOME.name, &self.home).env(path, joined);
        if !heard {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        }
        let status = command
            .status()
            .map_err(|error| Fault::new(Code::Defect, format!("cannot start itself: {error}")))?;
        Ok(status.code())
    }

    fn look_around(&self, run: &str) -> String {
        format!(
            "\nLook around in it; its home is its own, nothing of yours was touched:\n\
             \x20 cd {shop} && export HOME={home} PATH={bin}:$PATH\n\
             \x20 overnight report {run}             what needs you, what failed and why, what is proved\n\
             \x20 overnight logs {run} --task slug   the agent that emptied its test, and was sent back\n\
             \x20 overnight logs {run} --task price  the agent that reached for a key, {kept}\n\
             \x20 overnight verify {run}             proves it again from the receipt in git\n\
             \x20 overnight review {run}             the desk\n\
             Step by step: overnight demo --tour\n",
            kept = if cell::level().keeps_files() {
                "which its cell kept"
            } else {
                "which nothing kept: there is no cell"
            },
            shop = quote(&self.shop.to_string_lossy()),
            home = quote(&self.home.to_string_lossy()),
            bin = quote(&self.bin.to_string_lossy()),
        )
    }
}

/// Leads a variable to the person's own files, or to another run?
fn is_a_persons(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    let names = [
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "CLAUDE_CONFIG_DIR",
    ];
    names.contains(&&*name) || name.starts_with("OVERNIGHT_") || name.starts_with("GIT_")
}
