//! `/flow`'s arguments, checked. Those of a run are declared in [`options`].

use super::words;
use crate::options::{self, DETACH, FAST, Flag, Given, MEMBERS, Offered};
use overnight_base::text::one_line;
use overnight_base::value::Value;
use std::collections::BTreeSet;

/// Shown with every refusal.
pub fn usage() -> String {
    let mut text =
        "/flow <what> [--fast] [--interactive] [--skip-prd] [--skip-test] [--skip-review]\n\
                    /flow stop|pause|resume|status\n\
                    /flow [<what>] --autonomous"
            .to_owned();
    for door in [Offered::Any, Offered::Driver] {
        let flags = options::ALL.iter().filter(|flag| flag.door == door);
        let shown: Vec<String> = flags.map(|flag| shown(flag)).collect();
        text.push_str(match door {
            Offered::Any => "\n      ",
            _ => "\n      and with --detach or --members ",
        });
        text.push_str(&shown.join(" "));
    }
    text
}

fn shown(flag: &Flag) -> String {
    match flag.metavar {
        "" => format!("[--{}]", flag.name),
        value => format!("[--{} {value}]", flag.name),
    }
}

/// What a person asked for.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that the person typed or did not"
)]
pub struct Request {
    /// The task in the person's words; may be empty with `--autonomous`.
    pub what: String,
    /// Iterate until it is proved done.
    pub autonomous: bool,
    /// The options of the run.
    pub run: Given,
    /// Without the requirements step.
    pub skip_prd: bool,
    /// Without the test step.
    pub skip_test: bool,
    /// Without the review step.
    pub skip_review: bool,
    /// Ask the person before each step.
    pub interactive: bool,
}

impl Request {
    /// Is the run left to a driver outside the session? Members work in folders of their own, which
    /// one session cannot.
    pub fn leaves_session(&self) -> bool {
        self.run.has(&DETACH) || self.run.has(&MEMBERS)
    }

    /// Are tests sampled?
    pub fn fast(&self) -> bool {
        self.run.has(&FAST)
    }
}

/// Reads the raw arguments; the error is one message for the person, usage included.
pub fn parse(raw: &str) -> Result<Request, String> {
    read(raw)
        .and_then(|request| check(&request).map(|()| request))
        .map_err(|reason| format!("{reason}\n\n{}", usage()))
}

fn read(raw: &str) -> Result<Request, String> {
    let mut request = Request::default();
    let mut what: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut words = words::split(raw).into_iter();
    while let Some(word) = words.next() {
        let flag = if word.quoted { None } else { flag(&word.text) };
        let Some(flag) = flag else {
            what.push(word.text);
            continue;
        };
        if flag.is_empty() {
            what.extend(words.by_ref().map(|word| word.text));
            break;
        }
        let (name, inline) = match flag.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (flag, None),
        };
        let of_run = options::find(&name).filter(|flag| flag.door != Offered::Run);
        let repeats = of_run.is_some_and(Flag::repeats);
        if !seen.insert(name.clone()) && !repeats {
            return Err(format!("--{name} is given twice"));
        }
        match of_run {
            Some(flag) if flag.is_valued() => {
                let value = inline.or_else(|| words.next().map(|word| word.text));
                request.run.set(flag, valued(flag, value)?);
            }
            _ if inline.is_some() && known(&name) => {
                return Err(format!("--{name} takes no value"));
            }
            Some(flag) => request.run.set(flag, Value::Flag(true)),
            None => switch(&mut request, &name)?,
        }
    }
    request.what = what.join(" ");
    Ok(request)
}

/// The flag's name and value when the word is one. A dash that an input method turned into `—`
/// counts as two.
fn flag(word: &str) -> Option<String> {
    if let Some(rest) = word.strip_prefix("--") {
        return Some(rest.to_owned());
    }
    let lettered = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
    if let Some(rest) = word.strip_prefix(['—', '–']).filter(lettered) {
        return Some(rest.to_owned());
    }
    let short = word.strip_prefix('-').filter(lettered);
    short.map(|_| word.to_owned())
}

fn known(name: &str) -> bool {
    switch(&mut Request::default(), name).is_ok()
        || options::find(name).is_some_and(|flag| flag.door != Offered::Run)
}

/// Takes a flag that is `/flow`'s own.
fn switch(request: &mut Request, name: &str) -> Result<(), String> {
    let field = match name {
        "autonomous" => &mut request.autonomous,
        "skip-prd" => &mut request.skip_prd,
        "skip-test" => &mut request.skip_test,
        "skip-review" => &mut request.skip_review,
        "interactive" => &mut request.interactive,
        _ => {
            let shown = if name.starts_with('-') {
                name.to_owned()
            } else {
                format!("--{name}")
            };
            let hint = "put words that begin with a dash in quotes";
            return Err(format!(
                "{} is no flag of /flow; {hint}",
                one_line(&shown, 60)
            ));
        }
    };
    *field = true;
    Ok(())
}

fn valued(flag: &Flag, value: Option<String>) -> Result<Value, String> {
    let name = flag.name;
    let value = value.filter(|value| !value.is_empty() && !value.starts_with("--"));
    let value = value.ok_or_else(|| format!("--{name} needs a value"))?;
    flag.kind.read_word(&value).ok_or_else(|| {
        let shown = one_line(&value, 40);
        format!("--{name} takes {}, not {shown:?}", flag.kind.range())
    })
}

/// Refuses what does not go together.
fn check(request: &Request) -> Result<(), String> {
    let needs = |flag: &Flag, other: &str| Err(format!("--{} needs {other}", flag.name));
    for flag in request.run.flags() {
        let other = flag.needs.and_then(options::find);
        if let Some(other) = other.filter(|other| !request.run.has(other)) {
            return needs(flag, &format!("--{}", other.name));
        }
        if flag.door == Offered::Driver && request.autonomous && !request.leaves_session() {
            return needs(flag, "--detach");
        }
    }
    if request.autonomous {
        return check_autonomous(request);
    }
    if request.what.is_empty() {
        return Err("say what is to be done".to_owned());
    }
    let of_run = request.run.flags().find(|flag| flag.name != FAST.name);
    of_run.map_or(Ok(()), |flag| needs(flag, "--autonomous"))
}

fn check_autonomous(request: &Request) -> Result<(), String> {
    if request.interactive {
        return Err("--interactive and --autonomous exclude each other".to_owned());
    }
    if !request.what.is_empty() && request.run.has(&options::AGENT_PROMPT) {
        return Err("the goal is either typed or in the --agent-prompt file, not both".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_flags_in_any_place_and_form() {
        let request = parse("port it --autonomous --max-iterations=12 --detach to \"C++ 20\" --budget-usd 2.50 --fast").unwrap();
        assert_eq!(
            (request.what.as_str(), request.autonomous, request.fast()),
            ("port it to C++ 20", true, true)
        );
        let given = request.run.passed_on();
        assert_eq!(given, ["--max-iterations=12", "--fast", "--budget-usd=2.5"]);
        assert!(request.run.has(&DETACH));
        let request = parse("—autonomous --agent-prompt 'my goal.md'").unwrap();
        assert_eq!(request.run.text(&options::AGENT_PROMPT), Some("my goal.md"));
        assert!(!request.leaves_session());
        let request = parse("--autonomous --members 3 --budget-usd 4").unwrap();
        let given = request.run.passed_on();
        assert_eq!(given, ["--budget-usd=4", "--members=3"]);
        assert!(request.leaves_session() && !request.run.has(&DETACH));
        let request = parse("--autonomous --gate 'make a' --gate 'make b'").unwrap();
        assert_eq!(request.run.passed_on(), ["--gate=make a", "--gate=make b"]);
        let request = parse("fix it --skip-prd --skip-test --skip-review --interactive").unwrap();
        assert!(
            request.skip_prd && request.skip_test && request.skip_review && request.interactive
        );
    }

    #[test]
    fn words_that_only_look_like_flags_are_text() {
        for (raw, what) in [
            (r#"add a "--verbose" flag"#, "add a --verbose flag"),
            ("treat -1 as an error", "treat -1 as an error"),
            ("a - b — c", "a - b — c"),
            ("fix it -- and document --all", "fix it and document --all"),
            ("don't panic", "don't panic"),
        ] {
            assert_eq!(parse(raw).unwrap().what, what);
        }
    }

    #[test]
    fn wrong_arguments_are_refused_with_a_reason_and_the_usage() {
        for (raw, reason) in [
            ("", "say what is to be done"),
            ("x --verbose", "--verbose is no flag of /flow"),
            ("x -n 5", "-n is no flag of /flow"),
            (
                "--autonomous --max-iterations",
                "--max-iterations needs a value",
            ),
            (
                "--autonomous --max-iterations --fast",
                "--max-iterations needs a value",
            ),
            ("--autonomous --max-iterations -3", "not \"-3\""),
            (
                "--autonomous --max-iterations 0",
                "from 1 to 100000, not \"0\"",
            ),
            (
                "--autonomous --max-iterations 99999999999999999999",
                "from 1 to 100000",
            ),
            ("--autonomous --max-iterations 1.5", "takes a number from 1"),
            (
                "--autonomous --detach --budget-usd inf",
                "--budget-usd takes a number from 0.01",
            ),
            (
                "--autonomous --detach --budget-usd 0",
                "--budget-usd takes a number from 0.01",
            ),
            ("--autonomous=yes", "--autonomous takes no value"),
            ("--autonomous --autonomous", "--autonomous is given twice"),
            ("--autonomous --interactive", "exclude each other"),
            (
                "x --max-iterations 5",
                "--max-iterations needs --autonomous",
            ),
            ("x --autonomous --agent-prompt g.md", "not both"),
            ("x --members 2", "--members needs --autonomous"),
            ("x --autonomous --agent claude", "--agent needs --detach"),
            ("x --autonomous --ttl 1h", "--ttl needs --members"),
            ("x --autonomous --resume r", "--resume is no flag of /flow"),
            ("x --budget-usd 2", "--budget-usd needs --autonomous"),
            (
                "x --autonomous --members 65",
                "--members takes a number from 1 to 64",
            ),
        ] {
            let message = parse(raw).unwrap_err();
            assert!(message.contains(reason), "{raw:?} gives {message:?}");
            assert!(message.ends_with(&usage()));
        }
    }

    proptest! {
        #[test]
        fn whatever_is_typed_is_understood_or_refused(raw in "(--[a-z-]{0,14}[ =]?|[a-z0-9'\" —-]|\\PC){0,20}") {
            if let Err(message) = parse(&raw) {
                prop_assert!(message.ends_with(&usage()));
                prop_assert!(message.len() < 2_000);
            }
        }
    }
}
