//! Packages of Ruby.

use super::{Rules, answer, ruled};
use crate::data::Data;
use crate::effects::options;
use crate::effects::table::says;
use crate::machine::{Call, Machine};
use crate::policy;

const RULES: &Rules = &[
    (
        "",
        "db:drop db:drop:* db:reset db:purge db:schema:load db:migrate:reset db:rollback db:truncate_all \
         db:environment:set db:seed:replant db:migrate:down db:structure:load db:test:purge",
        &policy::DESTROY,
    ),
    ("gem", "^yank ^owner", &policy::UNPUBLISH),
    (
        "gem bundle bundler rake rbenv rvm pod asdf mise rtx",
        "^push release ^gem/push trunk/push",
        &policy::PUBLISH,
    ),
    ("fastlane", "*", &policy::PUBLISH),
    (
        "gem",
        "^install ^uninstall ^update ^cleanup sources ^pristine signin",
        &policy::INSTALL,
    ),
    (
        "rbenv rvm asdf rtx",
        "^uninstall ^global ^implode ^install ^plugin ^use ^trust",
        &policy::INSTALL,
    ),
    (
        "mise",
        "^uninstall ^implode ^trust ^self-update",
        &policy::INSTALL,
    ),
    (
        "",
        "credentials:show credentials:edit secrets:show",
        &policy::READ_CREDENTIALS,
    ),
    ("rails", "^dbconsole ^db", &policy::DATABASE),
    ("", "deploy", &policy::CHANGE),
];

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let words = options::words(args, "-C --path --gemfile -f");
    if options::any(args, "--dry-run --help -n") && call.name != "bundle" {
        return Data::unknown();
    }
    if call.is("bundle bundler rbenv asdf mise rtx") && says("^exec ^x", &words) {
        return executes(machine, call);
    }
    rake_code(machine, call);
    if call.name == "rails" && says("^runner ^r", &words) {
        runner(machine, &words);
        return Data::unknown();
    }
    let global = call.is("rbenv rvm asdf mise rtx bundle") && options::any(args, "-g --global");
    let rule = ruled(call, &words, RULES).or(global.then_some(&policy::INSTALL));
    answer(machine, call, rule, &words)
}

/// Code given to rake.
fn rake_code(machine: &mut Machine<'_>, call: &Call) {
    let args = call.args();
    if call.name == "rake" {
        for text in options::parse(args, "epE", "execute execute-continue", false)
            .values("e p E execute execute-continue")
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
    let rest = options::behind(call.args(), "exec x").unwrap_or(&[]);
    let rest = options::behind(rest, "--").unwrap_or(rest);
    super::run_line(machine, rest, &call.stdin)
}
