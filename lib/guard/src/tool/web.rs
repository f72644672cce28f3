//! Tools that send text to the network: a secret in it is lost the moment it is sent.

use crate::payload::Input;
use crate::secret;
use overnight_shell::Verdict;

/// Bytes of an address at most; the longest that servers commonly take is 8 KB.
const ADDRESS_BYTES_MAX: usize = 8 * 1024;

pub(super) fn fetch(input: &Input) -> Verdict {
    let Some(url) = input.text("url") else {
        return Verdict::deny("malformed", "the call has no address as text");
    };
    if let Some(kind) = secret::kind(url) {
        return leak(&kind);
    }
    if url.len() > ADDRESS_BYTES_MAX {
        return Verdict::ask(
            "web-long",
            "the address is so long that it may carry data out",
        );
    }
    let Some(host) = host(url) else {
        return Verdict::ask(
            "web-scheme",
            "the address is not a plain http or https address",
        );
    };
    if is_metadata(&host) {
        return Verdict::deny(
            "web-metadata",
            &format!("{host} hands out the machine's credentials"),
        );
    }
    Verdict::allow()
}

pub(super) fn search(input: &Input) -> Verdict {
    match secret::kind(&input.all_text()) {
        Some(kind) => leak(&kind),
        None => Verdict::allow(),
    }
}

/// The answer to a secret on its way out.
pub(super) fn leak(kind: &str) -> Verdict {
    Verdict::deny(
        "secret-out",
        &format!("the call would send a secret ({kind}) over the network"),
    )
    .instead("leave the secret out; public pages need none")
}

/// The host of an http address without user name and port, lower case.
fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let clean = |c: char| !c.is_control() && !c.is_whitespace();
    if !web || authority.is_empty() || !url.trim().chars().all(clean) || authority.contains('@') {
        return None;
    }
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split(']').next()?,
        None => authority.split(':').next()?,
    };
    Some(host.trim_end_matches('.').to_ascii_lowercase())
}

/// Services that give credentials to whoever asks from inside the machine.
fn is_metadata(host: &str) -> bool {
    // The link-local address of every large cloud, in the spellings that resolvers take.
    let spelled = [
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "0xa9.0xfe.0xa9.0xfe",
        "0251.0376.0251.0376",
    ];
    spelled.contains(&host)
        || matches!(
            host,
            "metadata.google.internal" | "metadata" | "100.100.100.200" | "169.254.170.2"
        )
        || host.starts_with("fd00:ec2:")
        || host.ends_with("a9fe:a9fe")
        || host.contains("169.254.169.254")
}
