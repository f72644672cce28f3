//! Lays the names of the program beside it, as links, in the folder of the build.

// Not the crate: it would be built twice, for this script and for the program.
#[path = "../lib/base/src/programs.rs"]
#[allow(dead_code, unreachable_pub, reason = "the script needs the names only")]
mod programs;

use std::io::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo tells a script nothing any other way"
)]
fn main() {
    println!("cargo::rerun-if-changed=bins/build.rs");
    println!("cargo::rerun-if-changed=lib/base/src/programs.rs");
    // A hook starts the program anew each time: at a fixed place none of its tables is written to at the start.
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if has_unwinder() {
            println!("cargo::rustc-link-lib=gcc_eh");
        }
    }
    // Cargo gives a script no other word for that folder: it is TARGET/PROFILE/build/PACKAGE/out.
    let Some(out) = std::env::var_os("OUT_DIR").map(PathBuf::from) else {
        return;
    };
    let Some(folder) = out.ancestors().nth(3) else {
        return;
    };
    for name in programs::NAMES {
        // What Cargo itself sets for programs that are targets; tests find ours by it as well.
        let path = folder.join(name);
        println!("cargo::rustc-env=CARGO_BIN_EXE_{name}={}", path.display());
        if let Err(error) = lay(folder, name) {
            println!(
                "cargo::warning={}: {error}; overnight {name} works all the same",
                path.display()
            );
        }
    }
}

/// Can what prints a backtrace be a part of the program? Else a library is loaded for it at each start, which is a
/// sixteenth of a hook's time.
#[expect(
    clippy::disallowed_methods,
    reason = "Cargo tells a script nothing any other way"
)]
fn has_unwinder() -> bool {
    if std::env::var_os("HOST") != std::env::var_os("TARGET") {
        return false;
    }
    // The linker that rustc takes here; of what it does not have it prints the name alone.
    let told = Command::new("cc")
        .arg("-print-file-name=libgcc_eh.a")
        .output();
    told.is_ok_and(|told| Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_absolute())
}

/// The link takes the place of what an older build left; it is there whole or not at all.
fn lay(folder: &Path, name: &str) -> Result<()> {
    let path = folder.join(name);
    let target = Path::new(programs::PROGRAM);
    if std::fs::read_link(&path).is_ok_and(|at| at == target) {
        return Ok(());
    }
    let part = folder.join(format!(".{name}.{}", std::process::id()));
    let _ = std::fs::remove_file(&part);
    std::os::unix::fs::symlink(target, &part)?;
    std::fs::rename(&part, &path)
}
