//! How the client begins what it says about limits and credits: its own list, as it stands in the installed
//! program. `tests/real/wording.rs` compares the two.

use super::Class;

/// Beginnings of messages after which it does not go on: at a usage limit until its reset, for the others a
/// person must do something. What else such a line says can change it: see `phrase`.
pub const ENDS: &[(&str, Class)] = &[
    ("You've hit your", Class::UsageLimit),
    ("You've reached your", Class::UsageLimit),
    ("You're out of usage credits", Class::Billing),
    (
        "Your org is out of usage · add funds to continue",
        Class::Billing,
    ),
    (
        "Your org is out of usage · contact your admin",
        Class::Billing,
    ),
    (
        "Your seat type doesn't include usage credits",
        Class::Billing,
    ),
    ("Your seat type doesn't include usage", Class::Billing),
    (
        "Your usage allocation has been disabled by your admin",
        Class::Billing,
    ),
    ("Your group's usage limit is set to $0", Class::Billing),
    ("Fable 5 requires usage credits", Class::Billing),
    ("You're out of extra usage", Class::UsageLimit),
    ("Your seat type doesn't include extra usage", Class::Billing),
];

/// Beginnings of messages with which it goes on.
pub const GOES_ON: &[&str] = &[
    "You've used",
    "You're close to",
    "You're now using usage credits",
    "You're now using your usage allocation",
    "Now using your usage allocation",
    "Now using usage credits",
    "Now using credits",
    "You're now using extra usage",
    "Now using extra usage",
];
