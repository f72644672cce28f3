//! Package managers and build tools: declared dependencies and builds are ordinary work; global
//! installations, publishing and commands that run other programs are not.

mod fetched;
mod go;
mod java;
mod javascript;
mod language;
mod machine;
mod make;
mod python;
mod ruby;
mod rust;

pub(super) use fetched::package;

use super::table::says;
use super::{Row, effect, options, runs_text};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::names::{holds, one_of, starts_with};
use crate::policy::{self, Rule};

pub(super) const ROWS: &[Row] = &[
    (
        "npm pnpm yarn cnpm npx pnpx bunx lerna nx turbo vsce ovsx np semantic-release changeset \
         release-it corepack nvm fnm volta n",
        javascript::judge,
    ),
    (
        "pip pip3 pipx uv uvx poetry pipenv pdm rye hatch conda mamba micromamba twine flit \
         easy_install pyenv virtualenv tox nox",
        python::judge,
    ),
    ("cargo cross rustup wasm-pack maturin", rust::judge),
    (
        "gem bundle bundler rake rails rbenv rvm fastlane pod asdf mise rtx",
        ruby::judge,
    ),
    ("go goreleaser gofmt", go::judge),
    (
        "mvn mvnw gradle gradlew sbt ant lein mill bazel bazelisk buck2 pants sdk",
        java::judge,
    ),
    (
        "composer artisan symfony console dotnet nuget msbuild mix rebar3 hex stack cabal flutter \
         dart nimble shards opam dune luarocks zig conan vcpkg elm gleam spago cpan cpanm \
         xcodebuild xcrun carthage pub melos",
        language::judge,
    ),
    (
        "make gmake just task ninja cmake meson scons invoke ctest",
        make::judge,
    ),
    (
        "apt apt-get aptitude dpkg yum dnf rpm zypper pacman yay paru apk brew port snap flatpak \
         choco scoop winget nix-env emerge xbps-install pkg pkg_add guix apt-key \
         add-apt-repository dpkg-reconfigure apt-mark mas nix nix-shell softwareupdate",
        machine::judge,
    ),
];

/// What is to be said of a call, if anything.
fn answer(machine: &mut Machine<'_>, call: &Call, rule: Option<&Rule>, words: &[&str]) -> Data {
    let of_tests = rule == Some(&policy::DESTROY) && of_tests(machine, call.args());
    if let Some(rule) = rule.filter(|_| !of_tests) {
        let words = words[..words.len().min(3)].join(" ");
        effect(machine, rule, &format!("{} {words}", call.name));
    }
    Data::unknown()
}

/// Programs of a family (none: all of them) with phrases of their words, and what these do; the first that fits counts.
type Rules = [(&'static str, &'static str, &'static Rule)];

fn ruled(call: &Call, words: &[&str], rules: &Rules) -> Option<&'static Rule> {
    let fits = |(programs, phrases, _): &&(&str, &str, _)| {
        (programs.is_empty() || call.is(programs)) && says(phrases, words)
    };
    rules.iter().find(fits).map(|(_, _, rule)| *rule)
}

/// Is the environment named as that of the tests: `RAILS_ENV=test`, `--env=testing`? Its data is made anew.
pub(super) fn of_tests(machine: &Machine<'_>, args: &[String]) -> bool {
    let tests = |value: &str| {
        let last = value.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
        matches!(last, Some("test" | "testing" | "tests"))
    };
    let set = |(name, value): &(String, String)| {
        (name.ends_with("_ENV") || name.ends_with("SETTINGS_MODULE")) && tests(value)
    };
    let elsewhere = |(name, value): &(String, String)| name.ends_with("_URL") && !tests(value);
    let mut options = args
        .windows(2)
        .map(|pair| (pair[0].as_str(), pair[1].as_str()));
    let given = args.iter().filter_map(|arg| arg.split_once('='));
    let option = |(name, value): (&str, &str)| {
        matches!(name, "--env" | "-e" | "--environment" | "--settings") && tests(value)
    };
    let mut before = machine.state.vars.keys();
    !before.any(|name| name.ends_with("_URL"))
        && !machine.prefix.iter().any(elsewhere)
        && (machine.prefix.iter().any(set) || options.any(option) || given.into_iter().any(option))
}

/// Runs words, or the command line that is given as one word.
pub(super) fn run_line(machine: &mut Machine<'_>, words: &[String], stdin: &Data) -> Data {
    match words {
        [text] if text.contains(' ') => runs_text(machine, text, stdin),
        words => machine.run_words(words, stdin),
    }
}

/// Runs the words behind the first argument that is one of these verbs.
fn runs_after(machine: &mut Machine<'_>, call: &Call, verbs: &str, valued: &str) {
    let mut rest = options::behind(call.args(), verbs).unwrap_or(&[]);
    while let Some(first) = rest.first().filter(|first| first.starts_with('-')) {
        let skip = 1 + usize::from(one_of(first, valued));
        if matches!(first.as_str(), "-c" | "--call" | "--shell-mode") {
            let text = rest.get(1).cloned().unwrap_or_default();
            runs_text(machine, &text, &call.stdin);
        }
        rest = rest.get(skip..).unwrap_or(&[]);
    }
    run_line(machine, rest, &call.stdin);
}

/// Packages from an address instead of the registry.
fn foreign_source(machine: &mut Machine<'_>, args: &[String]) {
    let mut previous = "";
    for arg in args {
        let index = one_of(
            previous,
            "--index-url -i --extra-index-url --registry --source --find-links",
        ) || starts_with(arg, "--index-url= --extra-index-url= --registry= --source=");
        let address = arg.contains("://") && !arg.starts_with("--");
        let known = holds(
            arg,
            "pypi.org registry.npmjs.org registry.yarnpkg.com rubygems.org download.pytorch.org \
             localhost 127.0.0.1 index.crates.io",
        );
        if (index || address) && !known {
            effect(machine, &policy::INSTALL, arg);
        }
        previous = arg;
    }
}
