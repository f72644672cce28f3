//! Reads JSON as it comes, in pieces of any size and bounded memory, and says what it meets.

use memchr::memchr2;

/// The most bytes kept of one string, and the deepest nesting: no reporter needs more.
const TEXT_MAX: usize = 4_000;
const DEPTH_MAX: usize = 64;

/// What a document is made of, in the order in which it is met.
pub(super) trait Sink {
    /// An object, or an array, begins.
    fn open(&mut self, array: bool);
    /// It ends.
    fn close(&mut self);
    /// A member's name.
    fn key(&mut self, name: &str);
    /// A string (`quoted`), or a number, `true`, `false` or `null`.
    fn value(&mut self, text: &str, quoted: bool);
}

/// How far the document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// It goes on.
    Open,
    /// It is complete.
    Done,
    /// It is none.
    Broken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    Value,
    /// A value, or the end of an array that has none.
    First,
    Key,
    /// A key, or the end of an object that has none.
    FirstKey,
    Colon,
    /// A comma, or the end.
    Next,
    /// Inside a string that is a key, or a value.
    Text {
        key: bool,
    },
    Escape {
        key: bool,
    },
    /// So many digits of `\u` follow.
    Hex {
        key: bool,
        left: u8,
        code: u32,
    },
    /// Inside a number or a word.
    Word,
    Over,
}

/// The state between two pieces.
#[derive(Debug)]
pub(super) struct Reader {
    expect: Expect,
    /// The open arrays (true) and objects.
    stack: Vec<bool>,
    text: Vec<u8>,
    /// The first half of a surrogate pair.
    half: u32,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            expect: Expect::Value,
            stack: Vec::new(),
            text: Vec::new(),
            half: 0,
        }
    }
}

impl Reader {
    /// Reads a piece. What stands after a complete document is not looked at.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut impl Sink) -> Progress {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if let Expect::Text { key } = self.expect {
                let rest = &bytes[at..];
                let end = memchr2(b'"', b'\\', rest);
                self.keep(&rest[..end.unwrap_or(rest.len())]);
                let Some(end) = end else { break };
                if rest[end] == b'"' {
                    self.end_text(key, sink);
                } else {
                    self.expect = Expect::Escape { key };
                }
                at += end + 1;
                continue;
            }
            match self.step(*byte, sink) {
                None => return Progress::Broken,
                // The byte ended a word and is something itself.
                Some(false) => {}
                Some(true) => at += 1,
            }
            if self.expect == Expect::Over {
                return Progress::Done;
            }
        }
        if self.expect == Expect::Over {
            Progress::Done
        } else {
            Progress::Open
        }
    }

    /// One byte outside of plain text: whether it is used up; `None` when it cannot stand here.
    fn step(&mut self, byte: u8, sink: &mut impl Sink) -> Option<bool> {
        let blank = byte.is_ascii_whitespace();
        match self.expect {
            Expect::Escape { key } => self.escape(byte, key)?,
            Expect::Hex { key, left, code } => self.hex(byte, key, left, code)?,
            Expect::Word => {
                if !blank && !matches!(byte, b',' | b']' | b'}') {
                    if !(byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
                        return None;
                    }
                    self.keep(&[byte]);
                    return Some(true);
                }
                let text = std::mem::take(&mut self.text);
                sink.value(&String::from_utf8_lossy(&text), false);
                self.after_value();
                return Some(false);
            }
            _ if blank => {}
            Expect::First if byte == b']' => self.close(true, sink)?,
            Expect::Value | Expect::First => self.value(byte, sink)?,
            Expect::FirstKey if byte == b'}' => self.close(false, sink)?,
            Expect::Key | Expect::FirstKey if byte == b'"' => {
                self.expect = Expect::Text { key: true };
            }
            Expect::Colon if byte == b':' => self.expect = Expect::Value,
            Expect::Next => match byte {
                b',' if self.stack.last() == Some(&true) => self.expect = Expect::Value,
                b',' => self.expect = Expect::Key,
                b']' => self.close(true, sink)?,
                b'}' => self.close(false, sink)?,
                _ => return None,
            },
            _ => return None,
        }
        Some(true)
    }

    fn value(&mut self, byte: u8, sink: &mut impl Sink) -> Option<()> {
        match byte {
            b'{' | b'[' => {
                let array = byte == b'[';
                if self.stack.len() >= DEPTH_MAX {
                    return None;
                }
                self.stack.push(array);
                sink.open(array);
                self.expect = if array {
                    Expect::First
                } else {
                    Expect::FirstKey
                };
            }
            b'"' => self.expect = Expect::Text { key: false },
            // A document that is one number is no document of a reporter.
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' if !self.stack.is_empty() => {
                self.keep(&[byte]);
                self.expect = Expect::Word;
            }
            _ => return None,
        }
        Some(())
    }

    fn close(&mut self, array: bool, sink: &mut impl Sink) -> Option<()> {
        if self.stack.pop()? != array {
            return None;
        }
        sink.close();
        self.after_value();
        Some(())
    }

    fn after_value(&mut self) {
        self.expect = if self.stack.is_empty() {
            Expect::Over
        } else {
            Expect::Next
        };
    }

    fn end_text(&mut self, key: bool, sink: &mut impl Sink) {
        let text = std::mem::take(&mut self.text);
        let shown = String::from_utf8_lossy(&text);
        if key {
            sink.key(&shown);
            self.expect = Expect::Colon;
        } else {
            sink.value(&shown, true);
            self.after_value();
        }
        self.half = 0;
        self.text = text;
        self.text.clear();
    }

    fn escape(&mut self, byte: u8, key: bool) -> Option<()> {
        let plain = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' | b'f' => b' ',
            b'u' => {
                self.expect = Expect::Hex {
                    key,
                    left: 4,
                    code: 0,
                };
                return Some(());
            }
            _ => return None,
        };
        self.keep(&[plain]);
        self.expect = Expect::Text { key };
        Some(())
    }

    fn hex(&mut self, byte: u8, key: bool, left: u8, code: u32) -> Option<()> {
        let code = code << 4 | char::from(byte).to_digit(16)?;
        self.expect = Expect::Hex {
            key,
            left: left - 1,
            code,
        };
        if left == 1 {
            self.expect = Expect::Text { key };
            if (0xd800..0xdc00).contains(&code) {
                self.half = code;
            } else {
                let whole = match (self.half, code) {
                    (half @ 1.., 0xdc00..0xe000) => {
                        0x1_0000 + ((half - 0xd800) << 10) + (code - 0xdc00)
                    }
                    _ => code,
                };
                self.half = 0;
                let found = char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER);
                self.keep(found.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        Some(())
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = TEXT_MAX.saturating_sub(self.text.len());
        self.text.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Text(String);

    impl Sink for Text {
        fn open(&mut self, array: bool) {
            self.0.push(if array { '[' } else { '{' });
        }
        fn close(&mut self) {
            self.0.push('.');
        }
        fn key(&mut self, name: &str) {
            self.0.push_str(name);
            self.0.push('=');
        }
        fn value(&mut self, text: &str, quoted: bool) {
            self.0.push_str(text);
            self.0.push(if quoted { '"' } else { ' ' });
        }
    }

    fn read(text: &str, piece: usize) -> (Progress, String) {
        let (mut reader, mut said) = (Reader::default(), Text::default());
        let mut progress = Progress::Open;
        for part in text.as_bytes().chunks(piece) {
            progress = reader.push(part, &mut said);
            if progress != Progress::Open {
                break;
            }
        }
        (progress, said.0)
    }

    #[test]
    fn a_document_is_read_in_pieces_of_any_size() {
        let text =
            r#" {"a": [1, -2.5e3,"x\n\"\u00e9\ud83d\ude00"], "b":{},"c":[],"d" : null} rest"#;
        let expected = (
            Progress::Done,
            "{a=[1 -2.5e3 x\n\"é😀\".b={.c=[.d=null .".to_owned(),
        );
        for piece in [1, 2, 3, 7, 1_000] {
            assert_eq!(read(text, piece), expected);
        }
    }

    #[test]
    fn what_is_no_document_is_told_at_once() {
        for text in [
            "{a: 1}",
            "[1 2]",
            "{\"a\" 1}",
            "[1}",
            "7",
            "{\"a\":\"\\x\"}",
            "[{]",
        ] {
            assert_eq!(read(text, 100).0, Progress::Broken, "{text}");
        }
        assert_eq!(read("[{\"a\":\"b", 100).0, Progress::Open);
        assert_eq!(read(&"[".repeat(100_000), 4_096).0, Progress::Broken);
    }
}
