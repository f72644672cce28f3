//! New files that stand where a build puts its own: they would be taken for what it made, or for a goal
//! that is reached already.

use super::scripts::{commands_of, join};
use std::collections::BTreeSet;

/// Is this a file of `make`?
pub fn is_makefile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "Makefile" | "makefile" | "GNUmakefile") || super::protect::ending(name) == "mk"
}

/// Those of the new paths that are a target of these files of `make` (path and text), or that stand in a
/// folder which takes the name of a target that a gate asks for.
pub fn targets(new: &[&str], makefiles: &[(String, String)], gates: &[String]) -> BTreeSet<String> {
    let asked: BTreeSet<String> = gates
        .iter()
        .flat_map(|gate| commands_of(gate))
        .flatten()
        .collect();
    let mut targets = BTreeSet::new();
    let mut folders = BTreeSet::new();
    for (path, text) in makefiles {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for target in text.lines().flat_map(of_line) {
            // An included file speaks of the folder that `make` was started in.
            for target in [join("", target), join(folder, target)] {
                if asked.contains(target.rsplit('/').next().unwrap_or(&target)) {
                    folders.insert(format!("{target}/"));
                }
                targets.insert(target);
            }
        }
    }
    let stands = |path: &&&str| {
        targets.contains(**path) || folders.iter().any(|folder| path.starts_with(folder))
    };
    new.iter()
        .filter(stands)
        .map(|path| (*path).to_owned())
        .collect()
}

/// The targets of a rule: what stands before its colon.
fn of_line(line: &str) -> impl Iterator<Item = &str> {
    let rule = line
        .split_once(':')
        .filter(|(before, behind)| {
            !before.starts_with(['\t', '#', '.'])
                && !before.contains(['=', '$', '%', '"'])
                && !behind.trim_start_matches(':').starts_with('=')
        })
        .map_or("", |(before, _)| before);
    rule.split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_place_of_a_target_is_told() {
        let makefiles = [(
            "Makefile".to_owned(),
            "CC := cc\n.PHONY: x\ntest: all\n\t./clamp: 5\nall clamp: clamp.c\nlib:\n$(OUT): y\n"
                .to_owned(),
        )];
        let new = [
            "test",
            "clamp",
            "clamp.c",
            "lib/a.c",
            "CC",
            "x",
            "test/a.sh",
            "docs/all",
        ];
        let gates = ["make test".to_owned()];
        let expected = ["clamp", "test", "test/a.sh"];
        assert_eq!(
            targets(&new, &makefiles, &gates),
            expected.map(str::to_owned).into()
        );
        assert!(is_makefile("sub/rules.mk") && !is_makefile("make.c"));
    }
}
