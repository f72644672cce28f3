//! `cargo xtask dist`.

use crate::test::TESTED;
use overnight_base::programs::{NAMES, PROGRAM};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Where marketplaces for other machines than this one stand in `dist/`.
const OTHERS: &str = "platforms";
/// Where npm packages stand in `dist/`, of every platform that was built.
const NPM: &str = "npm";

/// What is built for `dist/`.
#[derive(Clone, Copy)]
pub(crate) enum Build<'a> {
    /// A release for this target; without one static musl for this machine where the toolchain has it.
    Release(Option<&'a str>),
    /// What the tests run: to try the way from a checkout into the client within seconds.
    Debug,
    /// What writes the pages of a release.
    Pages,
}

/// Builds the program and makes `dist/`, a marketplace folder. One for another machine goes to
/// `dist/platforms/TARGET/`: hooks start the program without a shell in between, so that a
/// plugin folder holds that of one platform.
pub(crate) fn run(root: &Path, what: Build<'_>) -> Result<ExitCode> {
    let dist = root.join("dist");
    if dist.exists() && !dist.join(".claude-plugin/marketplace.json").exists() {
        return Err(Error::other("dist/ exists and is not ours; move it away"));
    }
    let target = match what {
        Build::Release(target) => target.map(str::to_owned).or_else(static_target),
        Build::Debug | Build::Pages => None,
    };
    let built = build(root, what, target.as_deref())?;
    let part = root.join("target/dist.part");
    let _ = std::fs::remove_dir_all(&part);
    let plugin = xtask::plugin::assemble(root, &built, &part)?;
    let writers = match what {
        Build::Release(_) => build(root, Build::Pages, None)?,
        _ => built.clone(),
    };
    pages(&writers, &plugin.join("share"))?;
    let out = match target.as_deref().filter(|target| !is_native(target)) {
        Some(target) => dist.join(OTHERS).join(target),
        None => dist.clone(),
    };
    put(&part, &out)?;
    let packed = pack(root, &built, target.as_deref(), &dist.join(NPM), &part)?;
    println!(
        "{} is a marketplace for {}:",
        out.display(),
        target.as_deref().unwrap_or("this machine (not static)")
    );
    println!("  claude plugin marketplace add {}", out.display());
    println!("  claude plugin install overnight@overnight");
    if packed {
        println!("{} holds its npm packages", dist.join(NPM).display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the npm package of this platform and the one that names it and those that are there.
fn pack(root: &Path, built: &Path, target: Option<&str>, out: &Path, part: &Path) -> Result<bool> {
    let Some(platform) = xtask::npm::platform(target.unwrap_or_default()) else {
        println!("no npm package: programs of this build do not run on other machines");
        return Ok(false);
    };
    if Command::new("npm").arg("--version").output().is_err() {
        println!("no npm package: npm cannot be started");
        return Ok(false);
    }
    let work = part.with_file_name("npm.part");
    let _ = std::fs::remove_dir_all(&work);
    xtask::npm::programs(built, platform, &work, out)?;
    xtask::npm::plugin(root, &work, out)?;
    std::fs::remove_dir_all(&work)?;
    Ok(true)
}

/// `cargo xtask npm FOLDER`: the plugin's package, for the packages of platforms in that folder.
pub(crate) fn npm(root: &Path, folder: &Path) -> Result<ExitCode> {
    let work = root.join("target/npm.part");
    let _ = std::fs::remove_dir_all(&work);
    let made = xtask::npm::plugin(root, &work, folder)?;
    std::fs::remove_dir_all(&work)?;
    println!("{}", made.display());
    Ok(ExitCode::SUCCESS)
}

/// Puts the new folder in the place of the old one; marketplaces for other machines stay.
fn put(part: &Path, out: &Path) -> Result<()> {
    for name in [OTHERS, NPM] {
        let kept = out.join(name);
        if kept.exists() {
            std::fs::rename(&kept, part.join(name))?;
        }
    }
    if out.exists() {
        std::fs::remove_dir_all(out)?;
    }
    std::fs::create_dir_all(out.parent().unwrap_or(Path::new(".")))?;
    std::fs::rename(part, out)
}

/// Builds the programs; gives their folder.
fn build(root: &Path, what: Build<'_>, target: Option<&str>) -> Result<PathBuf> {
    let mut built = root.join("target");
    // Said, because the environment may name another one.
    let folder = built.display().to_string();
    let mut words = vec!["build", "--bins", "--target-dir", &folder];
    if let Some(target) = target {
        words.extend(["--target", target]);
        built.push(target);
    }
    built.push(match what {
        Build::Release(_) => {
            words.extend(["--locked", "--package", "overnight", "--release"]);
            "release"
        }
        // With the tests: without them other crates have fewer features, and all would be built once more.
        Build::Debug => {
            words.push("--tests");
            words.extend(TESTED);
            "debug"
        }
        Build::Pages => {
            words.extend(["--locked", "--package", "overnight", "--features", "pages"]);
            "debug"
        }
    });
    let mut cargo = Command::new("cargo");
    if cargo.current_dir(root).args(words).status()?.success() {
        Ok(built)
    } else {
        Err(Error::other("the build failed"))
    }
}

/// Man pages and completions, written by the programs themselves, which have that feature where they are
/// built for tests.
fn pages(built: &Path, folder: &Path) -> Result<()> {
    for name in NAMES.into_iter().chain([PROGRAM]) {
        let mut program = Command::new(built.join(name));
        let status = program.arg("--write-pages").arg(folder).status()?;
        if !status.success() {
            return Err(Error::other(format!("{name} wrote no pages")));
        }
    }
    Ok(())
}

fn is_native(target: &str) -> bool {
    let os = match std::env::consts::OS {
        "macos" => "apple-darwin",
        other => other,
    };
    target.starts_with(std::env::consts::ARCH) && target.contains(os)
}

/// The musl target of this machine, if its standard library is installed.
fn static_target() -> Option<String> {
    if std::env::consts::OS != "linux" {
        return None;
    }
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let sysroot = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .ok()?;
    let sysroot = String::from_utf8(sysroot.stdout).ok()?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(&target);
    library.is_dir().then_some(target)
}
