//! Names of files that mean something wherever they stand: what CI runs, what starts by itself,
//! what holds secrets. One list of each, for commands (`place`) and file tools (`area`).
//!
//! All names are in lower case; callers fold the names that they ask about.

use super::machine::glob;
use super::mark;

/// Is the word one of this list, which holds blanks between its words?
pub(crate) fn one_of(word: &str, list: &str) -> bool {
    // Byte by byte: the words are shorter than what a search for their end begins with.
    let mut listed = list.as_bytes().split(u8::is_ascii_whitespace);
    listed.any(|listed| listed == word.as_bytes() && !listed.is_empty())
}

/// Does the text hold one of the words of this list?
pub(crate) fn holds(text: &str, list: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|word| text.contains(word))
}

/// Does the text start with one of the words of this list?
pub(crate) fn starts_with(text: &str, list: &str) -> bool {
    list.split_ascii_whitespace()
        .any(|word| text.starts_with(word))
}

/// Files that a build service runs after a push, with the project's secrets.
const PIPELINE_FILES: &[&str] = overnight_base::words!(
    ".gitlab-ci.yml .travis.yml jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml \
     .drone.yml .appveyor.yml appveyor.yml cloudbuild.yaml codemagic.yaml .woodpecker.yml \
     buildspec.yml .cirrus.yml"
);

/// Folders of the same kind.
const PIPELINE_FOLDERS: &[&str] = overnight_base::words!(
    ".github/workflows .github/actions .forgejo/workflows .gitea/workflows .circleci .buildkite \
     .teamcity .woodpecker .gitlab/ci .ci"
);

/// What git or a shell runs by itself in a checkout.
const HOOKS: &[&str] = overnight_base::words!(
    ".husky .githooks lefthook.yml .lefthook.yml .pre-commit-config.yaml .envrc .overcommit.yml"
);

/// What an editor or a client starts by itself when the project is opened.
const AUTOSTART: &[&str] = overnight_base::words!(
    ".mcp.json .vscode/tasks.json .vscode/settings.json .vscode/launch.json .devcontainer \
     .idea/workspace.xml .cursor/mcp.json"
);

/// Configuration of tools that names code, which they run at their next start.
const CODE_SETTINGS: &[&str] = overnight_base::words!(
    ".cargo/config.toml .cargo/config .yarnrc.yml .pnpmfile.cjs sitecustomize.py usercustomize.py"
);

/// Words in the name of a file of secrets that say that it holds none.
const TEMPLATES: &[&str] = &[
    "example", "sample", "template", "dist", "defaults", "schema", "tpl",
];

/// Stores of credentials, seen from a home folder.
const STORES: &[&str] = overnight_base::words!(
    ".ssh .aws .gnupg .netrc _netrc .kube .docker/config.json .npmrc .pypirc .git-credentials \
     .claude/.credentials.json .claude.json .config/gh .config/gcloud .config/glab-cli \
     .config/hub .azure .config/op .password-store .pgpass .my.cnf .mylogin.cnf \
     .cargo/credentials .cargo/credentials.toml .gem/credentials .config/heroku .vault-token \
     .terraform.d/credentials.tfrc.json .terraformrc .config/rclone .mozilla \
     .config/google-chrome .config/chromium .config/bravesoftware library/keychains \
     .local/share/keyrings .config/doctl .config/fly .fly .oci .boto .s3cfg .databrickscfg \
     .kaggle .huggingface/token .cache/huggingface/token .config/sops .age .config/age \
     .m2/settings.xml .gradle/gradle.properties .composer/auth.json .config/composer/auth.json \
     .bash_history .zsh_history .history .python_history .psql_history .mysql_history \
     .config/anthropic .config/openai .bundle/config .nuget/nuget .hex .sentryclirc \
     .config/stripe .config/netlify .vercel .wrangler .config/.wrangler .m2/settings-security.xml \
     .config/git/credentials"
);

/// Secrets of the machine.
const SYSTEM_SECRETS: &[&str] = overnight_base::words!(
    "/etc/shadow /etc/gshadow /etc/sudoers /etc/sudoers.d /etc/ssl/private /etc/ssh /run/secrets \
     /var/run/secrets /etc/kubernetes/admin.conf /root/.ssh /root/.aws /etc/krb5.keytab"
);

/// Endings of files that hold private keys.
const KEY_ENDINGS: &[&str] = &[
    "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "ovpn", "asc", "gpg",
];

/// Private keys by the beginning of their name.
const KEY_NAMES: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// Words in a name that say that a `.pem` is public.
const PUBLIC: &[&str] = &["cert", "chain", "fullchain", "public", "pub", "ca", "csr"];

/// Files of a project that usually hold secrets.
const LOCAL_SECRETS: &[&str] = overnight_base::words!(
    ".envrc .npmrc .pypirc .netrc .htpasswd credentials.json secrets.yml secrets.yaml \
     secrets.json secrets.toml master.key service-account.json serviceaccount.json kubeconfig \
     credentials .pgpass .my.cnf terraform.tfstate .git-credentials"
);

/// Do these components, written with slashes, stand somewhere among the parts?
fn leads_through<S: AsRef<str>>(parts: &[S], run: &str) -> bool {
    let count = run.split('/').count();
    parts
        .windows(count)
        .any(|window| window.iter().map(AsRef::as_ref).eq(run.split('/')))
}

/// Does CI run it after a push?
pub fn pipeline<S: AsRef<str>>(parts: &[S]) -> bool {
    parts
        .last()
        .is_some_and(|name| PIPELINE_FILES.contains(&name.as_ref()))
        || PIPELINE_FOLDERS
            .iter()
            .any(|folder| leads_through(parts, folder))
}

/// Does git, a shell, an editor, a client or a tool's configuration run it by itself?
pub fn starts<S: AsRef<str>>(parts: &[S]) -> bool {
    [HOOKS, AUTOSTART, CODE_SETTINGS]
        .concat()
        .iter()
        .any(|run| leads_through(parts, run))
}

/// Do attributes of git name a filter, other than that of large files?
pub fn filters(attributes: &str) -> bool {
    attributes.split_whitespace().any(|word| {
        word.strip_prefix("filter=")
            .is_some_and(|name| name != "lfs")
    })
}

/// `.env`, `.env.production`, `prod.env`, the pattern `.env*`; not `.env.example`.
pub(crate) fn environment_file(name: &str) -> bool {
    let pattern = || mark::show_patterns(name).replace("[]", "?");
    let hidden = mark::pattern(name) && name.starts_with('.') && name.chars().count() > 2;
    let shape = hidden && glob::matches(&pattern(), ".env")
        || name.starts_with(".env.")
        || name
            .rsplit_once('.')
            .is_some_and(|(stem, ending)| ending == "env" && !stem.starts_with('*'));
    shape && !template(name)
}

fn template(name: &str) -> bool {
    TEMPLATES.iter().any(|word| name.contains(word))
}

/// A private key by its name, wherever it stands.
pub(crate) fn key(name: &str) -> bool {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if KEY_NAMES.iter().any(|key| name.starts_with(key)) {
        return ending != "pub";
    }
    let public = stem
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| PUBLIC.contains(&word));
    !stem.is_empty() && KEY_ENDINGS.contains(&ending) && !public
}

/// A file of a project that usually holds secrets.
pub fn local_secret(name: &str) -> bool {
    environment_file(name) || key(name) || (LOCAL_SECRETS.contains(&name) && !template(name))
}

/// Is this, seen from a home folder, a store of credentials or in one?
pub(crate) fn store_at_home(relative: &str) -> bool {
    STORES
        .iter()
        .any(|store| super::place::inside(relative, store))
}

/// A store of credentials in whoever's home folder, or a secret of the machine. `path` is absolute
/// and has these parts.
pub fn store<S: AsRef<str>>(path: &str, parts: &[S]) -> bool {
    let memory = parts.first().is_some_and(|part| part.as_ref() == "proc")
        && parts
            .last()
            .is_some_and(|name| matches!(name.as_ref(), "environ" | "mem" | "maps"));
    memory
        || STORES.iter().any(|store| leads_through(parts, store))
        || SYSTEM_SECRETS
            .iter()
            .any(|secret| super::place::inside(path, secret))
}

/// The public half of something that lies among secrets.
pub fn public_half(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "pub")
        || name == "known_hosts"
}

/// A name as the most forgiving file system compares it: without case and without invisible
/// characters, because some take `.GIT` and `.g\u{200c}it` for `.git`.
pub fn fold(name: &str) -> String {
    let ignored = |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    name.chars()
        .filter(|c| !ignored(c))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_environment_files_are_told_from_templates_and_public_parts() {
        for name in [
            ".env",
            ".env.local",
            "prod.env",
            "server.pem",
            "tls.key",
            "id_rsa",
            ".npmrc",
        ] {
            assert!(local_secret(name), "{name}");
        }
        for name in [
            ".env.example",
            "cert.pem",
            "ca-cert.pem",
            "id_rsa.pub",
            ".pem",
            "key",
            "environment.ts",
            "fullchain.pem",
        ] {
            assert!(!local_secret(name), "{name}");
        }
    }
}
