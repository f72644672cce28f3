//! Settings: each declared once, by the part that reads it, with name, default, range and meaning,
//! and who may set it.

use crate::value::{Kind, Value};
use crate::vars::Var;

/// One setting. Its typed form is a field of its section's struct.
#[derive(Debug)]
pub struct Setting {
    /// The section of the files that it stands in.
    pub section: &'static str,
    /// Its key there.
    pub name: &'static str,
    /// What holds when nobody sets it, as text; empty: nothing.
    pub default: &'static str,
    /// What it can hold.
    pub kind: Kind,
    /// What a project may do with it.
    pub project: Project,
    /// The environment variable that sets it.
    pub var: Option<&'static Var>,
    /// Its title among the plugin's options, if it is one.
    pub title: Option<&'static str>,
    /// Meaning and unit.
    pub doc: &'static str,
}

/// What a project's `overnight.toml` may do with a setting. Nothing of it can loosen what the
/// person set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Project {
    /// Nothing: it is the person's alone.
    Never,
    /// Anything in the range: nothing is loosened by it.
    Free,
    /// Lower it.
    Less,
    /// Raise it.
    More,
    /// Add entries.
    Adds,
    /// Add entries that are commands: only when a person trusts the file.
    AddsTrusted,
}

impl Setting {
    /// `run.max_iterations`.
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// Section and key.
    pub fn place(&self) -> (&'static str, &'static str) {
        (self.section, self.name)
    }

    /// The value that holds when nobody sets it.
    pub fn default_value(&self) -> Option<Value> {
        self.kind.read_text(self.default)
    }

    /// The name of the plugin's option, if it is one: that of the variable, without our prefix.
    pub fn option(&self) -> Option<String> {
        let var = self.title.and(self.var)?;
        let short = var.name.strip_prefix("OVERNIGHT_").unwrap_or(var.name);
        Some(short.to_ascii_lowercase())
    }
}

/// A section of the settings: its fields are declared with [`section!`](crate::section).
pub trait Section: Default {
    /// Its name in the files.
    const NAME: &'static str;
    /// What it is about.
    const ABOUT: &'static str;
    /// Its settings, in the order of the reference page.
    const SETTINGS: &'static [Setting];
    /// The typed form; `value` gives what holds for one of its settings.
    fn typed(value: &dyn Fn(&'static Setting) -> Option<Value>) -> Self;
}

/// Declares a section: a struct with a typed field for each setting, which is a [`Section`].
///
/// A row is `field: type = "default", kind, who` and, where there are such, the constant of its
/// environment variable and `option "title"` among the plugin's options.
#[macro_export]
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $section:ident: $Section:ident {$(
            $(#[doc = $doc:literal])+
            $field:ident: $type:ty = $default:expr, $kind:expr, $project:ident
                $(, $var:ident $(option $title:literal)?)?;
        )*}
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Section {$(
            $(#[doc = $doc])+
            pub $field: $type,
        )*}

        impl $crate::setting::Section for $Section {
            const NAME: &'static str = stringify!($section);
            const ABOUT: &'static str = concat!($($about),+);
            const SETTINGS: &'static [$crate::setting::Setting] = &[$($crate::setting::Setting {
                section: stringify!($section),
                name: stringify!($field),
                default: $default,
                kind: $kind,
                project: $crate::setting::Project::$project,
                var: $crate::section!(@var $($var)?),
                title: $crate::section!(@title $($($title)?)?),
                doc: concat!($($doc),+),
            },)*];

            fn typed(
                value: &dyn Fn(&'static $crate::setting::Setting) -> Option<$crate::value::Value>,
            ) -> Self {
                // Both are made of the same rows.
                let mut all = Self::SETTINGS.iter();
                Self {$(
                    $field: $crate::value::Typed::typed(all.next().and_then(value)),
                )*}
            }
        }

        impl Default for $Section {
            fn default() -> Self {
                <Self as $crate::setting::Section>::typed(&$crate::setting::Setting::default_value)
            }
        }
    };
    (@var) => { None };
    (@var $var:ident) => { Some(&$crate::vars::$var) };
    (@title) => { None };
    (@title $title:literal) => { Some($title) };
}

/// A command: one line, not empty, of at most 2,000 bytes.
pub fn is_command(text: &str) -> bool {
    const BYTES_MAX: usize = 2_000;
    !text.trim().is_empty() && text.len() <= BYTES_MAX && !text.chars().any(char::is_control)
}

/// One line that is not empty, of at most 200 bytes.
pub fn is_short_line(text: &str) -> bool {
    const BYTES_MAX: usize = 200;
    !text.is_empty() && text.len() <= BYTES_MAX && !text.chars().any(char::is_control)
}
