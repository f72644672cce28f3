//! The shapes of secrets that say what they are: a fixed beginning, then so many characters of a
//! set. Sources: the issuers' own documentation of their token formats and the public lists of
//! secret scanners; lengths are the least that the issuer ever used, so that new, longer forms are
//! found too.

use super::{Found, assign, header};
use std::ops::Range;

/// The characters after a fixed beginning.
#[derive(Debug, Clone, Copy)]
enum Set {
    /// `A-Z0-9`.
    Upper,
    /// `0-9a-f`, either case.
    Hex,
    /// `A-Za-z0-9`.
    Alnum,
    /// `A-Za-z0-9_`.
    Word,
    /// `A-Za-z0-9_-`.
    Dash,
    /// `A-Za-z0-9_.-`.
    Dot,
    /// `A-Za-z0-9+/=`.
    Base64,
}

impl Set {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Dash => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dot => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
        }
    }
}

/// A kind of token: beginning, kind, set, least and greatest number of characters after it.
struct Token(&'static str, &'static str, Set, usize, usize);

const LONG: usize = 4_096;

#[rustfmt::skip]
const TOKENS: &[Token] = &[
    Token("AKIA", "aws-access-key", Set::Upper, 16, 16),
    Token("ASIA", "aws-access-key", Set::Upper, 16, 16),
    Token("ghp_", "github-token", Set::Alnum, 30, LONG),
    Token("gho_", "github-token", Set::Alnum, 30, LONG),
    Token("ghu_", "github-token", Set::Alnum, 30, LONG),
    Token("ghs_", "github-token", Set::Word, 30, LONG),
    Token("ghr_", "github-token", Set::Alnum, 30, LONG),
    Token("github_pat_", "github-token", Set::Word, 30, LONG),
    Token("glpat-", "gitlab-token", Set::Dot, 20, LONG),
    Token("gldt-", "gitlab-token", Set::Dash, 20, LONG),
    Token("glrt-", "gitlab-token", Set::Dot, 20, LONG),
    Token("glptt-", "gitlab-token", Set::Dash, 20, LONG),
    Token("glcbt-", "gitlab-token", Set::Dash, 20, LONG),
    Token("sk-ant-", "anthropic-key", Set::Dash, 20, LONG),
    Token("sk-proj-", "openai-key", Set::Dash, 20, LONG),
    Token("sk-svcacct-", "openai-key", Set::Dash, 20, LONG),
    Token("sk-admin-", "openai-key", Set::Dash, 20, LONG),
    Token("sk-or-v1-", "openrouter-key", Set::Hex, 32, LONG),
    Token("sk-", "openai-key", Set::Alnum, 32, LONG),
    Token("gsk_", "groq-key", Set::Alnum, 40, LONG),
    Token("xai-", "xai-key", Set::Alnum, 60, LONG),
    Token("pplx-", "perplexity-key", Set::Alnum, 40, LONG),
    Token("r8_", "replicate-token", Set::Alnum, 37, LONG),
    Token("hf_", "huggingface-token", Set::Alnum, 30, LONG),
    Token("AIza", "google-api-key", Set::Dash, 35, 35),
    Token("ya29.", "google-oauth", Set::Dash, 30, LONG),
    Token("GOCSPX-", "google-client-secret", Set::Dash, 20, LONG),
    Token("xoxa-", "slack-token", Set::Dash, 10, LONG),
    Token("xoxb-", "slack-token", Set::Dash, 10, LONG),
    Token("xoxe-", "slack-token", Set::Dash, 10, LONG),
    Token("xoxe.", "slack-token", Set::Dot, 20, LONG),
    Token("xoxo-", "slack-token", Set::Dash, 10, LONG),
    Token("xoxp-", "slack-token", Set::Dash, 10, LONG),
    Token("xoxr-", "slack-token", Set::Dash, 10, LONG),
    Token("xoxs-", "slack-token", Set::Dash, 10, LONG),
    Token("xapp-", "slack-token", Set::Dash, 20, LONG),
    Token("npm_", "npm-token", Set::Alnum, 36, LONG),
    Token("pypi-AgE", "pypi-token", Set::Dash, 30, LONG),
    Token("cio", "crates-io-token", Set::Alnum, 32, 32),
    Token("rubygems_", "rubygems-token", Set::Hex, 48, LONG),
    Token("dckr_pat_", "docker-token", Set::Dash, 20, LONG),
    Token("dop_v1_", "digitalocean-token", Set::Hex, 64, 64),
    Token("doo_v1_", "digitalocean-token", Set::Hex, 64, 64),
    Token("sk_live_", "stripe-key", Set::Alnum, 16, LONG),
    Token("sk_test_", "stripe-key", Set::Alnum, 16, LONG),
    Token("rk_live_", "stripe-key", Set::Alnum, 16, LONG),
    Token("whsec_", "webhook-secret", Set::Base64, 24, LONG),
    Token("SG.", "sendgrid-key", Set::Dot, 60, 80),
    Token("shpat_", "shopify-token", Set::Hex, 32, 32),
    Token("shpss_", "shopify-token", Set::Hex, 32, 32),
    Token("dapi", "databricks-token", Set::Hex, 32, 34),
    Token("hvs.", "vault-token", Set::Dash, 20, LONG),
    Token("hvb.", "vault-token", Set::Dash, 20, LONG),
    Token("glsa_", "grafana-token", Set::Word, 32, LONG),
    Token("lin_api_", "linear-key", Set::Alnum, 32, LONG),
    Token("ntn_", "notion-token", Set::Alnum, 40, LONG),
    Token("sbp_", "supabase-token", Set::Hex, 40, 40),
    Token("sntrys_", "sentry-token", Set::Base64, 40, LONG),
    Token("tskey-", "tailscale-key", Set::Dash, 20, LONG),
    Token("pul-", "pulumi-token", Set::Hex, 40, 40),
    Token("ATATT3", "atlassian-token", Set::Dash, 40, LONG),
    Token("AGE-SECRET-KEY-1", "age-key", Set::Upper, 50, 64),
    Token("eyJ", "jwt", Set::Dot, 20, LONG),
];

/// What other beginnings lead to.
#[derive(Clone, Copy)]
enum Other {
    Assignment,
    Header,
    Url,
    Bearer,
    PrivateKey,
}

#[rustfmt::skip]
const OTHERS: &[(&str, Other)] = &[
    ("password", Other::Assignment), ("passwd", Other::Assignment), ("passphrase", Other::Assignment),
    ("secret", Other::Assignment), ("token", Other::Assignment), ("credential", Other::Assignment),
    ("_key", Other::Assignment), ("-key", Other::Assignment), ("apikey", Other::Assignment),
    ("accesskey", Other::Assignment), ("accountkey", Other::Assignment), ("privatekey", Other::Assignment),
    ("_pass=", Other::Assignment), ("_pwd=", Other::Assignment), ("pgpass", Other::Assignment),
    ("authorization", Other::Header), ("bearer ", Other::Bearer), ("://", Other::Url),
    ("-----begin ", Other::PrivateKey),
];

/// The fixed beginnings, in the order of their numbers; the scanner ignores case.
pub(super) fn beginnings() -> impl Iterator<Item = &'static str> {
    let tokens = TOKENS.iter().map(|token| token.0);
    tokens.chain(OTHERS.iter().map(|(beginning, _)| *beginning))
}

/// Does a private key begin here?
pub(super) fn is_private_key(shape: usize, text: &[u8]) -> bool {
    const HEAD_MAX: usize = 64;
    let other = shape
        .checked_sub(TOKENS.len())
        .and_then(|at| OTHERS.get(at));
    let head = &text[..text.len().min(HEAD_MAX)];
    let head = memchr::memchr(b'\n', head).map_or(head, |end| &head[..end]);
    matches!(other, Some((_, Other::PrivateKey)))
        && head.starts_with(b"-----BEGIN ")
        && memchr::memmem::find(head, b"PRIVATE KEY").is_some()
}

/// Is the candidate of this number at `hit` a secret?
pub(super) fn check(shape: usize, text: &[u8], hit: Range<usize>) -> Option<Found> {
    if let Some(token) = TOKENS.get(shape) {
        return check_token(token, text, &hit);
    }
    match OTHERS.get(shape - TOKENS.len())?.1 {
        Other::Assignment => assign::check(text, hit),
        Other::Header => header::authorization(text, hit.end),
        Other::Bearer => header::bearer(text, hit.end),
        Other::Url => header::url(text, hit),
        Other::PrivateKey => None,
    }
}

fn check_token(token: &Token, text: &[u8], hit: &Range<usize>) -> Option<Found> {
    let Token(beginning, kind, set, least, most) = *token;
    if &text[hit.clone()] != beginning.as_bytes() || !starts_a_word(text, hit.start) {
        return None;
    }
    let tail = &text[hit.end..];
    let length = tail
        .iter()
        .take(most + 1)
        .take_while(|byte| set.has(**byte))
        .count();
    let mut length = if (least..=most.max(least)).contains(&length) || most == LONG && length > most
    {
        length
    } else {
        return None;
    };
    // A token that ends a sentence does not include its full stop.
    while length > least && matches!(tail[length - 1], b'.' | b'-') {
        length -= 1;
    }
    let body = &tail[..length];
    match kind {
        "jwt" => length = jwt_length(body)?,
        // The documentation's own examples: AKIAIOSFODNN7EXAMPLE.
        "aws-access-key" if body.ends_with(b"EXAMPLE") => return None,
        // `sk-` alone begins ordinary names too; a key is a mixture.
        "openai-key" | "crates-io-token" if !is_mixed(body) => return None,
        "sendgrid-key" if body.split(|byte| *byte == b'.').count() != 2 => return None,
        _ => {}
    }
    Some(Found {
        at: hit.start..hit.end + length,
        kind,
    })
}

/// Header, payload and signature (an encrypted token has five parts) after the `eyJ`.
fn jwt_length(body: &[u8]) -> Option<usize> {
    const PART_MIN: usize = 6;
    let mut parts = body.split(|byte| *byte == b'.');
    let header = parts.next()?.len();
    let payload = parts.next()?.len();
    (header >= PART_MIN && payload >= PART_MIN && parts.next().is_some()).then_some(body.len())
}

/// Is there no letter, digit or `_` right before, unless it ends a colour sequence?
pub(super) fn starts_a_word(text: &[u8], at: usize) -> bool {
    const SEQUENCE_MAX: usize = 16;
    let Some(before) = at.checked_sub(1).map(|before| text[before]) else {
        return true;
    };
    if !(before.is_ascii_alphanumeric() || before == b'_') {
        return true;
    }
    let window = &text[at.saturating_sub(SEQUENCE_MAX)..at - 1];
    let parameters = window
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
        .count();
    before == b'm' && window[..window.len() - parameters].ends_with(b"\x1b[")
}

/// Letters and digits both.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
}
