//! The options of a run as arguments of a command line.

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use overnight_base::value::{Kind, Value};
use overnight_run::options::{ALL, Flag, Given, RESUME};

/// What was given of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options(pub(crate) Given);

fn argument(flag: &'static Flag) -> Arg {
    let arg = Arg::new(flag.name)
        .long(flag.name)
        .help(flag.help())
        .hide(flag.hidden);
    let arg = match flag.needs {
        Some(other) => arg.requires(other),
        None => arg,
    };
    match flag.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        _ => valued(arg, flag),
    }
}

fn valued(arg: Arg, flag: &'static Flag) -> Arg {
    let read = |text: &str| {
        let value = flag.kind.read_word(text);
        value.ok_or_else(|| format!("expected {}", flag.kind.range()))
    };
    let arg = arg.value_name(flag.metavar);
    match flag.kind {
        Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words).map(Value::Text)),
        Kind::List(..) => arg
            .action(ArgAction::Append)
            .value_parser(ValueParser::new(read)),
        _ => arg.value_parser(ValueParser::new(read)),
    }
}

/// Those of a run that is there already: which one it is is said without an option.
#[derive(Debug, Clone, Default)]
pub(crate) struct Again(pub(crate) Given);

impl clap::Args for Again {
    fn augment_args(command: Command) -> Command {
        let flags = ALL.iter().filter(|flag| flag.name != RESUME.name);
        command.args(flags.map(|flag| argument(flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Again {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Options::from_arg_matches(matches).map(|options| Self(options.0))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl clap::Args for Options {
    fn augment_args(command: Command) -> Command {
        command.args(ALL.iter().map(|flag| argument(flag)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Options {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Self::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for flag in ALL {
            if matches!(flag.kind, Kind::Flag) {
                if matches.get_flag(flag.name) {
                    self.0.set(flag, Value::Flag(true));
                }
                continue;
            }
            // Not every command has every option.
            let values = matches.try_get_many::<Value>(flag.name).ok().flatten();
            for value in values.into_iter().flatten() {
                self.0.set(flag, value.clone());
            }
        }
        Ok(())
    }
}
