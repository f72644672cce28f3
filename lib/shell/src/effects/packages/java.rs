//! Builds on the Java machine.

use super::{Rules, answer, ruled};
use crate::data::Data;
use crate::effects::{options, unknown};
use crate::machine::{Call, Machine};
use crate::names::{one_of, starts_with};
use crate::policy;

const VALUED: &str = "-f --file -pl -P -p -b -c --init-script -I --settings -s";

const PUBLISHING: &str = "deploy uploadArchives bintrayUpload release closeAndReleaseRepository \
    closeAndReleaseSonatypeStagingRepository deploy-file perform jgitflow appengineDeploy dockerPush";

const RULES: &Rules = &[
    (
        "",
        "flyway:clean flywayClean liquibase:dropAll dropAll flyway:undo",
        &policy::DESTROY,
    ),
    ("", "exec:exec", &policy::INLINE_CODE),
    ("sdk", "install uninstall default upgrade", &policy::INSTALL),
];

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if options::any(args, "--dry-run -m") && call.name.starts_with("gradle") {
        return Data::unknown();
    }
    let words = options::words(args, VALUED);
    for script in options::parse(args, "I", "init-script", false).values("I init-script") {
        unknown::script_place(machine, script);
    }
    let publishes = |word: &&str| {
        let last = word.rsplit(':').next().unwrap_or(word);
        one_of(last, PUBLISHING)
            || starts_with(word, "release: nexus-staging: jib:build")
            || last.trim_start_matches('+').starts_with("publish")
                && !one_of(last, "publishToMavenLocal publishLocal publishM2")
    };
    let publishes = words.iter().any(publishes).then_some(&policy::PUBLISH);
    let rule = publishes.or_else(|| ruled(call, &words, RULES));
    answer(machine, call, rule, &words)
}
