//! Where credentials are.

use super::{Cell, expand};
use std::path::{Path, PathBuf};

/// Below the person's home.
const BELOW_HOME: &[&str] = &[
    // Keys.
    ".ssh",
    ".gnupg",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    // Who reads it can answer in the person's name.
    ".config/overnight/answers.toml",
    ".config/op",
    ".config/sops",
    ".config/age",
    ".pki",
    "Library/Keychains",
    // Clouds and what runs there.
    ".aws",
    ".azure",
    ".config/gcloud",
    ".boto",
    ".s3cfg",
    ".oci",
    ".aliyun",
    ".config/doctl",
    ".config/hcloud",
    ".config/rclone",
    ".config/fly",
    ".fly",
    ".config/netlify",
    ".config/vercel",
    ".local/share/com.vercel.cli",
    ".wrangler",
    ".config/.wrangler",
    ".supabase",
    ".databrickscfg",
    ".snowflake",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".pulumi/credentials.json",
    ".vault-token",
    ".ansible/vault",
    // Clusters and containers.
    ".kube",
    ".minikube/profiles",
    ".helm",
    ".config/helm/registry",
    ".docker/config.json",
    ".config/containers/auth.json",
    // Forges.
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/tea",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".authinfo.gpg",
    // Registries.
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".config/pypoetry/auth.toml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".bundle/config",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".nuget/NuGet/NuGet.Config",
    ".ivy2/.credentials",
    ".sbt/.credentials",
    ".config/hub",
    ".cache/huggingface/token",
    ".huggingface/token",
    ".kaggle",
    // Databases and mail.
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".mongorc.js",
    ".config/neomutt",
    ".mutt",
    ".thunderbird",
    // Browsers.
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/vivaldi",
    "snap/firefox",
    "snap/chromium",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    // Other agents.
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot",
    ".local/share/opencode/auth.json",
    // What was typed.
    ".bash_history",
    ".zsh_history",
    ".zhistory",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".lesshst",
    ".viminfo",
];

/// What only root can read: for runs of root.
const OF_ROOT: &[&str] = &[
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssh",
    "/etc/kubernetes",
    "/etc/rancher",
    "/var/lib/kubelet",
    "/etc/letsencrypt",
];

/// Does it lie in the system's folders, where much else lies beside it?
pub fn is_of_system(path: &Path, home: Option<&Path>) -> bool {
    let own = home.is_some_and(|home| path.starts_with(home));
    !own && ["/dev", "/etc", "/var"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

/// Variables that lead to a socket behind which somebody acts with the person's rights.
const TO_SOCKETS: &[&str] = &[
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "GIT_ASKPASS",
    "SUDO_ASKPASS",
    "GPG_AGENT_INFO",
    "GNOME_KEYRING_CONTROL",
    "DBUS_SESSION_BUS_ADDRESS",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "TMUX",
    "TMUX_PANE",
    "STY",
    "ZELLIJ",
    "KITTY_LISTEN_ON",
    "WEZTERM_UNIX_SOCKET",
    "NVIM",
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE",
    "VSCODE_GIT_IPC_AUTH_TOKEN",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "SWAYSOCK",
    "XDG_RUNTIME_DIR",
];

/// Variables that hold a credential. The client's own are not among them.
const OF_SECRETS: &[&str] = &[
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITLAB_TOKEN",
    "GITEA_TOKEN",
    "BITBUCKET_TOKEN",
    "NPM_TOKEN",
    "NODE_AUTH_TOKEN",
    "CARGO_REGISTRY_TOKEN",
    "TWINE_PASSWORD",
    "UV_PUBLISH_TOKEN",
    "POETRY_PYPI_TOKEN_PYPI",
    "GEM_HOST_API_KEY",
    "KUBECONFIG",
    "VAULT_TOKEN",
    "DIGITALOCEAN_ACCESS_TOKEN",
    "CLOUDFLARE_API_TOKEN",
    "CLOUDFLARE_API_KEY",
    "HCLOUD_TOKEN",
    "FLY_API_TOKEN",
    "VERCEL_TOKEN",
    "NETLIFY_AUTH_TOKEN",
    "HF_TOKEN",
    "PGPASSWORD",
    "MYSQL_PWD",
];

/// What the code in a cell may not read: the known places, what the person adds, and `ours`; without
/// what they show.
pub fn hidden(
    settings: &Cell,
    home: Option<&Path>,
    root: bool,
    ours: Vec<PathBuf>,
) -> Vec<PathBuf> {
    let below = home
        .into_iter()
        .flat_map(|home| BELOW_HOME.iter().map(|name| home.join(name)));
    let of_root = OF_ROOT.iter().filter(|_| root).map(PathBuf::from);
    let added = settings.hide.iter().filter_map(|text| expand(text, home));
    let shown: Vec<PathBuf> = settings
        .show
        .iter()
        .filter_map(|text| expand(text, home))
        .collect();
    let is_shown = |path: &PathBuf| shown.iter().any(|shown| path.starts_with(shown));
    let mut hidden: Vec<PathBuf> = below
        .chain(of_root)
        .chain(added)
        .filter(|path| !is_shown(path))
        .collect();
    // Ours is not the person's to show: whoever writes there answers for them.
    hidden.extend(ours);
    hidden
}

/// The variables that the code in a cell does not get.
pub fn hidden_variables(settings: &Cell) -> Vec<&'static str> {
    let shown = |name: &&&str| {
        settings
            .show
            .iter()
            .any(|text| text.strip_prefix('$') == Some(**name))
    };
    let all = TO_SOCKETS.iter().chain(OF_SECRETS);
    all.filter(|name| !shown(name)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_not_hidden_and_ours_always_is() {
        let settings = Cell {
            hide: vec!["~/notes".into()],
            show: vec!["~/.npmrc".into(), "$GH_TOKEN".into(), "/h/state".into()],
            ..Cell::default()
        };
        let home = Path::new("/h");
        let hidden = hidden(
            &settings,
            Some(home),
            false,
            vec!["/h/state/approvals".into()],
        );
        let is = |path: &str| hidden.contains(&PathBuf::from(path));
        assert!(is("/h/.ssh") && is("/h/notes") && is("/h/state/approvals"));
        assert!(!is("/h/.npmrc") && !is("/etc/shadow"));
        let gone = hidden_variables(&settings);
        assert!(gone.contains(&"SSH_AUTH_SOCK") && !gone.contains(&"GH_TOKEN"));
    }
}
