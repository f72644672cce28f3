//! Which value of a setting holds: environment, then project (which only tightens), then plugin
//! option, then the person's file, then default. A wrong value changes nothing and is named.

use super::settings::{SECTIONS, Settings, all, find};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::setting::{Project, Setting};
use overnight_base::value::{Value, shown};
use overnight_base::vars::Var;
use std::collections::BTreeMap;
use toml::Table;

/// Where the values come from.
pub struct Layers<'a> {
    /// Name and text of the person's file.
    pub person: Option<(&'a str, &'a str)>,
    /// Name and text of the project's file.
    pub project: Option<(&'a str, &'a str)>,
    /// Whether a person trusts the project's file; asked only when it names commands.
    pub trusted: &'a dyn Fn() -> bool,
    /// A plugin option by its name.
    pub option: &'a dyn Fn(&str) -> Option<String>,
    /// A variable: the name that it is set under, and its value.
    pub variable: &'a dyn Fn(&Var) -> Option<(&'static str, String)>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The person's file, by name.
    Person(String),
    /// The plugin's options.
    Option(String),
    /// The project's file, by name.
    Project(String),
    /// An environment variable.
    Variable(&'static str),
}

/// The settings in force, and what was ignored.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The typed form.
    pub settings: Settings,
    /// What somebody set.
    set: Set,
    /// Everything that was ignored.
    pub wrong: Vec<Wrong>,
}

/// Values and where they come from, by section and key.
type Set = BTreeMap<(&'static str, &'static str), (Value, Origin)>;

/// Something that was ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The section; `None` when it is a whole file.
    pub section: Option<String>,
    /// Where it stands.
    pub origin: Origin,
    /// What is wrong.
    pub fault: Fault,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Person(file) | Self::Project(file) => f.write_str(file),
            Self::Option(name) => write!(f, "plugin option {name}"),
            Self::Variable(name) => write!(f, "${name}"),
        }
    }
}

impl Resolved {
    /// Reads the layers, the weakest first.
    pub fn read(layers: &Layers<'_>) -> Self {
        let mut reading = Reading::default();
        let person = |file: &str| Origin::Person(file.to_owned());
        let project = |file: &str| Origin::Project(file.to_owned());
        reading.file(layers.person, &person, &mut |reading, found| {
            reading.set(found);
        });
        for setting in all() {
            if let Some((name, text)) = setting
                .option()
                .and_then(|name| Some((name.clone(), (layers.option)(&name)?)))
            {
                reading.text(setting, Origin::Option(name), &text);
            }
        }
        reading.file(layers.project, &project, &mut |reading, found| {
            reading.tighten(found, layers.trusted);
        });
        for setting in all() {
            if let Some((name, text)) = setting.var.and_then(|var| (layers.variable)(var)) {
                reading.text(setting, Origin::Variable(name), &text);
            }
        }
        reading.resolved()
    }

    /// The value that holds for a setting, and where it comes from.
    pub fn held(&self, setting: &Setting) -> (Option<Value>, Origin) {
        match self.set.get(&setting.place()).cloned() {
            Some((value, origin)) => (Some(value), origin),
            None => (setting.default_value(), Origin::Default),
        }
    }

    /// The first thing that is wrong and that `counts`, as a fault.
    pub fn strict(&self, counts: impl Fn(&Wrong) -> bool) -> Result<&Settings, Fault> {
        match self.wrong.iter().find(|wrong| counts(wrong)) {
            Some(wrong) => Err(wrong.fault.clone()),
            None => Ok(&self.settings),
        }
    }
}

/// A value that was found in a file or behind a name.
struct Found {
    setting: &'static Setting,
    origin: Origin,
    value: Value,
}

#[derive(Default)]
struct Reading {
    set: Set,
    wrong: Vec<Wrong>,
}

impl Reading {
    /// Walks through a file's entries; each good one goes to `take`.
    fn file(
        &mut self,
        file: Option<(&str, &str)>,
        origin: &dyn Fn(&str) -> Origin,
        take: &mut dyn FnMut(&mut Self, Found),
    ) {
        let Some((name, text)) = file else {
            return;
        };
        let table = match text.parse::<Table>() {
            Ok(table) => table,
            Err(error) => {
                let reason = format!("{name}: {}", error.message());
                return self.ignore(None, origin(name), reason);
            }
        };
        for (section, entries) in &table {
            let toml::Value::Table(entries) = entries else {
                let reason = format!("{name}: {section} is {}, not a section", shown(entries));
                self.ignore(Some(section), origin(name), reason);
                continue;
            };
            if !SECTIONS.iter().any(|(known, _, _)| known == section) {
                let known: Vec<&str> = SECTIONS.iter().map(|(known, _, _)| *known).collect();
                let reason = format!(
                    "{name}: [{section}] is unknown; there are {}",
                    known.join(", ")
                );
                self.ignore(Some(section), origin(name), reason);
                continue;
            }
            for (key, value) in entries {
                match read(name, section, key, value) {
                    Ok((setting, value)) => {
                        let origin = origin(name);
                        take(
                            self,
                            Found {
                                setting,
                                origin,
                                value,
                            },
                        );
                    }
                    Err(reason) => self.ignore(Some(section), origin(name), reason),
                }
            }
        }
    }

    /// A value as text, from an option or a variable. An empty one is none.
    fn text(&mut self, setting: &'static Setting, origin: Origin, text: &str) {
        const QUOTE_MAX: usize = 40;
        if let Some(value) = setting.kind.read_text(text) {
            return self.set(Found {
                setting,
                origin,
                value,
            });
        }
        let name = match &origin {
            Origin::Variable(name) => (*name).to_owned(),
            other => other.to_string(),
        };
        let (range, value) = (
            setting.kind.range(),
            text.chars().take(QUOTE_MAX).collect::<String>(),
        );
        let fault = Fault::new(
            Code::SettingInvalid,
            format!("{name}={value:?} is not {range}"),
        )
        .hint(format!("correct or unset {name}"))
        .with("variable", name)
        .with("value", value)
        .with("range", range);
        let section = Some(setting.section.to_owned());
        self.wrong.push(Wrong {
            section,
            origin,
            fault,
        });
    }

    fn set(&mut self, found: Found) {
        let place = found.setting.place();
        self.set.insert(place, (found.value, found.origin));
    }

    /// A project's value: taken when it tightens, ignored when it is what holds anyway.
    fn tighten(&mut self, found: Found, trusted: &dyn Fn() -> bool) {
        let (setting, kind) = (found.setting, &found.setting.kind);
        let current = match self.set.get(&setting.place()) {
            Some((value, _)) => Some(value.clone()),
            None => setting.default_value(),
        };
        let lower = |one: &Value, other: &Value| kind.below(one, other) == Some(true);
        let refused = match (setting.project, &current) {
            (_, Some(current)) if *current == found.value => return,
            (Project::Free, _) | (Project::Less | Project::More, None) => None,
            (Project::Less, Some(current)) if lower(&found.value, current) => None,
            (Project::More, Some(current)) if lower(current, &found.value) => None,
            (Project::Adds, _) => return self.add(found, current),
            (Project::AddsTrusted, _) if trusted() => return self.add(found, current),
            (Project::AddsTrusted, _) => {
                Some((Code::NotTrusted, "names commands that nobody trusted"))
            }
            (Project::Never, _) => {
                Some((Code::SettingInvalid, "is yours to set: a project may not"))
            }
            _ => Some((
                Code::SettingInvalid,
                "would loosen what holds: a project may only tighten",
            )),
        };
        let Some((code, why)) = refused else {
            return self.set(found);
        };
        let reason = format!(
            "{}: {} = {} {why}",
            found.origin,
            setting.key(),
            found.value
        );
        let hint = match code {
            Code::NotTrusted => format!("read the file, then: overnight trust {}", found.origin),
            _ => format!("take it out of {}, or set it yourself", found.origin),
        };
        let (section, origin) = (Some(setting.section.to_owned()), found.origin);
        let fault = Fault::new(code, reason).hint(hint);
        self.wrong.push(Wrong {
            section,
            origin,
            fault,
        });
    }

    fn add(&mut self, found: Found, current: Option<Value>) {
        let (Some(Value::List(mut list)), Value::List(more)) = (current, &found.value) else {
            return self.set(found);
        };
        list.extend(more.iter().cloned());
        let value = Value::List(list);
        if found.setting.kind.holds(&value) {
            return self.set(Found { value, ..found });
        }
        let reason = format!(
            "{}: {}: with yours it is not {}",
            found.origin,
            found.setting.key(),
            found.setting.kind.range()
        );
        self.ignore(Some(found.setting.section), found.origin, reason);
    }

    fn ignore(&mut self, section: Option<&str>, origin: Origin, reason: String) {
        let fault = Fault::new(Code::SettingInvalid, reason)
            .hint("overnight doctor --config shows what holds");
        let section = section.map(str::to_owned);
        self.wrong.push(Wrong {
            section,
            origin,
            fault,
        });
    }

    fn resolved(self) -> Resolved {
        let value = |setting: &'static Setting| match self.set.get(&setting.place()) {
            Some((value, _)) => Some(value.clone()),
            None => setting.default_value(),
        };
        Resolved {
            settings: Settings::typed(&value),
            set: self.set,
            wrong: self.wrong,
        }
    }
}

/// What an entry of a file says, or why it says nothing.
fn read(
    file: &str,
    section: &str,
    key: &str,
    value: &toml::Value,
) -> Result<(&'static Setting, Value), String> {
    let Some(setting) = find(section, key) else {
        let known: Vec<&str> = all()
            .filter(|setting| setting.section == section)
            .map(|setting| setting.name)
            .collect();
        return Err(format!(
            "{file}: {section}.{key} is unknown; [{section}] has {}",
            known.join(", ")
        ));
    };
    match setting.kind.read_toml(value) {
        Some(value) => Ok((setting, value)),
        None => Err(format!(
            "{file}: {section}.{key} = {} is not {}",
            shown(value),
            setting.kind.range()
        )),
    }
}

#[cfg(test)]
mod tests;
