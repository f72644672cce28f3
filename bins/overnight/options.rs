//! The options of a run as arguments of a command line.

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};
use overnight_base::value::{Kind, Value};
use overnight_run::options::{ALL, Flag, Given};

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
            let values = matches.get_many::<Value>(flag.name);
            for value in values.into_iter().flatten() {
                self.0.set(flag, value.clone());
            }
        }
        Ok(())
    }
}
