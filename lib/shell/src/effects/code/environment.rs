//! Does code show the environment, or a variable of it that is named like a secret?

use crate::machine::secret_name;

/// What stands for the environment, in all languages together. Behind it stands what is taken
/// from it.
const BASES: &[&str] = overnight_base::words!(
    "environ process.env Bun.env Deno.env import.meta.env ENV $_ENV $_SERVER os.getenv getenv \
     System.get_env Sys.getenv System.getenv"
);
/// Members that give all of it.
const WHOLE: &[&str] = overnight_base::words!(
    "items copy values keys to_h to_a each each_pair map select inspect to_s sort sort_by \
     toObject to_hash filter entries reject"
);
/// Words of printing and writing.
const PRINTING: &[&str] = &[
    "print", "console.", "puts", "p ", "pp ", "echo", "write", "dump", "say ", "display",
    "inspect", "stdout", "export", "log(",
];

/// Is a part of the environment shown that may be secret? `literals`: the strings of the code.
pub(super) fn shown(code: &str, literals: &[String]) -> bool {
    if code.contains("%ENV")
        || code.contains("vars(os)")
        || code.contains("os.environb")
        || code.contains("phpinfo(")
    {
        return true;
    }
    let prints = PRINTING.iter().any(|word| code.contains(word));
    BASES.iter().any(|base| {
        code.match_indices(base).any(|(at, _)| {
            let (before, rest) = (&code[..at], &code[at + base.len()..]);
            !continues(before)
                && (whole(code, before, rest)
                    || (secret(rest, literals) && (prints || alone(before))))
        })
    })
}

/// Is it the end of a longer name: `MY_ENV`?
fn continues(before: &str) -> bool {
    before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Is the environment as a whole the value? Handing it on to a child (`env=os.environ`) is not
/// showing it.
fn whole(code: &str, before: &str, rest: &str) -> bool {
    let before = before.trim_end();
    let to_child = code.contains("env=") || code.contains("env:") || code.contains("env =");
    let handed_on = to_child
        && ["env=", "env:", "env =", "**", "..."]
            .iter()
            .any(|end| before.ends_with(end));
    let rest = rest.strip_prefix("()").unwrap_or(rest);
    if let Some(member) = rest.strip_prefix('.') {
        let name: String = member
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        return WHOLE.contains(&name.as_str());
    }
    if let Some(index) = rest.strip_prefix('[') {
        // Every variable by its name in a loop.
        return index.starts_with(|c: char| c.is_ascii_alphabetic());
    }
    !handed_on
        && !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "[(_?{:'\"-".contains(c))
        && !rest.trim_start().starts_with('=')
        && !before.ends_with("in")
        && !before.ends_with("import")
}

/// Nothing but the environment's name stands before: `node -p process.env.X`.
fn alone(before: &str) -> bool {
    before.trim().is_empty()
}

/// Is a variable with the name of a secret taken from it?
fn secret(rest: &str, literals: &[String]) -> bool {
    let member: String = rest
        .trim_start_matches(['.', '?', '{', '[', '(', '\'', '"'])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    secret_name(&member)
        || literals
            .iter()
            .any(|literal| is_name(literal) && secret_name(literal))
}

fn is_name(literal: &str) -> bool {
    !literal.is_empty()
        && literal
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
