//! Builds on the Java machine.

use super::answer;
use crate::data::Data;
use crate::effects::table::says;
use crate::effects::{options, unknown};
use crate::machine::{Call, Machine};
use crate::policy;

const VALUED: &[&str] =
    overnight_base::words!("-f --file -pl -P -p -b -c --init-script -I --settings -s");

pub(super) fn judge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    if options::any(args, &["--dry-run", "-m"]) && call.name.starts_with("gradle") {
        return Data::unknown();
    }
    let words = options::words(args, VALUED);
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
            || last.trim_start_matches('+').starts_with("publish")
                && !matches!(last, "publishToMavenLocal" | "publishLocal" | "publishM2")
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
