//! The configuration, read with suspicion: whatever stands in the files, reading ends at once and
//! what can be understood holds (tests/cases/hostile.md H19).

use crate::files::{self, Content};
use crate::state::{self, Place};
use crate::trust::Trust;
use crate::{env, homes};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::setting::Setting;
use overnight_base::vars;
use overnight_views::config::resolve::{Layers, Origin, Resolved, Wrong};
use overnight_views::config::settings;
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

/// What holds in the current folder's project.
pub fn here() -> Resolved {
    load(state::here().ok().as_ref())
}

/// What holds in a project; without one, what the person set.
pub fn load(place: Option<&Place>) -> Resolved {
    let mut refused = Vec::new();
    let path = homes::config().map(|folder| folder.join(PERSON_FILE));
    let name = path.as_ref().map(|path| path.display().to_string());
    let origin = |name: &String| Origin::Person(name.clone());
    let person = name.as_ref().zip(path).and_then(|(name, path)| {
        let text = person(&path).map_err(|why| refused.push(ignored(name, &why, origin(name))));
        Some((name.as_str(), text.ok()??))
    });
    let project = place.and_then(|place| {
        let origin = Origin::Project(PROJECT_FILE.to_owned());
        let text = read(&place.home.join(PROJECT_FILE))
            .map_err(|why| refused.push(ignored(PROJECT_FILE, &why, origin)));
        text.ok()?
    });
    let trusted = || is_trusted(place, project.as_deref().unwrap_or_default());
    let mut resolved = Resolved::read(&Layers {
        person: person.as_ref().map(|(name, text)| (*name, text.as_str())),
        project: project.as_deref().map(|text| (PROJECT_FILE, text)),
        trusted: &trusted,
        option: &env::plugin_option,
        variable: &|var| Some((env::name_in_use(var), env::get(var)?)),
    });
    resolved.wrong.extend(refused);
    resolved
}

/// The plugin's options that are set and in their range, as variables.
pub fn plugin_options() -> Vec<(String, String)> {
    let option = |setting: &Setting| {
        let name = setting.option()?;
        let value = env::plugin_option(&name)?;
        setting.kind.read_text(&value)?;
        let variable = format!("{}{}", vars::PLUGIN_OPTION, name.to_ascii_uppercase());
        Some((variable, value))
    };
    settings::all().filter_map(option).collect()
}

fn is_trusted(place: Option<&Place>, text: &str) -> bool {
    let trust = place.and_then(|place| Trust::of(place).ok());
    trust.is_some_and(|trust| trust.is_trusted(PROJECT_FILE, text.as_bytes()))
}

fn ignored(name: &str, why: &str, origin: Origin) -> Wrong {
    let fault = Fault::new(Code::SettingInvalid, format!("{name}: ignored: {why}"));
    Wrong {
        section: None,
        origin,
        fault,
    }
}

/// A file of the person's configuration; it may loosen, so nobody else may be able to write it.
pub(crate) fn person(path: &Path) -> Result<Option<String>, String> {
    if let Ok(about) = std::fs::symlink_metadata(path) {
        let own = about.uid() == rustix::process::geteuid().as_raw();
        if about.is_file() && !(own && about.mode() & WRITABLE_BY_OTHERS == 0) {
            return Err("others may write it".to_owned());
        }
    }
    read(path)
}

fn read(path: &Path) -> Result<Option<String>, String> {
    match files::read_bounded(path, FILE_BYTES_MAX) {
        Ok(Content::Missing) => Ok(None),
        Ok(Content::Bytes(bytes)) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err("not UTF-8".to_owned()),
        },
        Ok(Content::Refused(why)) => Err(why.to_owned()),
        Err(fault) => Err(fault.reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::named_pipe;

    #[test]
    fn hostile_files_are_ignored_and_reported_and_never_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join(PROJECT_FILE);
        let place: [&dyn Fn(); 5] = [
            &|| std::fs::create_dir(&at).unwrap(),
            &|| named_pipe(&at),
            &|| std::os::unix::fs::symlink("/dev/zero", &at).unwrap(),
            &|| std::fs::write(&at, vec![b'#'; 300 * 1024]).unwrap(),
            &|| std::fs::write(&at, b"\xff").unwrap(),
        ];
        for put in place {
            put();
            assert!(read(&at).is_err());
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
            assert_eq!(person(&at).is_ok(), expected, "{mode:o}");
        }
    }
}
