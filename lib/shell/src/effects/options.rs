//! Options in the GNU manner. Lists of names are texts with blanks between the names.

use crate::names::one_of;

/// Arguments taken apart.
#[derive(Debug, Default)]
pub(crate) struct Options<'a> {
    /// Options in order, with their values.
    pub(crate) given: Vec<(&'a str, Option<&'a str>)>,
    /// What is no option.
    pub(crate) operands: Vec<&'a str>,
    /// Arguments from the first operand on, when parsing stopped there.
    pub(crate) rest: &'a [String],
}

/// Takes arguments apart. `short`: letters of options with a value; `long`: names of long options
/// with a value (without dashes). With `stop`, the first operand ends the options.
pub(crate) fn parse<'a>(args: &'a [String], short: &str, long: &str, stop: bool) -> Options<'a> {
    let mut options = Options::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        if arg == "--" {
            options.rest = &args[at..];
            break;
        }
        if let Some(name) = arg.strip_prefix("--") {
            let (name, mut value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (name, None),
            };
            if value.is_none() && one_of(name, long) {
                value = args.get(at).map(String::as_str);
                at += 1;
            }
            options.given.push((name, value));
        } else if arg.len() > 1 && arg.starts_with('-') {
            at += cluster(
                &mut options,
                &arg[1..],
                short,
                args.get(at).map(String::as_str),
            );
        } else {
            if stop {
                options.rest = &args[at - 1..];
                break;
            }
            options.operands.push(arg);
        }
    }
    let rest = options.rest.iter().map(String::as_str);
    options.operands.extend(rest);
    options
}

/// Short options written together; gives 1 when the next argument was the value of the last.
fn cluster<'a>(
    options: &mut Options<'a>,
    letters: &'a str,
    short: &str,
    next: Option<&'a str>,
) -> usize {
    for (index, letter) in letters.char_indices() {
        let after = index + letter.len_utf8();
        let name = &letters[index..after];
        if short.contains(letter) {
            let attached = &letters[after..];
            if attached.is_empty() {
                options.given.push((name, next));
                return 1;
            }
            options.given.push((name, Some(attached)));
            return 0;
        }
        options.given.push((name, None));
    }
    0
}

impl<'a> Options<'a> {
    /// Is this letter given, or this long option or an abbreviation of it of two letters or more?
    pub(crate) fn has(&self, short: &str, long: &str) -> bool {
        self.given.iter().any(|(name, _)| {
            if name.len() == 1 {
                short.contains(name)
            } else {
                !long.is_empty() && long.starts_with(name)
            }
        })
    }

    /// The value of an option.
    pub(crate) fn value(&self, short: &str, long: &str) -> Option<&'a str> {
        self.given
            .iter()
            .rev()
            .find(|(name, _)| {
                if name.len() == 1 {
                    short.contains(name)
                } else {
                    !long.is_empty() && *name == long
                }
            })
            .and_then(|(_, value)| *value)
    }

    /// Is one of these given, by its whole name?
    pub(crate) fn gives(&self, names: &str) -> bool {
        self.given.iter().any(|(name, _)| one_of(name, names))
    }

    /// All values of an option that has these names.
    pub(crate) fn values(&self, names: &str) -> Vec<&'a str> {
        self.given
            .iter()
            .filter(|(name, _)| one_of(name, names))
            .filter_map(|(_, value)| *value)
            .collect()
    }
}

/// The words that are no options: for programs with subcommands. Values of the named options are
/// left out.
pub(crate) fn words<'a>(args: &'a [String], valued: &str) -> Vec<&'a str> {
    let mut words = Vec::new();
    let mut skip = false;
    for arg in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if arg.starts_with('-') && arg.len() > 1 {
            skip = one_of(arg, valued);
        } else {
            words.push(arg.as_str());
        }
    }
    words
}

/// The arguments behind the first one that is one of these.
pub(crate) fn behind<'a>(args: &'a [String], names: &str) -> Option<&'a [String]> {
    let at = args.iter().position(|arg| one_of(arg, names))?;
    Some(&args[at + 1..])
}

/// Is the first argument one of these?
pub(crate) fn begins(args: &[String], names: &str) -> bool {
    args.first().is_some_and(|arg| one_of(arg, names))
}

/// Each argument with its value, should it be an option: what stands behind `=`, or next.
pub(crate) fn pairs(args: &[String]) -> impl Iterator<Item = (&str, &str)> {
    args.iter().enumerate().map(|(at, arg)| {
        let next = || (arg.as_str(), args.get(at + 1).map_or("", String::as_str));
        let attached = arg.split_once('=').filter(|_| arg.starts_with('-'));
        attached.unwrap_or_else(next)
    })
}

/// Is one of these arguments given, alone or with `=value`?
pub(crate) fn any(args: &[String], names: &str) -> bool {
    args.iter()
        .any(|arg| one_of(arg, names) || one_of(arg.split('=').next().unwrap_or(arg), names))
}
