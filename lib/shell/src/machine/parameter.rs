//! Parameter expansion.

use super::fields::Fields;
use super::{Machine, Value, glob};
use crate::bash::{Param, ParamOp};
use crate::mark;

/// Bytes that a variable may grow to before its value counts as unknown: `x=$x$x` doubles.
const VALUE_MAX: usize = 1 << 16;

impl Machine<'_> {
    pub(super) fn param_part(&mut self, param: &Param, quoted: bool, fields: &mut Fields<'_>) {
        let all = matches!(param.name.as_str(), "@" | "*") || Self::index_is_all(param);
        if all && matches!(param.op, ParamOp::None) && !param.length && !param.indirect {
            let values = self.list_of(&param.name);
            let star = param.name == "*"
                || param
                    .index
                    .as_ref()
                    .is_some_and(|index| index.bare() == Some("*"));
            if quoted && !star {
                fields.list(&values);
            } else if quoted {
                fields.literal(&values.join(" "));
            } else {
                fields.expanded(&values.join(" "));
            }
            return;
        }
        let value = self.parameter(param);
        let value = if value.len() > VALUE_MAX {
            mark::ANY.to_string()
        } else {
            value
        };
        if quoted {
            fields.literal(&value);
        } else {
            fields.expanded(&value);
        }
    }

    fn index_is_all(param: &Param) -> bool {
        param
            .index
            .as_ref()
            .is_some_and(|index| matches!(index.bare(), Some("@" | "*")))
    }

    fn list_of(&self, name: &str) -> Vec<String> {
        if matches!(name, "@" | "*") {
            return self.state.arguments.to_vec();
        }
        match self.state.get(self.context, name) {
            Value::List(values) => values,
            Value::Text(text) => vec![text],
            Value::Unset => Vec::new(),
        }
    }

    fn value_of(&mut self, param: &Param) -> Option<String> {
        if let Some(index) = &param.index {
            let index_text = self.text(index);
            self.evaluated(&index_text);
            return match (
                self.state.get(self.context, &param.name),
                index_text.as_str(),
            ) {
                (Value::List(values), "@" | "*") => Some(values.join(" ")),
                (Value::List(values), index) => match index.parse::<usize>() {
                    Ok(index) => values.get(index).cloned(),
                    Err(_) => Some(mark::ANY.to_string()),
                },
                (Value::Text(text), "0" | "@" | "*") => Some(text),
                (Value::Text(_), _) => Some(mark::ANY.to_string()),
                (Value::Unset, _) => None,
            };
        }
        if matches!(param.name.as_str(), "@" | "*") {
            return Some(self.state.arguments.join(" "));
        }
        match self.state.get(self.context, &param.name) {
            Value::Text(text) => Some(text),
            Value::List(values) => values.first().cloned(),
            Value::Unset => None,
        }
    }

    fn parameter(&mut self, param: &Param) -> String {
        let value = self.value_of(param);
        if param.length {
            return mark::SEGMENT.to_string();
        }
        let value = if param.indirect {
            self.indirect(param, value)
        } else {
            value
        };
        match &param.op {
            ParamOp::None => value.unwrap_or_default(),
            ParamOp::Default { sign, colon, word } => {
                self.defaulted(param, value, (*sign, *colon), word)
            }
            ParamOp::Strip {
                suffix,
                longest,
                pattern,
            } => {
                let pattern = self.text(pattern);
                // An ending that is written out, of names that a pattern finds: `${f%.txt}`.
                if let Some(text) = value.as_deref().filter(|text| !mark::arbitrary(text))
                    && *suffix
                    && !mark::unknown(&pattern)
                    && !pattern.contains(['*', '?', '[', '\\'])
                    && let Some(stem) = text.strip_suffix(pattern.as_str())
                {
                    return stem.to_owned();
                }
                known(value, &pattern, |text| {
                    Some(strip(text, &pattern, *suffix, *longest))
                })
            }
            ParamOp::Replace {
                kind,
                pattern,
                with,
            } => {
                let (pattern, with) = (self.text(pattern), self.text(with));
                let both = format!("{pattern}{with}");
                known(value, &both, |text| replace(text, &pattern, &with, *kind))
            }
            ParamOp::Case { upper, all } => {
                known(value, "", |text| Some(recase(text, *upper, *all)))
            }
            ParamOp::Slice { range } => {
                let range = self.text(range);
                self.evaluated(&range);
                known(value, &range, |text| slice(text, &range))
            }
            ParamOp::Transform(kind) => match kind {
                'U' => known(value, "", |text| Some(text.to_uppercase())),
                'L' => known(value, "", |text| Some(text.to_lowercase())),
                'P' => {
                    // A prompt string is expanded once more, substitutions included.
                    let text = value.unwrap_or_default();
                    self.evaluated(&text);
                    mark::ANY.to_string()
                }
                _ => known(value, "", |_| None),
            },
        }
    }

    /// `${!x}`: the variable that `x` names; `${!prefix@}` gives names.
    fn indirect(&mut self, param: &Param, value: Option<String>) -> Option<String> {
        if Self::index_is_all(param) {
            // `${!list[@]}`: the keys of an array.
            return Some(mark::ANY.to_string());
        }
        if super::state::secret_name(&param.name) || param.name.starts_with("AWS") {
            return Some(mark::SECRET.to_string());
        }
        let name = value?;
        self.evaluated(&name);
        if mark::unknown(&name) {
            // Any variable, those with secrets too.
            return Some(mark::SECRET.to_string());
        }
        match self.state.get(self.context, &name) {
            Value::Text(text) => Some(text),
            Value::List(values) => values.first().cloned(),
            Value::Unset => None,
        }
    }

    fn defaulted(
        &mut self,
        param: &Param,
        value: Option<String>,
        how: (char, bool),
        word: &crate::bash::Word,
    ) -> String {
        let (sign, colon) = how;
        let state = self.state.clone();
        let other = self.text(word);
        self.state = state;
        let empty = value.as_deref().is_none_or(|text| text.is_empty() && colon);
        let unsure = value
            .as_deref()
            .is_some_and(|text| text.contains(mark::ANY));
        match sign {
            '+' if unsure => {
                if other.is_empty() {
                    String::new()
                } else {
                    mark::ANY.to_string()
                }
            }
            '+' if empty => String::new(),
            '+' => other,
            // An unknown variable: most likely unset, so the default; both are possible, and a
            // known default tells more than nothing.
            '-' | '=' if unsure || empty => {
                let result = if unsure && risky(&other) {
                    other
                } else if unsure {
                    mark::ANY.to_string() + &other
                } else {
                    other
                };
                if sign == '=' {
                    self.state.set(&param.name, Value::Text(result.clone()));
                }
                result
            }
            // `${x:?}` ends the shell when x is empty: what follows is not empty.
            '?' if unsure => format!("{}{}", mark::SEGMENT, mark::ANY),
            _ => value.unwrap_or_default(),
        }
    }
}

/// Is a default by itself worth more attention than "anything"?
fn risky(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('-')
}

fn known(
    value: Option<String>,
    operand: &str,
    work: impl FnOnce(&str) -> Option<String>,
) -> String {
    let text = value.unwrap_or_default();
    if mark::unknown(&text) || mark::unknown(operand) || text.len() + operand.len() > glob::TEXT_MAX
    {
        let simple = !mark::arbitrary(&text) && !text.contains('/') && !mark::arbitrary(operand);
        let kept = [mark::SECRET, mark::NETWORK]
            .into_iter()
            .find(|mark| text.contains(*mark));
        return kept
            .unwrap_or(if simple { mark::SEGMENT } else { mark::ANY })
            .to_string();
    }
    work(&text).unwrap_or_else(|| mark::ANY.to_string())
}

fn cuts(text: &str) -> Vec<usize> {
    text.char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect()
}

fn strip(text: &str, pattern: &str, suffix: bool, longest: bool) -> String {
    let mut cuts = cuts(text);
    if suffix != longest {
        cuts.reverse();
    }
    for cut in cuts {
        let (part, rest) = if suffix {
            (&text[cut..], &text[..cut])
        } else {
            (&text[..cut], &text[cut..])
        };
        if glob::matches(pattern, part) {
            return rest.to_owned();
        }
    }
    text.to_owned()
}

fn replace(text: &str, pattern: &str, with: &str, kind: char) -> Option<String> {
    if !pattern.contains(['*', '?', '[', '\\']) {
        return Some(match kind {
            _ if pattern.is_empty() => text.to_owned(),
            '/' => text.replace(pattern, with),
            '#' => text
                .strip_prefix(pattern)
                .map_or(text.to_owned(), |rest| format!("{with}{rest}")),
            '%' => text
                .strip_suffix(pattern)
                .map_or(text.to_owned(), |rest| format!("{rest}{with}")),
            _ => text.replacen(pattern, with, 1),
        });
    }
    if pattern.chars().count() == 1 || (pattern.starts_with('[') && pattern.ends_with(']')) {
        let mut first = true;
        return Some(
            text.chars()
                .map(|c| {
                    let hit = glob::matches(pattern, &c.to_string()) && (first || kind == '/');
                    if hit {
                        first = false;
                        with.to_owned()
                    } else {
                        c.to_string()
                    }
                })
                .collect(),
        );
    }
    None
}

fn recase(text: &str, upper: bool, all: bool) -> String {
    let change = |part: &str| {
        if upper {
            part.to_uppercase()
        } else {
            part.to_lowercase()
        }
    };
    if all {
        return change(text);
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    change(&text[..first]) + &text[first..]
}

/// `offset` or `offset:length` in constant numbers.
fn slice(text: &str, range: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    let total = i64::try_from(characters.len()).ok()?;
    let mut numbers = range.split(':').map(|number| {
        number
            .trim()
            .trim_matches(['(', ')'])
            .trim()
            .parse::<i64>()
            .ok()
    });
    let offset = numbers.next()??;
    let start = if offset < 0 {
        (total + offset).max(0)
    } else {
        offset.min(total)
    };
    let end = match numbers.next() {
        None => total,
        Some(length) => {
            let length = length?;
            if length < 0 {
                total + length
            } else {
                start.saturating_add(length)
            }
        }
    };
    let end = end.clamp(start, total);
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    Some(characters[start..end].iter().collect())
}
