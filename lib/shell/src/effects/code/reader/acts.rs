//! What calls do with what they are given.

use super::super::follow;
use super::super::slices;
use super::{
    Act, Argument, Data, How, Reader, Seen, Token, Value, effect, mark, policy, runs_text, writes,
};
use crate::effects::sql;

/// Code that code evaluates, within each other at most.
const EVALUATED_MAX: u32 = 3;
/// Tokens before the opening of a file in which its options stand.
const OPTIONS_MAX: usize = 40;
/// Ways that the arguments of a call may be put together at most.
const WAYS_MAX: usize = 16;

impl Reader<'_, '_, '_> {
    /// A program with its arguments, or a line for the shell.
    pub(super) fn starts(&mut self, given: &[Vec<Value>], arguments: &[Argument<'_>]) {
        self.see(Seen::Starts);
        let Some(ways) = ways(given) else {
            return self.unsure();
        };
        let before = (
            self.machine.state.cwd.clone(),
            self.machine.state.also.clone(),
        );
        if let Some(folder) = arguments
            .iter()
            .find(|argument| argument.key == Some("cwd"))
            && let [folder] = self.scope.values(folder.tokens).as_slice()
        {
            let folder = self.machine.resolve(&folder.words.concat(), false);
            self.machine.state.go(&folder, true);
        }
        for way in ways.iter().filter(|way| !way.is_empty()) {
            let line = way[0].contains(char::is_whitespace) || way.len() == 1;
            let again = way
                .get(1)
                .is_some_and(|second| crate::place::last(&way[0]) == second);
            if line {
                runs_text(self.machine, &way[0], &Data::unknown());
            } else if way[0].starts_with(mark::is_mark) {
                self.unsure();
            } else {
                self.machine
                    .run_words(&way[usize::from(again)..], &Data::unknown());
            }
        }
        (self.machine.state.cwd, self.machine.state.also) = before;
    }

    /// What a command does with paths. Of what is not known nothing is proven.
    pub(super) fn does(&mut self, command: &str, given: Vec<Vec<Value>>) {
        let moves = matches!(command, "mv" | "cp" | "ln" | "ln -s");
        let given: Vec<Vec<Value>> = given
            .into_iter()
            .filter(|values| !values.iter().all(is_number))
            .collect();
        let Some(ways) = ways(&given) else {
            return self.unsure();
        };
        let ways: Vec<&[String]> = ways
            .iter()
            .map(|way| if moves { &way[..way.len().min(2)] } else { way })
            .collect();
        for way in &ways {
            let unknown = way
                .iter()
                .any(|word| word.starts_with([mark::ANY, mark::SECRET, mark::NETWORK]));
            if command == "cat" {
                way.iter()
                    .filter(|path| !path.contains("://"))
                    .for_each(|path| self.reads(path));
                if way.iter().any(|path| path.contains("://")) {
                    self.see(Seen::Sends);
                }
            } else if unknown || way.len() < 1 + usize::from(moves) {
                self.unsure();
            } else {
                let words = command.split(' ').chain(["--"]).map(str::to_owned);
                let words: Vec<String> = words
                    .chain(way.iter().map(|path| self.at_home(path)))
                    .collect();
                self.machine.run_words(&words, &Data::unknown());
            }
        }
    }

    pub(super) fn kills(&mut self, given: Vec<Vec<Value>>) {
        for word in known(given.into_iter())
            .filter(|word| word.starts_with(['-', '1', '0', mark::PARENT]) && word.len() < 5)
        {
            self.machine
                .run_words(&["kill".into(), "--".into(), word], &Data::unknown());
        }
    }

    /// The rest of the code works in another folder.
    pub(super) fn goes(&mut self, given: Vec<Vec<Value>>) {
        if let Some(folder) = known(given.into_iter().take(1)).next() {
            let folder = self.machine.resolve(&self.at_home(&folder), false);
            self.machine.state.go(&folder, true);
        }
    }

    /// A client with the database or the host that it is given.
    pub(super) fn connects(
        &mut self,
        client: &'static str,
        given: Vec<Vec<Value>>,
        arguments: &[Argument<'_>],
    ) {
        let host = arguments
            .iter()
            .find(|argument| argument.key == Some("host"))
            .map(|host| self.scope.values(host.tokens))
            .map(|host| {
                format!(
                    "--host={}",
                    known(std::iter::once(host)).collect::<String>()
                )
            });
        // Its kind is named first, or in its address.
        let kind = |given: &[Vec<Value>]| known(given.iter().take(1).cloned()).collect::<String>();
        let named = usize::from(client == "sql" && !kind(&given).contains(':'));
        let client = match client {
            "sql" if kind(&given).contains("sqlite") => "sqlite3",
            "sql" => "psql",
            client => client,
        };
        let database = given
            .into_iter()
            .skip(named)
            .take(1)
            .flatten()
            .flat_map(|value| value.words)
            .map(|word| self.at_home(word.trim_start_matches("file:")));
        let words = std::iter::once(client.to_owned()).chain(database.take(1));
        self.connected.push(words.chain(host).collect());
    }

    /// The statements among the texts, given to the clients.
    pub(in crate::effects::code) fn states(&mut self) {
        for client in std::mem::take(&mut self.connected) {
            let file = client[0] == "sqlite3";
            for text in self.texts.clone().iter().filter(|text| sql::states(text)) {
                let words = client.iter().cloned();
                let flag = (!file).then(|| "-e".to_owned());
                let words: Vec<String> = words.chain(flag).chain([text.clone()]).collect();
                self.machine.run_words(&words, &Data::unknown());
            }
        }
    }

    pub(super) fn changes(&mut self, given: Vec<Vec<Value>>) {
        self.see(Seen::Writes);
        for path in known(given.into_iter().take(1)) {
            let path = self.at_home(&path);
            writes(self.machine, &path, How::Append);
        }
    }

    pub(super) fn written(&mut self, mut given: Vec<Vec<Value>>) {
        self.see(Seen::Writes);
        let content = if given.len() > 1 {
            given.swap_remove(1)
        } else {
            Vec::new()
        };
        let content = match content.as_slice() {
            [only] if !only.list => Data::known(&only.words.concat()),
            _ => Data::unknown(),
        };
        for path in known(given.into_iter().take(1)) {
            let words = ["tee".to_owned(), "--".to_owned(), self.at_home(&path)];
            self.machine.run_words(&words, &content);
        }
    }

    /// Files, by their mode; in Perl also a program, by a pipe.
    pub(super) fn opens(&mut self, given: Vec<Vec<Value>>, closed: bool) {
        let perl = self.scope.language.family == "perl";
        let words = |values: Vec<Value>| values.into_iter().flat_map(|value| value.words);
        let mut given: Vec<Vec<String>> = given
            .into_iter()
            .skip(usize::from(perl))
            .map(|values| words(values).take(WAYS_MAX).collect())
            .collect();
        // There the mode comes first.
        if perl && given.len() > 1 {
            given.swap(0, 1);
        }
        let Some(paths) = given.first() else { return };
        let mode = given.get(1).and_then(|words| words.first());
        let piped = |word: &&String| word.starts_with('|') || word.ends_with('|');
        let apart = perl && mode.is_some();
        let told = if apart { mode } else { paths.first() };
        if let Some(piped) = told.filter(piped) {
            self.see(Seen::Starts);
            let command = if apart {
                let arguments = given[2..].concat();
                [paths.clone(), arguments].concat().join(" ")
            } else {
                piped.trim_matches('|').to_owned()
            };
            runs_text(self.machine, &command, &Data::unknown());
            return;
        }
        for path in paths {
            let mode = mode.unwrap_or(path);
            let to_write = mode.starts_with(['>', '+'])
                || given.len() > 1 && mode.len() < 5 && mode.contains(['w', 'a', 'x', '+']);
            let path = self.at_home(path.trim_start_matches(['>', '<', '+', ' ']));
            if mark::arbitrary(&path) {
            } else if path.contains("://") {
                self.see(Seen::Sends);
            } else if to_write {
                self.see(Seen::Writes);
                let how = match mode.as_str() {
                    mode if mode.contains('w') && closed => How::Empty,
                    mode if mode.contains('w') => How::Write,
                    _ => How::Append,
                };
                writes(self.machine, &path, how);
            } else {
                self.reads(&path);
            }
        }
    }

    pub(super) fn evaluates(&mut self, arguments: &[Argument<'_>], given: &[Vec<Value>]) {
        let Some(first) = arguments.first() else {
            return;
        };
        // Names of calls, as symbols or texts.
        if let [Token::Sign(':'), Token::Name(name)] = first.tokens {
            if self.scope.calls.act(name).is_some() {
                self.unsure();
            }
            return;
        }
        if first.tokens.is_empty() || first.tokens[0].is('{') || is_function(first.tokens) {
            return;
        }
        for value in given.first().into_iter().flatten() {
            let text = value.words.concat();
            if text.contains(mark::NETWORK) {
                effect(self.machine, &policy::REMOTE_CODE, self.program);
            } else if mark::unknown(&text) || self.evaluated >= EVALUATED_MAX {
                effect(
                    self.machine,
                    &policy::OPAQUE_CODE,
                    mark::ANY.encode_utf8(&mut [0; 4]),
                );
            } else if self
                .scope
                .calls
                .act(&text)
                .is_some_and(|(act, _)| act != Act::Says)
            {
                self.unsure();
            } else {
                follow(self.machine, &text, self.program, self.evaluated + 1);
            }
        }
    }

    /// Does this call reach another machine?
    pub(super) fn reaches(&self, name: &str, tokens: &[Token], given: &[Vec<Value>]) -> bool {
        match self.scope.resolved(name).as_str() {
            // Looking for a free port connects to nobody.
            "socket.socket" => tokens
                .iter()
                .filter_map(Token::name)
                .any(|name| name.contains(".connect") || name.ends_with(".sendto")),
            "get" => given
                .iter()
                .flatten()
                .any(|value| value.words.concat().contains("://")),
            _ => true,
        }
    }
}

/// The words of a call, for each way that they may be put together. `None`: there are too many.
fn ways(given: &[Vec<Value>]) -> Option<Vec<Vec<String>>> {
    let mut ways = vec![Vec::new()];
    for values in given {
        if ways.len() * values.len() > WAYS_MAX {
            return None;
        }
        ways = ways
            .iter()
            .flat_map(|way: &Vec<String>| {
                values
                    .iter()
                    .map(|value| [way.clone(), value.words.clone()].concat())
            })
            .collect();
    }
    Some(ways)
}

/// Does this call fetch what a known address names, and send nothing?
pub(super) fn downloads(name: &str, arguments: &[Argument<'_>], given: &[Vec<Value>]) -> bool {
    let verb = matches!(
        name.rsplit('.').next(),
        Some("get" | "head" | "urlopen" | "urlretrieve" | "fetch" | "stream")
    );
    let bare = |argument: &Argument<'_>| {
        matches!(
            argument.key,
            Some("timeout" | "stream" | "context" | "allow_redirects")
        )
    };
    let known = |value: &Value| !mark::unknown(&value.words.concat());
    // The second names the file.
    let own = 1 + usize::from(name.ends_with("urlretrieve"));
    verb && arguments.iter().skip(own).all(bare)
        && given
            .first()
            .is_some_and(|address| !address.is_empty() && address.iter().all(known))
}

/// The texts that are known as paths.
pub(super) fn known(given: impl Iterator<Item = Vec<Value>>) -> impl Iterator<Item = String> {
    given
        .flatten()
        .flat_map(|value| value.words)
        .filter(|word| !mark::arbitrary(word) && !word.is_empty())
}

fn is_number(value: &Value) -> bool {
    value.words.is_empty()
        || matches!(value.words.as_slice(), [word] if word.bytes().all(|byte| byte.is_ascii_digit()))
}

pub(super) fn is_function(tokens: &[Token]) -> bool {
    let words = matches!(
        tokens.first().and_then(Token::name),
        Some("function" | "lambda" | "async")
    );
    words
        || tokens
            .windows(2)
            .any(|pair| pair[0].is('=') && pair[1].is('>'))
}

/// Is it said before, or among its arguments, that it writes: `.append(true).open(path)`, `os.O_WRONLY`?
pub(super) fn opens_to_write(tokens: &[Token], at: usize) -> bool {
    let before = tokens[at.saturating_sub(OPTIONS_MAX)..at].iter().rev();
    let mut before = before
        .take_while(|token| **token != Token::End)
        .filter_map(Token::name);
    let given = slices::group(tokens, at + 1).unwrap_or_default();
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let mut flags = given.iter().filter_map(Token::name).map(last);
    before.any(|name| {
        matches!(
            name,
            ".append" | ".write" | ".truncate" | ".create" | ".create_new"
        )
    }) || flags.any(|flag| {
        matches!(
            &*flag,
            "O_WRONLY" | "O_RDWR" | "O_APPEND" | "O_CREATE" | "O_CREAT" | "O_TRUNC"
        )
    })
}
