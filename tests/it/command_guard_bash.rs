//! The parser against real bash: the arguments that it predicts are those that bash runs.
//!
//! Nothing here reaches a file, a process or a network of the machine: each command runs in
//! namespaces of its own, with a folder as its root that holds bash and a few text filters. Every
//! other program is unknown there, and bash's `command_not_found_handle` writes down what was to
//! run. Where the system has no namespaces, nothing is run and the tests are skipped.

use super::support::skip;
use overnight_shell::{Context, predict_arguments};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is really there: bash, and filters whose output the parser knows too.
const PROGRAMS: &[&str] = &[
    "bash", "cat", "base64", "tr", "rev", "head", "tail", "sort", "cut", "tac", "seq", "basename",
    "dirname",
];
/// Runs the command given as first argument. A command writes at most 2 MB, computes at most two
/// seconds. What the parser takes a program's output to be is printed for a few.
const DRIVER: &str = r#"
ulimit -f 2000 -t 2
command_not_found_handle() {
  local record
  printf -v record '%s\2' "$@"
  printf '%s\1' "$record" >> /log
  case "$*" in
    'git rev-parse --show-toplevel') echo /srv/repo;;
    'git rev-parse --git-dir') echo /srv/repo/.git;;
    which*) echo "/usr/bin/$2";;
    mktemp*) echo /tmp/tmp.x;;
    ls*|'git ls-files'*) echo '*';;
  esac
}
export -f command_not_found_handle
exec /bin/bash --norc --noprofile -c "$1"
"#;

/// Why nothing could be run.
const NO_NAMESPACES: &str = "this system gives no namespaces to this user";

struct Cage {
    root: tempfile::TempDir,
}

impl Cage {
    /// `None` where the system gives no namespaces to this user.
    fn new() -> Option<Self> {
        let root = tempfile::tempdir().unwrap();
        let cage = Self { root };
        for folder in ["bin", "srv", "home/dev", "tmp", "dev"] {
            std::fs::create_dir_all(cage.at(folder)).unwrap();
        }
        std::fs::write(cage.at("dev/null"), "").unwrap();
        for program in PROGRAMS {
            cage.install(program);
        }
        let works = cage.run("nosuch a") == [["nosuch", "a"]];
        works.then_some(cage)
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Copies a program with its libraries.
    fn install(&self, program: &str) {
        let mut candidates = ["/bin", "/usr/bin"]
            .iter()
            .map(|folder| Path::new(folder).join(program));
        let Some(source) = candidates.find(|path| path.exists()) else {
            return;
        };
        std::fs::copy(&source, self.at("bin").join(program)).unwrap();
        let needed = Command::new("ldd").arg(&source).output().unwrap();
        let text = String::from_utf8(needed.stdout).unwrap();
        for library in text.split_whitespace().filter(|word| word.starts_with('/')) {
            let target = self.at(library.trim_start_matches('/'));
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::copy(library, target).unwrap();
        }
    }

    /// What bash runs, in order.
    fn run(&self, command: &str) -> Vec<Vec<String>> {
        let (work, log) = (self.at("srv/repo"), self.at("log"));
        let _ = std::fs::remove_dir_all(&work);
        let _ = std::fs::remove_file(&log);
        std::fs::create_dir(&work).unwrap();
        let status = Command::new("timeout")
            .args([
                "-s",
                "KILL",
                "10",
                "unshare",
                "--user",
                "--map-root-user",
                "--net",
                "--pid",
            ])
            .args(["--fork", "--kill-child", "--root"])
            .arg(self.root.path())
            .args([
                "--wd",
                "/srv/repo",
                "/bin/bash",
                "--norc",
                "--noprofile",
                "-c",
                DRIVER,
                "bash",
            ])
            .arg(command)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/home/dev")
            .env("USER", "dev")
            .env("LOGNAME", "dev")
            .env("TMPDIR", "/tmp")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if status.is_err() {
            return Vec::new();
        }
        let log = std::fs::read(&log).unwrap_or_default();
        String::from_utf8_lossy(&log)
            .split_terminator('\u{1}')
            .map(|record| {
                record
                    .split_terminator('\u{2}')
                    .map(str::to_owned)
                    .collect()
            })
            .collect()
    }

    /// What bash ran and the parser did not predict.
    fn surprises(&self, commands: &[String]) -> Vec<String> {
        let context = Context::repository("/srv/repo", "/home/dev");
        let surprise = |command: &String| {
            let mut real = self.run(command);
            let predicted = predict_arguments(command, &context);
            // Branches that bash did not take are predicted too, and the order of pipes is open.
            real.retain(|words| !predicted.iter().any(|other| runs(other, words)));
            (!real.is_empty())
                .then(|| format!("{command:?}: bash ran {real:?}, predicted {predicted:?}"))
        };
        commands.iter().filter_map(surprise).collect()
    }
}

/// Does the predicted command run this one, itself or as bash's own `command`?
fn runs(predicted: &[String], real: &[String]) -> bool {
    let behind = match predicted {
        [name, rest @ ..] if name == "command" => {
            let options = rest.iter().take_while(|word| word.starts_with('-')).count();
            &rest[options..]
        }
        _ => predicted,
    };
    agrees(predicted, real) || agrees(behind, real)
}

/// Equal, where an unknown part stands for any text; a word that is unknown as a whole may be none
/// or several.
fn agrees(predicted: &[String], real: &[String]) -> bool {
    let Some((word, rest)) = predicted.split_first() else {
        return real.is_empty();
    };
    // Patterns are shown as they were written; bash gives the files that there are.
    let pattern = word.contains(['*', '?']) || word.contains("[…]");
    let several = word == "$…" || pattern;
    let takes = real.split_first().is_some_and(|(other, after)| {
        let fits = word == other || pattern || (word.contains("$…") && similar(word, other));
        let substitution = word.starts_with("/dev/fd/") && other.starts_with("/dev/fd/");
        (fits || substitution) && (agrees(rest, after) || (several && agrees(predicted, after)))
    });
    takes || (word == "$…" && agrees(rest, real))
}

fn similar(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split("$…");
    pieces.next().is_some_and(|first| text.starts_with(first))
        && pieces.last().is_none_or(|last| text.ends_with(last))
}

/// Commands with names that exist nowhere.
const COMMANDS: &[&str] = &[
    "p a 'b c' \"d e\" f\\ g",
    "p $'\\x41\\t\\101' \"$\"",
    "x=1; p $x \"$x\" '$x'",
    "x='a b'; p $x \"$x\" pre$x",
    "p {a,b}{1,2} {1..3} {x}",
    "p ''",
    "p \"\" a''b",
    "x=abcdef; p ${x:1:2} ${x#ab} ${x%ef} ${x/cd/X} ${x^^}",
    "unset y; p ${y:-d} ${y-e} ${y:+f}",
    "p $(q a) b",
    "x=$(p inner); q done",
    "p a | q b | r c",
    "p a && q b || r c",
    "p a; q b & wait",
    "if p c; then q t; else r f; fi",
    "for i in a b; do p $i; done",
    "f() { p \"$@\"; }; f 1 '2 3'",
    "set -- a 'b c'; p \"$@\" $# ",
    "a=(1 '2 3' 4); p \"${a[@]}\" ${a[1]}",
    "p <<< 'x'",
    "p <<E\n$(q in)\nE\nr after",
    "p <<'E'\n$(q no)\nE",
    "p a # q b",
    "p a\\\nb c",
    "{ p a; q b; } > /dev/null",
    "( p a; q b )",
    "case x in x) p yes;; *) : ;; esac",
    "p \"$(q 'a b' \"c d\")\"",
    "p `q a`",
    "[[ a == b ]] || p no",
    "IFS=,; x=a,b; p $x",
    "p 'a'\"b\"c",
    "! p a",
    "time -p p a",
    "eval 'p a; q b'",
    "p ~ ~/x \"~\"",
    "x=5; p $((x+1))x",
    "FOO=1 p a",
    "p 2>/dev/null >/dev/null a",
    "echo a b | p",
    "while false; do p; done; q x",
    "p -- -a --b=c",
    "p a;q b",
    "function g { p g; }; g",
    "x=p; $x a",
    "p \\\"a\\\"",
    "readonly R=p; $R -x",
    "p \"a\nb\"",
    "read -ra w <<< 'p x y'; \"${w[@]}\"",
    "IFS=, read -ra w <<< 'p,x,y'; \"${w[@]}\"",
    "mapfile -t l <<< $'p x\\nq y'; ${l[1]}",
    "eval \"$(printf '%s' 'p a')\"",
    "eval \"$(echo cCBh | base64 -d)\"",
    "$(rev <<< p) a",
    "$(echo q | tr q p) a",
    "shopt -s expand_aliases\nalias z='p a'\nz b",
    "f() { eval \"$1\"; }; f 'p a'",
    "f() { local x=$1; p \"$x\"; }; f 'a b'",
    "x=('a b' c); p \"${x[*]}\" ${#x[@]}",
    "p \"${x:=v}\" $x",
    "declare y=3; p $y",
    "printf -v v 'a %s' b; p \"$v\"",
    "set -- $(seq 2); p $1 $2",
];

#[test]
fn the_arguments_that_the_parser_predicts_are_those_that_bash_runs() {
    let commands: Vec<String> = COMMANDS
        .iter()
        .map(|command| (*command).to_owned())
        .collect();
    are_predicted(&commands, COMMANDS.len());
}

/// Where more is predicted than bash runs, on purpose: a value set for one command does not reach
/// that command's own words, a tilde behind `${IFS}` or before a name that is no user's stays a
/// tilde (there are no users in the cage), `+B` leaves braces alone, and a variable that nobody
/// knows may hold something beside its default.
const CAREFUL: &[&str] = &[
    "TMPDIR=/home/dev rm -rf $TMPDIR/srv",
    "rm${IFS}-rf${IFS}~",
    "rm -rf ~dev",
    "rm -rf ~root",
    "bundle exec rspec --tag ~slow",
    "bash +B -c 'rm -rf {~,/etc}'",
    "eval \"${a:=rm} ${b:=-rf} ~\"",
];

/// Would it start processes, or go on, without end? Not even in a cage.
fn endless(category: &str, command: &str) -> bool {
    ["forkbomb", "exhaust", "disk"]
        .iter()
        .any(|word| category.starts_with(word))
        || command.starts_with(":()")
        || command.contains("bash &")
}

/// May it be given to bash in its cage?
fn runnable((category, command): &(String, String)) -> bool {
    !endless(category, command) && !command.contains('\0') && !CAREFUL.contains(&command.as_str())
}

/// Commands of a file with a JSON object a line, with their categories.
fn objects(lines: &str) -> Vec<(String, String)> {
    lines
        .lines()
        .map(|line| {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            (
                case["category"].as_str().unwrap().to_owned(),
                case["cmd"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

/// Commands of a file with headings, with their headings.
fn headed(lines: &str) -> Vec<(String, String)> {
    let mut heading = String::new();
    lines
        .lines()
        .filter_map(|line| {
            if let Some(next) = line.strip_prefix("== ") {
                next.clone_into(&mut heading);
                return None;
            }
            Some((heading.clone(), line.replace('⏎', "\n")))
        })
        .collect()
}

/// The labelled commands and a part of their variations.
fn corpus() -> Vec<String> {
    let cases = objects(include_str!("../cases/command-guard/commands.jsonl"));
    let more = headed(include_str!("../cases/command-guard/variations.txt"));
    cases
        .into_iter()
        .chain(more.into_iter().step_by(7))
        .filter(runnable)
        .map(|(_, command)| command)
        .collect()
}

/// The sets that were labelled before they were tried, and a part of the audit.
fn fresh() -> Vec<String> {
    let mut commands = objects(include_str!("../cases/command-guard/unseen-1.jsonl"));
    for (set, each) in [
        (include_str!("../cases/command-guard/fresh-d.txt"), 3),
        (include_str!("../cases/command-guard/fresh-e.txt"), 3),
        (include_str!("../cases/command-guard/fresh-f.txt"), 1),
        (include_str!("../cases/command-guard/audit.txt"), 5),
    ] {
        commands.extend(headed(set).into_iter().step_by(each));
    }
    commands
        .into_iter()
        .filter(runnable)
        .map(|(_, command)| command)
        .collect()
}

/// So many commands at least, of which bash runs what the parser says.
fn are_predicted(commands: &[String], at_least: usize) {
    let Some(cage) = Cage::new() else {
        return skip(NO_NAMESPACES);
    };
    assert!(commands.len() >= at_least);
    // Each is a process of bash: of a large set every third.
    let step = if at_least > 500 { 3 } else { 1 };
    let commands: Vec<String> = commands.iter().step_by(step).cloned().collect();
    let wrong = cage.surprises(&commands);
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        commands.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_bash_runs_of_the_sets_that_nobody_had_tried_was_predicted() {
    are_predicted(&fresh(), 1_500);
}

#[test]
fn what_bash_runs_of_the_labelled_commands_was_predicted() {
    are_predicted(&corpus(), 1_000);
}

/// Pieces that words are made of.
const PIECES: &[&str] = &[
    "a",
    "'b c'",
    "\"d e\"",
    "f\\ g",
    "$'h\\x41'",
    "$x",
    "\"$x\"",
    "${x:-y z}",
    "\"${x#*1}\"",
    "{k,l}",
    "{1..2}",
    "\"${arr[@]}\"",
    "${arr[1]}",
    "$(echo m n)",
    "\"$(echo o p)\"",
    "`echo r`",
    "\"\"",
    "''",
    "-v",
    "--w=x",
    "~",
    "t\"u\"'v'",
    "${x/1/ }",
    "${nope}",
    "\"$nope\"",
    "\\$x",
    "\"\\$x\"",
    "*",
    "?",
];
/// Commands around words; `@` stands for one.
const SHAPES: &[&str] = &[
    "p @ @ @",
    "p @@ @",
    "y=@; p $y \"$y\"",
    "y=@ p @",
    "p @ | q @",
    "p @ && q @ || r @",
    "if p @; then q @; else r @; fi",
    "for i in @ @; do p \"$i\" @; done",
    "f() { p \"$@\"; q $#; }; f @ @",
    "set -- @ @; p \"$2\" $1 \"$*\"",
    "(p @; q @)",
    "{ p @; q @; } > out",
    "p @ > out 2>&1 < in",
    "p <<E @\n@\nE\nq @",
    "p <<'E'\n@\nE\nq @",
    "case @ in a) p @;; *) q @;; esac",
    "[[ @ == a ]] && p @",
    "b=(@ @); p \"${b[@]}\" ${b[0]}",
    "while p @; do q @; break; done",
    "! p @; q @ & wait",
    "eval p @",
    "eval 'p \"$x\"' @",
    "p \"$(q @)\" @",
    "z() { local v=@; p \"$v\"; }; z",
    "p @ # q @",
    "p @ \\\n@",
    "printf -v w '%s' @; p \"$w\"",
    "read -r l <<< @; p \"$l\"",
    "trap 'p @' EXIT; q @",
    "y=$(echo @); p $y",
];

/// A fixed sequence that looks like chance.
fn generated(count: usize) -> Vec<String> {
    let mut state: u64 = 9;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    (0..count)
        .map(|_| {
            let mut command = "unset nope; x='1 2' arr=(3 '4 5'); ".to_owned();
            for c in SHAPES[next(SHAPES.len())].chars() {
                if c == '@' {
                    command.push_str(PIECES[next(PIECES.len())]);
                } else {
                    command.push(c);
                }
            }
            command
        })
        .collect()
}

#[test]
fn what_bash_runs_of_generated_commands_was_predicted() {
    are_predicted(&generated(600), 600);
}
