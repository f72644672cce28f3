//! Places in source code, in the forms that tools print them.

/// A file, and a line in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    /// The file as printed.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: u64,
    /// The whole place as printed: `src/a.rs:3:5`, `src/a.ts(3,5)`.
    pub(super) shown: String,
}

/// A place at the very start of `text`, and where the text after it begins.
pub(super) fn leading(text: &str) -> Option<(Location, usize)> {
    let (file, line, end) = start(text)?;
    let place = Location {
        file: file.to_owned(),
        line,
        shown: text[..end].to_owned(),
    };
    Some((place, end))
}

/// The file and the line of a place at the very start of `text`, and where the place ends.
///
/// Forms: `path:3`, `path:3:5`, `path:3:5-9`, `path(3,5)`, `path(3)`. The path has a dot or a
/// slash, no blanks before its extension unless it is absolute, and is no clock time.
pub(super) fn start(text: &str) -> Option<(&str, u64, usize)> {
    let bytes = text.as_bytes();
    let from = if drive(bytes) { 2 } else { 0 };
    // A path holds neither: what follows the first of them decides.
    let found = memchr::memchr2(b':', b'(', &bytes[from..])? + from;
    let (line, end) = position(bytes, found)?;
    let file = &text[..found];
    is_path(file).then_some((file, line, end))
}

/// Whether the text is a place and nothing else.
pub(super) fn is_whole(text: &str) -> bool {
    start(text).is_some_and(|(_, _, end)| end == text.len())
}

/// The first place anywhere in `text`: a word that is a place, `File "x", line 3` or
/// `x line 3`.
pub(super) fn anywhere(text: &str) -> Option<Location> {
    python(text)
        .or_else(|| words(text))
        .or_else(|| dotnet(text))
        .or_else(|| perl(text))
}

/// `   at A.B() in /p/A.cs:line 14`.
fn dotnet(text: &str) -> Option<Location> {
    let (before, after) = text.split_once(":line ")?;
    let (_, file) = before.rsplit_once(" in ")?;
    let line = digits(after)?;
    is_path(file).then(|| Location {
        file: file.to_owned(),
        line,
        shown: format!("{file}:line {line}"),
    })
}

fn words(text: &str) -> Option<Location> {
    if !text.as_bytes().iter().any(u8::is_ascii_digit) {
        return None;
    }
    text.split([' ', '\t', '(', '[', '"', '\'', '`', '<', '>'])
        .chain(text.split_whitespace())
        .filter(|word| word.contains([':', '(']))
        .find_map(|word| {
            let word = word
                .strip_prefix("file://")
                .unwrap_or(word)
                .trim_start_matches(['(', '[']);
            // `webpack://app/./src/a.js:3:5`
            let word = match word.strip_prefix("webpack://") {
                Some(path) => path.split_once("/./").map_or(path, |(_, path)| path),
                None => word,
            };
            let (mut place, _) = leading(word)?;
            place.file = place.file.trim_start_matches("./").to_owned();
            Some(place)
        })
}

fn python(text: &str) -> Option<Location> {
    memchr::memchr(b'"', text.as_bytes())?;
    let (file, line) = frame(&text[text.find("File \"")?..])?;
    Some(Location {
        file: file.to_owned(),
        line,
        shown: format!("{file}:{line}"),
    })
}

/// The file and the line of a traceback's frame: `File "x.py", line 3, in f`.
pub(super) fn frame(text: &str) -> Option<(&str, u64)> {
    let (file, rest) = text.strip_prefix("File \"")?.split_once('"')?;
    Some((file, digits(rest.strip_prefix(", line ")?)?))
}

fn perl(text: &str) -> Option<Location> {
    let (before, after) = text.split_once(" line ")?;
    let file = before.rsplit([' ', '\t']).next()?;
    let line = digits(after)?;
    let file = file.trim_matches(['"', '\'', ',', ':']);
    is_path(file).then(|| Location {
        file: file.to_owned(),
        line,
        shown: format!("{file}:{line}"),
    })
}

fn digits(text: &str) -> Option<u64> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit());
    super::count::figure(&text[..end.unwrap_or(text.len())])
}

/// The line number at `at` (a `:` or `(`), and the end of the place.
fn position(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let (line, mut end) = number(bytes, at + 1)?;
    if bytes[at] == b'(' {
        while bytes.get(end) == Some(&b',') {
            end = number(bytes, end + 1)?.1;
        }
        return (bytes.get(end) == Some(&b')')).then_some((line, end + 1));
    }
    if bytes.get(end) == Some(&b':')
        && let Some((_, column_end)) = number(bytes, end + 1)
    {
        end = column_end;
        if bytes.get(end) == Some(&b'-')
            && let Some((_, range_end)) = number(bytes, end + 1)
        {
            end = range_end;
        }
    }
    Some((line, end))
}

fn number(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut end = at;
    let mut value = 0_u64;
    while let Some(byte) = bytes.get(end)
        && byte.is_ascii_digit()
        && end - at < 9
    {
        value = value * 10 + u64::from(byte - b'0');
        end += 1;
    }
    (end > at).then_some((value, end))
}

fn drive(bytes: &[u8]) -> bool {
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && bytes[2] == b'\\'
}

/// Whether this could be a source file: it has an extension or a folder, and no blank before it.
fn is_path(file: &str) -> bool {
    const BLANK: u8 = 1;
    const OTHER: u8 = 2;
    const SLASH: u8 = 4;
    const DOT: u8 = 8;
    let kinds = file.bytes().fold(0, |all, byte| {
        all | match byte {
            b' ' | b'\t' | b',' => BLANK,
            b'"' | b'=' | b'{' | b'(' | b')' => OTHER,
            b'/' => SLASH,
            b'.' => DOT,
            _ => 0,
        }
    });
    let has = |kind: u8| kinds & kind != 0;
    if has(OTHER) || has(BLANK) && !file.starts_with('/') || file.len() >= 400 {
        return false;
    }
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let dotted = || {
        name.rsplit_once('.').is_some_and(|(_, extension)| {
            !extension.is_empty()
                && extension.len() <= 10
                && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
                && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    let known = || {
        matches!(name, "Makefile" | "Containerfile" | "Rakefile" | "Gemfile")
            || name.starts_with("Dockerfile")
    };
    (has(SLASH) && !name.is_empty() || has(DOT) && dotted() || known())
        && !file.get(2..).is_some_and(|rest| rest.contains(':'))
}

/// Whether a place belongs to the runner or to a dependency, not to the project.
pub(super) fn is_foreign(file: &str) -> bool {
    let bytes = file.as_bytes();
    // At each slash: the byte beside it tells nearly always that this folder is none of them.
    let at_slash = |at: usize| {
        let (before, after) = bytes.split_at(at);
        let ends = |folder: &[u8]| before.last() == folder.last() && before.ends_with(folder);
        let starts = |path: &[u8]| after.get(1) == path.get(1) && after.starts_with(path);
        FOLDERS.iter().any(|folder| ends(folder.as_bytes()))
            || PATHS.iter().any(|path| starts(path.as_bytes()))
            || ends(b"vendor") && (starts(b"/phpunit") || starts(b"/pestphp"))
    };
    memchr::memchr_iter(b'/', bytes).any(at_slash)
        || memchr::memchr_iter(b':', bytes).any(|at| bytes[..at].ends_with(b"node"))
        || memchr::memchr_iter(b'<', bytes).any(|at| bytes[at..].starts_with(b"<frozen"))
}

/// Folders of what is not the project; a slash follows.
const FOLDERS: &[&str] =
    overnight_base::words!("node_modules site-packages dist-packages internal java.base importlib");

/// Parts of paths that are not the project.
const PATHS: &[&str] = overnight_base::words!(
    "/rustc/ /usr/lib/ /usr/include/ /lib/python /.cargo/registry/ /vendor/bundle/ /gems/ \
     /unittest/ /opt/hostedtoolcache/ /usr/local/go/ /usr/share/"
);

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(text: &str) -> Option<(String, u64, &str)> {
        leading(text).map(|(place, end)| (place.shown, place.line, &text[end..]))
    }

    #[test]
    fn places_at_the_start() {
        assert_eq!(lead("a/b.rs:3:5: x"), Some(("a/b.rs:3:5".into(), 3, ": x")));
        assert_eq!(
            lead("a.ts(1,14): error"),
            Some(("a.ts(1,14)".into(), 1, ": error"))
        );
        assert_eq!(
            lead("C:\\x\\y.cs(7,2): e"),
            Some(("C:\\x\\y.cs(7,2)".into(), 7, ": e"))
        );
        assert_eq!(
            lead("Dockerfile:4 DL3008"),
            Some(("Dockerfile:4".into(), 4, " DL3008"))
        );
        assert_eq!(lead("12:30:01 INFO"), None);
        assert_eq!(lead("http://host:80/x"), None);
        assert_eq!(lead("error: a.c:1"), None);
        assert_eq!(lead("::"), None);
    }

    #[test]
    fn places_anywhere() {
        let shown = |text: &str| anywhere(text).map(|place| place.shown);
        assert_eq!(
            shown("  File \"x/y.py\", line 7, in f"),
            Some("x/y.py:7".into())
        );
        assert_eq!(
            shown("at Object.<anonymous> (src/a.js:4:2)"),
            Some("src/a.js:4:2".into())
        );
        assert_eq!(shown("#   at t/x.t line 12."), Some("t/x.t:12".into()));
        assert_eq!(
            shown("panicked at src/lib.rs:6:84:"),
            Some("src/lib.rs:6:84".into())
        );
        assert_eq!(shown("nothing 12:30 here"), None);
    }
}
