//! What flows between commands: text as far as it is known, and where it came from.

use super::mark;
use std::rc::Rc;

/// Known text is kept up to this many bytes; longer text counts as unknown.
const KNOWN_MAX: usize = 1 << 20;

/// Outputs of several commands are joined up to this many bytes: each joining copies.
const JOINED_MAX: usize = 32 << 10;

/// A stream or the content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Data {
    /// The text with marks for unknown parts; `None` when nothing is known.
    pub(crate) text: Option<Rc<str>>,
    /// It may hold secrets.
    pub(crate) secret: bool,
    /// It came over the network.
    pub(crate) network: bool,
    /// It never ends.
    pub(crate) endless: bool,
    /// It is the content of this file, unchanged.
    pub(crate) path: Option<Rc<str>>,
}

impl Data {
    /// Nothing: an empty stream.
    pub(crate) fn empty() -> Self {
        Self::known("")
    }

    /// This text.
    pub(crate) fn known(text: &str) -> Self {
        Self {
            secret: text.contains(mark::SECRET),
            network: text.contains(mark::NETWORK),
            text: (text.len() <= KNOWN_MAX).then(|| text.into()),
            endless: false,
            path: None,
        }
    }

    /// Text that nobody knows.
    pub(crate) fn unknown() -> Self {
        Self {
            text: None,
            secret: false,
            network: false,
            endless: false,
            path: None,
        }
    }

    /// Unknown text made from this: its origin stays.
    pub(crate) fn derived(&self) -> Self {
        Self {
            text: None,
            path: None,
            ..self.clone()
        }
    }

    /// Text from the network.
    pub(crate) fn from_network() -> Self {
        Self {
            network: true,
            ..Self::unknown()
        }
    }

    /// Text that may hold secrets.
    pub(crate) fn from_secrets() -> Self {
        Self {
            secret: true,
            ..Self::unknown()
        }
    }

    /// The content of a file.
    pub(crate) fn of_file(path: &str) -> Self {
        Self {
            path: Some(path.into()),
            ..Self::unknown()
        }
    }

    /// This text, then that.
    pub(crate) fn then(self, other: Self) -> Self {
        if self.text.as_deref() == Some("") {
            return other;
        }
        if other.text.as_deref() == Some("") {
            return self;
        }
        let text = match (&self.text, &other.text) {
            (Some(one), Some(two)) if one.len() + two.len() <= JOINED_MAX => {
                Some(format!("{one}{two}").into())
            }
            _ => None,
        };
        Self {
            text,
            secret: self.secret || other.secret,
            network: self.network || other.network,
            endless: self.endless || other.endless,
            path: None,
        }
    }

    /// Its text as the value of a command substitution.
    pub(crate) fn value(&self) -> String {
        if let Some(text) = &self.text {
            return text.trim_end_matches('\n').to_owned();
        }
        let mark = if self.network {
            mark::NETWORK
        } else if self.secret {
            mark::SECRET
        } else {
            mark::OUTPUT
        };
        mark.to_string()
    }

    /// Is it known and nothing but white space?
    pub(crate) fn blank(&self) -> bool {
        self.text
            .as_deref()
            .is_some_and(|text| text.trim().is_empty())
    }
}
