//! Packages of Ruby.

use super::answer;
use crate::data::Data;
use crate::effects::options;
use crate::effects::table::says;
use crate::machine::{Call, Machine};
use crate::policy;

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
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
        return executes(machine, call);
    }
    rake_code(machine, call);
    let rule = if says(
        "db:drop db:drop:* db:reset db:purge db:schema:load db:migrate:reset db:rollback db:truncate_all db:environment:set db:seed:replant db:migrate:down db:structure:load db:test:purge",
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
            "rbenv" | "rvm" | "asdf" | "mise" | "rtx" | "bundle"
        ) && options::any(args, &["-g", "--global"]))
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
        runner(machine, &words);
        return Data::unknown();
    } else if says("credentials:show credentials:edit secrets:show", &words) {
        &policy::READ_CREDENTIALS
    } else if call.name == "rails" && says("^dbconsole ^db", &words) {
        &policy::DATABASE
    } else if says("deploy", &words) {
        &policy::CHANGE
    } else {
        return Data::unknown();
    };
    answer(machine, call, rule, &words)
}

/// Code given to rake.
fn rake_code(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    if call.name == "rake" {
        for text in options::parse(args, "epE", &["execute", "execute-continue"], false)
            .values(overnight_base::words!("e p E execute execute-continue"))
        {
            // `sh "…"` is rake's own way to run a program.
            crate::effects::code::judge(machine, &text.replace("sh ", "system "), "ruby");
        }
    }
}

/// `rails runner 'code'`, with the application's data at hand.
fn runner(machine: &mut Machine<'_>, words: &[&str]) {
    for text in words.iter().skip(1) {
        crate::effects::code::judge(machine, text, "ruby");
        crate::effects::database::orm(machine, text);
    }
}

/// `bundle exec`: a program of the environment.
fn executes(machine: &mut Machine<'_>, call: &Call) -> Data {
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
    super::run_line(machine, &rest, &call.stdin)
}
