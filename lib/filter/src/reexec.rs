//! The re-execution guard: what `session-start` writes into `CLAUDE_ENV_FILE`, so that every shell
//! of the session runs its command through the filter.

use super::route;

/// How the guard ends; what follows it in a shell's string is the client's.
const LAST_WORDS: &str =
    "unset OVERNIGHT_FILTER_ACTIVE OVERNIGHT_FILTER_SHELL OVERNIGHT_FILTER_STRING";

/// How many characters of its end the shell looks at for [`plain`]; longer calls are filtered.
const TAIL_CHARS: usize = 300;

/// Shell code (bash and zsh) that hands the shell's whole command string to
/// `WORDS shell`: the binary, and the name of the filter where the binary has another. It does nothing when the binary is missing, when `OUTPUT_FILTER_ENABLED=false`,
/// in a shell that was started by the filter, and, outside of a cell, for a plain call whose output is left alone anyway
/// (a second shell costs more than everything else that the filter does), and for a string so long
/// (100,000 bytes at four a character) that it might not fit into one environment variable (128 KiB
/// on Linux). In a cell, and while `armed` is there, every shell is handed over: the filter puts it behind its
/// wall. One line: the shell counts it in the line numbers of its messages.
pub fn env_guard_of(words: &[&str], armed: &str) -> String {
    let plain = plain();
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    let lines = format!(
        r#"if [ -z "${{OVERNIGHT_FILTER_ACTIVE:-}}" ] && {{ [ -n "${{OVERNIGHT_CELL:-}}" ] || [ -e ARMED ] || [ "${{OVERNIGHT_OUTPUT_FILTER_ENABLED:-${{OUTPUT_FILTER_ENABLED:-true}}}}" != false ]; }} && [ -x FILTER ]; then
{plain}  OVERNIGHT_FILTER_WALLED="${{OVERNIGHT_CELL:-}}";
  if [ -e ARMED ]; then OVERNIGHT_FILTER_WALLED=armed; fi;
  if [ -n "$OVERNIGHT_FILTER_PLAIN" ] && [ -z "$OVERNIGHT_FILTER_WALLED" ]; then
    :;
  elif [ -n "${{BASH_EXECUTION_STRING:-}}" ] && [ "${{#BASH_EXECUTION_STRING}}" -lt 25000 ]; then
    OVERNIGHT_FILTER_SHELL="$BASH" OVERNIGHT_FILTER_STRING="$BASH_EXECUTION_STRING" exec WORDS shell --armed ARMED;
  elif [ -n "${{ZSH_EXECUTION_STRING:-}}" ] && [ "${{#ZSH_EXECUTION_STRING}}" -lt 25000 ]; then
    OVERNIGHT_FILTER_SHELL="${{SHELL:-zsh}}" OVERNIGHT_FILTER_STRING="$ZSH_EXECUTION_STRING" exec WORDS shell --armed ARMED;
  elif [ -n "$OVERNIGHT_FILTER_WALLED" ] && [ -n "${{BASH_EXECUTION_STRING:-}}${{ZSH_EXECUTION_STRING:-}}" ]; then
    OVERNIGHT_FILTER_SHELL="${{BASH:-${{SHELL:-zsh}}}}" exec WORDS shell --armed ARMED -- "${{BASH_EXECUTION_STRING:-}}${{ZSH_EXECUTION_STRING:-}}";
  fi;
  unset OVERNIGHT_FILTER_TAIL OVERNIGHT_FILTER_PLAIN OVERNIGHT_FILTER_WALLED;
fi;
{LAST_WORDS}
"#
    );
    let parts: Vec<&str> = lines.lines().map(str::trim_start).collect();
    parts
        .join(" ")
        .replace(" ARMED", &format!(" {}", quote(armed)))
        .replace(" FILTER ", &format!(" {} ", quote(words[0])))
        .replace(" WORDS ", &format!(" {} ", quoted.join(" ")))
        + "\n"
}

/// The same for the filter under its own name, where no run can be armed.
pub fn env_guard(filter: &str) -> String {
    env_guard_of(&[filter], "/nonexistent/armed")
}

/// Shell code that sets `OVERNIGHT_FILTER_PLAIN` when the typed command, at the end of the client's
/// string, is one program of [`route::plain`] with nothing but plain words.
fn plain() -> String {
    let programs = route::plain().join("|");
    let of_git: Vec<String> = route::plain_of_git()
        .iter()
        .map(|name| format!("'git {name}'|'git {name} '*"))
        .collect();
    let of_git = of_git.join("|");
    format!(
        r#"  OVERNIGHT_FILTER_PLAIN= OVERNIGHT_FILTER_TAIL="${{BASH_EXECUTION_STRING:-}}${{ZSH_EXECUTION_STRING:-}}";
  if [ "${{#OVERNIGHT_FILTER_TAIL}}" -gt {TAIL_CHARS} ]; then
    OVERNIGHT_FILTER_TAIL="${{OVERNIGHT_FILTER_TAIL: -{TAIL_CHARS}}}";
    case "$OVERNIGHT_FILTER_TAIL" in
      *' && eval '*' < /dev/null && pwd -P '*)
        OVERNIGHT_FILTER_TAIL="${{OVERNIGHT_FILTER_TAIL#* && eval }}";
        OVERNIGHT_FILTER_TAIL="${{OVERNIGHT_FILTER_TAIL%% < /dev/null && pwd -P *}}";
        case "$OVERNIGHT_FILTER_TAIL" in
          \'*\') OVERNIGHT_FILTER_TAIL="${{OVERNIGHT_FILTER_TAIL#?}}" OVERNIGHT_FILTER_TAIL="${{OVERNIGHT_FILTER_TAIL%?}}" ;;
        esac;
        case "$OVERNIGHT_FILTER_TAIL" in
          *[!a-zA-Z0-9_./:=,@%+\ -]*) ;;
          {of_git}) OVERNIGHT_FILTER_PLAIN=1 ;;
          *) case "${{OVERNIGHT_FILTER_TAIL%% *}}" in {programs}) OVERNIGHT_FILTER_PLAIN=1 ;; esac ;;
        esac ;;
    esac;
  fi;
"#
    )
}

/// Shell code that stands before the guard and hands on the plugin's options: the client gives them
/// to hooks alone. Empty without any.
pub fn env_options(options: &[(String, String)]) -> String {
    if options.is_empty() {
        return String::new();
    }
    let words: Vec<String> = options
        .iter()
        .map(|(name, value)| format!("{name}={}", quote(value)))
        .collect();
    format!(
        "if [ -z \"${{OVERNIGHT_FILTER_ACTIVE:-}}\" ]; then export {}; fi; ",
        words.join(" ")
    )
}

/// The same without a guard, where only the options have to reach the shells. Empty without any.
pub fn env_options_alone(options: &[(String, String)]) -> String {
    if options.is_empty() {
        return String::new();
    }
    format!("{}{LAST_WORDS}\n", env_options(options))
}

/// The text as one word for a POSIX shell.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The command that the model typed, inside the string of the client's shell:
/// `source … && <guard> && eval '<command>' < /dev/null && pwd -P >| …`. Without that frame, what
/// follows the guard; `None` where neither is found.
pub fn typed(string: &str) -> Option<String> {
    let after_guard = string
        .rfind(LAST_WORDS)
        .map(|at| &string[at + LAST_WORDS.len()..]);
    let tail = after_guard.unwrap_or(string);
    let frame = tail.match_indices("eval ").find(|(at, _)| {
        tail[..*at].trim_end().is_empty() || tail[..*at].trim_end().ends_with("&&")
    });
    if let Some((at, word)) = frame
        && tail.contains("pwd -P >|")
    {
        return super::words::first(&tail[at + word.len()..]);
    }
    after_guard.map(|tail| tail.trim_start_matches([' ', '\n', '&', ';']).to_owned())
}

/// The file in which the client reads where the shell was at its end: what its string says last.
pub fn cwd_file(string: &str) -> Option<String> {
    const WRITES: &str = "pwd -P >| ";
    let at = string.rfind(WRITES)?;
    super::words::first(string[at + WRITES.len()..].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_one_word_whatever_it_holds() {
        assert_eq!(quote("/a b/it's $HOME`x`"), r"'/a b/it'\''s $HOME`x`'");
        let guard = env_guard_of(&["/opt/o'n/overnight", "output-filter"], "/it's");
        assert_eq!(guard.matches(r"'/opt/o'\''n/overnight'").count(), 4);
        assert_eq!(guard.matches("' 'output-filter' shell --armed ").count(), 3);
        assert_eq!(guard.matches(r"'/it'\''s'").count(), 5);
        assert_eq!(guard.lines().count(), 1);
    }

    #[test]
    fn the_typed_command_is_found_in_the_clients_frame() {
        let guard = env_guard("/x");
        let client = |command: &str| {
            format!(
                "source /tmp/snap.sh 2>/dev/null || true && {guard} && eval {command} < /dev/null && pwd -P >| /tmp/claude-1-cwd"
            )
        };
        for (quoted, command) in [
            ("'cargo test'", "cargo test"),
            (r"'echo '\''a b'\'' && cat x'", "echo 'a b' && cat x"),
            (r#"'echo '"'"'x'"'"''"#, "echo 'x'"),
            (r#""echo \"\$x\"""#, "echo \"$x\""),
            ("'a\neval b'", "a\neval b"),
            ("ls", "ls"),
        ] {
            assert_eq!(typed(&client(quoted)).as_deref(), Some(command), "{quoted}");
        }
        assert_eq!(
            typed(&format!("{guard} cargo test")).as_deref(),
            Some("cargo test")
        );
        assert_eq!(typed("/usr/bin/hook --x"), None);
        let string = client("'pwd -P >| /etc/passwd'");
        assert_eq!(cwd_file(&string).as_deref(), Some("/tmp/claude-1-cwd"));
        assert_eq!(cwd_file("ls"), None);
    }
}
