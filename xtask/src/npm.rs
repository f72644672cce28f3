//! The plugin as npm packages: one with the plugin, and one with the program for each platform,
//! which the first names as optional dependencies with their hashes. No script runs at an install.

use crate::plugin;
use overnight_base::programs::{NAMES, PROGRAM};
use serde_json::{Map, Value, json};
use std::io::{Error, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who publishes the packages; the marketplace in `.claude-plugin/` names the same.
const SCOPE: &str = "@overnight-plugin";

/// What stands in the plugin's package in the place of each program.
const LAUNCHER: &str = include_str!("launcher.sh");

/// A platform that has a package: the target that it is built for, npm's names for it.
#[derive(Debug, Clone, Copy)]
pub struct Platform {
    target: &'static str,
    os: &'static str,
    cpu: &'static str,
}

/// Those that a release is built for.
pub const PLATFORMS: &[Platform] = &[
    Platform {
        target: "x86_64-unknown-linux-musl",
        os: "linux",
        cpu: "x64",
    },
    Platform {
        target: "aarch64-unknown-linux-musl",
        os: "linux",
        cpu: "arm64",
    },
    Platform {
        target: "x86_64-apple-darwin",
        os: "darwin",
        cpu: "x64",
    },
    Platform {
        target: "aarch64-apple-darwin",
        os: "darwin",
        cpu: "arm64",
    },
];

/// The platform of a target.
pub fn platform(target: &str) -> Option<Platform> {
    PLATFORMS.iter().copied().find(|one| one.target == target)
}

impl Platform {
    fn package(self) -> String {
        format!("{SCOPE}/overnight-{}-{}", self.os, self.cpu)
    }

    fn at(self, out: &Path) -> PathBuf {
        out.join(format!("{}-{}.json", self.os, self.cpu))
    }
}

/// Packs the program in `built` for a platform into `out`, beside a note of its hash.
pub fn programs(built: &Path, of: Platform, work: &Path, out: &Path) -> Result<()> {
    let folder = work.join(format!("{}-{}", of.os, of.cpu));
    std::fs::create_dir_all(folder.join("bin"))?;
    // npm packs no links: the launchers in the plugin's package make them.
    plugin::link(&built.join(PROGRAM), &folder.join("bin").join(PROGRAM))?;
    let mut manifest = manifest(&of.package(), "The program of Overnight for one platform");
    manifest["os"] = json!([of.os]);
    manifest["cpu"] = json!([of.cpu]);
    write(&folder.join("package.json"), &manifest)?;
    let packed = pack(&folder, out)?;
    let note = json!({ "file": packed["filename"], "integrity": packed["integrity"] });
    write(&of.at(out), &note)
}

/// Packs the plugin for the platforms whose packages are in `out`. Gives the package's file.
pub fn plugin(root: &Path, work: &Path, out: &Path) -> Result<PathBuf> {
    let folder = work.join("overnight");
    std::fs::create_dir_all(folder.join("bin"))?;
    plugin::parts(root, &folder)?;
    for name in NAMES.into_iter().chain([PROGRAM]) {
        let path = folder.join("bin").join(name);
        std::fs::write(&path, LAUNCHER.replace("SCOPE", SCOPE))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    let (mut wanted, mut locked) = (Map::new(), Map::new());
    for of in PLATFORMS.iter().filter(|of| of.at(out).exists()) {
        let note: Value = serde_json::from_str(&std::fs::read_to_string(of.at(out))?)?;
        wanted.insert(of.package(), json!(env!("CARGO_PKG_VERSION")));
        locked.insert(
            format!("node_modules/{}", of.package()),
            json!({ "version": env!("CARGO_PKG_VERSION"), "integrity": note["integrity"],
                "os": [of.os], "cpu": [of.cpu], "optional": true }),
        );
    }
    if wanted.is_empty() {
        return Err(Error::other(format!(
            "{}: no package of a platform",
            out.display()
        )));
    }
    let mut manifest = manifest(
        &format!("{SCOPE}/overnight"),
        "Leaves Claude Code at work alone: autonomous runs whose completion is proved",
    );
    manifest["bin"] = json!({ "overnight": "bin/overnight" });
    manifest["optionalDependencies"] = Value::Object(wanted);
    write(&folder.join("package.json"), &manifest)?;
    locked.insert(String::new(), manifest.clone());
    let lock = json!({ "name": manifest["name"], "version": manifest["version"],
        "lockfileVersion": 3, "requires": true, "packages": locked });
    // The one lock file that is published with a package.
    write(&folder.join("npm-shrinkwrap.json"), &lock)?;
    let packed = pack(&folder, out)?;
    Ok(out.join(packed["filename"].as_str().unwrap_or_default()))
}

fn manifest(name: &str, description: &str) -> Value {
    json!({ "name": name, "version": env!("CARGO_PKG_VERSION"), "description": description,
        "license": "MIT OR Apache-2.0" })
}

/// `npm pack` of a folder, and what it says about the file.
fn pack(folder: &Path, out: &Path) -> Result<Value> {
    std::fs::create_dir_all(out)?;
    let out = out.canonicalize()?;
    let done = Command::new("npm")
        .args([
            "pack",
            "--json",
            "--ignore-scripts",
            "--loglevel=error",
            "--pack-destination",
        ])
        .arg(out)
        .current_dir(folder)
        .output()?;
    let said = serde_json::from_slice::<Value>(&done.stdout).unwrap_or_default();
    // A list, or from npm 11 on an object by name.
    let packed = said.get(0).or_else(|| said.as_object()?.values().next());
    packed
        .filter(|packed| packed["integrity"].is_string())
        .cloned()
        .ok_or_else(|| {
            Error::other(format!(
                "npm pack: {}",
                String::from_utf8_lossy(&done.stderr)
            ))
        })
}

fn write(path: &Path, value: &Value) -> Result<()> {
    std::fs::write(path, format!("{value:#}\n"))
}
