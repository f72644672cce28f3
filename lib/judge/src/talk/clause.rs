//! A message's prose in sentences, and sentences in parts: from comma to comma, up to a `but`.

use super::lexicon::{FINITE, STARTS, listed};

/// A part of a sentence.
#[derive(Debug)]
pub(super) struct Part<'a> {
    /// As written.
    pub(super) text: &'a str,
    /// Its words: lower case, without punctuation, contractions written out.
    pub(super) words: Vec<String>,
    /// Is it a heading, or does it end with a colon?
    pub(super) label: bool,
    /// Does it stand after `Before:`?
    pub(super) before: bool,
    /// Does its sentence call what it speaks of optional, or none of the task's?
    pub(super) optional: bool,
}

/// Words that begin a part of their own.
const TURNS: &[&str] = &[
    "but", "however", "although", "though", "except", "so", "because", "whereas", "yet", "and",
];
/// After `and` only these begin a part: `and the tests fail`, but not `missing and broken files`.
const SUBJECTS: &[&str] = &[
    "the", "it", "they", "this", "that", "i", "we", "there", "all", "some", "two", "three", "one",
    "will", "still",
];
const OPTIONAL: &[&str] = &[
    "optional",
    "nice to have",
    "nice-to-have",
    "out of scope",
    "not part of th",
    "not in scope",
    "outside the scope",
    "beyond the scope",
    "if you want",
    "if you like",
    "if desired",
    "if wanted",
];

/// The parts of all sentences, in order; empty ones left out.
pub(super) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut all = Vec::new();
    for sentence in sentences(text) {
        let lower = sentence.to_lowercase();
        let optional = OPTIONAL.iter().any(|word| lower.contains(word));
        let heading = sentence.trim_start().starts_with('#');
        for piece in pieces(sentence) {
            let words = words(piece);
            if words.is_empty() {
                continue;
            }
            let before = all.last().is_some_and(|last: &Part<'_>| {
                last.label
                    && matches!(
                        last.words[0].as_str(),
                        "before" | "was" | "previously" | "fixed" | "fixes" | "fix" | "resolved"
                    )
            });
            all.push(Part {
                before,
                text: piece,
                words,
                label: heading || piece.trim_end_matches(['*', '_', ' ', '\r']).ends_with(':'),
                optional,
            });
        }
    }
    all
}

/// Sentences end with `.`, `!`, `?`, `;` and with their line, unless the next goes on in lower case.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        let next = bytes.get(at + c.len_utf8());
        let ends_here = match c {
            ';' | '!' | '?' | '。' | '！' | '？' => true,
            '.' => next.is_none_or(u8::is_ascii_whitespace),
            '\n' => !next.is_some_and(u8::is_ascii_lowercase),
            _ => false,
        };
        if ends_here {
            ends.push((start, at));
            start = at + c.len_utf8();
        }
    }
    ends.push((start, text.len()));
    ends.into_iter()
        .map(|(from, to)| &text[from..to])
        .filter(|sentence| !sentence.trim().is_empty())
}

fn pieces(sentence: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut at = 0;
    let mut code = false;
    for word in sentence.split_inclusive(char::is_whitespace) {
        let bare = word.trim();
        let lower = bare.to_ascii_lowercase();
        let next = sentence[at + word.len()..].split_whitespace().next();
        let subject = next.is_some_and(|next| SUBJECTS.contains(&next.to_lowercase().as_str()));
        let turns = match lower.as_str() {
            // `missing and broken files`, `not yet`
            "and" | "yet" => subject,
            turn => TURNS.contains(&turn),
        };
        let dash = matches!(bare, "-" | "–" | "—" | "--" | "=>" | "->" | "→");
        if !code && (dash || turns || bare.starts_with('(')) {
            cuts.push(at);
        }
        code ^= bare.matches('`').count() % 2 == 1;
        at += word.len();
        if !code && (dash || bare.ends_with([',', ':', ')']) || bare.ends_with("),")) {
            cuts.push(at);
        }
    }
    cuts.push(sentence.len());
    let mut pieces: Vec<(usize, usize)> = Vec::new();
    for pair in cuts.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        match pieces.last_mut() {
            // A piece without a verb goes on with what the one before is about.
            Some(last) if goes_on(&sentence[last.0..last.1], &sentence[from..to]) => last.1 = to,
            _ => pieces.push((from, to)),
        }
    }
    let texts = pieces.into_iter().map(|(from, to)| &sentence[from..to]);
    texts.filter(|piece| !piece.trim().is_empty()).collect()
}

/// Is `piece` only more of a list that `before` began?
fn goes_on(before: &str, piece: &str) -> bool {
    let ended = before.trim_end().ends_with([':', '(']) || piece.trim_start().starts_with('(');
    let finite = words(piece).iter().any(|word| {
        let begins = |start| word.starts_with(start);
        listed(FINITE, word) || STARTS.split_ascii_whitespace().any(begins)
    });
    !ended && !finite && !before.trim().is_empty()
}

/// The words of a piece; a code span is the one word `codespan`.
fn words(piece: &str) -> Vec<String> {
    let mut plain = String::with_capacity(piece.len());
    for (at, span) in piece.split('`').enumerate() {
        plain.push_str(if at % 2 == 1 { " codespan " } else { span });
    }
    let plain = plain.replace('’', "'").to_lowercase();
    let mut all = Vec::new();
    for word in plain.split(|c: char| c.is_whitespace() || matches!(c, '/' | '…')) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
        if !word.is_empty() {
            spell_out(word, &mut all);
        }
    }
    all
}

/// `isn't` is `is not`, `I'll` is `i will`.
fn spell_out(word: &str, all: &mut Vec<String>) {
    const ENDS: &[(&str, &str)] = &[
        ("'ll", "will"),
        ("'ve", "have"),
        ("'re", "are"),
        ("'m", "am"),
        ("'d", "would"),
    ];
    const WHOLE: &[(&str, &[&str])] = &[
        ("cannot", &["can", "not"]),
        ("can't", &["can", "not"]),
        ("cant", &["can", "not"]),
        ("won't", &["will", "not"]),
        ("wont", &["will", "not"]),
        ("dont", &["do", "not"]),
        ("doesnt", &["does", "not"]),
        ("didnt", &["did", "not"]),
        ("isnt", &["is", "not"]),
        ("arent", &["are", "not"]),
        ("havent", &["have", "not"]),
        ("hasnt", &["has", "not"]),
        ("couldnt", &["could", "not"]),
        ("it's", &["it", "is"]),
        ("that's", &["that", "is"]),
        ("there's", &["there", "is"]),
        ("what's", &["what", "is"]),
        ("here's", &["here", "is"]),
    ];
    let mut push = |word: &str| all.push(word.to_owned());
    if let Some((_, parts)) = WHOLE.iter().find(|(whole, _)| *whole == word) {
        parts.iter().copied().for_each(push);
    } else if let Some(stem) = word.strip_suffix("n't") {
        push(stem);
        push("not");
    } else if let Some((stem, end)) = ENDS
        .iter()
        .find_map(|(end, full)| Some((word.strip_suffix(end)?, *full)))
    {
        push(stem);
        push(end);
    } else {
        push(word);
    }
}
