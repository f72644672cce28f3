//! Parts of a row of tokens.

use super::lexer::Token;

/// Tokens of the arguments of a call at most.
pub(super) const ARGUMENTS_MAX: usize = 2048;

/// An argument with its key, if it has one.
pub(super) struct Argument<'t> {
    pub(super) key: Option<&'t str>,
    pub(super) tokens: &'t [Token],
}

/// The tokens between a bracket that opens here and its end.
pub(super) fn group(tokens: &[Token], at: usize) -> Option<&[Token]> {
    let inner = until(tokens.get(at + 1..)?, |_| false);
    let closed = matches!(
        tokens.get(at + 1 + inner.len()),
        Some(Token::Sign(')' | ']' | '}'))
    );
    closed.then_some(inner)
}

/// The tokens up to one outside of all brackets, or up to a bracket that closes.
pub(super) fn until(tokens: &[Token], ends: impl Fn(&Token) -> bool) -> &[Token] {
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate().take(ARGUMENTS_MAX * 2) {
        if depth == 0 && ends(token) {
            return &tokens[..at];
        }
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return &tokens[..at],
            },
            _ => {}
        }
    }
    tokens
}

/// The parts between tokens outside of all brackets.
pub(super) fn split(tokens: &[Token], separates: impl Fn(&Token) -> bool) -> Vec<&[Token]> {
    let (mut parts, mut rest) = (Vec::new(), tokens);
    loop {
        let part = until(rest, &separates);
        parts.push(part);
        match rest.get(part.len() + 1..) {
            Some(after) => rest = after,
            None => break,
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The elements of a Lisp's list.
pub(super) fn elements(list: &[Token]) -> Vec<Argument<'_>> {
    let (mut elements, mut at) = (Vec::new(), 0);
    while at < list.len() {
        let length = match &list[at] {
            Token::Sign('(' | '[' | '{') => {
                group(list, at).map_or(list.len() - at, |inner| inner.len() + 2)
            }
            _ => 1,
        };
        if !list[at].is('\'') {
            elements.push(Argument {
                key: None,
                tokens: &list[at..at + length],
            });
        }
        at += length;
    }
    elements
}

pub(super) fn statement(tokens: &[Token], at: usize) -> &[Token] {
    let begins = at == 0
        || matches!(
            tokens[at - 1],
            Token::End | Token::Sign('{' | '}' | '(' | ':' | '>')
        );
    if begins {
        until(&tokens[at..], |token| *token == Token::End)
    } else {
        &tokens[at..at]
    }
}

/// `target = value`.
pub(super) fn assigned(statement: &[Token]) -> Option<(&[Token], &[Token])> {
    let target = until(statement, |token| token.is('='));
    let value = statement.get(target.len() + 1..)?;
    (!value.first()?.is('=') && !value.first()?.is('>')).then_some((target, value))
}

/// The parameters of `x => …` and `(x, y) => …`.
pub(super) fn arrow(value: &[Token]) -> Option<Vec<&str>> {
    let value = trimmed(value);
    let head = until(value, |token| token.is('='));
    let is_arrow = value.get(head.len() + 1).is_some_and(|token| token.is('>'));
    (is_arrow && !head.is_empty()).then(|| named(head))
}

/// The names among these tokens, without what is said of their types.
pub(super) fn named(tokens: &[Token]) -> Vec<&str> {
    let names = tokens.iter().filter_map(Token::name);
    names
        .filter(|name| !matches!(*name, "const" | "let" | "var" | "my" | "async" | "await"))
        .collect()
}

/// Without the ends of lines around it.
pub(super) fn bare(mut tokens: &[Token]) -> &[Token] {
    while let [Token::End, rest @ ..] | [rest @ .., Token::End] = tokens {
        tokens = rest;
    }
    tokens
}

/// Without what does not change what an expression is.
pub(super) fn trimmed(mut tokens: &[Token]) -> &[Token] {
    while let [first, rest @ ..] = tokens {
        let word = matches!(
            first.name(),
            Some("await" | "new" | "return" | "my" | "not" | "try" | "local" | "const")
        );
        if !(word
            || matches!(
                first,
                Token::End | Token::Sign('*' | '\\' | '@' | '&' | '.' | '?' | '!' | '\'' | '~')
            ))
        {
            break;
        }
        tokens = rest;
    }
    bare(tokens)
}

/// `key=value`, `key: value`, `key => value`.
pub(super) fn keyed(tokens: &[Token]) -> Argument<'_> {
    match tokens {
        [
            Token::Name(key),
            Token::Sign('='),
            Token::Sign('>'),
            Token::Sign('{'),
            ..,
        ] => Argument {
            key: Some(key),
            tokens: &[],
        },
        [Token::Name(key), Token::Sign('='), value @ ..]
            if !value
                .first()
                .is_some_and(|token| token.is('=') || token.is('>')) =>
        {
            Argument {
                key: Some(key),
                tokens: value,
            }
        }
        [Token::Name(key), Token::Sign(':'), value @ ..] => Argument {
            key: Some(key),
            tokens: value,
        },
        tokens => Argument { key: None, tokens },
    }
}

/// What a member is taken from: the expression that ends before the name here, with the name's own first parts.
pub(super) fn receiver(tokens: &[Token], at: usize) -> &[Token] {
    let own = tokens[at].name().is_some_and(|name| !name.starts_with('.'));
    if own {
        return &tokens[at..=at];
    }
    let mut start = at;
    let mut depth = 0_u32;
    while start > 0 {
        match &tokens[start - 1] {
            Token::Sign(')' | ']' | '}') => depth += 1,
            Token::Sign('(' | '[' | '{') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => break,
            },
            Token::Name(name) if depth == 0 && !name.starts_with('.') => {
                start -= 1;
                break;
            }
            Token::Text(_) | Token::Name(_) => {}
            _ if depth == 0 => break,
            _ => {}
        }
        start -= 1;
        if at - start > ARGUMENTS_MAX {
            break;
        }
        // A text or a group begins the expression, unless a name calls it.
        let begins =
            depth == 0 && matches!(tokens[start], Token::Text(_) | Token::Sign('(' | '[' | '{'));
        if begins
            && !(start > 0 && matches!(&tokens[start - 1], Token::Name(_) | Token::Sign(')' | ']')))
        {
            break;
        }
    }
    &tokens[start..at]
}
