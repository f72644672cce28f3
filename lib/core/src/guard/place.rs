//! Paths: where they lead and what stands there.

use super::context::{Context, Entry};
use super::mark;

/// What a path is to the person who owns the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// `/dev/null` and other devices that harm nothing.
    Harmless,
    /// Below a folder for temporary files.
    Temporary,
    /// Git-ignored output that a rebuild brings back, caches.
    Build,
    /// A file or folder of the work tree.
    Work,
    /// Files with local secrets in the work tree: `.env`, keys.
    LocalSecret,
    /// What runs on other machines with secrets after a push.
    Pipeline,
    /// State of the run: tasks, locks, progress, logs.
    RunState,
    /// Settings, hooks and plugins of the client; the guard's own files.
    Guard,
    /// Inside `.git`.
    Git,
    /// The work tree as a whole.
    Root,
    /// The folder for temporary files itself.
    TemporaryRoot,
    /// Caches in the home folder.
    HomeCache,
    /// Elsewhere in the home folder, or the whole of it.
    Home,
    /// Start-up files and program folders in the home folder: code that runs later.
    Startup,
    /// Keys and credentials.
    Credentials,
    /// Somewhere else: another project, a mounted disk.
    Elsewhere,
    /// The system, or the root of all.
    System,
    /// A disk, memory or the kernel's switches.
    Device,
    /// Nobody knows.
    Unknown,
}

/// The path without `.`, `..` and double slashes. Absolute if it was.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The path as seen from a folder.
pub(crate) fn absolute(cwd: &str, path: &str) -> String {
    if path.starts_with('/') || starts_unknown(path) {
        if starts_unknown(path) {
            return path.to_owned();
        }
        return normal(path);
    }
    normal(&format!("{cwd}/{path}"))
}

/// The last component.
pub(crate) fn last(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

fn starts_unknown(path: &str) -> bool {
    path.starts_with([mark::ANY, mark::OUTPUT, mark::SECRET, mark::NETWORK])
}

/// The path made absolute with a literal `~` read as home, and with links in the work tree
/// followed. `delete` keeps a link at the end: deleting it deletes the link.
pub(crate) fn resolve(context: &Context<'_>, cwd: &str, path: &str, delete: bool) -> String {
    let path = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", context.home),
        _ => path.to_owned(),
    };
    let slash = path.ends_with('/');
    let absolute = absolute(cwd, &path);
    follow(context, &absolute, delete && !slash)
}

/// Links followed at most, as the kernel does.
const LINKS_MAX: usize = 40;

fn follow(context: &Context<'_>, path: &str, keep_last: bool) -> String {
    let Some(root) = context.root else {
        return path.to_owned();
    };
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        if !inside(&path, root) || path.len() == root.len() || mark::unknown(&path) {
            return path;
        }
        let Some((link_end, target)) = first_link(context, &path, root, keep_last) else {
            return path;
        };
        let parent = path[..link_end]
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        path = normal(&format!(
            "{}{}",
            absolute(parent, &target),
            &path[link_end..]
        ));
    }
    mark::ANY.to_string()
}

fn first_link(
    context: &Context<'_>,
    path: &str,
    root: &str,
    keep_last: bool,
) -> Option<(usize, String)> {
    let ends = path
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([path.len()]);
    for end in ends.filter(|end| *end > root.len()) {
        if keep_last && end == path.len() {
            return None;
        }
        if let Entry::Link(target) = context.facts.entry(&path[..end]) {
            return Some((end, target));
        }
    }
    None
}

/// Is the path this folder or below it?
pub(crate) fn inside(path: &str, folder: &str) -> bool {
    folder == "/"
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What stands at a resolved path.
pub(crate) fn classify(context: &Context<'_>, path: &str) -> Place {
    let path = without_patterns(path);
    if starts_unknown(&path) {
        return Place::Unknown;
    }
    if let Some(place) = device(&path) {
        return place;
    }
    if let Some(root) = context.root {
        if inside(&path, root) {
            return in_work_tree(context, path[root.len()..].trim_start_matches('/'));
        }
        if inside(root, &path) {
            let home = inside(&path, context.home);
            return if home { Place::Home } else { Place::System };
        }
    }
    if inside(&path, context.home) {
        return in_home(path[context.home.len()..].trim_start_matches('/'));
    }
    if let Some(rest) = [
        "/tmp",
        "/var/tmp",
        "/dev/shm",
        "/private/tmp",
        "/var/folders",
    ]
    .iter()
    .find_map(|folder| {
        path.strip_prefix(folder)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
    }) {
        return if rest.is_empty() {
            Place::TemporaryRoot
        } else {
            Place::Temporary
        };
    }
    outside(context, &path)
}

/// `x/*`, `x/.*` and `x/$unknown` reach all of `x`.
fn without_patterns(path: &str) -> String {
    let mut path = path;
    loop {
        let trimmed = path.trim_end_matches('/');
        let Some((parent, name)) = trimmed.rsplit_once('/') else {
            return path.to_owned();
        };
        let all = !name.is_empty()
            && name.chars().all(|c| {
                c == '.'
                    || c == mark::STAR
                    || c == mark::ANY
                    || c == mark::OUTPUT
                    || c == mark::QUESTION
            })
            && mark::unknown(name);
        if !all {
            return path.to_owned();
        }
        path = if parent.is_empty() { "/" } else { parent };
        if path == "/" {
            return path.to_owned();
        }
    }
}

fn device(path: &str) -> Option<Place> {
    let name = path.strip_prefix("/dev/")?;
    let harmless = [
        "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "ptmx",
    ];
    if harmless.contains(&name) || name.starts_with("fd/") || name.starts_with("pts/") {
        return Some(Place::Harmless);
    }
    (!name.starts_with("shm")).then_some(Place::Device)
}

fn in_work_tree(context: &Context<'_>, relative: &str) -> Place {
    let mut parts = relative.split('/');
    let first = parts.next().unwrap_or("");
    let name = last(relative);
    if relative.is_empty() {
        return Place::Root;
    }
    if relative.split('/').any(|part| part == ".git") {
        return Place::Git;
    }
    if first.starts_with([mark::ANY, mark::OUTPUT]) {
        return Place::Root;
    }
    if let Some(place) = known_state(first, relative) {
        return place;
    }
    if local_secret(name) {
        return Place::LocalSecret;
    }
    if pipeline(first, relative) {
        return Place::Pipeline;
    }
    let path = context
        .root
        .map(|root| format!("{root}/{relative}"))
        .unwrap_or_default();
    if !mark::unknown(&path)
        && context.facts.ignored(&path) == Some(true)
        && regenerable(context, relative) != Some(false)
    {
        return Place::Build;
    }
    if regenerable(context, relative) == Some(true) && context.facts.ignored(&path) != Some(false) {
        return Place::Build;
    }
    Place::Work
}

/// Files that steer the client, the guard or the run.
fn known_state(first: &str, relative: &str) -> Option<Place> {
    let below_claude = relative.strip_prefix(".claude/");
    let guard = matches!(
        first,
        ".flow"
            | ".overnight"
            | ".agentcore-loop"
            | "overnight.toml"
            | ".mcp.json"
            | ".claude-plugin"
            | ".ralph"
            | ".husky"
            | ".githooks"
    ) || relative == ".claude"
        || below_claude.is_some_and(|rest| {
            !(rest.starts_with("worktrees/")
                || rest.starts_with("commands/")
                || rest.starts_with("agents/")
                || rest.starts_with("skills/"))
        })
        || last(relative) == "decision.json"
        || last(relative) == "decision_file";
    if guard {
        return Some(Place::Guard);
    }
    let state = matches!(first, "current_tasks" | "agent_logs" | "progress")
        || relative == "tasks.json"
        || relative == "AGENT_PROMPT.md";
    state.then_some(Place::RunState)
}

fn pipeline(first: &str, relative: &str) -> bool {
    relative.starts_with(".github/workflows")
        || relative.starts_with(".github/actions")
        || matches!(
            first,
            ".gitlab-ci.yml"
                | ".circleci"
                | "Jenkinsfile"
                | "azure-pipelines.yml"
                | ".travis.yml"
                | ".buildkite"
                | ".drone.yml"
                | "bitbucket-pipelines.yml"
                | ".woodpecker.yml"
                | ".woodpecker"
                | ".forgejo"
                | ".gitea"
        )
}

const CACHES: &[&str] = &[
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".cache",
    "coverage",
    "htmlcov",
    ".nyc_output",
    ".gradle",
    ".svelte-kit",
    ".angular",
    ".vite",
    "out",
    "_build",
    "bin",
    "obj",
    ".eggs",
    ".hypothesis",
    ".venv",
    "venv",
    "deps",
    ".dart_tool",
    "Pods",
    "DerivedData",
    ".terraform",
    "zig-cache",
    "zig-out",
    ".zig-cache",
    "cmake-build-debug",
    "cmake-build-release",
    ".stack-work",
    "dist-newstyle",
    ".bundle",
    "test-results",
    "playwright-report",
    "storybook-static",
    ".output",
    ".serverless",
];

const UNSURE: &[&str] = &["out", "_build", "bin", "obj", "deps", "coverage"];

/// Is it output that a tool makes again? `Some(false)`: ignored by git, yet the only copy.
fn regenerable(context: &Context<'_>, relative: &str) -> Option<bool> {
    let folder = relative.split('/').any(|part| {
        context.ignored.contains(&part)
            || (CACHES.contains(&part) && !UNSURE.contains(&part))
            || part.ends_with(".egg-info")
            || part.ends_with(".dSYM")
    });
    if folder {
        return Some(true);
    }
    let unsure = relative.split('/').any(|part| UNSURE.contains(&part));
    let name = last(relative);
    let ends = [
        ".pyc",
        ".pyo",
        ".o",
        ".class",
        ".tmp",
        ".swp",
        ".orig",
        ".rej",
        ".bak",
        ".profraw",
        ".gcda",
        ".gcno",
        ".log",
        ".egg-info",
        ".tsbuildinfo",
        "~",
    ];
    if ends.iter().any(|end| name.ends_with(end))
        || matches!(
            name,
            ".coverage" | ".DS_Store" | "lcov.info" | ".eslintcache"
        )
    {
        return Some(true);
    }
    if unsure { None } else { Some(false) }
}

/// Files of the work tree that usually hold secrets.
fn local_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let template = [
        "example", "sample", "template", "dist", "defaults", "schema",
    ]
    .iter()
    .any(|word| name.contains(word));
    let shape = name == ".env"
        || name.starts_with(".env.")
        || name.starts_with(&format!(".env{}", mark::STAR))
        || name == ".envrc"
        || name
            .rsplit_once('.')
            .is_some_and(|(stem, end)| end == "env" && !stem.starts_with('*'))
        || matches!(
            name.as_str(),
            ".npmrc"
                | ".pypirc"
                | ".netrc"
                | ".htpasswd"
                | "credentials.json"
                | "secrets.yml"
                | "secrets.yaml"
                | "secrets.json"
                | "secrets.toml"
                | "master.key"
                | "service-account.json"
                | "serviceaccount.json"
                | "kubeconfig"
                | "credentials"
                | ".pgpass"
                | ".my.cnf"
                | "terraform.tfstate"
                | ".git-credentials"
        )
        || private_key(&name);
    shape && !template
}

fn private_key(name: &str) -> bool {
    let key = name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || name.starts_with("id_ecdsa")
        || name.starts_with("id_dsa");
    (key && name.rsplit('.').next() != Some("pub"))
        || [
            ".pem",
            ".key",
            ".p12",
            ".pfx",
            ".jks",
            ".keystore",
            ".kdbx",
            ".ppk",
            ".asc",
            ".gpg",
        ]
        .iter()
        .any(|end| name.ends_with(end) && name.len() > end.len())
}

const CREDENTIALS: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".kube",
    ".docker/config.json",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".claude/.credentials.json",
    ".claude.json",
    ".config/gh",
    ".config/gcloud",
    ".config/glab-cli",
    ".config/hub",
    ".azure",
    ".config/op",
    ".password-store",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".config/heroku",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".config/rclone",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    "Library/Keychains",
    ".local/share/keyrings",
    ".config/doctl",
    ".config/fly",
    ".fly",
    ".oci",
    ".boto",
    ".s3cfg",
    ".databrickscfg",
    ".kaggle",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".config/sops",
    ".age",
    ".config/age",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".env",
    ".bash_history",
    ".zsh_history",
    ".history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".config/anthropic",
    ".config/openai",
    ".bundle/config",
    ".nuget/NuGet",
    ".hex",
    ".sentryclirc",
    ".config/stripe",
    ".config/netlify",
    ".vercel",
    ".wrangler",
    ".config/.wrangler",
];

const STARTUP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".kshrc",
    ".inputrc",
    ".gitconfig",
    ".config/git",
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    "Library/LaunchAgents",
    ".local/bin",
    "bin",
    ".cargo/bin",
    ".cargo/config",
    ".cargo/config.toml",
    ".npm-global",
    ".vimrc",
    ".config/nvim",
    ".tmux.conf",
    ".xinitrc",
    ".xprofile",
    ".pam_environment",
    ".pythonrc",
    ".local/share/applications",
    ".emacs",
    ".emacs.d",
    ".pyenv/shims",
    ".config/pip",
    ".pip",
    ".condarc",
    ".yarnrc",
    ".yarnrc.yml",
    ".bunfig.toml",
    ".config/nushell",
    ".gemrc",
    ".irbrc",
    ".npm",
    ".bin",
    "go/bin",
    ".bun/bin",
    ".deno/bin",
];

fn in_home(relative: &str) -> Place {
    let under = |list: &[&str]| list.iter().any(|entry| inside(relative, entry));
    if relative.is_empty() {
        return Place::Home;
    }
    if under(CREDENTIALS) || private_key(last(relative)) || local_secret(last(relative)) {
        return Place::Credentials;
    }
    if inside(relative, ".claude")
        || inside(relative, ".config/overnight")
        || inside(relative, ".config/claude")
        || inside(relative, ".local/share/overnight")
        || inside(relative, ".local/state/overnight")
    {
        return Place::Guard;
    }
    if relative.contains("overnight")
        || relative.contains("command-guard")
        || relative.contains("flow-guard")
    {
        return Place::Guard;
    }
    if relative.split('/').any(|part| part == ".git") {
        return Place::Git;
    }
    if under(STARTUP) {
        return Place::Startup;
    }
    if inside(relative, ".cache") && relative.len() > ".cache".len() {
        return Place::HomeCache;
    }
    Place::Home
}

const OUTSIDE_CREDENTIALS: &[&str] = &[
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/run/secrets",
    "/var/run/secrets",
    "/etc/kubernetes/admin.conf",
    "/root/.ssh",
    "/root/.aws",
    "/etc/krb5.keytab",
];

const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/snap",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/home",
    "/Users",
    "/System",
    "/Library",
    "/Applications",
    "/nix",
    "/dev",
    "/lost+found",
    "/mnt",
    "/media",
    "/Volumes",
    "/private",
    "/cygdrive",
    "/c",
];

fn outside(context: &Context<'_>, path: &str) -> Place {
    let environ = path.starts_with("/proc/")
        && (path.ends_with("/environ") || path.ends_with("/mem") || path.ends_with("/maps"));
    if OUTSIDE_CREDENTIALS.iter().any(|entry| inside(path, entry))
        || environ
        || path.contains("/.ssh/")
        || path.contains("/.aws/")
    {
        return Place::Credentials;
    }
    if path.split('/').any(|part| part == ".git") {
        return Place::Git;
    }
    let sibling = context
        .root
        .and_then(|root| root.rsplit_once('/'))
        .is_some_and(|(parent, _)| parent.len() > 1 && inside(path, parent));
    if sibling {
        return Place::Elsewhere;
    }
    if path == "/" || SYSTEM.iter().any(|entry| inside(path, entry)) {
        return Place::System;
    }
    // `/b*n`, `/?tc`: a pattern in the first component may reach the system.
    if path.split('/').nth(1).is_some_and(mark::unknown) {
        return Place::System;
    }
    Place::Elsewhere
}

/// Is it a file of secrets, wherever it lies? For arguments that are only names.
pub(crate) fn secret(place: Place) -> bool {
    matches!(place, Place::Credentials | Place::LocalSecret)
}
