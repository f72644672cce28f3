//! The walls of macOS: a profile of its sandbox, in the language that `sandbox-exec` reads. Of several rules that
//! fit, the last one decides. Paths are parameters: no name of a folder is ever read as a rule.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Ways to have something started outside of the walls, by a service that starts what it is asked for.
const ELSEWHERE: &[&str] = &["appleevent-send", "job-creation", "lsopen"];
/// Who resolves names and takes what programs log: everybody's programs talk to them.
const SERVICES: &[&str] = &["/private/var/run/mDNSResponder", "/private/var/run/syslog"];

/// What the walls are about.
#[derive(Debug, Clone, Default)]
pub struct Seatbelt<'a> {
    /// What may be written.
    pub grants: &'a [PathBuf],
    /// What of it stays as it is, but for other grants below.
    pub kept: &'a [PathBuf],
    /// What may neither be read nor written.
    pub hidden: &'a [PathBuf],
    /// Sockets, or folders of such, that nobody is asked at.
    pub covered: &'a [PathBuf],
    /// Is loopback all there is of the network?
    pub offline: bool,
    /// The TCP ports that may be connected to anywhere, from and to; `None`: all.
    pub ports: Option<&'a [(u16, u16)]>,
}

/// A value that the profile names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// A path.
    pub path: PathBuf,
}

impl Seatbelt<'_> {
    /// The profile, and what it names.
    pub fn profile(&self) -> (String, Vec<Parameter>) {
        let mut profile = Profile {
            text: "(version 1)\n(allow default)\n".to_owned(),
            parameters: Vec::new(),
        };
        profile.rule("deny", "file-write*", &[]);
        profile.paths("allow", "file-write*", "subpath", self.grants);
        profile.paths("deny", "file-write*", "subpath", self.kept);
        let below = |path: &&PathBuf| self.kept.iter().any(|kept| path.starts_with(kept));
        let below: Vec<PathBuf> = self.grants.iter().filter(below).cloned().collect();
        profile.paths("allow", "file-write*", "subpath", &below);
        profile.paths("deny", "file-read-data file-write*", "subpath", self.hidden);
        profile.rule("deny", "signal", &[]);
        profile.rule("allow", "signal", &["(target same-sandbox)".to_owned()]);
        for operation in ELSEWHERE {
            profile.rule("deny", operation, &[]);
        }
        self.network(&mut profile);
        profile.paths(
            "deny",
            "network-outbound",
            "remote unix-socket",
            self.covered,
        );
        (profile.text, profile.parameters)
    }

    fn network(&self, profile: &mut Profile) {
        let anywhere = |port: &str| format!("(remote tcp \"*:{port}\")");
        let loopback = |port: &str| format!("(remote ip \"localhost:{port}\")");
        if self.offline {
            profile.rule("deny", "network*", &[]);
            let own = ["(local ip \"localhost:*\")".to_owned(), loopback("*")];
            profile.rule("allow", "network*", &own);
            let services: Vec<PathBuf> = SERVICES.iter().map(PathBuf::from).collect();
            let own = [self.grants, &services].concat();
            profile.paths("allow", "network*", "remote unix-socket", &own);
            profile.paths("allow", "network*", "local unix-socket", self.grants);
        } else if let Some(ports) = self.ports {
            profile.rule("deny", "network-outbound", &[anywhere("*")]);
            profile.rule("allow", "network-outbound", &[loopback("*")]);
            let single = ports.iter().filter(|(first, last)| first == last);
            let named: Vec<String> = single
                .map(|(port, _)| anywhere(&port.to_string()))
                .collect();
            if !named.is_empty() {
                profile.rule("allow", "network-outbound", &named);
            }
        }
    }
}

/// A profile as it grows.
struct Profile {
    text: String,
    parameters: Vec<Parameter>,
}

impl Profile {
    /// What is done with these operations where one of the filters fits; without any: always.
    fn rule(&mut self, action: &str, operations: &str, filters: &[String]) {
        let _ = write!(self.text, "({action} {operations}");
        for filter in filters {
            let _ = write!(self.text, "\n    {filter}");
        }
        self.text.push_str(")\n");
    }

    /// The same for paths, with all that is below them; without any nothing.
    fn paths(&mut self, action: &str, operations: &str, filter: &str, paths: &[PathBuf]) {
        let filters: Vec<String> = paths.iter().map(|path| self.filter(filter, path)).collect();
        if !filters.is_empty() {
            self.rule(action, operations, &filters);
        }
    }

    fn filter(&mut self, filter: &str, path: &Path) -> String {
        let name = format!("P{}", self.parameters.len());
        let named = match filter {
            "subpath" => format!("(subpath (param \"{name}\"))"),
            socket => format!("({socket} (subpath (param \"{name}\")))"),
        };
        self.parameters.push(Parameter {
            name,
            path: path.to_owned(),
        });
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paths(texts: &[&str]) -> Vec<PathBuf> {
        texts.iter().map(PathBuf::from).collect()
    }

    /// Every list of a profile: its words, and how deep it stands. Fails where it is none.
    fn lists(text: &str) -> Vec<(usize, Vec<String>)> {
        let (mut done, mut open) = (Vec::new(), Vec::<Vec<String>>::new());
        let (mut word, mut quoted) = (String::new(), false);
        for char in text.chars() {
            if quoted || char == '"' {
                quoted ^= char == '"';
                word.push(char);
                continue;
            }
            if char == '(' || char == ')' || char.is_whitespace() {
                let ended = std::mem::take(&mut word);
                if !ended.is_empty() {
                    open.last_mut().expect("a word stands outside").push(ended);
                }
            }
            match char {
                '(' => open.push(Vec::new()),
                ')' => {
                    let list = open.pop().expect("one closes too many");
                    done.push((open.len(), list));
                }
                char if !char.is_whitespace() => word.push(char),
                _ => {}
            }
        }
        assert!(open.is_empty() && !quoted && word.is_empty(), "{text}");
        done
    }

    /// What stands in a profile, by what Apple's own and those of known projects consist of.
    fn lint(text: &str, parameters: &[Parameter]) {
        const OPERATIONS: &[&str] = &[
            "default",
            "file-write*",
            "file-read-data",
            "signal",
            "appleevent-send",
            "job-creation",
            "lsopen",
            "network*",
            "network-outbound",
        ];
        for (depth, list) in lists(text) {
            let [head, rest @ ..] = list.as_slice() else {
                panic!("an empty list: {text}");
            };
            let is = |words: &[&str]| rest.iter().all(|word| words.contains(&word.as_str()));
            let fits = match (depth, head.as_str()) {
                (0, "version") => is(&["1"]),
                (0, "allow" | "deny") => !rest.is_empty() && is(OPERATIONS),
                (1 | 2, "subpath") => rest.is_empty(),
                (1, "target") => is(&["same-sandbox"]),
                (1, "remote" | "local") => match rest {
                    [kind, address] => {
                        let (host, port) =
                            address.trim_matches('"').split_once(':').expect("a port");
                        ["ip", "tcp"].contains(&kind.as_str())
                            && ["*", "localhost"].contains(&host)
                            && (port == "*" || port.parse::<u16>().is_ok())
                    }
                    rest => rest == ["unix-socket"],
                },
                (2 | 3, "param") => parameters
                    .iter()
                    .any(|one| rest == [format!("\"{}\"", one.name)]),
                _ => false,
            };
            assert!(fits, "{depth} {list:?} in {text}");
        }
    }

    #[test]
    fn a_profile_reads_well() {
        let seatbelt = Seatbelt {
            grants: &paths(&["/Users/u/night", "/private/tmp/overnight-1"]),
            hidden: &paths(&["/Users/u/.ssh"]),
            kept: &[],
            covered: &paths(&["/private/var/run/docker.sock"]),
            ports: Some(&[(443, 443), (32_768, 60_999)]),
            offline: false,
        };
        let (text, parameters) = seatbelt.profile();
        lint(&text, &parameters);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn what_is_kept_is_denied_behind_what_holds_it_and_what_is_granted_in_it_behind_that() {
        let seatbelt = Seatbelt {
            grants: &paths(&["/p", "/p/.git/overnight/tests"]),
            kept: &paths(&["/p/.git/overnight"]),
            ..Seatbelt::default()
        };
        let (text, parameters) = seatbelt.profile();
        lint(&text, &parameters);
        let at = |what: &str| text.find(what).expect(what);
        assert!(at("(param \"P0\")") < at("(deny file-write*\n    (subpath (param \"P2\")"));
        assert!(at("(param \"P2\")") < at("(allow file-write*\n    (subpath (param \"P3\")"));
        assert_eq!(parameters[3].path, PathBuf::from("/p/.git/overnight/tests"));
    }

    #[test]
    fn without_a_network_loopback_and_own_sockets_are_left() {
        let seatbelt = Seatbelt {
            grants: &paths(&["/p"]),
            offline: true,
            ..Seatbelt::default()
        };
        let (text, parameters) = seatbelt.profile();
        lint(&text, &parameters);
        let at = |what: &str| text.find(what).expect(what);
        assert!(at("(deny network*)") < at("(allow network*\n    (local ip \"localhost:*\")"));
        assert!(text.contains("(remote unix-socket (subpath (param"));
    }

    proptest! {
        #[test]
        fn no_path_becomes_a_rule(
            names in proptest::collection::vec("[a-z()\" \\\\;#\n]{1,12}", 0..6),
            offline: bool,
        ) {
            let grants: Vec<PathBuf> = names.iter().map(|name| Path::new("/").join(name)).collect();
            let seatbelt = Seatbelt { grants: &grants, hidden: &grants, covered: &grants, offline, ..Seatbelt::default() };
            let (text, parameters) = seatbelt.profile();
            lint(&text, &parameters);
            for path in &grants {
                prop_assert!(parameters.iter().any(|one| one.path == *path));
            }
        }
    }
}
