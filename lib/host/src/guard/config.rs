//! The guard's configuration files, read with suspicion: whatever stands there, the built-in
//! setup holds and reading ends at once (hostile.md H19).

use crate::files::{self, Content};
use crate::homes;
use overnight_core::guard::setup::Setup;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of a configuration file at most.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// The project's file, in its top folder.
pub const PROJECT_FILE: &str = "overnight.toml";
/// The person's file, in their configuration folder.
pub const PERSON_FILE: &str = "config.toml";
/// Permission bits that let others write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The setup for a project, and one line for everything in the files that was ignored.
pub fn setup(top: Option<&Path>) -> (Setup, Vec<String>) {
    let mut ignored = Vec::new();
    let person = homes::config().and_then(|folder| person(&folder.join(PERSON_FILE), &mut ignored));
    let project = top.and_then(|top| read(&top.join(PROJECT_FILE), &mut ignored));
    let (setup, more) = Setup::read(person.as_deref(), project.as_deref());
    ignored.extend(more);
    (setup, ignored)
}

/// The person's file may loosen; so nobody else may be able to write it.
fn person(path: &Path, ignored: &mut Vec<String>) -> Option<String> {
    let about = std::fs::symlink_metadata(path).ok()?;
    let own = about.uid() == rustix::process::geteuid().as_raw();
    if about.is_file() && !(own && about.mode() & WRITABLE_BY_OTHERS == 0) {
        ignored.push(format!(
            "{}: ignored, because others may write it",
            path.display()
        ));
        return None;
    }
    read(path, ignored)
}

fn read(path: &Path, ignored: &mut Vec<String>) -> Option<String> {
    let why = match files::read_bounded(path, FILE_BYTES_MAX) {
        Ok(Content::Missing) => return None,
        Ok(Content::Bytes(bytes)) => match String::from_utf8(bytes) {
            Ok(text) => return Some(text),
            Err(_) => "not UTF-8".to_owned(),
        },
        Ok(Content::Refused(why)) => why.to_owned(),
        Err(fault) => fault.reason,
    };
    ignored.push(format!("{}: ignored: {why}", path.display()));
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode, mkfifoat};

    #[test]
    fn hostile_files_are_ignored_and_reported_and_never_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join(PROJECT_FILE);
        let place: [&dyn Fn(); 5] = [
            &|| std::fs::create_dir(&at).unwrap(),
            &|| mkfifoat(CWD, &at, Mode::from_raw_mode(0o600)).unwrap(),
            &|| std::os::unix::fs::symlink("/dev/zero", &at).unwrap(),
            &|| std::fs::write(&at, vec![b'#'; 300 * 1024]).unwrap(),
            &|| std::fs::write(&at, b"\xff").unwrap(),
        ];
        for put in place {
            put();
            let mut ignored = Vec::new();
            assert_eq!(read(&at, &mut ignored), None);
            assert_eq!(ignored.len(), 1);
            let _ = std::fs::remove_dir(&at);
            let _ = std::fs::remove_file(&at);
        }
    }

    #[test]
    fn a_personal_file_that_others_may_write_is_ignored() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join(PERSON_FILE);
        std::fs::write(&at, "[guard]\n").unwrap();
        for (mode, expected) in [(0o644, true), (0o666, false), (0o664, false)] {
            std::fs::set_permissions(&at, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(person(&at, &mut Vec::new()).is_some(), expected, "{mode:o}");
        }
    }
}
