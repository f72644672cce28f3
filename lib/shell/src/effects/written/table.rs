//! Which files programs read as code, and how configurations are named.

/// Programs with the files that they read as code wherever they are started.
pub(super) const READ_AS_CODE: &[&str] = &[
    "make gmake: Makefile makefile GNUmakefile",
    "just: justfile Justfile .justfile",
    "task: Taskfile.yml Taskfile.yaml",
    "ant: build.xml",
    "mvn mvnw: pom.xml",
    "rake: Rakefile",
    "bundle: Gemfile",
    "vagrant: Vagrantfile",
    "pod: Podfile",
    "meson: meson.build",
    "scons: SConstruct SConscript",
    "zig: build.zig",
    "swift: Package.swift",
    "sbt: build.sbt",
    "fab: fabfile.py",
    "pre-commit: .pre-commit-config.yaml",
    "lefthook: lefthook.yml",
    "pytest py.test: conftest.py tests/conftest.py test/conftest.py",
    "tox nox: noxfile.py setup.py tox.ini",
    "pip pip3 uv: setup.py",
    "cargo cross: build.rs .cargo/config.toml .cargo/config Cargo.toml src/main.rs",
    // The files that they are given.
    "java groovy kotlinc rdmd jupyter papermill deno bun tsx ts-node esno \
     zx jest vitest mocha ava rspec cucumber phpunit bats playwright cypress:",
    "direnv: .envrc",
    "poe: pyproject.toml",
    "gradle gradlew: build.gradle settings.gradle build.gradle.kts",
    "gulp: gulpfile.js",
    "grunt: Gruntfile.js",
    "npm pnpm yarn bun: package.json .yarnrc.yml .pnpmfile.cjs",
    "cmake: CMakeLists.txt",
    "dotnet: Program.cs",
    "composer: composer.json",
    "mix: mix.exs",
    "docker-compose: docker-compose.yml docker-compose.yaml compose.yaml compose.yml",
    "invoke inv: tasks.py",
    "nix nix-shell nix-build: flake.nix shell.nix default.nix",
    "python python3: sitecustomize.py usercustomize.py",
];
/// Programs of JavaScript start each other; what they start reads `NAME.config.js` and its kin.
pub(super) const STARTERS: &[&str] = &["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun"];
/// How the configuration of a JavaScript tool that is code may be named.
pub(super) const CONFIGURED: &[&str] = overnight_base::words!(
    "NAME.config.js NAME.config.ts NAME.config.mjs NAME.config.mts NAME.config.cjs .NAMErc.js .NAMErc.cjs"
);
/// How configurations of builds name the home folder.
pub(super) const HOMES: &[&str] =
    overnight_base::words!("$env{home} {env:home} user.home homedir() ${home} $(home)");
/// What finds the tests that it runs, beside verbs that say so.
pub(super) const TESTERS: &[&str] =
    overnight_base::words!("pytest py.test jest vitest mocha ava rspec phpunit bats");
/// Where tests lie by convention.
pub(super) const TESTS: &[&str] = &["tests", "test", "spec", "__tests__"];
/// What runs of a folder that is given.
pub(super) const MAINS: &[(&str, &str)] = &[
    ("go", "main.go"),
    ("dotnet", "Program.cs"),
    ("python3", "__main__.py"),
];
/// Git's verbs with the hooks that they start, where hooks lie in the work tree.
pub(super) const HOOKED: &[&str] = &[
    "commit: pre-commit prepare-commit-msg commit-msg post-commit",
    "push: pre-push",
    "checkout switch: post-checkout",
    "merge: pre-merge-commit post-merge",
    "pull: post-merge",
    "rebase: pre-rebase post-rewrite",
];

/// What a row has behind its colon where it has `name` before it.
pub(super) fn row<'r>(row: &'r str, name: &str) -> Option<std::str::Split<'r, char>> {
    let (names, listed) = row.split_once(':')?;
    let stands = names.split(' ').any(|listed| listed == name);
    stands.then(|| listed.trim_start().split(' '))
}
