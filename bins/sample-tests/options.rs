//! The command line of `sample-tests`, and the request that it and the environment make.

use clap::{Args, ValueEnum};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars::{self, Var};
use overnight_host::files::{Content, read_bounded};
use overnight_host::{config, env, who};
use overnight_sample::bucket::Turn;
use overnight_sample::draw::Request;
use overnight_sample::hash::{SEED_BYTES_MAX, check_seed};
use overnight_sample::rate::Rate;
use overnight_sample::settings::Sample;
use overnight_sample::unit::Unit;
use overnight_sample::{emit, listing};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The seed where nobody says who asks: everybody draws the same then.
const SEED: &str = "0";

/// Who draws how much of what.
#[derive(Args)]
pub(crate) struct Options {
    /// Share of the tests, a decimal from 0.001 to 1 [default: as configured, 0.1]
    #[arg(long, allow_hyphen_values = true)]
    rate: Option<String>,
    /// Who asks: the same agent always gets the same tests [default: `$AGENT_ID`, else the run and its member, else the client's session]
    #[arg(long, value_name = "ID", conflicts_with_all = ["seed", "seed_file"], allow_hyphen_values = true)]
    agent: Option<String>,
    /// Orders the tests instead of the agent's id [default: `$SEED`]
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "seed_file",
        allow_hyphen_values = true
    )]
    seed: Option<String>,
    /// Reads the seed from a file
    #[arg(long, value_name = "FILE")]
    seed_file: Option<PathBuf>,
    /// This agent's number in its team: disjoint parts of one order that all members share
    #[arg(long, value_name = "I", requires = "of")]
    index: Option<u64>,
    /// Size of the team; without --rate each member takes an equal part of everything
    #[arg(long, value_name = "N", requires = "index")]
    of: Option<u64>,
    /// The iteration of a run: another part each time, everything within 1/rate iterations
    /// [default: `$OVERNIGHT_ITERATION`, which the driver sets]
    #[arg(long, value_name = "T")]
    iteration: Option<u64>,
    /// Draws single tests, or whole files or modules [default: test; `run` decides by what collecting costs]
    #[arg(long, value_enum)]
    unit: Option<UnitName>,
    /// Gives each module its share
    #[arg(long, value_enum)]
    stratify: Option<Strata>,
    /// Equal time instead of equal count: JUnit XML, pytest-split's JSON, jest's JSON, own records
    #[arg(long, value_name = "FILE")]
    pub(crate) durations: Vec<PathBuf>,
    /// Ids that run on top of the sample
    #[arg(long, value_name = "FILE")]
    pub(crate) always: Vec<PathBuf>,
    /// Tests in files that differ from REF run on top of the sample
    #[arg(long, value_name = "REF", num_args = 0..=1, default_missing_value = "HEAD")]
    pub(crate) changed: Option<String>,
    /// Writes the plan as JSON to a file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) plan: Option<PathBuf>,
    /// An empty list is no error
    #[arg(long)]
    allow_empty: bool,
    /// Runs the lister even if no file has changed since it last ran
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// Where the ids come from and what becomes of them.
#[derive(Args)]
pub(crate) struct Listed {
    /// Lists the test files below a folder, .gitignore respected, instead of reading stdin
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Only ids or files that match
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// No ids or files that match
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// The lister's format
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) format: FormatName,
    /// Ids are separated by NUL, in and out
    #[arg(short = '0', long)]
    pub(crate) null: bool,
    /// What is printed: ids, or arguments of a runner
    #[arg(long, value_enum, default_value = "ids")]
    pub(crate) emit: EmitName,
    /// Prints tests and plan as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Writes the ids that were left out to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) rest: Option<PathBuf>,
    /// Runs this lister instead of reading stdin
    #[arg(last = true, value_name = "LISTER", conflicts_with = "root")]
    pub(crate) lister: Vec<OsString>,
}

macro_rules! names {
    ($name:ident => $target:ty { $($(#[$shown:meta])? $variant:ident),* }) => {
        #[derive(Clone, Copy, ValueEnum)]
        pub(crate) enum $name { $($(#[$shown])? $variant),* }

        impl From<$name> for $target {
            fn from(name: $name) -> Self {
                match name { $($name::$variant => Self::$variant),* }
            }
        }
    };
}

names!(UnitName => Unit { Test, File, Module });
names!(FormatName => listing::Format { Auto, Plain, Nextest, Cargo, Pytest, Go, Jest, Vitest, Playwright, Rspec });
names!(EmitName => emit::Emit { Ids, PytestArgs, NextestFilter, NextestConfig, Jest, Vitest, GoRun, Cargo, #[value(hide = true)] Json });

#[derive(Clone, Copy, ValueEnum)]
enum Strata {
    Module,
}

impl Options {
    /// Flags, else environment, else defaults.
    pub(crate) fn request(&self) -> Result<Request, Fault> {
        let (seed, agent) = self.who()?;
        let request = Request {
            rate: self.rate()?,
            seed,
            agent,
            turn: Turn {
                member: self.index.zip(self.of),
                iteration: self.iteration()?,
            },
            unit: self.unit().unwrap_or(Unit::Test),
            stratify: matches!(self.stratify, Some(Strata::Module)),
            allow_empty: self.allow_empty,
        };
        request.turn.bucket(&request.rate)?;
        Ok(request)
    }

    /// The unit, when one is asked for.
    pub(crate) fn unit(&self) -> Option<Unit> {
        self.unit.map(Unit::from)
    }

    /// The arguments that ask for the same again, with what this request was made of.
    pub(crate) fn words(&self, request: &Request) -> Vec<String> {
        let mut words = vec!["--seed".to_owned(), request.seed.clone()];
        let mut add = |flag: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value]));
        };
        let path = |path: &PathBuf| Some(path.to_string_lossy().into_owned());
        // A team's equal part is no decimal; it follows from --of again.
        add(
            "--rate",
            Some(request.rate.text().to_owned()).filter(|rate| !rate.contains('/')),
        );
        add("--index", self.index.map(|index| index.to_string()));
        add("--of", self.of.map(|of| of.to_string()));
        add(
            "--iteration",
            request.turn.iteration.map(|turn| turn.to_string()),
        );
        add("--unit", Some(request.unit.name().to_owned()));
        add("--stratify", request.stratify.then(|| "module".to_owned()));
        add("--changed", self.changed.clone());
        add("--plan", self.plan.as_ref().and_then(path));
        self.durations
            .iter()
            .for_each(|file| add("--durations", path(file)));
        self.always
            .iter()
            .for_each(|file| add("--always", path(file)));
        words.extend(self.allow_empty.then(|| "--allow-empty".to_owned()));
        words
    }

    fn iteration(&self) -> Result<Option<u64>, Fault> {
        if self.iteration.is_some() {
            return Ok(self.iteration);
        }
        let Some((name, value)) = setting(&vars::ITERATION)? else {
            return Ok(None);
        };
        let wrong = || Fault::new(Code::SampleTurn, format!("{value:?} is no number"));
        let number = value.parse().map_err(|_| misset(name, &wrong()))?;
        Ok(Some(number))
    }

    fn rate(&self) -> Result<Rate, Fault> {
        if let Some(rate) = &self.rate {
            return Rate::parse(rate);
        }
        if let Some(of) = self.of {
            return Ok(Rate::one_of(of));
        }
        match setting(&vars::SAMPLE_RATE)? {
            Some((name, rate)) => Rate::parse(&rate).map_err(|fault| misset(name, &fault)),
            None => Rate::parse(&configured()?.rate.to_string()),
        }
    }

    /// The seed and the agent. Members of a team share one order, whoever they are, since their
    /// parts would not be disjoint otherwise.
    fn who(&self) -> Result<(String, Option<String>), Fault> {
        if let Some(agent) = &self.agent {
            check_seed("--agent", agent)?;
        }
        let seed = match (&self.seed, &self.seed_file) {
            (Some(seed), _) => {
                check_seed("--seed", seed)?;
                Some(seed.clone())
            }
            (None, Some(file)) => Some(seed_in(file)?),
            (None, None) if self.agent.is_some() => None,
            (None, None) => checked(&vars::SEED)?
                .map_or_else(|| Ok(configured()?.seed), |seed| Ok(Some(seed)))?,
        };
        let agent = match &self.agent {
            Some(agent) => Some(agent.clone()),
            None if seed.is_some() => None,
            None => {
                checked(&vars::AGENT_ID)?;
                who::works(None, None)
            }
        };
        let own = agent.clone().filter(|_| self.of.is_none());
        let seed = seed.or(own).unwrap_or_else(|| SEED.to_owned());
        Ok((seed, agent))
    }
}

fn seed_in(file: &Path) -> Result<String, Fault> {
    let shown = file.display();
    let wrong = |why: String| Fault::new(Code::SampleSeed, format!("{shown} {why}"));
    // Room for a line end behind the longest seed.
    match read_bounded(file, SEED_BYTES_MAX as u64 + 2)? {
        Content::Bytes(bytes) => {
            let text =
                String::from_utf8(bytes).map_err(|_| wrong("is no UTF-8 text".to_owned()))?;
            let seed = text.trim_end_matches(['\n', '\r']);
            check_seed(&shown.to_string(), seed)?;
            Ok(seed.to_owned())
        }
        Content::Missing => Err(wrong("does not exist".to_owned())),
        Content::Refused(why) => Err(wrong(format!("is {why}"))),
    }
}

/// What the files and the plugin's options say.
fn configured() -> Result<Sample, Fault> {
    let resolved = config::here();
    let settings = resolved.strict(|wrong| wrong.section.as_deref() == Some("sample"))?;
    Ok(settings.sample.clone())
}

fn checked(var: &Var) -> Result<Option<String>, Fault> {
    let Some((name, value)) = setting(var)? else {
        return Ok(None);
    };
    check_seed(name, &value).map_err(|fault| misset(name, &fault))?;
    Ok(Some(value))
}

/// A variable's name as it is in use, and its value.
fn setting(var: &Var) -> Result<Option<(&'static str, String)>, Fault> {
    let Some(value) = env::get_os(var) else {
        return Ok(None);
    };
    let name = env::name_in_use(var);
    match value.into_string() {
        Ok(value) => Ok(Some((name, value))),
        Err(_) => Err(Fault::new(
            Code::SettingInvalid,
            format!("{name} is no UTF-8 text"),
        )),
    }
}

fn misset(name: &str, fault: &Fault) -> Fault {
    Fault::new(Code::SettingInvalid, format!("{name}: {}", fault.reason))
        .hint(format!("correct or unset {name}"))
        .with("variable", name)
}
