//! Caches of tools: downloads and build products that other projects use too.

use super::Grant;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A tool's cache.
#[derive(Debug)]
pub struct Cache {
    /// The variable that moves it; empty: there is none.
    pub variable: &'static str,
    /// What stands in the variable before the path; what a person has in such a one stays.
    pub before: &'static str,
    /// Where it is without that variable, below home.
    pub folder: &'static str,
    /// What of it may be written; empty: all of it. The rest holds programs or configuration.
    pub parts: &'static [&'static str],
    /// Whose it is.
    pub why: &'static str,
}

/// The known ones.
pub const CACHES: &[Cache] = &[
    cache("XDG_CACHE_HOME", ".cache", &[], "caches of many tools"),
    cache("npm_config_cache", ".npm", &[], "npm's cache"),
    cache(
        "CARGO_HOME",
        ".cargo",
        &[
            "registry",
            "git",
            ".package-cache",
            ".package-cache-mutate",
            ".global-cache",
        ],
        "cargo's registry",
    ),
    cache("GOMODCACHE", "go/pkg", &[], "Go's modules"),
    cache(
        "GRADLE_USER_HOME",
        ".gradle",
        &["caches", "wrapper", "daemon", "native", "workers", ".tmp"],
        "gradle's caches",
    ),
    Cache {
        before: "-Dmaven.repo.local=",
        ..cache("MAVEN_OPTS", ".m2/repository", &[], "maven's repository")
    },
    cache("", ".ivy2/cache", &[], "ivy's cache"),
    cache("PNPM_HOME", ".local/share/pnpm", &["store"], "pnpm's store"),
    cache(
        "UV_PYTHON_INSTALL_DIR",
        ".local/share/uv/python",
        &[],
        "uv's interpreters",
    ),
    cache("UV_TOOL_DIR", ".local/share/uv/tools", &[], "uv's tools"),
    cache("", ".bun/install/cache", &[], "bun's cache"),
    cache("", ".yarn/berry", &[], "yarn's cache"),
    cache("", ".nuget/packages", &[], "NuGet's packages"),
    cache("", ".composer/cache", &[], "composer's cache"),
    cache("", ".hex/packages", &[], "hex's packages"),
    cache("", ".gem", &["specs"], "RubyGems' index"),
    cache(
        "",
        ".pub-cache",
        &["hosted", "git", "_temp"],
        "Dart's packages",
    ),
    cache("", "Library/Caches", &[], "caches of many tools"),
];

const fn cache(
    variable: &'static str,
    folder: &'static str,
    parts: &'static [&'static str],
    why: &'static str,
) -> Cache {
    Cache {
        variable,
        before: "",
        folder,
        parts,
        why,
    }
}

/// The caches that are there, as grants; and for tools whose cache is not there yet, the variable that
/// puts it into `spare`. `moved` gives the value of a variable, `exists` looks at the disk.
pub fn caches(
    home: Option<&Path>,
    spare: &Path,
    moved: &dyn Fn(&str) -> Option<PathBuf>,
    exists: &dyn Fn(&Path) -> bool,
) -> (Vec<Grant>, Vec<(&'static str, PathBuf)>) {
    let (mut grants, mut variables) = (Vec::new(), Vec::new());
    for cache in CACHES {
        let given = Some(cache.variable)
            .filter(|name| !name.is_empty())
            .and_then(moved);
        let taken = given.is_some() && !cache.before.is_empty();
        let given = given.filter(|_| !taken);
        let Some(folder) = given.or_else(|| Some(home?.join(cache.folder))) else {
            continue;
        };
        let parts: Vec<PathBuf> = if cache.parts.is_empty() {
            vec![folder.clone()]
        } else {
            cache.parts.iter().map(|part| folder.join(part)).collect()
        };
        // The first part is what the tool cannot do without.
        let there = parts.first().is_some_and(|first| exists(first));
        if there {
            grants.extend(parts.into_iter().map(|path| Grant::new(path, cache.why)));
        } else if !cache.variable.is_empty() && !taken {
            let mut value = OsString::from(cache.before);
            value.push(spare.join(cache.folder.trim_start_matches('.')));
            variables.push((cache.variable, value.into()));
        }
    }
    (grants, variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_that_is_there_is_written_and_one_that_is_not_is_moved() {
        let exists = |path: &Path| path.starts_with("/h/.cargo") || path == Path::new("/big/npm");
        let moved = |name: &str| match name {
            "npm_config_cache" => Some(PathBuf::from("/big/npm")),
            "MAVEN_OPTS" => Some(PathBuf::from("-Xmx1g")),
            _ => None,
        };
        let (grants, variables) = caches(Some(Path::new("/h")), Path::new("/t"), &moved, &exists);
        let paths: Vec<&Path> = grants.iter().map(|grant| grant.path.as_path()).collect();
        assert!(paths.contains(&Path::new("/h/.cargo/registry")));
        assert!(paths.contains(&Path::new("/big/npm")));
        assert!(
            !paths.contains(&Path::new("/h/.cargo")),
            "programs are in it"
        );
        let named = |name: &str| variables.iter().any(|(variable, _)| *variable == name);
        assert!(!named("MAVEN_OPTS"), "the person's own words stay");
        let (_, variables) = caches(Some(Path::new("/h")), Path::new("/t"), &|_| None, &exists);
        let maven = variables.iter().find(|(name, _)| *name == "MAVEN_OPTS");
        assert_eq!(
            maven.unwrap().1,
            PathBuf::from("-Dmaven.repo.local=/t/m2/repository")
        );
        assert!(named("XDG_CACHE_HOME") && named("GOMODCACHE") && !named("CARGO_HOME"));
    }
}
