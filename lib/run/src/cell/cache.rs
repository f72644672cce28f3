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
    /// Where it is without that variable, below home; empty: in another cache, or in none that is known.
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
    // Go stops where it cannot write its index of a package, which it does once that is two seconds old.
    cache("GOCACHE", "", &[], "Go's build cache"),
    cache("PIP_CACHE_DIR", "", &[], "pip's cache"),
    cache("UV_CACHE_DIR", "", &[], "uv's cache"),
    cache("YARN_CACHE_FOLDER", "", &[], "yarn's cache"),
    cache("CCACHE_DIR", "", &[], "ccache's cache"),
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
            .and_then(moved)
            .or_else(|| by_another(cache.variable, moved));
        let taken = given.is_some() && !cache.before.is_empty();
        let given = given.filter(|_| !taken);
        let usual = || {
            Some(
                home.filter(|_| !cache.folder.is_empty())?
                    .join(cache.folder),
            )
        };
        let Some(folder) = given.or_else(usual) else {
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
            let name = match cache.folder {
                "" => cache.variable,
                folder => folder.trim_start_matches('.'),
            };
            value.push(spare.join(name));
            variables.push((cache.variable, value.into()));
        }
    }
    (grants, variables)
}

/// Where a cache is by a variable that moves more than it.
fn by_another(variable: &str, moved: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let path = moved("GOPATH").filter(|_| variable == "GOMODCACHE")?;
    std::env::split_paths(&path)
        .next()
        .filter(|first| first.is_absolute())
        .map(|first| first.join("pkg"))
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
        assert!(named("XDG_CACHE_HOME") && named("GOMODCACHE") && !named("CARGO_HOME"));
        let (_, variables) = caches(Some(Path::new("/h")), Path::new("/t"), &|_| None, &exists);
        let maven = variables.iter().find(|(name, _)| *name == "MAVEN_OPTS");
        assert_eq!(
            maven.unwrap().1,
            PathBuf::from("-Dmaven.repo.local=/t/m2/repository")
        );
        assert!(!named("GOCACHE"), "it is in another where nobody moved it");
    }

    #[test]
    fn a_cache_that_a_person_moved_is_written_where_it_is() {
        let moved = |name: &str| match name {
            "GOCACHE" => Some(PathBuf::from("/big/go")),
            "UV_CACHE_DIR" => Some(PathBuf::from("/gone/uv")),
            "GOPATH" => Some(PathBuf::from("/go:/more")),
            _ => None,
        };
        let exists = |path: &Path| path == Path::new("/big/go") || path == Path::new("/go/pkg");
        let (grants, variables) = caches(Some(Path::new("/h")), Path::new("/t"), &moved, &exists);
        let paths: Vec<&Path> = grants.iter().map(|grant| grant.path.as_path()).collect();
        assert_eq!(paths, [Path::new("/big/go"), Path::new("/go/pkg")]);
        assert!(variables.contains(&("UV_CACHE_DIR", PathBuf::from("/t/UV_CACHE_DIR"))));
        assert!(variables.iter().all(|(name, _)| *name != "GOMODCACHE"));
    }
}
