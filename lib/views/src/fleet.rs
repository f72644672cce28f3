//! `overnight fleet init`: the job that starts machines on a scheduler which exists already. Each
//! clones, joins and ends; credentials come from the scheduler's own secrets and stand in no file.

/// A scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A workflow with a matrix.
    GithubActions,
    /// An indexed Job, and the image that it runs.
    Kubernetes,
    /// A job array.
    Slurm,
    /// A list of hosts.
    Ssh,
}

/// What a fleet is made of.
#[derive(Debug, Clone, Copy)]
pub struct Fleet<'f> {
    /// Machines.
    pub machines: u32,
    /// Members on each.
    pub members: u32,
    /// The address of the remote.
    pub url: &'f str,
    /// The branch whose list is worked on.
    pub branch: &'f str,
}

/// A file of the job: its path and its text.
pub type File = (&'static str, String);

/// The files of a fleet's job.
pub fn files(engine: Engine, fleet: &Fleet<'_>) -> Vec<File> {
    let templates: &[(&str, &str)] = match engine {
        Engine::GithubActions => &[(
            ".github/workflows/overnight-fleet.yml",
            include_str!("fleet/github-actions.yml"),
        )],
        Engine::Kubernetes => &[
            ("fleet/job.yaml", include_str!("fleet/job.yaml")),
            ("fleet/Containerfile", include_str!("fleet/Containerfile")),
            ("fleet/machine.sh", include_str!("fleet/machine.sh")),
        ],
        Engine::Slurm => &[("fleet/fleet.sbatch", include_str!("fleet/fleet.sbatch"))],
        Engine::Ssh => &[
            ("fleet/hosts", include_str!("fleet/hosts")),
            ("fleet/start.sh", include_str!("fleet/start.sh")),
        ],
    };
    let filled = |(path, text): &(&'static str, &str)| (*path, filled(text, fleet));
    templates.iter().map(filled).collect()
}

fn filled(template: &str, fleet: &Fleet<'_>) -> String {
    let url = without_login(fleet.url);
    let list: Vec<String> = (1..=fleet.machines).map(|at| at.to_string()).collect();
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let values = [
        ("@machines-list@", list.join(", ")),
        ("@machines@", fleet.machines.to_string()),
        ("@retries@", (fleet.machines * 2).to_string()),
        ("@members@", fleet.members.to_string()),
        ("@url-json@", json(&url)),
        ("@branch-json@", json(fleet.branch)),
        ("@url@", quoted(&url)),
        ("@branch@", quoted(fleet.branch)),
    ];
    let fill = |text: String, (name, value): &(&str, String)| text.replace(name, value);
    values.iter().fold(template.to_owned(), fill)
}

/// One word of a shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The address without a login that somebody wrote into it. `git@host:path` names no secret.
fn without_login(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    match host.rsplit_once('@') {
        Some((_, host)) if scheme.starts_with("http") => format!("{scheme}://{host}{path}"),
        Some((login, host)) if login.contains(':') => {
            let name = login.split(':').next().unwrap_or_default();
            format!("{scheme}://{name}@{host}{path}")
        }
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Engine; 4] = [
        Engine::GithubActions,
        Engine::Kubernetes,
        Engine::Slurm,
        Engine::Ssh,
    ];

    #[test]
    fn no_login_is_written_and_every_place_is_filled() {
        let fleet = Fleet {
            machines: 3,
            members: 2,
            url: "https://me:ghp_secret@example.com/a/b.git",
            branch: "main",
        };
        for engine in ALL {
            for (path, text) in files(engine, &fleet) {
                assert!(!text.contains("ghp_secret"), "{path}");
                for place in ["@machines", "@members@", "@url", "@branch", "@retries@"] {
                    assert!(!text.contains(place), "{path}: {place}");
                }
            }
        }
        assert_eq!(without_login("git@example.com:a/b"), "git@example.com:a/b");
        assert_eq!(without_login("ssh://git@h/a"), "ssh://git@h/a");
        assert_eq!(without_login("ssh://git:x@h/a"), "ssh://git@h/a");
        assert_eq!(without_login("/srv/a@b.git"), "/srv/a@b.git");
    }

    #[test]
    fn names_are_data() {
        let fleet = Fleet {
            machines: 1,
            members: 1,
            url: "/srv/it's.git",
            branch: "a'$(id)'",
        };
        let [(_, text)] = files(Engine::Slurm, &fleet).try_into().unwrap();
        assert!(text.contains(r"--branch 'a'\''$(id)'\''' -- '/srv/it'\''s.git'"));
    }
}
