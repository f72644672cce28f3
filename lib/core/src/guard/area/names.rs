//! Names that mean something wherever they stand. All in lower case.

use super::Named;

/// Files that a build service runs after a push, with the project's secrets.
const CI_FILES: &[&str] = &[
    ".gitlab-ci.yml",
    ".travis.yml",
    "jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".drone.yml",
    ".appveyor.yml",
    "appveyor.yml",
    "cloudbuild.yaml",
    "codemagic.yaml",
    ".woodpecker.yml",
    "buildspec.yml",
    ".cirrus.yml",
];

/// Folders of the same kind, as runs of components.
const CI_FOLDERS: &[&[&str]] = &[
    &[".github", "workflows"],
    &[".github", "actions"],
    &[".forgejo", "workflows"],
    &[".gitea", "workflows"],
    &[".circleci"],
    &[".buildkite"],
    &[".teamcity"],
    &[".woodpecker"],
    &[".gitlab", "ci"],
    &[".ci"],
];

/// What git or a shell runs by itself in a checkout.
const HOOKS: &[&str] = &[
    ".husky",
    ".githooks",
    "lefthook.yml",
    ".lefthook.yml",
    ".pre-commit-config.yaml",
    ".envrc",
    ".overcommit.yml",
];

/// What an editor or a client starts by itself when the project is opened.
const AUTOSTART: &[&[&str]] = &[
    &[".mcp.json"],
    &[".vscode", "tasks.json"],
    &[".vscode", "settings.json"],
    &[".vscode", "launch.json"],
    &[".devcontainer"],
    &[".idea", "workspace.xml"],
    &[".cursor", "mcp.json"],
];

/// Endings of environment files that hold no values.
const ENV_TEMPLATES: &[&str] = &[
    "example",
    "sample",
    "template",
    "dist",
    "defaults",
    "schema",
    "tpl",
    "test-example",
];

/// Stores of credentials: folders and files of a home folder.
const STORES: &[&[&str]] = &[
    &[".ssh"],
    &[".gnupg"],
    &[".aws"],
    &[".azure"],
    &[".kube"],
    &[".password-store"],
    &[".netrc"],
    &["_netrc"],
    &[".pgpass"],
    &[".my.cnf"],
    &[".pypirc"],
    &[".git-credentials"],
    &[".vault-token"],
    &[".docker", "config.json"],
    &[".config", "gcloud"],
    &[".config", "gh"],
    &[".config", "op"],
    &[".config", "hub"],
    &[".config", "rclone"],
    &[".cargo", "credentials"],
    &[".cargo", "credentials.toml"],
    &[".terraform.d", "credentials.tfrc.json"],
    &[".claude", ".credentials.json"],
    &[".claude.json"],
    &[".m2", "settings-security.xml"],
    &[".s3cfg"],
    &[".config", "git", "credentials"],
    &["library", "keychains"],
    &[".mozilla"],
    &[".config", "google-chrome"],
];

/// Secrets of the machine.
const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/ssl/private",
    "/etc/ssh",
    "/root/.ssh",
];

/// Endings of files that hold private keys.
const KEY_ENDINGS: &[&str] = &[
    "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "ovpn",
];

/// Private keys by name.
const KEY_NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
];

/// Parts of a name that say that a `.pem` is public.
const PUBLIC: &[&str] = &["cert", "chain", "public", "pub", "ca", "csr"];

pub(super) fn is_ci(path: &Named<'_>) -> bool {
    CI_FILES.contains(&path.name()) || CI_FOLDERS.iter().any(|folder| path.has_run(folder))
}

pub(super) fn is_hook(path: &Named<'_>) -> bool {
    HOOKS.iter().any(|name| path.has(name))
}

pub(super) fn is_autostart(path: &Named<'_>) -> bool {
    AUTOSTART.iter().any(|run| path.has_run(run))
}

/// `.env`, `.env.production`, `prod.env`; not `.env.example`.
pub(super) fn is_env_file(path: &Named<'_>) -> bool {
    let name = path.name();
    if ending(name) == Some("env") {
        return true;
    }
    let ending = name.strip_prefix(".env.");
    ending.is_some_and(|ending| {
        !ENV_TEMPLATES
            .iter()
            .any(|template| ending.ends_with(template))
    })
}

/// A private key or a file of tokens, wherever it stands.
pub(super) fn is_key(path: &Named<'_>) -> bool {
    let name = path.name();
    if KEY_NAMES.contains(&name) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let words = || stem.split(|c: char| !c.is_alphanumeric());
    KEY_ENDINGS.contains(&ending) && !words().any(|word| PUBLIC.contains(&word))
}

/// A store of credentials.
pub(super) fn is_store(path: &Named<'_>) -> bool {
    let environment =
        path.parts.first().is_some_and(|part| part == "proc") && path.name() == "environ";
    environment
        || STORES.iter().any(|store| path.has_run(store))
        || SYSTEM_SECRETS.iter().any(|folder| path.is_in(folder))
}

/// A store of credentials that is in order to read: the public halves.
pub(super) fn is_public_half(path: &Named<'_>) -> bool {
    ending(path.name()) == Some("pub") || matches!(path.name(), "known_hosts")
}

/// What stands behind the last dot; names are folded to lower case here.
fn ending(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, ending)| ending)
}
