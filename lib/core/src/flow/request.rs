//! `/flow`'s arguments, checked.

use super::words;

/// Shown with every refusal.
pub const USAGE: &str = "\
/flow <what> [--fast] [--interactive] [--skip-prd] [--skip-test] [--skip-review]
/flow [<what>] --autonomous [--max-iterations N] [--budget-usd X] [--agent-prompt FILE]
      [--fast] [--detach] [--members N]";

/// More iterations than anybody means.
const ITERATIONS_MAX: u32 = 1_000;
/// More agents side by side than `overnight run --members` takes.
const MEMBERS_MAX: u32 = 64;
/// More dollars than anybody means for one night.
const BUDGET_USD_MAX: f64 = 10_000.0;

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
    /// The limit of iterations.
    pub max_iterations: Option<u32>,
    /// The file with the goal.
    pub agent_prompt: Option<String>,
    /// Test with a sample.
    pub fast: bool,
    /// Leave it to a driver outside the session.
    pub detach: bool,
    /// Dollars for the run.
    pub budget_usd: Option<f64>,
    /// Agents side by side; they work outside the session.
    pub members: Option<u32>,
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
        self.detach || self.members.is_some()
    }
}

/// Reads the raw arguments; the error is one message for the person, usage included.
pub fn parse(raw: &str) -> Result<Request, String> {
    read(raw)
        .and_then(|request| check(&request).map(|()| request))
        .map_err(|reason| format!("{reason}\n\n{USAGE}"))
}

fn read(raw: &str) -> Result<Request, String> {
    let mut request = Request::default();
    let mut what: Vec<String> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
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
        if seen.contains(&name) {
            return Err(format!("--{name} is given twice"));
        }
        seen.push(name.clone());
        if !switch(&mut request, &name, inline.is_some())? {
            let value = inline.or_else(|| words.next().map(|word| word.text));
            valued(&mut request, &name, value)?;
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

/// Takes a flag without a value; false when it is not one.
fn switch(request: &mut Request, name: &str, valued: bool) -> Result<bool, String> {
    let field = match name {
        "autonomous" => &mut request.autonomous,
        "fast" => &mut request.fast,
        "detach" => &mut request.detach,
        "skip-prd" => &mut request.skip_prd,
        "skip-test" => &mut request.skip_test,
        "skip-review" => &mut request.skip_review,
        "interactive" => &mut request.interactive,
        _ => return Ok(false),
    };
    if valued {
        return Err(format!("--{name} takes no value"));
    }
    *field = true;
    Ok(true)
}

fn valued(request: &mut Request, name: &str, value: Option<String>) -> Result<(), String> {
    let known = ["max-iterations", "budget-usd", "agent-prompt", "members"];
    if !known.contains(&name) {
        let shown = if name.starts_with('-') {
            name.to_owned()
        } else {
            format!("--{name}")
        };
        let hint = "put words that begin with a dash in quotes";
        return Err(format!(
            "{} is no flag of /flow; {hint}",
            crate::text::one_line(&shown, 60)
        ));
    }
    let value = value.filter(|value| !value.is_empty() && !value.starts_with("--"));
    let Some(value) = value else {
        return Err(format!("--{name} needs a value"));
    };
    match name {
        "max-iterations" => request.max_iterations = Some(whole(name, &value, ITERATIONS_MAX)?),
        "members" => request.members = Some(whole(name, &value, MEMBERS_MAX)?),
        "budget-usd" => request.budget_usd = Some(dollars(&value)?),
        _ => request.agent_prompt = Some(value),
    }
    Ok(())
}

fn whole(name: &str, value: &str, most: u32) -> Result<u32, String> {
    let number = value
        .parse()
        .ok()
        .filter(|number| (1..=most).contains(number));
    let shown = crate::text::one_line(value, 40);
    number.ok_or_else(|| format!("--{name} takes a whole number from 1 to {most}, not {shown:?}"))
}

fn dollars(value: &str) -> Result<f64, String> {
    // `f64` also reads "inf" and "1e9"; a budget is typed in digits.
    let digits = value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let amount = value
        .parse()
        .ok()
        .filter(|amount| digits && (0.01..=BUDGET_USD_MAX).contains(amount));
    let shown = crate::text::one_line(value, 40);
    amount.ok_or_else(|| {
        format!("--budget-usd takes dollars from 0.01 to {BUDGET_USD_MAX:.0}, not {shown:?}")
    })
}

/// Refuses what does not go together.
fn check(request: &Request) -> Result<(), String> {
    let needs = |flag: &str, other: &str| Err(format!("{flag} needs {other}"));
    if request.autonomous {
        return check_autonomous(request);
    }
    if request.what.is_empty() {
        return Err("say what is to be done".to_owned());
    }
    match request {
        Request {
            max_iterations: Some(_),
            ..
        } => needs("--max-iterations", "--autonomous"),
        Request {
            agent_prompt: Some(_),
            ..
        } => needs("--agent-prompt", "--autonomous"),
        Request { detach: true, .. } => needs("--detach", "--autonomous"),
        Request {
            budget_usd: Some(_),
            ..
        } => needs("--budget-usd", "--autonomous"),
        Request {
            members: Some(_), ..
        } => needs("--members", "--autonomous"),
        _ => Ok(()),
    }
}

fn check_autonomous(request: &Request) -> Result<(), String> {
    if request.interactive {
        return Err("--interactive and --autonomous exclude each other".to_owned());
    }
    if !request.what.is_empty() && request.agent_prompt.is_some() {
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
            request,
            Request {
                what: "port it to C++ 20".into(),
                autonomous: true,
                max_iterations: Some(12),
                detach: true,
                budget_usd: Some(2.5),
                fast: true,
                ..Request::default()
            }
        );
        let request = parse("—autonomous --agent-prompt 'my goal.md'").unwrap();
        assert_eq!(request.agent_prompt.as_deref(), Some("my goal.md"));
        assert!(!request.leaves_session());
        let request = parse("--autonomous --members 3 --budget-usd 4").unwrap();
        assert_eq!((request.members, request.budget_usd), (Some(3), Some(4.0)));
        assert!(request.leaves_session() && !request.detach);
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
                "from 1 to 1000, not \"0\"",
            ),
            (
                "--autonomous --max-iterations 99999999999999999999",
                "from 1 to 1000",
            ),
            ("--autonomous --max-iterations 1.5", "whole number"),
            (
                "--autonomous --detach --budget-usd inf",
                "--budget-usd takes dollars",
            ),
            (
                "--autonomous --detach --budget-usd 0",
                "--budget-usd takes dollars",
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
            ("x --budget-usd 2", "--budget-usd needs --autonomous"),
            (
                "x --autonomous --members 65",
                "--members takes a whole number from 1 to 64",
            ),
        ] {
            let message = parse(raw).unwrap_err();
            assert!(message.contains(reason), "{raw:?} gives {message:?}");
            assert!(message.ends_with(USAGE));
        }
    }

    proptest! {
        #[test]
        fn whatever_is_typed_is_understood_or_refused(raw in "(--[a-z-]{0,14}[ =]?|[a-z0-9'\" —-]|\\PC){0,20}") {
            if let Err(message) = parse(&raw) {
                prop_assert!(message.ends_with(USAGE));
                prop_assert!(message.len() < 1_000);
            }
        }
    }
}
