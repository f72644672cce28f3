//! Packages of other languages.

use super::{Rules, answer, ruled, runs_after};
use crate::data::Data;
use crate::effects::options;
use crate::effects::table::says;
use crate::machine::{Call, Machine};
use crate::policy;

const VALUED: &str = "-p --project -c --configuration -f --framework -o --output -d --working-dir";

/// Code and other programs that are run.
fn runs(machine: &mut Machine<'_>, call: &Call, words: &[&str]) -> Option<Data> {
    let args = call.args();
    if call.name == "mix" && says("^run ^eval", words)
        || call.name == "dart" && words.first() == Some(&"-e")
    {
        for text in options::parse(args, "er", "eval", false).values("e eval") {
            crate::effects::code::judge(machine, text, "elixir");
        }
    }
    if call.is("artisan console") && words.first() == Some(&"tinker") {
        for text in options::parse(args, "", "execute", false).values("execute") {
            crate::effects::code::judge(machine, text, "php");
            crate::effects::database::orm(machine, text);
        }
        if let Some(text) = call.stdin.text.clone() {
            crate::effects::database::orm(machine, &text);
        }
    }
    if call.is("stack cabal opam xcrun") && words.first() == Some(&"exec") {
        runs_after(machine, call, "exec", "");
    }
    if call.name == "xcrun" {
        // Finds a tool of Xcode and runs it.
        let at = args
            .iter()
            .position(|arg| !arg.starts_with('-'))
            .unwrap_or(args.len());
        return Some(machine.run_words(&args[at..], &call.stdin));
    }
    None
}

/// Is something put where all projects of the person see it?
fn installs(call: &Call, words: &[&str]) -> bool {
    const HERE: &str = "--local --tree --deps-only --depsOnly -L --installdir --local-bin-path \
         --only-dependencies";
    call.is("luarocks cpan cpanm opam nimble cabal stack")
        && (says("install remove uninstall", words)
            || call.name.starts_with("cpan") && !words.is_empty())
        && !options::any(call.args(), HERE)
}

const RULES: &Rules = &[
    (
        "",
        "ef/database/drop ecto.drop ecto.reset ecto.rollback ef/migrations/remove migrate:fresh migrate:reset \
         migrate:refresh migrate:rollback db:wipe doctrine:database:drop doctrine:schema:drop \
         doctrine:fixtures:load database:drop",
        &policy::DESTROY,
    ),
    (
        "",
        "hex.retire package/retract nuget/delete ^delete hex.owner ^unpublish ^yank ^retract",
        &policy::UNPUBLISH,
    ),
    (
        "",
        "nuget/push ^push hex.publish hex/publish ^publish pub/publish ^upload trunk/push ^release/publish package/publish",
        &policy::PUBLISH,
    ),
    (
        "",
        "global archive.install escript.install switch/remove switch/create self-update ^upgrade workload/install",
        &policy::INSTALL,
    ),
];

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    const FOR_ALL: &str = "tool/install tool/uninstall tool/update ^upgrade-self ^self/upgrade nuget/add/source ^config";
    let args = call.args();
    let words = options::words(args, VALUED);
    if options::any(args, "--dry-run --help -n") && call.name != "dotnet" {
        return Data::unknown();
    }
    if let Some(output) = runs(machine, call, &words) {
        return output;
    }
    // Into a folder here; `nuget push` is what goes out.
    if call.name == "dotnet" && says("^publish", &words) {
        return Data::unknown();
    }
    let global = options::any(args, "-g --global") && says(FOR_ALL, &words);
    let installs = global || installs(call, &words);
    let rule = ruled(call, &words, RULES).or(installs.then_some(&policy::INSTALL));
    answer(machine, call, rule, &words)
}
