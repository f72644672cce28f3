//! Package managers and build tools: declared dependencies and builds are ordinary work; global
//! installations, publishing and commands that run other programs are not.

#![expect(
    clippy::too_many_lines,
    clippy::if_same_then_else,
    clippy::match_same_arms,
    reason = "a list of programs or options in the order in which they are told apart"
)]

use super::table::says;
use super::{Handler, deletes, effect, options, runs_text, unknown};
use crate::guard::data::Data;
use crate::guard::machine::{Call, Machine};
use crate::guard::policy::{self, Rule};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "npm" | "pnpm" | "yarn" | "cnpm" | "npx" | "pnpx" | "bunx" | "lerna" | "nx" | "turbo"
        | "vsce" | "ovsx" | "np" | "semantic-release" | "changeset" | "release-it" | "corepack"
        | "nvm" | "fnm" | "volta" | "n" => javascript,
        "pip" | "pip3" | "pipx" | "uv" | "uvx" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch"
        | "conda" | "mamba" | "micromamba" | "twine" | "flit" | "easy_install" | "pyenv"
        | "virtualenv" | "tox" | "nox" => python,
        "cargo" | "cross" | "rustup" | "wasm-pack" | "maturin" => cargo,
        "gem" | "bundle" | "bundler" | "rake" | "rails" | "rbenv" | "rvm" | "fastlane" | "pod"
        | "asdf" | "mise" | "rtx" => ruby,
        "go" | "goreleaser" | "gofmt" => go,
        "mvn" | "mvnw" | "gradle" | "gradlew" | "sbt" | "ant" | "lein" | "mill" | "bazel"
        | "bazelisk" | "buck2" | "pants" | "sdk" => java,
        "composer" | "artisan" | "symfony" | "dotnet" | "nuget" | "msbuild" | "mix" | "rebar3"
        | "hex" | "stack" | "cabal" | "flutter" | "dart" | "nimble" | "shards" | "opam"
        | "dune" | "luarocks" | "zig" | "conan" | "vcpkg" | "elm" | "gleam" | "spago" | "cpan"
        | "cpanm" | "xcodebuild" | "xcrun" | "carthage" | "pub" | "melos" => other_language,
        "make" | "gmake" | "just" | "task" | "ninja" | "cmake" | "meson" | "scons" | "invoke"
        | "ctest" => build,
        "apt" | "apt-get" | "aptitude" | "dpkg" | "yum" | "dnf" | "rpm" | "zypper" | "pacman"
        | "yay" | "paru" | "apk" | "brew" | "port" | "snap" | "flatpak" | "choco" | "scoop"
        | "winget" | "nix-env" | "emerge" | "xbps-install" | "pkg" | "pkg_add" | "guix"
        | "apt-key" | "add-apt-repository" | "dpkg-reconfigure" | "apt-mark" | "mas" | "nix"
        | "nix-shell" | "softwareupdate" => machine_wide,
        _ => return None,
    })
}

const DRY: &[&str] = &[
    "--dry-run",
    "--dryrun",
    "--help",
    "--version",
    "-h",
    "--simulate",
];

fn answer(machine: &mut Machine<'_>, call: &Call, rule: &Rule, words: &[&str]) -> Data {
    effect(
        machine,
        rule,
        &format!("{} {}", call.name, words[..words.len().min(3)].join(" ")),
    );
    Data::unknown()
}

/// Runs the words behind the first argument that is one of these verbs.
fn runs_after(machine: &mut Machine<'_>, call: &Call, verbs: &[&str], valued: &[&str]) -> bool {
    let args = call.args();
    let Some(at) = args.iter().position(|arg| verbs.contains(&arg.as_str())) else {
        return false;
    };
    let mut rest = &args[at + 1..];
    while let Some(first) = rest.first().filter(|first| first.starts_with('-')) {
        let skip = 1 + usize::from(valued.contains(&first.as_str()));
        if matches!(first.as_str(), "-c" | "--call" | "--shell-mode") {
            let text = rest.get(1).cloned().unwrap_or_default();
            runs_text(machine, &text, &call.stdin);
        }
        rest = rest.get(skip..).unwrap_or(&[]);
    }
    let words = rest.to_vec();
    machine.run_words(&words, &call.stdin);
    true
}

fn javascript(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(
        args,
        &[
            "--prefix",
            "-C",
            "--dir",
            "--filter",
            "-F",
            "-w",
            "--workspace",
            "--registry",
            "--cwd",
            "-p",
            "--package",
            "-c",
            "--call",
        ],
    );
    if matches!(call.name.as_str(), "npx" | "pnpx" | "bunx") {
        let mut rest = args;
        while let Some(first) = rest.first().filter(|first| first.starts_with('-')) {
            if matches!(first.as_str(), "-c" | "--call") {
                let text = rest.get(1).cloned().unwrap_or_default();
                runs_text(machine, &text, &call.stdin);
            }
            let skip = 1 + usize::from(matches!(
                first.as_str(),
                "-p" | "--package" | "-c" | "--call"
            ));
            rest = rest.get(skip..).unwrap_or(&[]);
        }
        let mut rest = rest.to_vec();
        if let Some(first) = rest.first_mut() {
            // `npx tool@1.2`
            if let Some((name, _)) = first[1.min(first.len())..].split_once('@') {
                let length = 1 + name.len();
                first.truncate(length);
            }
        }
        return machine.run_words(&rest, &call.stdin);
    }
    if options::any(args, DRY) {
        return Data::unknown();
    }
    let first = words.first().copied().unwrap_or("");
    let global = args
        .iter()
        .any(|arg| matches!(arg.as_str(), "-g" | "--global" | "--location=global"))
        || first == "global";
    let rule = if says(
        "unpublish deprecate undeprecate dist-tag/rm dist-tag/remove dist-tag/add owner/rm owner/remove access/revoke access/set tag/remove team/destroy org/rm token/revoke",
        &words,
    ) || says("^npm/tag/remove", &words)
    {
        &policy::UNPUBLISH
    } else if says(
        "^publish npm/publish ^release lerna/publish release/publish",
        &words,
    ) || matches!(call.name.as_str(), "np" | "semantic-release" | "release-it")
        || (matches!(
            call.name.as_str(),
            "vsce" | "ovsx" | "changeset" | "lerna" | "nx"
        ) && words.contains(&"publish"))
    {
        &policy::PUBLISH
    } else if says("token/create token/list config/get/_auth* ", &words) {
        &policy::READ_CREDENTIALS
    } else if says(
        "config/set config/delete config/edit set/registry npm/login ^login ^logout ^adduser ^star owner/add access/grant hook/add profile/set token org/set team/add ^config/unset",
        &words,
    ) || (first == "set" && words.len() > 1)
    {
        &policy::INSTALL
    } else if global && !says("list ls outdated root bin prefix view get dir", &words) {
        &policy::INSTALL
    } else if matches!(
        call.name.as_str(),
        "nvm" | "fnm" | "volta" | "n" | "corepack"
    ) && says("install uninstall enable disable alias default", &words)
    {
        &policy::INSTALL
    } else if says("cache/clean cache/clear store/prune cache/verify", &words) {
        return Data::unknown();
    } else {
        if matches!(first, "exec" | "dlx" | "x") {
            runs_after(
                machine,
                call,
                &["exec", "dlx", "x"],
                &["-p", "--package", "--filter"],
            );
        } else if call.name == "yarn"
            && !first.is_empty()
            && super::database::handler(first).is_some()
        {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            machine.run_words(&words, &call.stdin);
        }
        foreign_source(machine, args);
        script_verbs(machine, &words);
        return Data::unknown();
    };
    answer(machine, call, rule, &words)
}

/// Scripts of the project are ordinary, except those that say that they deploy or destroy.
fn script_verbs(machine: &mut Machine<'_>, words: &[&str]) {
    let script = if matches!(words.first(), Some(&"run" | &"run-script")) {
        words.get(1)
    } else {
        None
    };
    if let Some(script) = script
        && [
            "deploy", "publish", "release", "destroy", "db:reset", "db:drop", "nuke", "reset:db",
            "db:wipe",
        ]
        .iter()
        .any(|verb| {
            script == verb
                || script.starts_with(&format!("{verb}:"))
                || script.ends_with(&format!(":{verb}"))
        })
    {
        effect(machine, &policy::CHANGE, script);
    }
}

/// Packages from an address instead of the registry.
fn foreign_source(machine: &mut Machine<'_>, args: &[String]) {
    let mut previous = "";
    for arg in args {
        let index = matches!(
            previous,
            "--index-url" | "-i" | "--extra-index-url" | "--registry" | "--source" | "--find-links"
        ) || [
            "--index-url=",
            "--extra-index-url=",
            "--registry=",
            "--source=",
        ]
        .iter()
        .any(|name| arg.starts_with(name));
        let address = arg.contains("://") && !arg.starts_with("--");
        let known = [
            "pypi.org",
            "registry.npmjs.org",
            "registry.yarnpkg.com",
            "rubygems.org",
            "download.pytorch.org",
            "localhost",
            "127.0.0.1",
            "index.crates.io",
        ]
        .iter()
        .any(|host| arg.contains(host));
        if (index || address) && !known {
            effect(machine, &policy::INSTALL, arg);
        }
        previous = arg;
    }
}

fn python(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(
        args,
        &[
            "-r",
            "--requirement",
            "-c",
            "--constraint",
            "-n",
            "--name",
            "-p",
            "--python",
            "-e",
            "--editable",
            "-t",
            "--target",
            "-i",
            "--index-url",
            "--prefix",
            "--group",
            "--directory",
            "--project",
            "--with",
            "--extra-index-url",
        ],
    );
    let first = words.first().copied().unwrap_or("");
    if options::any(args, &["--dry-run", "--help", "--version"]) && first != "run" {
        return Data::unknown();
    }
    let valued = &[
        "--with",
        "-p",
        "--python",
        "--env-file",
        "--project",
        "--directory",
        "-n",
        "--name",
        "--group",
        "--extra",
        "--package",
        "--from",
        "-e",
        "--spec",
    ];
    if matches!(call.name.as_str(), "uvx")
        || (call.name == "pipx" && first == "run")
        || (call.name == "uv" && says("^tool/run", &words))
    {
        if call.name == "uvx" {
            let rest: Vec<String> = args
                .iter()
                .skip_while(|arg| arg.starts_with('-'))
                .cloned()
                .collect();
            return machine.run_words(&rest, &call.stdin);
        }
        runs_after(machine, call, &["run"], valued);
        return Data::unknown();
    }
    if first == "run" || (call.name == "pyenv" && first == "exec") {
        runs_after(machine, call, &["run", "exec"], valued);
        return Data::unknown();
    }
    let plain_pip = matches!(call.name.as_str(), "pip" | "pip3");
    let rule = if says("^publish ^upload", &words)
        || (call.name == "twine" && first == "upload")
        || (call.name == "flit" && first == "publish")
    {
        &policy::PUBLISH
    } else if says(
        "config/set config/unset config/edit ^config/http* source/add repository/add ^login",
        &words,
    ) || (first == "config"
        && !says("config/list config/get config/debug config/--list", &words)
        && words.len() > 2)
    {
        &policy::INSTALL
    } else if matches!(call.name.as_str(), "conda" | "mamba" | "micromamba")
        && says("env/remove remove uninstall clean", &words)
    {
        &policy::INSTALL
    } else if says(
        "^uninstall ^remove-env ^self/update ^self/uninstall python/uninstall python/install tool/install tool/uninstall tool/upgrade",
        &words,
    ) && !says("^remove", &words)
    {
        &policy::INSTALL
    } else if (call.name == "pipx"
        && says(
            "install uninstall upgrade upgrade-all inject uninstall-all reinstall",
            &words,
        ))
        || call.name == "easy_install"
        || (call.name == "pyenv" && says("install uninstall global rehash", &words))
    {
        &policy::INSTALL
    } else if (plain_pip || (call.name == "uv" && first == "pip"))
        && words.contains(&"install")
        && options::any(
            args,
            &[
                "--user",
                "--break-system-packages",
                "--system",
                "--root",
                "--prefix",
            ],
        )
    {
        &policy::INSTALL
    } else if plain_pip && first == "install" && !declared(args, &words) {
        &policy::INSTALL
    } else {
        foreign_source(machine, args);
        return Data::unknown();
    };
    answer(machine, call, rule, &words)
}

/// Requirements files, the project itself, or names without surprises.
fn declared(args: &[String], words: &[&str]) -> bool {
    let named = words.len() > 1;
    !named
        || options::any(
            args,
            &["-r", "--requirement", "-e", "--editable", "--group"],
        )
        || words[1..]
            .iter()
            .all(|word| !word.contains("://") && !word.starts_with("git+"))
}

fn cargo(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args: Vec<String> = call
        .args()
        .iter()
        .filter(|arg| !arg.starts_with('+'))
        .cloned()
        .collect();
    let words = options::words(
        &args,
        &[
            "--manifest-path",
            "-p",
            "--package",
            "--features",
            "--target",
            "--target-dir",
            "-j",
            "--profile",
            "--color",
            "-Z",
            "--bin",
            "--test",
            "--example",
            "--config",
            "-C",
        ],
    );
    let first = words.first().copied().unwrap_or("");
    if options::any(&args, &["--dry-run", "--help"]) {
        return Data::unknown();
    }
    for config in options::parse(&args, "ZjpFC", &["config"], false).values(&["config"]) {
        if [
            "runner", "linker", "rustc", "wrapper", "alias", "registr", "source.",
        ]
        .iter()
        .any(|word| config.contains(word))
        {
            effect(machine, &policy::ENV_CODE, config);
        }
    }
    let rule = match (call.name.as_str(), first) {
        (
            "rustup",
            "show" | "which" | "doc" | "check" | "completions" | "component" | "target" | "run",
        ) if !says("component/remove target/remove", &words) => {
            if first == "run" {
                let words = words
                    .get(2..)
                    .unwrap_or(&[])
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>();
                machine.run_words(&words, &call.stdin);
            }
            return Data::unknown();
        }
        ("rustup", "toolchain") if words.get(1) == Some(&"list") => return Data::unknown(),
        ("rustup", "") => return Data::unknown(),
        ("rustup", _) => &policy::INSTALL,
        (_, "publish") => &policy::PUBLISH,
        (_, "release" | "smart-release") => &policy::PUBLISH,
        (_, "yank" | "owner") => &policy::UNPUBLISH,
        (_, "login" | "logout") => &policy::WRITE_CREDENTIALS,
        (_, "install" | "uninstall" | "binstall") => {
            let inside = options::parse(&args, "", &["root", "path"], false)
                .value("", "root")
                .map(|root| super::place_of(machine, root));
            if matches!(
                inside,
                Some(
                    crate::guard::place::Place::Work
                        | crate::guard::place::Place::Build
                        | crate::guard::place::Place::Temporary
                )
            ) {
                return Data::unknown();
            }
            &policy::INSTALL
        }
        (_, "clean") => {
            if let Some(folder) =
                options::parse(&args, "", &["target-dir"], false).value("", "target-dir")
            {
                let folder = folder.to_owned();
                deletes(machine, &folder);
            }
            return Data::unknown();
        }
        (_, "watch") => {
            for text in
                options::parse(&args, "xsw", &["exec", "shell"], false).values(&["s", "shell"])
            {
                let text = text.to_owned();
                runs_text(machine, &text, &Data::empty());
            }
            return Data::unknown();
        }
        _ => {
            let tail = args
                .iter()
                .position(|arg| arg == "--")
                .map_or(args.len(), |at| at);
            unknown::secrets_in_arguments(machine, &args[..tail]);
            return Data::unknown();
        }
    };
    answer(machine, call, rule, &words)
}

fn ruby(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, &["-C", "--path", "--gemfile", "-f"]);
    if options::any(args, &["--dry-run", "--help", "-n"]) && call.name != "bundle" {
        return Data::unknown();
    }
    if matches!(
        call.name.as_str(),
        "bundle" | "bundler" | "rbenv" | "asdf" | "mise" | "rtx"
    ) && matches!(words.first(), Some(&"exec" | &"x"))
    {
        let mut rest: Vec<String> = call
            .args()
            .iter()
            .skip_while(|arg| !matches!(arg.as_str(), "exec" | "x"))
            .skip(1)
            .cloned()
            .collect();
        if let Some(at) = rest.iter().position(|arg| arg == "--") {
            rest.drain(..=at);
        }
        return machine.run_words(&rest, &call.stdin);
    }
    let rule = if says(
        "db:drop db:drop:* db:reset db:purge db:schema:load db:migrate:reset db:rollback db:truncate_all db:environment:set",
        &words,
    ) {
        &policy::DESTROY
    } else if says("^yank ^owner/-r ^owner", &words) && call.name == "gem" {
        &policy::UNPUBLISH
    } else if says("^push release ^gem/push trunk/push", &words) && call.name != "rails"
        || call.name == "fastlane"
    {
        &policy::PUBLISH
    } else if (call.name == "gem"
        && says(
            "^install ^uninstall ^update ^cleanup sources ^pristine signin",
            &words,
        ))
        || (matches!(
            call.name.as_str(),
            "rbenv" | "rvm" | "asdf" | "mise" | "rtx"
        ) && says(
            "^uninstall ^global ^implode ^install ^plugin ^use ^trust",
            &words,
        ) && call.name != "mise")
        || (call.name == "mise" && says("^uninstall ^implode ^trust ^self-update", &words))
    {
        &policy::INSTALL
    } else if says("^runner ^r", &words) && call.name == "rails" {
        for text in &words[1..] {
            super::code::judge(machine, text, "ruby");
        }
        return Data::unknown();
    } else if says("credentials:show credentials:edit secrets:show", &words) {
        &policy::READ_CREDENTIALS
    } else if says("deploy", &words) {
        &policy::CHANGE
    } else {
        return Data::unknown();
    };
    answer(machine, call, rule, &words)
}

fn go(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(
        args,
        &[
            "-o", "-C", "-run", "-tags", "-ldflags", "-mod", "-count", "-timeout", "-bench",
            "--config",
        ],
    );
    let first = words.first().copied().unwrap_or("");
    for (index, arg) in args.iter().enumerate() {
        let value = arg
            .split_once('=')
            .map(|(_, value)| value)
            .or(args.get(index + 1).map(String::as_str))
            .unwrap_or("")
            .to_owned();
        let name = arg.split_once('=').map_or(arg.as_str(), |(name, _)| name);
        if matches!(
            name,
            "-exec" | "-toolexec" | "--exec" | "--toolexec" | "-vettool"
        ) {
            runs_text(machine, &value, &Data::unknown());
            effect(machine, &policy::ENV_CODE, name);
        } else if name == "-o" {
            super::writes(machine, &value, super::How::Write);
        }
    }
    let rule = match (call.name.as_str(), first) {
        ("goreleaser", "release")
            if !options::any(args, &["--snapshot", "--skip-publish", "--skip=publish"]) =>
        {
            &policy::PUBLISH
        }
        ("goreleaser", "publish" | "announce" | "continue") => &policy::PUBLISH,
        ("go", "env") if options::any(args, &["-w", "-u"]) => &policy::INSTALL,
        ("go", "install") if words.iter().any(|word| word.contains('@')) => &policy::INSTALL,
        ("go", "run") if words.get(1).is_some_and(|word| word.contains('@')) => {
            &policy::REMOTE_CODE
        }
        _ => return Data::unknown(),
    };
    answer(machine, call, rule, &words)
}

fn java(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if options::any(args, &["--dry-run", "-m"]) && call.name.starts_with("gradle") {
        return Data::unknown();
    }
    let words = options::words(
        args,
        &[
            "-f",
            "--file",
            "-pl",
            "-P",
            "-p",
            "-b",
            "-c",
            "--init-script",
            "-I",
            "--settings",
            "-s",
        ],
    );
    for script in options::parse(args, "I", &["init-script"], false).values(&["I", "init-script"]) {
        unknown::script_place(machine, script);
    }
    let verb = |word: &&str| {
        let last = word.rsplit(':').next().unwrap_or(word);
        matches!(
            last,
            "deploy"
                | "publish"
                | "uploadArchives"
                | "bintrayUpload"
                | "publishPlugins"
                | "release"
                | "publishSigned"
                | "closeAndReleaseRepository"
                | "closeAndReleaseSonatypeStagingRepository"
                | "deploy-file"
                | "perform"
                | "jgitflow"
                | "publishAllPublicationsToMavenCentralRepository"
                | "appengineDeploy"
                | "dockerPush"
        ) || word.starts_with("release:")
            || word.starts_with("nexus-staging:")
            || last.starts_with("publishTo") && last != "publishToMavenLocal"
            || word.starts_with("jib:build")
    };
    let rule = if words.iter().any(verb) {
        &policy::PUBLISH
    } else if says(
        "flyway:clean flywayClean liquibase:dropAll dropAll flyway:undo",
        &words,
    ) {
        &policy::DESTROY
    } else if says("exec:exec", &words) {
        &policy::INLINE_CODE
    } else if call.name == "sdk" && says("install uninstall default upgrade", &words) {
        &policy::INSTALL
    } else {
        return Data::unknown();
    };
    answer(machine, call, rule, &words)
}

fn other_language(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(
        args,
        &[
            "-p",
            "--project",
            "-c",
            "--configuration",
            "-f",
            "--framework",
            "-o",
            "--output",
            "-d",
            "--working-dir",
        ],
    );
    if options::any(args, &["--dry-run", "--help", "-n"]) && call.name != "dotnet" {
        return Data::unknown();
    }
    if call.name == "mix" && says("^run ^eval", &words)
        || call.name == "dart" && words.first() == Some(&"-e")
    {
        for text in options::parse(args, "er", &["eval"], false).values(&["e", "eval"]) {
            super::code::judge(machine, text, "elixir");
        }
    }
    if matches!(call.name.as_str(), "stack" | "cabal" | "opam" | "xcrun")
        && words.first() == Some(&"exec")
    {
        runs_after(machine, call, &["exec"], &[]);
    }
    let rule = if says(
        "ef/database/drop ecto.drop ecto.reset ecto.rollback ef/migrations/remove migrate:fresh migrate:reset migrate:refresh migrate:rollback db:wipe doctrine:database:drop doctrine:schema:drop doctrine:fixtures:load database:drop",
        &words,
    ) {
        &policy::DESTROY
    } else if says(
        "hex.retire package/retract nuget/delete ^delete hex.owner ^unpublish ^yank ^retract",
        &words,
    ) {
        &policy::UNPUBLISH
    } else if says(
        "nuget/push ^push hex.publish ^publish pub/publish ^upload trunk/push ^release/publish package/publish",
        &words,
    ) {
        &policy::PUBLISH
    } else if says(
        "global tool/install tool/uninstall tool/update workload/install archive.install ^upgrade-self self-update ^self-update ^self/upgrade nuget/add/source switch/remove switch/create escript.install",
        &words,
    ) && (options::any(args, &["-g", "--global"])
        || says(
            "global archive.install escript.install switch/remove self-update ^self-update workload/install",
            &words,
        ))
    {
        &policy::INSTALL
    } else if matches!(
        call.name.as_str(),
        "luarocks" | "cpan" | "cpanm" | "opam" | "nimble"
    ) && says("install remove uninstall", &words)
        && !options::any(args, &["--local", "--tree", "--deps-only", "-L"])
    {
        &policy::INSTALL
    } else if call.name == "composer"
        && says("^config", &words)
        && options::any(args, &["-g", "--global"])
    {
        &policy::INSTALL
    } else {
        return Data::unknown();
    };
    answer(machine, call, rule, &words)
}

fn build(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let options = options::parse(
        args,
        "fCjEIoWlS",
        &["file", "directory", "makefile", "eval", "jobs", "shell"],
        false,
    );
    if call.name == "cmake" {
        return cmake(machine, call);
    }
    for text in options.values(&["eval", "E"]) {
        if call.name.ends_with("make") {
            let _ = text;
            effect(machine, &policy::INLINE_CODE, "make --eval");
        }
    }
    if options.has("n", "dry-run") {
        return Data::unknown();
    }
    for file in options.values(&["f", "file", "makefile"]) {
        if matches!(file, "-" | "/dev/stdin") || file.starts_with("/dev/fd/") {
            makefile(machine, &call.stdin.clone());
        } else {
            let data = super::content(machine, file);
            if data.text.is_some() || data.network {
                makefile(machine, &data);
            } else {
                unknown::script_place(machine, file);
            }
        }
    }
    for operand in &options.operands {
        if let Some((name, value)) = operand.split_once('=') {
            if matches!(name.trim_end_matches(':'), "SHELL" | ".SHELLFLAGS" | "MAKE")
                && !matches!(value, "/bin/bash" | "/bin/sh" | "bash")
            {
                effect(machine, &policy::ENV_CODE, name);
            } else if value.contains("$(shell") || value.contains('`') || value.contains(';') {
                effect(machine, &policy::INLINE_CODE, operand);
            }
        } else if matches!(
            *operand,
            "deploy"
                | "publish"
                | "release"
                | "destroy"
                | "uninstall"
                | "install"
                | "nuke"
                | "db-reset"
                | "db-drop"
                | "push"
                | "distclean-all"
                | "tf-apply"
                | "tf-destroy"
        ) || operand.starts_with("deploy-")
            || operand.starts_with("publish-")
            || operand.starts_with("release-")
        {
            effect(machine, &policy::CHANGE, operand);
        }
    }
    Data::unknown()
}

/// The recipes of a makefile that comes over the input.
fn makefile(machine: &mut Machine<'_>, data: &Data) {
    if data.network {
        effect(machine, &policy::REMOTE_CODE, "make -f -");
        return;
    }
    let Some(text) = data.text.clone() else {
        effect(machine, &policy::OPAQUE_CODE, "make -f -");
        return;
    };
    for line in text.lines() {
        let recipe = line
            .strip_prefix('\t')
            .or_else(|| line.split_once(';').map(|(_, recipe)| recipe));
        if let Some(recipe) = recipe {
            let recipe = recipe
                .trim_start_matches(['@', '-', '+', ' '])
                .replace("$$", "$");
            runs_text(machine, &recipe, &Data::unknown());
        }
        if let Some((_, text)) = line.split_once("$(shell ") {
            let text = text.trim_end_matches(')').to_owned();
            runs_text(machine, &text, &Data::unknown());
        }
    }
}

fn cmake(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if let [flag, verb, rest @ ..] = args
        && flag == "-E"
    {
        let map = |name: &str| {
            let mut words = vec![name.to_owned()];
            words.extend(rest.iter().filter(|arg| arg.as_str() != "--").cloned());
            words
        };
        match verb.as_str() {
            "remove" | "rm" | "remove_directory" => {
                machine.run_words(&map("rm"), &call.stdin);
            }
            "copy" | "copy_directory" | "copy_if_different" => {
                machine.run_words(&map("cp"), &call.stdin);
            }
            "rename" => {
                machine.run_words(&map("mv"), &call.stdin);
            }
            "env" | "time" => {
                machine.run_words(&map("env"), &call.stdin);
            }
            _ => {}
        }
        return Data::unknown();
    }
    for (index, arg) in args.iter().enumerate() {
        if arg == "-P" {
            unknown::script_place(machine, args.get(index + 1).map_or("", String::as_str));
        }
        if arg == "--install" && !args.iter().any(|arg| arg == "--prefix") {
            effect(machine, &policy::INSTALL, "cmake --install");
        }
    }
    Data::unknown()
}

const READING: &str = "list search show info policy depends rdepends why query outdated deps leaves config doctor home cat desc uses provides repolist history check-update files find log version formulae casks tap-info showpkg madison --version flake/show flake/check flake/metadata eval develop build fmt run shell";

/// Package managers of the machine: reading is ordinary.
fn machine_wide(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, &["-o", "-c", "-t", "-n"]);
    let first = words.first().copied().unwrap_or("");
    let letters = |allowed: &str| {
        args.first().is_some_and(|arg| {
            arg.starts_with('-') && arg[1..].chars().all(|c| allowed.contains(c))
        })
    };
    let reads = match call.name.as_str() {
        "dpkg" => {
            letters("lLsSpc")
                || options::any(
                    args,
                    &[
                        "--list",
                        "--listfiles",
                        "--status",
                        "--search",
                        "--get-selections",
                        "--print-architecture",
                    ],
                )
        }
        "rpm" => args
            .first()
            .is_some_and(|arg| arg.starts_with("-q") || arg == "--query" || arg == "-V"),
        "pacman" | "yay" | "paru" => args.first().is_some_and(|arg| {
            arg.starts_with("-Q")
                || arg.starts_with("-Ss")
                || arg.starts_with("-Si")
                || arg.starts_with("-F")
        }),
        "nix-shell" => {
            if let Some(text) =
                options::parse(args, "pIA", &["run", "command"], false).value("", "run")
            {
                let text = text.to_owned();
                runs_text(machine, &text, &call.stdin);
            }
            true
        }
        "nix" => {
            if let Some(at) = args
                .iter()
                .position(|arg| matches!(arg.as_str(), "-c" | "--command"))
            {
                let rest = args[at + 1..].to_vec();
                machine.run_words(&rest, &call.stdin);
            }
            says(READING, &words[..words.len().min(2)])
        }
        "apt-get" | "apt"
            if options::any(args, &["-s", "--simulate", "--dry-run", "--just-print"]) =>
        {
            true
        }
        "brew" if matches!(first, "" | "--prefix" | "deps" | "shellenv") => true,
        _ => words.is_empty() || says(READING, &words[..1]),
    };
    if !reads {
        let grave = call.name == "apt-get" && words.contains(&"--force-yes");
        effect(
            machine,
            if grave {
                &policy::SYSTEM_STATE
            } else {
                &policy::INSTALL
            },
            &format!("{} {first}", call.name),
        );
    }
    Data::unknown()
}
