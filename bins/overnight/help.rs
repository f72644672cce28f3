//! What `overnight --help` shows at the first glance: twelve commands under four headings, the
//! others by name.

use crate::command::Command;
use clap::Subcommand;
use overnight_base::programs::NAMES;
use std::fmt::Write;

/// A heading, the commands that are shown with what they do, and those that are only named.
type Part = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const PARTS: [Part; 4] = [
    (
        "The night",
        &["run", "status", "watch", "tell", "stop", "resume"],
        &["rehearse", "join", "pause", "plan", "tasks", "demo"],
    ),
    (
        "The morning",
        &["report", "review", "approve"],
        &["deny", "asks", "diff", "undo"],
    ),
    (
        "Look deeper",
        &["logs"],
        &["why", "verify", "bisect", "replay", "trace", "stats"],
    ),
    (
        "Set up",
        &["init", "doctor"],
        &[
            "trust",
            "fleet",
            "notify",
            "statusline",
            "off",
            "on",
            "install-links",
            "uninstall",
            "completions",
        ],
    ),
];

/// clap's template, with the commands in place of its list.
pub(crate) fn template() -> String {
    let commands = Command::augment_subcommands(clap::Command::new(""));
    let about = |name: &str| {
        let about = commands
            .find_subcommand(name)
            .and_then(clap::Command::get_about);
        about.map(ToString::to_string).unwrap_or_default()
    };
    let mut page = "{about}\n\n{usage-heading} {usage}\n".to_owned();
    for (heading, shown, named) in PARTS {
        let _ = writeln!(page, "\n{heading}:");
        for name in shown {
            let _ = writeln!(page, "  {name:<9} {}", about(name));
        }
        let _ = writeln!(page, "  also {}", named.join(", "));
    }
    let lines: Vec<String> = NAMES.chunks(5).map(|names| names.join(", ")).collect();
    let tools = lines.join(",\n  ");
    let _ = write!(
        page,
        "\n`overnight help COMMAND` says more. Each of these tools is `overnight NAME`:\n  {tools}\n\nOptions:\n{{options}}"
    );
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_under_one_heading_and_twelve_are_shown() {
        let commands = Command::augment_subcommands(clap::Command::new(""));
        let mut there = BTreeSet::new();
        for (_, shown, named) in PARTS {
            for name in shown.iter().chain(named) {
                assert!(there.insert((*name).to_owned()), "{name} stands twice");
            }
        }
        let visible = commands.get_subcommands().filter(|one| !one.is_hide_set());
        let visible: BTreeSet<String> = visible.map(|one| one.get_name().to_owned()).collect();
        assert_eq!(there, visible);
        assert_eq!(PARTS.iter().map(|part| part.1.len()).sum::<usize>(), 12);
    }
}
