//! Inline code of other languages: not parsed, but searched for what deletes, runs, sends or
//! hides, with the string literals as its arguments.

use super::{How, deletes, effect, reads, runs_text, writes};
use crate::guard::data::Data;
use crate::guard::machine::Machine;
use crate::guard::verdict::Decision;
use crate::guard::{mark, policy};

/// Calls that delete.
const DELETING: &[&str] = &[
    "rmtree",
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "os.removedirs",
    ".unlink(",
    "unlink(",
    "unlink ",
    "rmSync",
    "rmdirSync",
    "unlinkSync",
    "rimraf",
    "fs.rm(",
    "fs.rm ",
    ".rmdir(",
    "rm_rf",
    "rm_r",
    "FileUtils.rm",
    "File.delete",
    "Dir.rmdir",
    "remove_tree",
    "rmdir ",
    "rmdir(",
    "remove_dir_all",
    "Deno.remove",
    "removeSync",
    "fs.remove",
    "os.RemoveAll",
    "os.Remove",
    "File.rm",
    "shutil.move",
    "os.truncate",
    "truncateSync",
    "ftruncate",
    "os.remove",
    "RemoveAll",
    "emptyDirSync",
    "promises.rm",
    "os.execute",
];
/// Calls that run other programs.
const RUNNING: &[&str] = &[
    "os.system",
    "subprocess",
    "popen",
    "Popen",
    "os.exec",
    "os.spawn",
    "pty.spawn",
    "child_process",
    "execSync",
    "spawnSync",
    "execFile",
    "spawn(",
    "exec(",
    "system(",
    "system ",
    "`",
    "%x",
    "IO.popen",
    "Open3",
    "shell_exec",
    "passthru",
    "proc_open",
    "qx",
    "io.popen",
    "os.execute",
    "Process.spawn",
    "Deno.run",
    "Deno.Command",
    "Bun.spawn",
    "Bun.$",
    "do shell script",
    "Kernel.exec",
    "exec ",
    "sh.",
    "Runtime.getRuntime",
    "ProcessBuilder",
    "System.cmd",
    ":os.cmd",
    "syscall",
    "commands.getoutput",
    "import sh",
    "plumbum",
    "invoke",
    "pexpect",
    "\"!",
    "!!",
];
/// Calls that write files.
const WRITING: &[&str] = &[
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'wb'",
    "\"wb\"",
    "'w+'",
    "write_text",
    "write_bytes",
    "writeFile",
    "appendFile",
    "File.write",
    "file_put_contents",
    "os.rename",
    "renameSync",
    "os.chmod",
    "chmodSync",
    "os.chown",
    "shutil.copy",
    "copyFile",
    "createWriteStream",
    "os.symlink",
    "symlinkSync",
    "os.replace",
    "'>",
    "\">",
    "File.open",
    "Deno.write",
];
/// Calls that reach the network.
const SENDING: &[&str] = &[
    "urllib",
    "requests.",
    "http.client",
    "httpx",
    "aiohttp",
    "socket",
    "fetch(",
    "http.get",
    "https.get",
    "http.request",
    "https.request",
    "axios",
    "Net::HTTP",
    "open-uri",
    "URI.open",
    "LWP",
    "IO::Socket",
    "TCPSocket",
    "fsockopen",
    "curl_",
    "smtplib",
    "ftplib",
    "net.connect",
    "net.Socket",
    "XMLHttpRequest",
    "net/http",
    "paramiko",
    "telnetlib",
];
/// What hides what is run.
const HIDING: &[&str] = &[
    "eval(",
    "exec(",
    "eval ",
    "Function(",
    "__import__",
    "compile(",
    "b64decode",
    "base64",
    "fromhex",
    "fromCharCode",
    "unhexlify",
    "pack(",
    "unpack(",
    "atob(",
    "marshal.loads",
    "pickle.loads",
    "getattr(",
    "chr(",
    "codecs.decode",
    "rot13",
    "[::-1]",
    "Buffer.from(",
    "globals()",
    "importlib",
    "ctypes",
    "load(",
    "loadstring",
    "instance_eval",
    "unpack1",
    "join(map",
];
/// Calls that take all processes or memory.
const EXHAUSTING: &[&str] = &[
    "os.fork",
    "fork()",
    "fork while",
    "fork;",
    "while 1: os.fork",
    "process.kill(-1",
    "os.kill(-1",
    "os.killpg",
];
/// Words for home and root in code.
const HOMES: &[&str] = &[
    "homedir",
    "expanduser",
    "Path.home",
    "$HOME",
    "ENV['HOME']",
    "ENV[\"HOME\"]",
    "env.HOME",
    "environ['HOME']",
    "environ[\"HOME\"]",
    "Dir.home",
    "os.UserHomeDir",
    "getenv('HOME')",
    "getenv(\"HOME\")",
];
/// Words for the whole environment.
const ENVIRONMENTS: &[&str] = &[
    "os.environ)",
    "os.environ.items",
    "os.environ.copy",
    "dict(os.environ",
    "print(os.environ",
    "process.env)",
    "JSON.stringify(process.env",
    "ENV.to_h",
    "ENV.each",
    "puts ENV",
    "%ENV",
    "p ENV",
    "getenv())",
    "$_ENV",
    "Object.entries(process.env",
    "Deno.env.toObject",
    "vars(os)",
];

/// Judges code of any language but the shell.
pub(super) fn judge(machine: &mut Machine<'_>, code: &str, language: &str) {
    if code.contains(mark::NETWORK) {
        effect(machine, &policy::REMOTE_CODE, language);
        return;
    }
    let literals = literals(code);
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    if has(EXHAUSTING) {
        effect(machine, &policy::EXHAUST, language);
    }
    if has(ENVIRONMENTS) {
        effect(machine, &policy::ENVIRONMENT, language);
    }
    let running =
        has(RUNNING) || (matches!(language, "ruby" | "perl" | "php") && code.contains('`'));
    if running {
        runs(machine, code, &literals, language);
    }
    if has(DELETING) {
        deletes_in(machine, code, &literals, language);
    }
    if has(WRITING) {
        for literal in literals.iter().filter(|literal| is_path(literal)) {
            writes(machine, literal.trim_start_matches(['>', ' ']), How::Append);
        }
    }
    let before = machine.probe(|machine| {
        for literal in literals.iter().filter(|literal| is_path(literal)) {
            reads(machine, literal);
        }
    });
    let secret = before.decision > Decision::Allow
        || code.contains("environ")
        || code.contains("process.env")
        || code.contains("ENV[")
        || code.contains("getenv");
    machine.note(before);
    let sending = has(SENDING);
    let local = literals
        .iter()
        .any(|literal| literal.contains("localhost") || literal.contains("127.0.0.1"));
    if sending && !local {
        if secret {
            effect(machine, &policy::EXFILTRATE, language);
        } else if has(HIDING) || running {
            effect(machine, &policy::REMOTE_CODE, language);
        } else {
            effect(machine, &policy::SEND, language);
        }
    } else if has(HIDING) && !harmless_hiding(code) {
        effect(machine, &policy::INLINE_CODE, language);
    }
    if mark::unknown(code) && code.contains(mark::OUTPUT) && running {
        effect(machine, &policy::OPAQUE_CODE, language);
    }
}

/// Encoding and decoding without running is harmless: `print(base64.b64decode(x))`.
fn harmless_hiding(code: &str) -> bool {
    let runs = [
        "eval",
        "exec",
        "Function(",
        "__import__",
        "compile(",
        "getattr",
        "globals()",
        "importlib",
        "ctypes",
        "marshal",
        "pickle",
        "loadstring",
        "load(",
        "instance_eval",
    ];
    let json = code
        .replace("json.load(", "")
        .replace("yaml.safe_load(", "")
        .replace("tomllib.load(", "")
        .replace("toml.load(", "")
        .replace("re.compile(", "")
        .replace("yaml.load(", "")
        .replace("YAML.load(", "")
        .replace("JSON.load(", "");
    !runs.iter().any(|word| json.contains(word))
}

/// Commands that code runs, as far as they are literals.
fn runs(machine: &mut Machine<'_>, code: &str, literals: &[String], language: &str) {
    let mut texts: Vec<String> = literals.to_vec();
    texts.push(literals.join(" "));
    let mut worst = crate::guard::Verdict::allow();
    let mut commands = 0;
    for text in texts.iter().filter(|text| !text.trim().is_empty()) {
        let verdict = machine.probe(|machine| {
            runs_text(machine, text, &Data::unknown());
        });
        // A literal that is no command is no reason to ask.
        if verdict.rule != "unparsable" {
            commands += 1;
            worst = worst.worse(verdict);
        }
    }
    if worst.decision > Decision::Allow {
        effect(
            machine,
            &policy::INLINE_FORBIDDEN,
            &format!("{language}: {}", worst.reason),
        );
    } else if commands == 0 || !code_is_plain(code) {
        effect(machine, &policy::INLINE_CODE, language);
    }
}

/// No variables in the commands: nothing was put together.
fn code_is_plain(code: &str) -> bool {
    !(code.contains(" + ")
        || code.contains(".format(")
        || code.contains("argv")
        || code.contains("input(")
        || code.contains("stdin")
        || code.contains("${")
        || code.contains("#{"))
}

fn deletes_in(machine: &mut Machine<'_>, code: &str, literals: &[String], language: &str) {
    if HOMES.iter().any(|word| code.contains(word)) {
        effect(machine, &policy::INLINE_FORBIDDEN, language);
        return;
    }
    let paths: Vec<&String> = literals
        .iter()
        .filter(|literal| {
            !matches!(
                literal.as_str(),
                "fs" | "os"
                    | "fileutils"
                    | "shutil"
                    | "path"
                    | "node:fs"
                    | "fs/promises"
                    | "rimraf"
                    | "fs-extra"
                    | "utf8"
                    | ""
            ) && !literal.contains(' ')
        })
        .collect();
    for path in &paths {
        deletes(machine, path);
    }
    if paths.is_empty() {
        effect(machine, &policy::INLINE_CODE, language);
    }
}

fn is_path(literal: &str) -> bool {
    !literal.contains(char::is_whitespace)
        && (literal.contains('/') || literal.starts_with('.') || literal.starts_with('~'))
        && !literal.contains("://")
        && literal.len() < 512
}

/// String literals: single, double and back quotes, with simple escapes. At most 256 of them.
fn literals(code: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let mut characters = code.chars();
    while let Some(c) = characters.next() {
        if !matches!(c, '\'' | '"' | '`') {
            continue;
        }
        let mut literal = String::new();
        loop {
            match characters.next() {
                None => break,
                Some('\\') => match characters.next() {
                    Some('n') => literal.push('\n'),
                    Some('x') => {
                        let digits: String = characters.by_ref().take(2).collect();
                        literal.extend(u8::from_str_radix(&digits, 16).ok().map(char::from));
                    }
                    Some(c) => literal.push(c),
                    None => break,
                },
                Some(end) if end == c => break,
                Some(other) => literal.push(other),
            }
        }
        literals.push(literal);
        if literals.len() >= 256 {
            break;
        }
    }
    literals
}

/// awk's own ways out: `system()`, pipes and files.
pub(super) fn awk(machine: &mut Machine<'_>, program: &str) {
    let code = without_patterns(program);
    let runs = code.contains("system(")
        || code.contains("system (")
        || code.contains("| getline")
        || code.contains("|getline")
        || code.contains("|&")
        || code.contains("| \"")
        || code.contains("|\"")
        || code.contains("@load");
    let strings = literals(&code);
    if runs {
        let mut found = false;
        for text in strings.iter().filter(|text| !text.trim().is_empty()) {
            found = true;
            runs_text(machine, text, &Data::unknown());
        }
        let computed = code.contains("system($")
            || code.contains("system( $")
            || code.contains("\" $")
            || code.contains("\"$")
            || code.contains(" $0 |")
            || code.contains("print |");
        if !found || computed {
            effect(machine, &policy::OPAQUE_CODE, "awk");
        }
    }
    if code.contains("> \"") || code.contains(">\"") {
        for text in &strings {
            if !text.contains(' ') && !text.is_empty() && !text.contains('\n') {
                writes(machine, text, How::Append);
            }
        }
    }
    if code.contains("ENVIRON") {
        effect(machine, &policy::ENVIRONMENT, "awk");
    }
}

/// A program without its `/…/` patterns, whose quotes and words mean nothing.
fn without_patterns(program: &str) -> String {
    let Some(rest) = program.trim_start().strip_prefix('/') else {
        return program.to_owned();
    };
    match rest.find('/') {
        Some(end) => rest[end + 1..].to_owned(),
        None => program.to_owned(),
    }
}
