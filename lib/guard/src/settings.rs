//! What a person sets of the guard.

use super::setup;
use overnight_base::section;
use overnight_base::value::Kind;
use overnight_shell::Mode;

section! {
    /// What the guard lets through.
    guard: Guard {
        /// `strict`: programs that the guard does not know wait for you too. `fast`: a command that discards work in git's reach runs after everything was kept.
        mode: Mode = "normal", Kind::Choice(&["strict", "normal", "fast"]), Less;
        /// Outside a run the guard speaks of catastrophes only and your permission rules decide. `strict`: all rules hold there too; `allow`: it also says allow.
        attended: String = "silent", Kind::Choice(&["strict", "silent", "allow"]), Less;
        /// The agent may push branches that start with this.
        branch_prefix: String = "auto/", Kind::Text("a branch prefix such as \"auto/\"", setup::is_prefix), Never;
        /// Patterns that are denied, with `*` for anything.
        deny: Vec<String> = "", Kind::List(setup::PATTERNS_MAX, setup::PATTERN, setup::is_pattern), Adds;
        /// Patterns that wait for you.
        ask: Vec<String> = "", Kind::List(setup::PATTERNS_MAX, setup::PATTERN, setup::is_pattern), Adds;
    }
}
