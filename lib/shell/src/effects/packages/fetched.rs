//! Packages that are fetched to be run: `npx x`, `uvx x`.

use crate::context::Entry;
use crate::effects::unknown::TESTERS;
use crate::effects::{effect, rows};
use crate::machine::{Call, Machine};
use crate::{mark, place, policy};

/// Where a package's program lies once it is installed, and what declares packages.
const INSTALLED: &[&str] = &["node_modules/.bin", "node_modules", ".venv/bin"];
const MANIFESTS: &[&str] = overnight_base::words!(
    "package.json pyproject.toml requirements.txt requirements-dev.txt .pre-commit-config.yaml"
);
/// Tools of builds and documents that are used without being declared.
const USUAL: &[&str] = overnight_base::words!(
    "astro commitlint concurrently cross-env degit depcheck docusaurus esbuild eslint \
     http-server husky jsr knip lint-staged madge markdownlint markdownlint-cli markdownlint-cli2 mikro-orm next next-app react-app nodemon \
     npm-check-updates nuxt pnpm pre-commit rimraf rollup serve shadcn shx size-limit standard-version storybook svgo swc \
     syncpack tailwindcss ts-node tsc tsup tsx turbo type-coverage typedoc typescript vite webpack wait-on yarn ajv-cli cspell \
     dprint oxlint sort-package-json npm npm-run-all publint attw playwright mkdocs sphinx-build build isort bandit pyright \
     pip-audit deptry vulture codespell yamllint cookiecutter copier interrogate docformatter pyupgrade autoflake reuse"
);

/// A package that the project does not declare and nobody knows is code that nobody read.
pub(in crate::effects) fn package(machine: &mut Machine<'_>, call: &Call, named: &str) {
    let version = named.char_indices().skip(1);
    let mut ends = version.filter(|(_, c)| matches!(c, '@' | '=' | '[' | '<' | '>'));
    let name = &named[..ends.next().map_or(named.len(), |(at, _)| at)];
    let known = |name: &str| {
        let name = name.strip_prefix("create-").unwrap_or(name);
        TESTERS.contains(&name) || USUAL.contains(&name) || rows::handler(name).is_some()
    };
    let given = !name.is_empty() && !name.contains(':') && !mark::unknown(name);
    let path = name.starts_with(['.', '/', '-']);
    if given && !path && !known(name) && !declared(machine, name) {
        let shown = format!("{} {name}", call.name);
        effect(machine, &policy::ELSEWHERE_PROGRAM, &shown);
    }
}

/// Is it installed or declared here or above, up to the top of the work tree, or by this command?
fn declared(machine: &Machine<'_>, name: &str) -> bool {
    let facts = machine.context.facts;
    let top = machine.context.root.unwrap_or(machine.context.cwd);
    let mut folder = machine.state.cwd.to_string();
    loop {
        let text = |file: &&str| {
            let path = format!("{folder}/{file}");
            let written = machine.files.get(&path).and_then(|data| data.text.clone());
            written
                .map(|text| text.to_string())
                .or_else(|| facts.text(&path))
        };
        let apart = |c: char| !(c.is_alphanumeric() || "@/._-".contains(c));
        let names = |text: String| text.split(apart).any(|word| word == name);
        let there = |place: &&str| {
            !matches!(
                facts.entry(&format!("{folder}/{place}/{name}")),
                Entry::Missing | Entry::Unknown
            )
        };
        if INSTALLED.iter().any(there) || MANIFESTS.iter().filter_map(text).any(names) {
            return true;
        }
        match folder.rsplit_once('/') {
            Some((above, _)) if place::inside(above, top) => folder = above.to_owned(),
            _ => return machine.made.contains(&format!("package {name}")),
        }
    }
}
