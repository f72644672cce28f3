//! The beginnings of the client's own error messages, and those of
//! older versions. A message counts only from the start of a line.

use super::{Class, Finding, wording};

/// A usage limit: the words that the line begins with and one that it must also hold.
const LIMITS: &[(&str, &str)] = &[
    ("claude ai usage limit reached", ""),
    ("claude usage limit reached", ""),
    ("claude ", "usage limit reached"),
    ("claude ", "limit reached"),
    ("you've hit your ", "limit"),
    ("you've hit the ", "limit"),
    ("you hit your ", "limit"),
    ("you've reached your ", "limit"),
    ("you've exceeded your ", "limit"),
    ("you have hit your ", "limit"),
    ("you have reached your ", "limit"),
    ("you're out of extra usage", ""),
    ("you are out of extra usage", ""),
    ("out of extra usage", ""),
    ("5-hour limit reached", ""),
    ("weekly limit reached", ""),
    ("monthly limit reached", ""),
    ("daily limit reached", ""),
    ("session limit reached", ""),
    ("opus ", "limit reached"),
    ("sonnet ", "limit reached"),
    ("haiku ", "limit reached"),
    ("fable ", "limit reached"),
    ("limit reached", "reset"),
    ("usage limit reached", ""),
    ("usage limit exceeded", ""),
    ("your limit will reset", ""),
    ("your usage limit will reset", ""),
    ("your account has hit its ", "limit"),
    ("your organization has hit its ", "usage limit"),
    ("your organization has reached its ", "usage limit"),
    ("your plan's usage limit", ""),
    ("spending cap reached", "reset"),
];

/// What only a person can settle with the account, as the installed client words it: the words that
/// the line begins with and one that it must also hold.
pub(super) const ACCOUNT: &[(&str, &str)] = &[
    ("fable ", "requires usage credits"),
    ("haiku ", "requires usage credits"),
    ("mythos ", "requires usage credits"),
    ("opus ", "requires usage credits"),
    ("sonnet ", "requires usage credits"),
    ("fast mode ", "requires usage credits"),
    ("your model policy ", "requires usage credits"),
    ("claude stopped here because ", "requires usage credits"),
    ("your organization is out of usage credits", ""),
    ("your seat type ", ""),
];

/// The other classes, by beginning of the line or by a part of a line that begins as an error.
const OTHERS: &[(Class, &[&str])] = &[
    (
        Class::Billing,
        &[
            "credit balance",
            "your credit balance",
            "billing_error",
            "billing error",
            "api error: 402",
            "payment required",
            "payment method",
            "insufficient credit",
            "insufficient fund",
            "insufficient_quota",
            "spending cap",
            "spend limit",
            "spending limit",
            "your subscription has",
            "subscription expired",
            "subscription has expired",
            "purchase more credits",
        ],
    ),
    (
        Class::Context,
        &[
            "prompt is too long",
            "prompt too long",
            "prompt_too_long",
            "input is too long",
            "input length and",
            "exceed context limit",
            "context limit reached",
            "context window",
            "context length",
            "conversation too long",
            "conversation is too long",
            "request too large",
            "request_too_large",
            "api error: 413",
            "maximum context",
            "context_length_exceeded",
        ],
    ),
    (
        Class::Auth,
        &[
            "invalid api key",
            "failed to authenticate",
            "please run /login",
            "run /login",
            "not logged in",
            "oauth token",
            "oauth authentication",
            "authentication_error",
            "authentication_failed",
            "authentication failed",
            "authentication error",
            "api error: 401",
            "api error: 403",
            "invalid x-api-key",
            "invalid bearer token",
            "login expired",
            "session expired",
            "your session has expired",
            "permission_error",
            "this organization has been disabled",
            "this service is disabled for your org",
            "your organization has been disabled",
            "your organization has disabled",
            "organization has been disabled",
            "your organization does not have access",
            "your account does not have access",
            "account has been disabled",
            "account is on hold",
            "verification required",
            "missing api key",
            "api key is missing",
            "no api key",
            "api key not found",
            "unauthorized",
            "401 unauthorized",
            "403 forbidden",
            "could not resolve authentication",
            "token has expired",
            "token revoked",
            "credentials expired",
            "expiredtoken",
            "could not load credentials",
            "your api key",
            "api key has been",
            "api key expired",
            "invalid authentication",
            "invalid credentials",
            "please log in",
        ],
    ),
    (
        Class::Budget,
        &[
            "reached maximum budget",
            "maximum budget",
            "exceeded usd budget",
            "budget exceeded",
            "max budget",
            "reached max turns",
            "reached maximum number of turns",
            "budget_exhausted",
            "exceeded maximum budget",
            "exceeded the maximum budget",
        ],
    ),
    (
        Class::Transient,
        &[
            "api error: 5",
            "api error: 429",
            "api error: 408",
            "api error: repeated 529",
            "request rejected (429)",
            "overloaded",
            "529",
            "internal server error",
            "server error",
            "api error: server error",
            "request timed out",
            "timed out",
            "timeout",
            "connection error",
            "connection dropped",
            "connection refused",
            "connection closed",
            "connection reset",
            "connection lost",
            "econnreset",
            "econnrefused",
            "etimedout",
            "enotfound",
            "enetunreach",
            "ehostunreach",
            "econnaborted",
            "epipe",
            "eai_again",
            "socket hang up",
            "fetch failed",
            "network error",
            "unable to connect",
            "could not connect",
            "bad gateway",
            "service unavailable",
            "gateway timeout",
            "rate_limit_error",
            "rate limited",
            "too many requests",
            "api_error",
            "premature close",
            "stream ended",
            "stream closed",
            "terminated",
            "temporarily",
            "unable to reach",
            "self signed certificate",
            "self-signed certificate",
            "certificate",
            "mid-response",
            "dns",
            "getaddrinfo",
            "http 429",
            "status 429",
        ],
    ),
];

/// Beginnings by which a line is the client's own error message.
const OWN: &[&str] = &[
    "api error",
    "error",
    "invalid api key",
    "failed to authenticate",
    "credit balance",
    "your credit balance",
    "prompt is too long",
    "request timed out",
    "connection error",
    "please run /login",
    "not logged in",
    "oauth token",
    "reached max",
    "exceeded usd budget",
    "overloaded",
    "unable to connect",
    "request too large",
    "authentication",
    "login expired",
    "this organization has been disabled",
    "this service is disabled for your org",
    "your organization",
    "your account",
    "context limit reached",
    "conversation too long",
    "fetch failed",
    "network error",
    "connection",
    "internal server error",
    "typeerror: fetch failed",
    "insufficient",
    "request rejected",
    "missing api key",
    "no api key",
    "your api key",
    "repeated 529",
    "service unavailable",
    "spending",
    "payment",
    "session expired",
    "your session",
    "socket hang up",
    "server error",
    "request failed",
    "could not",
    "unauthorized",
    "your subscription",
    "econn",
    "etimedout",
    "enotfound",
    "getaddrinfo",
    "connect ",
    "you've hit your ",
    "you've reached your ",
    "401 ",
    "402 ",
    "403 ",
    "429 ",
    "500 ",
    "502 ",
    "503 ",
    "504 ",
    "529 ",
    "input is too long",
    "input length",
    "timeout",
    "account",
    "token",
    "bad gateway",
    "gateway timeout",
    "too many requests",
    "rate limited",
    "spend",
    "monthly spend",
    "you've reached your monthly spend",
    "expired",
];

/// Text output of `claude -p`: with status 0 it is the model's answer, unless it is nothing but a
/// limit message (older clients ended with 0).
pub(super) fn plain(text: &str, failed: bool) -> Finding {
    if !failed {
        let whole = joined(text);
        let only =
            text.lines().filter(|line| !line.trim().is_empty()).count() <= 2 && whole.len() <= 200;
        return if only && limit(&whole) {
            Finding::new(Class::UsageLimit, &whole, whole.as_str())
        } else {
            Finding::default()
        };
    }
    lines(text).unwrap_or_else(|| {
        Finding::new(Class::Unknown, text, "exit status without a known message")
    })
}

/// The client's stderr: a status of 0 makes it notes, not errors.
pub(super) fn stderr(text: &str, exit: Option<i32>) -> Finding {
    match (lines(text), exit) {
        (_, Some(0)) => Finding::default(),
        (Some(finding), _) => finding,
        (None, None) if text.trim().is_empty() => Finding::default(),
        (None, _) => Finding::new(Class::Unknown, text, "exit status without a known message"),
    }
}

/// The last line of an error text that says what happened.
pub(super) fn lines(text: &str) -> Option<Finding> {
    let all: Vec<&str> = text.lines().collect();
    (0..all.len()).rev().find_map(|index| {
        let line = all[index];
        let class = class_of(line)?;
        // A terminal may have wrapped the message: its reset time may stand on the next lines.
        let end = all.len().min(index + 3);
        Some(Finding::new(class, &all[index..end].join(" "), line))
    })
}

/// The class of one message of the client's own error channel.
pub(super) fn class_of(line: &str) -> Option<Class> {
    let line = folded(line);
    if warns(&line) {
        return None;
    }
    if limit(&line) {
        return Some(Class::UsageLimit);
    }
    if settled_by_person(&line) {
        return Some(Class::Billing);
    }
    let own = OWN.iter().any(|start| line.starts_with(start));
    own.then(|| within(&line)).flatten()
}

/// Is the line a message that only the client writes about its service or account? `Error: timeout`
/// may be anybody's.
pub(super) fn is_clients(line: &str) -> bool {
    const STARTS: &[&str] = &[
        "api error",
        "invalid api key",
        "failed to authenticate",
        "credit balance is",
        "please run /login",
    ];
    let plain = folded(line);
    limit(line) || STARTS.iter().any(|start| plain.starts_with(start))
}

/// The class of a message that is known to be the client's own, wherever the words stand.
pub(super) fn of_message(message: &str) -> Option<Class> {
    let line = folded(&joined(message));
    if warns(&line) {
        return None;
    }
    if limit(&line) {
        return Some(Class::UsageLimit);
    }
    if settled_by_person(&line) {
        return Some(Class::Billing);
    }
    within(&line)
}

fn settled_by_person(line: &str) -> bool {
    let listed = |(start, class): &(&str, Class)| {
        *class == Class::Billing && line.starts_with(&start.to_lowercase())
    };
    let said = ACCOUNT
        .iter()
        .any(|(start, part)| line.starts_with(start) && line.contains(part));
    said || wording::ENDS.iter().any(listed)
}

fn within(line: &str) -> Option<Class> {
    OTHERS
        .iter()
        .find(|(_, parts)| parts.iter().any(|part| line.contains(part)))
        .map(|(class, _)| *class)
}

/// Is it a usage limit's message?
fn limit(line: &str) -> bool {
    let line = folded(line);
    if warns(&line) {
        return false;
    }
    if line.contains("spend limit") || line.contains("spending limit") {
        return line.contains("reset") && LIMITS.iter().any(|(start, _)| line.starts_with(start));
    }
    LIMITS
        .iter()
        .any(|(start, part)| line.starts_with(start) && line.contains(part))
}

/// `You've used 93% of your session limit` and the like: work goes on.
fn warns(line: &str) -> bool {
    let older = [
        "you have used",
        "approaching",
        "you're close",
        "you are close",
        "you're now using",
        "you're using",
    ];
    let goes_on = wording::GOES_ON.iter();
    older.iter().any(|start| line.starts_with(start))
        || goes_on
            .into_iter()
            .any(|start| line.starts_with(&start.to_lowercase()))
}

/// Lower case, straight apostrophes, no terminal sequences, no log prefix, single blanks.
fn folded(line: &str) -> String {
    let line = crate::classify::fingerprint::plain(line)
        .to_lowercase()
        .replace(['\u{2019}', '\u{2018}'], "'");
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = line
        .strip_prefix("api error: claude ")
        .map_or_else(|| line.to_owned(), |rest| format!("claude {rest}"));
    // `API Error: You've hit your …` is the limit too.
    match line.strip_prefix("api error: you've ") {
        Some(rest) => format!("you've {rest}"),
        None => line,
    }
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
