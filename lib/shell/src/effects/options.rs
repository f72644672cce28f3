//! Options in the GNU manner.

/// Arguments taken apart.
#[derive(Debug, Default)]
pub(crate) struct Options<'a> {
    /// Options in order, with their values.
    pub(crate) given: Vec<(&'a str, Option<&'a str>)>,
    /// What is no option.
    pub(crate) operands: Vec<&'a str>,
    /// Arguments from the first operand on, when parsing stopped there.
    pub(crate) rest: usize,
}

/// Takes arguments apart. `short`: letters of options with a value; `long`: names of long options
/// with a value (without dashes). With `stop`, the first operand ends the options.
pub(crate) fn parse<'a>(args: &'a [String], short: &str, long: &[&str], stop: bool) -> Options<'a> {
    let mut options = Options::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        if arg == "--" {
            options.rest = at;
            options
                .operands
                .extend(args[at..].iter().map(String::as_str));
            return options;
        }
        if let Some(name) = arg.strip_prefix("--") {
            let (name, mut value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (name, None),
            };
            if value.is_none() && long.contains(&name) {
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
                options.rest = at - 1;
                options
                    .operands
                    .extend(args[at - 1..].iter().map(String::as_str));
                return options;
            }
            options.operands.push(arg);
        }
    }
    options.rest = args.len();
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

    /// All values of an option.
    pub(crate) fn values(&self, names: &[&str]) -> Vec<&'a str> {
        self.given
            .iter()
            .filter(|(name, _)| names.contains(name))
            .filter_map(|(_, value)| *value)
            .collect()
    }
}

/// The words that are no options: for programs with subcommands. Values of the named options are
/// left out.
pub(crate) fn words<'a>(args: &'a [String], valued: &[&str]) -> Vec<&'a str> {
    let mut words = Vec::new();
    let mut skip = false;
    for arg in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if arg.starts_with('-') && arg.len() > 1 {
            skip = valued.contains(&arg.as_str());
        } else {
            words.push(arg.as_str());
        }
    }
    words
}

/// Is one of these arguments given, alone or with `=value`?
pub(crate) fn any(args: &[String], names: &[&str]) -> bool {
    args.iter().any(|arg| {
        let arg = arg.split_once('=').map_or(arg.as_str(), |(name, _)| name);
        names.contains(&arg)
    })
}
