//! What is made from the declarations: the reference page and the schema for editors.

use super::settings::{SECTIONS, all};
use overnight_base::setting::{Project, Setting};
use overnight_base::value::Kind;
use overnight_base::vars;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The reference page of settings and variables, as Markdown.
pub fn page() -> String {
    let mut text = "# Settings\n\nMade by `cargo xtask docs`. How they work together is in [configuration](configuration.md).\n\n```console\n$ MAX_OUTPUT_LINES=80 overnight doctor --config\n…\nfilter.max_lines       80                     $MAX_OUTPUT_LINES\n…\n```\n".to_owned();
    for (section, about, settings) in SECTIONS {
        let _ = write!(
            text,
            "\n## `[{section}]`\n\n{}\n\n| key | default | range | variable | a project may | meaning |\n|---|---|---|---|---|---|\n",
            about.trim()
        );
        for setting in *settings {
            row(&mut text, setting);
        }
    }
    text + "\n" + &vars::section()
}

fn row(text: &mut String, setting: &Setting) {
    let default = match setting.default_value() {
        Some(value) => format!("`{value}`"),
        None => "none".to_owned(),
    };
    let variable = setting.var.map_or_else(String::new, |var| {
        format!("`{}`", var.alias.unwrap_or(var.name))
    });
    let _ = writeln!(
        text,
        "| `{}` | {default} | {} | {variable} | {} | {} |",
        setting.name,
        setting.kind.range(),
        may(setting),
        setting.doc.trim(),
    );
}

fn may(setting: &Setting) -> &'static str {
    let choice = matches!(setting.kind, Kind::Choice(_));
    match setting.project {
        Project::Never => "not set it",
        Project::Free => "set it",
        Project::Less | Project::More if choice => "choose a stricter one",
        Project::Less => "lower it",
        Project::More => "raise it",
        Project::Adds => "add to it",
        Project::AddsTrusted => "add to it, once trusted",
    }
}

/// JSON Schema of `overnight.toml` and `config.toml`.
pub fn schema() -> String {
    let sections: Map<String, Value> = SECTIONS
        .iter()
        .map(|(section, about, settings)| {
            let properties: Map<String, Value> = settings
                .iter()
                .map(|setting| (setting.name.to_owned(), property(setting)))
                .collect();
            let body = json!({
                "type": "object",
                "description": about.trim(),
                "additionalProperties": false,
                "properties": properties,
            });
            ((*section).to_owned(), body)
        })
        .collect();
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Overnight's configuration",
        "type": "object",
        "additionalProperties": false,
        "properties": sections,
    });
    format!("{schema:#}\n")
}

fn property(setting: &Setting) -> Value {
    let mut property = setting.kind.schema();
    let about = format!("{} ({})", setting.doc.trim(), setting.kind.range());
    property["description"] = json!(about);
    if let Some(value) = setting.default_value() {
        property["default"] = value.to_json();
    }
    property
}

/// The plugin's options, as its manifest declares them. Defaults are left to the programs: the
/// client does not pass them on.
pub fn options() -> Value {
    let options: Map<String, Value> = all()
        .filter_map(|setting| {
            let title = setting.title?;
            let mut option = match setting.kind {
                Kind::Flag => json!({"type": "boolean"}),
                Kind::Count(least, most) => json!({"type": "number", "min": least, "max": most}),
                Kind::Decimal(least, most) => json!({"type": "number", "min": least, "max": most}),
                _ => json!({"type": "string"}),
            };
            option["title"] = json!(title);
            option["description"] = json!(setting.doc.trim());
            option["required"] = json!(false);
            if let Some(value) = setting.default_value() {
                option["default"] = value.to_json();
            }
            Some((setting.option()?, option))
        })
        .collect();
    Value::Object(options)
}
