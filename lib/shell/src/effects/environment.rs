//! Variables that make harmless programs run other code.

use super::effect;
use crate::data::Data;
use crate::machine::Machine;
use crate::names::{holds, one_of, starts_with};
use crate::place::{self, PathClass};
use crate::table::rows;
use crate::{mark, policy};

/// Variables that name code to load or run, whatever their value.
const CODE: &[&str] = overnight_base::words!(
    "LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH BASH_ENV ENV \
     PROMPT_COMMAND PERL5OPT PERL5DB RUBYOPT PYTHONSTARTUP PYTHONHOME PYTHONINSPECT \
     PYTHONBREAKPOINT GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND \
     GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM \
     GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_ALLOW_PROTOCOL SSH_ASKPASS SUDO_ASKPASS LESSOPEN \
     LESSCLOSE MANPAGER CARGO_BUILD_RUSTC CARGO_BUILD_RUSTC_WRAPPER RUSTC RUSTC_WRAPPER \
     RUSTC_WORKSPACE_WRAPPER RUSTDOC MAKEFILES JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS \
     BUNDLE_GEMFILE GOFLAGS CLASSPATH GCONV_PATH LUA_INIT PHPRC PHP_INI_SCAN_DIR ZDOTDIR \
     SHELLOPTS BASHOPTS PS4 FPATH GOROOT NODE_PATH RUBYLIB PERL5LIB TCLLIBPATH GRADLE_OPTS \
     MAVEN_OPTS MAVEN_ARGS R_PROFILE R_PROFILE_USER INPUTRC TERMINFO HOSTALIASES OPENSSL_CONF \
     NODE_EXTRA_CA_CERTS EMACSLOADPATH VIMINIT EXINIT GVIMINIT AWKPATH AWKLIBPATH COMPOSER_HOME \
     DOTNET_STARTUP_HOOKS CORECLR_PROFILER COR_PROFILER ELECTRON_RUN_AS_NODE PIP_CONFIG_FILE \
     PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL ANT_OPTS LD_DEBUG_OUTPUT SHELL GEM_PATH \
     GEM_HOME"
);
/// Programs named by a variable: harmless with these values.
const PROGRAMS: &[&str] = overnight_base::words!(
    "PAGER GIT_PAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR BROWSER CC CXX AR LD FC MAKE \
     PYTHON NODE BASH_XTRACEFD"
);
/// Words of values of the above that are ordinary tools.
const TOOLS: &[&str] = overnight_base::words!(
    "cat less more true false : vim vi nano gcc clang cc c++ g++ clang++ ar ld make gmake python3 python node lld mold \
     ccache zig gfortran echo delta -R -F tee code --wait /bin/true /bin/echo"
);

/// Variables with more options for a program, which is judged with them.
const OPTIONS_OF: &[[&str; 2]] = rows!("../../tables/variables.txt");

/// Variables with lists of folders to load code from.
const FOLDERS: &[&str] = overnight_base::words!(
    "LD_LIBRARY_PATH DYLD_LIBRARY_PATH PYTHONPATH NODE_PATH RUBYLIB PERL5LIB CLASSPATH GEM_HOME \
     GEM_PATH AWKPATH GOROOT FPATH BUNDLE_GEMFILE"
);

/// Variables that name a folder in which programs build, clean or install.
const WRITTEN: &[&str] = overnight_base::words!(
    "CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR CARGO_INSTALL_ROOT GOBIN CARGO_HOME RUSTUP_HOME GOPATH GOCACHE GOMODCACHE PIP_TARGET PIP_PREFIX PYTHONUSERBASE DESTDIR \
     INSTALL_ROOT BUILD_DIR OUT_DIR npm_config_prefix UV_PROJECT_ENVIRONMENT UV_TOOL_BIN_DIR"
);

/// Values that people set every day.
fn is_ordinary(name: &str, value: &str) -> bool {
    match name {
        "GOFLAGS" => !value.contains("toolexec") && !value.contains("exec="),
        "SHELL" => matches!(
            value.trim_start_matches("/usr").trim_start_matches("/bin/"),
            "bash" | "sh" | "zsh" | "dash"
        ),
        "RUSTC_WRAPPER" | "CARGO_BUILD_RUSTC_WRAPPER" => matches!(value, "" | "sccache"),
        "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" | "BASH_ENV" | "ENV" | "PYTHONBREAKPOINT" => {
            matches!(value, "" | "/dev/null" | "0")
        }
        "MAVEN_OPTS" | "GRADLE_OPTS" | "JAVA_TOOL_OPTIONS" | "JDK_JAVA_OPTIONS"
        | "_JAVA_OPTIONS" | "ANT_OPTS" | "MAVEN_ARGS" => {
            !holds(value, "agent OnOutOfMemory OnError")
        }
        "PYTHONINSPECT" | "PYTHONHOME" | "LD_PRELOAD" | "RUBYOPT" | "PERL5OPT"
        | "PROMPT_COMMAND" | "LESSOPEN" => {
            value.is_empty() || (name == "RUBYOPT" && value.starts_with("-W"))
        }
        "MANPAGER" | "GIT_ASKPASS" | "SSH_ASKPASS" => plain_tool(value),
        "PIP_INDEX_URL" | "UV_INDEX_URL" => value.starts_with("https://pypi.org/"),
        "PS4" => !value.contains("$(") && !value.contains('`'),
        "RUSTC" | "RUSTDOC" => matches!(value, "rustc" | "clippy-driver" | "rustdoc"),
        _ => false,
    }
}

/// Does some program run what this variable names?
fn may_run_code(name: &str, value: &str) -> bool {
    const NPM: &str =
        "script_shell registry prefix node_options userconfig globalconfig shell git editor viewer";
    let lower = name.to_ascii_lowercase();
    let of_target = name.starts_with("CARGO_TARGET_");
    CODE.contains(&name)
        || name == "NODE_OPTIONS"
            && (holds(value, "require import loader inspect") || value.contains("-r "))
        || lower
            .strip_prefix("npm_config_")
            .is_some_and(|name| one_of(name, NPM))
        || starts_with(
            name,
            "GIT_CONFIG_KEY_ GIT_CONFIG_VALUE_ BASH_FUNC_ CARGO_ALIAS CARGO_REGISTRIES CARGO_SOURCE",
        )
        || of_target && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"))
        || name == "RUSTFLAGS" && value.contains("linker=/")
        || one_of(name, "LDFLAGS CFLAGS CPPFLAGS") && value.contains("-fplugin")
}

/// Are builds and installations led out of the work tree?
fn led(machine: &mut Machine<'_>, name: &str, value: &str) {
    let elsewhere = |place: PathClass| place.is_foreign() || place == PathClass::System;
    let usual = matches!(place::last(value), "go" | ".cargo" | ".rustup");
    if WRITTEN.contains(&name)
        && !usual
        && value.starts_with(['/', '.', '~'])
        && elsewhere(super::roughly(machine, value))
    {
        effect(machine, &policy::WRITE_HOME, value);
    }
}

/// What a variable would do to the programs that see it.
fn judge(machine: &mut Machine<'_>, name: &str, value: &str) {
    let lower = name.to_ascii_lowercase();
    if FOLDERS.contains(&name) {
        let mut folders = value.split(':');
        if !folders.all(|folder| harmless_folder(machine, folder)) {
            effect(machine, &policy::ENV_CODE, name);
        }
        return;
    }
    if PROGRAMS.contains(&name) {
        if !plain_tool(value) {
            super::runs_text(machine, value, &Data::unknown());
            effect(machine, &policy::ENV_CODE, name);
        }
        return;
    }
    if may_run_code(name, value) && !is_ordinary(name, value) {
        effect(machine, &policy::ENV_CODE, name);
    }
    led(machine, name, value);
    guard_switch(machine, name);
    // Switches of the tools that run a project's checks at each commit.
    if one_of(
        name,
        "HUSKY LEFTHOOK PRE_COMMIT_ALLOW_NO_CONFIG OVERCOMMIT_DISABLE",
    ) && (matches!(value, "0" | "false") || name == "OVERCOMMIT_DISABLE")
    {
        effect(machine, &policy::GIT_CONFIG, name);
    }
    if matches!(name, "PATH") {
        path(machine, value);
    }
    if let Some([_, program]) = OPTIONS_OF.iter().find(|[listed, _]| *listed == name) {
        let words: Vec<&str> = [*program]
            .into_iter()
            .chain(value.split_whitespace())
            .collect();
        machine.run_words(&words, &Data::unknown());
    }
    if name == "CLAUDE_CONFIG_DIR" {
        effect(machine, &policy::SIDESTEP, name);
    }
    if one_of(
        name,
        "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY",
    ) && !harmless_folder(machine, value)
    {
        effect(machine, &policy::CHANGE, name);
    }
    let proxy = one_of(&lower, "http_proxy https_proxy all_proxy")
        && !value.is_empty()
        && !holds(value, "localhost 127.0.0.1");
    let unchecked = name == "NODE_TLS_REJECT_UNAUTHORIZED" && value == "0";
    if proxy || unchecked || name == "GIT_SSL_NO_VERIFY" {
        effect(machine, &policy::SEND, name);
    }
}

/// Names that look like a switch for the guard: they have no power, and nobody sets them in good
/// faith (tests/cases/hostile.md H21).
fn guard_switch(machine: &mut Machine<'_>, name: &str) {
    let upper = name.to_ascii_uppercase();
    let guard = holds(
        &upper,
        "GUARD DCG_ SAFETY_NET CLAUDE_CODE_SKIP CLAUDE_CODE_SIMPLE HOOKS GOOSE_MODE OVERNIGHT_",
    );
    let off = holds(&upper, "OFF DISABLE BYPASS SKIP ALLOW GUARD SIMPLE MODE");
    // Whose run this is and what it is asked for: the driver says so.
    let identity =
        upper.starts_with("OVERNIGHT_") && holds(&upper, "EPOCH RUN CHECK DECISION SESSION");
    if guard && (off || identity) && !upper.contains("GUARDED") {
        effect(machine, &policy::TAMPER, name);
    }
}

const ENDS: &[&str] = &[
    "gcc", "g++", "clang", "clang++", "cc", "c++", "ld", "ar", "python", "node", "make",
];

/// A tool by its plain name, perhaps with a version: `gcc-13`, `x86_64-linux-gnu-gcc`.
fn plain_tool(value: &str) -> bool {
    let name = value.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    value
        .split(' ')
        .all(|word| word.is_empty() || TOOLS.contains(&word))
        || !value.contains(['/', ' ', ';', '|', '$']) && ENDS.iter().any(|end| name.ends_with(end))
}

fn harmless_folder(machine: &Machine<'_>, folder: &str) -> bool {
    if folder.is_empty() || folder.chars().all(|c| c == mark::ANY) {
        return true;
    }
    let resolved = machine.resolve(folder, false);
    match place::classify(machine.context, &resolved) {
        PathClass::Temporary => false,
        PathClass::System => {
            let mut folders = ["/usr", "/opt", "/lib", "/nix"].iter();
            folders.any(|folder| place::inside(&resolved, folder))
        }
        place => place.is_own() || matches!(place, PathClass::Home | PathClass::Git),
    }
}

/// `PATH` may be made longer by folders of the repository, the system or the person's tools; what
/// it held must stay.
fn path(machine: &mut Machine<'_>, value: &str) {
    let keeps = value.contains(mark::ANY)
        || value
            .split(':')
            .any(|part| matches!(part, "/usr/bin" | "/bin"));
    let known = value.split(':').all(|folder| {
        if folder == "." {
            return false;
        }
        let resolved = machine.resolve(folder, false);
        let tools = place::inside(&resolved, machine.context.home) && !mark::unknown(folder);
        harmless_folder(machine, folder) || tools || matches!(folder, "/bin" | "/sbin")
    });
    if !(keeps && known) {
        effect(machine, &policy::SIDESTEP, "PATH");
    }
}

/// A variable is set in the shell: programs started later see it if it is exported, which is not
/// followed.
pub(crate) fn change(machine: &mut Machine<'_>, name: &str, value: &str) {
    // Names of the shell's own use, set without any harm.
    if one_of(name, "ENV CC CXX PYTHON NODE MAKE LD AR FC") {
        return;
    }
    judge(machine, name, value);
}

/// Variables given to one program.
pub(crate) fn prefix(machine: &mut Machine<'_>, env: &[(String, String)]) {
    for (name, value) in env {
        judge(machine, name, value);
    }
}

/// What a command of a pipeline gave to the next one: all variables.
pub(super) const ENVIRONMENT: &str = "env";

/// All variables are printed, or handed to the next command of a pipeline, which may leave but their names.
pub(super) fn all(machine: &mut Machine<'_>, program: &str) -> Data {
    if machine.piped > 0 {
        machine.made.insert(ENVIRONMENT.to_owned());
    } else {
        effect(machine, &policy::ENVIRONMENT, program);
    }
    Data::from_secrets()
}

/// What a pipeline made of the environment is seen.
pub(crate) fn ends(machine: &mut Machine<'_>, data: &Data) {
    if data.secret && machine.piped == 0 && machine.made.contains(ENVIRONMENT) {
        effect(machine, &policy::ENVIRONMENT, "env");
    }
}

/// Text that a program gets to print or to send: a secret in it is named at once.
pub(crate) fn shows(machine: &mut Machine<'_>, text: &str) {
    if text.contains(mark::SECRET) {
        effect(machine, &policy::ENVIRONMENT, "");
    }
}
