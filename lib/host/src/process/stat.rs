//! What Linux says of a process in `/proc/PID/stat`, see proc(5).

/// One process, as it was when it was looked at. A number that lies outside of this namespace of
/// processes is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// The name of its program, cut at 15 bytes.
    pub name: String,
    /// A letter; `Z` and `X` have ended.
    pub state: char,
    /// Who started it, or took it over.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its session: the process that began it.
    pub session: u32,
    /// When it started, in clock ticks since boot.
    pub start: u64,
    /// What of its memory is resident, in pages.
    pub pages: u64,
}

impl Stat {
    /// The process with this number; `None` where it cannot be told.
    pub fn of(process: u32) -> Option<Self> {
        Self::parse(&String::from_utf8_lossy(
            &super::told(process, "stat").ok()?,
        ))
    }

    /// This process.
    pub fn current() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// Reads one line.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // The name in parentheses may contain anything; the fields after it are numbers.
        let (head, fields) = text.rsplit_once(") ")?;
        let (_, name) = head.split_once(" (")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        // Counted from 1 by proc(5), where the state is the third.
        let field = |number: usize| fields.get(number - 3).copied();
        Some(Self {
            name: name.to_owned(),
            state: field(3)?.chars().next()?,
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            start: field(22)?.parse().ok()?,
            pages: field(24)?.parse().ok()?,
        })
    }

    /// Is it more than an entry that waits to be read?
    pub fn lives(&self) -> bool {
        !matches!(self.state, 'Z' | 'X')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &str = "1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 8472 9 10";

    #[test]
    fn a_name_that_looks_like_fields_is_a_name() {
        for (text, name, lives) in [
            (format!("7 (sleep) S {FIELDS}\n"), "sleep", true),
            (format!("7 (a) Z b) S {FIELDS}\n"), "a) Z b", true),
            (format!("7 (a (b) Z {FIELDS}\n"), "a (b", false),
        ] {
            let stat = Stat::parse(&text).unwrap();
            assert_eq!((stat.name.as_str(), stat.lives()), (name, lives), "{text}");
            let numbers = (stat.parent, stat.group, stat.session);
            assert_eq!(numbers, (1, 2, 3), "{text}");
            assert_eq!((stat.start, stat.pages), (8_472, 10), "{text}");
        }
        for text in ["", "7 (sleep) S 1", "7 (sleep)", "sleep S 1 1 1"] {
            assert_eq!(Stat::parse(text), None, "{text}");
        }
    }

    #[test]
    fn this_process_is_read_wherever_its_session_began() {
        if cfg!(target_os = "linux") {
            let own = Stat::current().unwrap();
            assert!(own.lives() && own.start > 0, "{own:?}");
            assert_eq!(own.parent, std::os::unix::process::parent_id());
        }
    }
}
