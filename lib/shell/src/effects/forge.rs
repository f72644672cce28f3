//! Forges: `gh`, `glab` and their kin.

use super::table::says;
use super::{Row, effect, git_fetch, options};
use crate::data::Data;
use crate::machine::{Call, Machine};
use crate::{mark, place, policy};

pub(super) const ROWS: &[Row] = &[("gh glab tea berg fj lab", forge)];

const DESTROYS: &str = "delete repo/archive repo/rename run/delete release/delete release/delete-asset secret/delete variable/delete cache/delete ssh-key/delete gpg-key/delete codespace/delete project/delete gist/delete issue/delete label/delete remove transfer";

const SAFE: &str = "view list ls status checks diff checkout browse search clone watch download version help completion describe show graph lint extension/list alias/list config/get config/list auth/status pr/create pr/comment issue/comment mr/create mr/comment ci/view ci/trace pr/edit mr/update issue/create repo/clone repo/view repo/list repo/set-default attestation/verify ruleset/check pr/checks mr/note";

const FORGE_VALUED: &str = "-R --repo -t --title -b --body -F --body-file -q --jq --json -L --limit -X --method -f -H \
     --field --raw-field --base --head -B -l --label -a --assignee";

fn forge(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let leaks = args.iter().any(|arg| {
        let path = arg
            .rsplit_once(['=', '@'])
            .map_or(arg.as_str(), |(_, path)| path);
        let file = path.contains('/') || path.starts_with('.');
        arg.contains(mark::SECRET) || file && place::secret(super::roughly(machine, path))
    });
    if leaks {
        effect(machine, &policy::EXFILTRATE, &call.name);
    }
    let words = options::words(args, FORGE_VALUED);
    if words.is_empty() || options::any(args, "--help --dry-run") {
        return Data::unknown();
    }
    if words[0] == "api" {
        api(machine, args, &words);
        return Data::from_network();
    }
    let rule = if says(
        "auth/token auth/status/--show-token config/get/token",
        &words,
    ) || options::any(args, "--show-token -t") && words[0] == "auth"
    {
        &policy::READ_CREDENTIALS
    } else if words[0] == "alias" && words.get(1) == Some(&"set") {
        &policy::SIDESTEP
    } else if matches!(words[0], "extension" | "ext")
        && matches!(words.get(1), Some(&"install" | &"exec" | &"upgrade"))
    {
        &policy::INSTALL
    } else if says(DESTROYS, &words[..words.len().min(3)]) {
        &policy::DESTROY
    } else if says(SAFE, &words[..words.len().min(2)]) {
        if let ["repo", "clone", source, rest @ ..] = words.as_slice() {
            git_fetch::brings(machine, source, rest.first().copied());
        }
        return Data::from_network();
    } else {
        &policy::FORGE
    };
    effect(
        machine,
        rule,
        &format!("{} {}", call.name, words[..words.len().min(3)].join(" ")),
    );
    Data::from_network()
}

/// `gh api`: the method decides, and fields make it a POST.
fn api(machine: &mut Machine<'_>, args: &[String], words: &[&str]) {
    let options = options::parse(
        args,
        "XfFHqpt",
        "method field raw-field header jq input hostname template preview cache",
        false,
    );
    let fields = options.values("f F field raw-field input");
    let query = words.contains(&"graphql");
    let mutation = fields.iter().any(|field| field.contains("mutation"));
    let method =
        options
            .value("X", "method")
            .unwrap_or(if fields.is_empty() || (query && !mutation) {
                "GET"
            } else {
                "POST"
            });
    if method.eq_ignore_ascii_case("DELETE") {
        effect(machine, &policy::DESTROY, "gh api -X DELETE");
    } else if !matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD") {
        effect(machine, &policy::FORGE, "gh api");
    }
}
