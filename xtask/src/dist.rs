//! `cargo xtask dist`.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Builds every binary for the target (by default static musl for this machine where the
/// toolchain has it) and makes `dist/`.
pub(crate) fn run(root: &Path, target: Option<&str>) -> Result<ExitCode> {
    let target = target.map(str::to_owned).or_else(static_target);
    let built = build(root, target.as_deref())?;
    let part = root.join("target/dist.part");
    let dist = root.join("dist");
    let _ = std::fs::remove_dir_all(&part);
    xtask::plugin::assemble(root, &built, &part)?;
    if dist.exists() {
        if !dist.join(".claude-plugin/marketplace.json").exists() {
            return Err(Error::other("dist/ exists and is not ours; move it away"));
        }
        std::fs::remove_dir_all(&dist)?;
    }
    std::fs::rename(&part, &dist)?;
    println!(
        "dist/ is a marketplace for {}:",
        target.as_deref().unwrap_or("this machine")
    );
    println!("  claude plugin marketplace add {}", dist.display());
    println!("  claude plugin install overnight@overnight");
    Ok(ExitCode::SUCCESS)
}

fn build(root: &Path, target: Option<&str>) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args([
        "build",
        "--release",
        "--locked",
        "--package",
        "overnight",
        "--bins",
    ]);
    let mut built = root.join("target");
    if let Some(target) = target {
        cargo.args(["--target", target]);
        built.push(target);
    }
    if cargo.status()?.success() {
        Ok(built.join("release"))
    } else {
        Err(Error::other("the build failed"))
    }
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
