//! Which files programs read as code, and how configurations are named.

use crate::names::one_of;
use crate::table::rows;

/// Programs with the files that they read as code wherever they are started; none: those that they are given.
pub(super) const READ_AS_CODE: &[[&str; 2]] = rows!("../../../tables/reads.txt");
/// Programs of JavaScript start each other; what they start reads `NAME.config.js` and its kin.
pub(super) const STARTERS: &[&str] = &["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun"];
/// How the configuration of a JavaScript tool that is code may be named.
pub(super) const CONFIGURED: &[&str] = overnight_base::words!(
    "NAME.config.js NAME.config.ts NAME.config.mjs NAME.config.mts NAME.config.cjs .NAMErc.js .NAMErc.cjs"
);
/// What finds the tests that it runs, beside verbs that say so.
pub(super) const TESTERS: &[&str] =
    overnight_base::words!("pytest py.test jest vitest mocha ava rspec phpunit bats");
/// What runs tests, or other code by its name, with the endings of what it finds; others find files of any kind.
pub(super) const FINDS: &[[&str; 2]] = rows!("../../../tables/finds.txt");
/// What runs of a folder that is given.
pub(super) const MAINS: &[(&str, &str)] = &[
    ("cargo", "src/main.rs"),
    ("go", "main.go"),
    ("dotnet", "Program.cs"),
    ("python3", "__main__.py"),
    ("sphinx-build", "conf.py"),
];
/// Git's verbs with the hooks that they start, where hooks lie in the work tree.
pub(super) const HOOKED: &[[&str; 2]] = rows!("../../../tables/hooked.txt");

/// What each row lists that has this name.
pub(super) fn listed(
    rows: &'static [[&'static str; 2]],
    name: &str,
) -> impl Iterator<Item = &'static str> {
    let of = move |[names, listed]: &[&'static str; 2]| one_of(name, names).then_some(*listed);
    rows.iter().filter_map(of)
}
