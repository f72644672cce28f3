//! Brace expansion, before all others: `{a,b}` and `{1..3}`.

use crate::bash::{Part, Word};

/// Words that one word may become, but for ranges of numbers: those of more stay as written.
const WORDS_MAX: usize = 512;
/// Groups within groups.
const DEPTH_MAX: u32 = 16;
/// Braces, commas and texts between them in one word.
const ATOMS_MAX: usize = 8_192;

/// What the braces of a word make.
pub(super) enum Made {
    /// There are none that expand.
    Nothing,
    /// These words.
    Words(Vec<Word>),
    /// More, or deeper, than is followed.
    TooMany,
}

enum Atom<'a> {
    Open,
    Comma,
    Close,
    Text(&'a str),
    Part(&'a Part),
}

/// All words that the braces make.
pub(super) fn expand(word: &Word) -> Made {
    let has =
        |part: &Part| matches!(part, Part::Text { text, quoted: false } if text.contains('{'));
    if !word.parts.iter().any(has) {
        return Made::Nothing;
    }
    let atoms = atoms(word);
    if atoms.len() > ATOMS_MAX {
        return Made::TooMany;
    }
    let (mut at, mut too_many) = (0, false);
    match sequence(&atoms, &mut at, 0, &mut too_many) {
        _ if too_many => Made::TooMany,
        Some(words) if words.len() > 1 || at == atoms.len() => Made::Words(words),
        _ => Made::Nothing,
    }
}

fn atoms(word: &Word) -> Vec<Atom<'_>> {
    let mut atoms = Vec::new();
    for part in &word.parts {
        let Part::Text {
            text,
            quoted: false,
        } = part
        else {
            atoms.push(Atom::Part(part));
            continue;
        };
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', ',', '}']) {
            if at > 0 {
                atoms.push(Atom::Text(&rest[..at]));
            }
            atoms.push(match rest.as_bytes()[at] {
                b'{' => Atom::Open,
                b',' => Atom::Comma,
                _ => Atom::Close,
            });
            rest = &rest[at + 1..];
        }
        if !rest.is_empty() {
            atoms.push(Atom::Text(rest));
        }
    }
    atoms
}

/// Atoms up to the comma or brace that belongs to an outer group. `None`: too many words.
fn sequence(
    atoms: &[Atom<'_>],
    at: &mut usize,
    depth: u32,
    too_many: &mut bool,
) -> Option<Vec<Word>> {
    let mut words = vec![Word::default()];
    while let Some(atom) = atoms.get(*at) {
        let choices = match atom {
            Atom::Open => {
                *too_many |= depth >= DEPTH_MAX;
                if *too_many {
                    return None;
                }
                if let Some((choices, after)) = group(atoms, *at, depth, too_many) {
                    *at = after;
                    choices
                } else {
                    *at += 1;
                    vec![text("{")]
                }
            }
            Atom::Comma | Atom::Close if depth > 0 => break,
            Atom::Comma => single(at, text(",")),
            Atom::Close => single(at, text("}")),
            Atom::Text(piece) => single(at, text(piece)),
            Atom::Part(part) => single(
                at,
                Word {
                    parts: vec![(*part).clone()],
                },
            ),
        };
        *too_many |= words.len() * choices.len() > WORDS_MAX;
        if *too_many {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| choices.iter().map(move |choice| joined(word, choice)))
            .collect();
    }
    Some(words)
}

/// The group that opens here and the place behind it; `None` when it is no brace expansion.
fn group(
    atoms: &[Atom<'_>],
    open: usize,
    depth: u32,
    too_many: &mut bool,
) -> Option<(Vec<Word>, usize)> {
    let mut at = open + 1;
    let mut choices = Vec::new();
    let mut commas = 0;
    loop {
        choices.extend(sequence(atoms, &mut at, depth + 1, too_many)?);
        *too_many |= choices.len() > WORDS_MAX;
        if *too_many {
            return None;
        }
        match atoms.get(at) {
            Some(Atom::Comma) => {
                commas += 1;
                at += 1;
            }
            Some(Atom::Close) => break,
            _ => return None,
        }
    }
    if commas == 0 {
        let [Word { parts }] = choices.as_slice() else {
            return None;
        };
        let [Part::Text { text, .. }] = parts.as_slice() else {
            return None;
        };
        choices = range(text)?;
    }
    Some((choices, at + 1))
}

/// `1..5`, `a..e`, with an optional step.
fn range(body: &str) -> Option<Vec<Word>> {
    let mut ends = body.split("..");
    let (from, to, step) = (ends.next()?, ends.next()?, ends.next().unwrap_or("1"));
    let step = step.parse::<i64>().ok()?.unsigned_abs().max(1);
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    let numbers = from.parse::<i64>().ok().zip(to.parse::<i64>().ok());
    let (from, to, letters) = match numbers {
        Some((from, to)) => (from, to, false),
        None => (letter(from)?, letter(to)?, true),
    };
    let count = from.abs_diff(to) / step + 1;
    if count > WORDS_MAX as u64 {
        return None;
    }
    let mut words = Vec::new();
    for index in 0..count {
        let distance = i64::try_from(index * step).ok()?;
        let value = if to >= from {
            from + distance
        } else {
            from - distance
        };
        words.push(if letters {
            text(&char::from(u8::try_from(value).ok()?).to_string())
        } else {
            text(&value.to_string())
        });
    }
    Some(words)
}

fn single(at: &mut usize, word: Word) -> Vec<Word> {
    *at += 1;
    vec![word]
}

fn text(piece: &str) -> Word {
    Word {
        parts: vec![Part::Text {
            text: piece.to_owned(),
            quoted: false,
        }],
    }
}

fn joined(one: &Word, two: &Word) -> Word {
    let mut parts = one.parts.clone();
    for part in &two.parts {
        if let (
            Some(Part::Text {
                text: last,
                quoted: false,
            }),
            Part::Text {
                text,
                quoted: false,
            },
        ) = (parts.last_mut(), part)
        {
            last.push_str(text);
        } else {
            parts.push(part.clone());
        }
    }
    Word { parts }
}
