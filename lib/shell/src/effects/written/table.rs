//! Which files programs read as code, and how configurations are named.

/// Programs with the files that they read as code wherever they are started; none: those that they are given.
pub(super) const READ_AS_CODE: &str = include_str!("../../../tables/reads.txt");
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
pub(super) const FINDS: &str = include_str!("../../../tables/finds.txt");
/// What runs of a folder that is given.
pub(super) const MAINS: &[(&str, &str)] = &[
    ("cargo", "src/main.rs"),
    ("go", "main.go"),
    ("dotnet", "Program.cs"),
    ("python3", "__main__.py"),
    ("sphinx-build", "conf.py"),
];
/// Git's verbs with the hooks that they start, where hooks lie in the work tree.
pub(super) const HOOKED: &str = include_str!("../../../tables/hooked.txt");

/// What a row has behind its colon where it has `name` before it.
pub(super) fn row<'r>(row: &'r str, name: &str) -> Option<std::str::Split<'r, char>> {
    let (names, listed) = row.split_once(':')?;
    let stands = names.split(' ').any(|listed| listed == name);
    stands.then(|| listed.trim_start().split(' '))
}
