//! `overnight doctor`: is everything there, and what holds?

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::setting::Setting;
use overnight_base::text;
use overnight_base::value::Value as Held;
use overnight_base::vars;
use overnight_engine::doctor as probe;
use overnight_host::{cli, config, env};
use overnight_views::config::resolve::Resolved;
use overnight_views::config::settings;
use overnight_views::doctor;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// Characters of a value on its line.
const VALUE_CHARS_MAX: usize = 200;

/// Checks client, plugin, hooks, git and trust, and says how to fix what is wrong
///
/// Begins and ends one session of the client to see its hooks fire; that asks no model. Exits with 1
/// when something does not work.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Shows each setting with its value and where that comes from, and checks nothing else
    #[arg(long)]
    config: bool,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    if args.config {
        return show(&config::here(), args.json);
    }
    let findings = probe::findings(Path::new("."));
    let exit = doctor::exit(&findings);
    if args.json {
        cli::print_json(&json!({"ok": exit == Exit::Yes, "findings": findings}))?;
    } else {
        cli::print(&doctor::text(&findings))?;
    }
    Ok(exit)
}

fn show(resolved: &Resolved, as_json: bool) -> Result<Exit, Fault> {
    let wrong = &resolved.wrong;
    let exit = if wrong.is_empty() {
        Exit::Yes
    } else {
        Exit::No
    };
    if as_json {
        let rows: Vec<Value> = settings::all()
            .map(|setting| row(resolved, setting))
            .collect();
        let wrong: Vec<Value> = wrong
            .iter()
            .map(|wrong| wrong.fault.to_json()["error"].clone())
            .collect();
        let variables: Map<String, Value> = variables()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        cli::print_json(&json!({"settings": rows, "variables": variables, "wrong": wrong}))?;
        return Ok(exit);
    }
    let mut lines = String::new();
    for setting in settings::all() {
        let (value, origin) = resolved.held(setting);
        let value = value
            .as_ref()
            .map_or_else(|| "none".to_owned(), Held::to_string);
        let value = text::one_line(&value, VALUE_CHARS_MAX);
        let _ = writeln!(lines, "{:<22} {value:<22} {origin}", setting.key());
    }
    for (name, value) in variables() {
        let value = text::one_line(&value, VALUE_CHARS_MAX);
        let _ = writeln!(lines, "{name:<22} {value:<22} environment");
    }
    cli::print(&lines)?;
    for wrong in wrong {
        cli::note(&wrong.fault.to_string());
    }
    Ok(exit)
}

/// Our variables that are set and that no setting stands for: who works, on what.
fn variables() -> impl Iterator<Item = (&'static str, String)> {
    let is_setting = |var: &vars::Var| {
        let mut names = settings::all().filter_map(|setting| setting.var);
        names.any(|own| own.name == var.name)
    };
    vars::ALL
        .iter()
        .filter(move |var| var.name.starts_with("OVERNIGHT_") && !is_setting(var))
        .filter_map(|var| Some((env::name_in_use(var), env::get(var)?)))
}

fn row(resolved: &Resolved, setting: &Setting) -> Value {
    let (value, origin) = &resolved.held(setting);
    let shown = |value: &Option<Held>| value.as_ref().map(Held::to_json);
    json!({
        "key": setting.key(),
        "value": shown(value),
        "from": origin.to_string(),
        "default": shown(&setting.default_value()),
        "range": setting.kind.range(),
    })
}
