//! What a shell knows at one moment.

use crate::context::Context;
use crate::names::one_of;
use crate::{mark, place};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Folders that the shell may be in at most before it counts as anywhere.
const FOLDERS_MAX: usize = 4;

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Text with marks.
    Text(String),
    /// An array.
    List(Vec<String>),
    /// Known to be unset.
    Unset,
}

/// Variables, arguments and folder of a shell. Cheap to clone: a subshell copies only what it
/// changes.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) vars: Rc<BTreeMap<String, Value>>,
    /// `$1` and so on.
    pub(crate) arguments: Rc<Vec<String>>,
    /// `$0`.
    pub(crate) zero: Rc<str>,
    /// Where it is, if all went well.
    pub(crate) cwd: Rc<str>,
    /// Where it may be as well, because a `cd` may have failed.
    pub(crate) also: Rc<Vec<Rc<str>>>,
    /// Descriptors that `exec` redirected to the network or to known data.
    pub(crate) network_fds: Rc<Vec<String>>,
}

impl State {
    pub(crate) fn new(context: &Context<'_>) -> Self {
        Self {
            vars: Rc::default(),
            arguments: Rc::default(),
            zero: mark::SHELL.to_string().into(),
            cwd: place::normal(context.cwd).into(),
            also: Rc::default(),
            network_fds: Rc::default(),
        }
    }

    /// Sets a variable.
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        Rc::make_mut(&mut self.vars).insert(name.to_owned(), value);
    }

    /// The value of a variable as far as it is known.
    pub(crate) fn get(&self, context: &Context<'_>, name: &str) -> Value {
        if let Some(value) = self.vars.get(name) {
            return value.clone();
        }
        let text = match name {
            "HOME" => context.home.to_owned(),
            "PWD" => self.cwd.to_string(),
            "TMPDIR" => "/tmp".to_owned(),
            "IFS" => " \t\n".to_owned(),
            "0" | "BASH_SOURCE" => self.zero.to_string(),
            "BASH" | "SHELL" => "/bin/bash".to_owned(),
            "BASH_VERSION" => "5.2.15(1)-release".to_owned(),
            "OSTYPE" => "linux-gnu".to_owned(),
            "USER" | "LOGNAME" => place::last(context.home).to_owned(),
            "PPID" => mark::PARENT.to_string(),
            "RANDOM" | "SECONDS" | "EPOCHSECONDS" | "EPOCHREALTIME" | "LINENO" | "UID" | "EUID"
            | "BASHPID" | "SHLVL" | "$" | "!" | "?" | "#" | "-" | "COLUMNS" | "LINES"
            | "HOSTTYPE" | "MACHTYPE" | "COPROC_PID" | "FUNCNAME" | "PIPESTATUS" | "OPTIND" => {
                mark::SEGMENT.to_string()
            }
            _ if name.bytes().all(|byte| byte.is_ascii_digit()) => {
                let index: usize = name.parse().unwrap_or(usize::MAX);
                return match self.arguments.get(index.wrapping_sub(1)) {
                    Some(text) => Value::Text(text.clone()),
                    None => Value::Unset,
                };
            }
            _ if secret_name(name) => mark::SECRET.to_string(),
            _ => mark::ANY.to_string(),
        };
        Value::Text(text)
    }

    /// Goes to a folder that is surely there, or when going may fail, notes the old one.
    pub(crate) fn go(&mut self, folder: &str, certain: bool) {
        let old = std::mem::replace(&mut self.cwd, folder.into());
        self.set("OLDPWD", Value::Text(old.to_string()));
        if certain {
            self.also = Rc::default();
        } else {
            self.may_be_in(old);
        }
    }

    /// It may be in this folder as well.
    pub(crate) fn may_be_in(&mut self, folder: Rc<str>) {
        if folder != self.cwd && !self.also.contains(&folder) && self.also.len() < FOLDERS_MAX {
            Rc::make_mut(&mut self.also).push(folder);
        }
    }

    /// Joins what two ways through a command may have left behind: what differs is unknown.
    pub(crate) fn join(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.vars, &other.vars) {
            let differing: Vec<String> = self
                .vars
                .keys()
                .chain(other.vars.keys())
                .filter(|name| self.vars.get(*name) != other.vars.get(*name))
                .cloned()
                .collect();
            for name in differing {
                self.set(&name, Value::Text(mark::ANY.to_string()));
            }
        }
        self.may_be_in(Rc::clone(&other.cwd));
        for folder in other.also.iter() {
            self.may_be_in(Rc::clone(folder));
        }
    }
}

/// Is a variable of this name likely to hold a secret?
pub(crate) fn secret_name(name: &str) -> bool {
    const WORDS: &[&str] =
        overnight_base::words!("SECRET PASSWORD PASSWD TOKEN CREDENTIAL APIKEY PRIVATE_KEY");
    let name = name.to_ascii_uppercase();
    let plain = one_of(
        &name,
        "SSH_AUTH_SOCK TOKENIZERS_PARALLELISM MAX_TOKENS TOKENS MAX_THINKING_TOKENS",
    );
    !plain
        && (WORDS.iter().any(|word| name.contains(word))
            || name.ends_with("_KEY")
            || name.ends_with("_PASS")
            || name.ends_with("_PAT")
            || name.ends_with("_DSN")
            || name == "DATABASE_URL"
            || name == "PGPASSWORD")
}
