//! Programs that read files or their input and print: what they show may be a secret, and what
//! they make of known text is known where that is cheap.

mod sed;

use super::{Row, code, effect, options, sizes};
use crate::data::Data;
use crate::machine::{Call, Machine, secret_name};
use crate::table::rows;
use crate::{mark, policy};

pub(super) const ROWS: &[Row] = &[
    (
        "head tail sort uniq cut paste join comm fold fmt column expand unexpand pr strings od \
         hexdump hd diff colordiff delta bat batcat shuf tsort iconv look rev tr base64 base32 \
         xxd cmp sdiff zcat zless xzcat bzcat zstdcat jq yq gron xmllint xsltproc tomlq fx jless \
         mlr csvcut csvlook pygmentize highlight glow mdcat ccze ts pv numfmt uuencode uudecode \
         most hexyl",
        filter,
    ),
    (
        "grep egrep fgrep rg ag ack zgrep ugrep sift pcregrep rga",
        search,
    ),
    ("sed gsed", sed::sed),
    ("awk gawk mawk nawk", awk),
    ("less more", pager),
    ("sponge", |machine, call| {
        let how = if call.stdin.blank() {
            super::How::Empty
        } else {
            super::How::Write
        };
        for file in options::words(call.args(), "") {
            super::writes(machine, file, how);
        }
        Data::empty()
    }),
];

fn filter(machine: &mut Machine<'_>, call: &Call) -> Data {
    if call.name == "ts" {
        // moreutils' filter or task-spooler's queue.
        super::wrappers::scan(machine, call);
    }
    let jq = call.is("jq yq gron fx tomlq mlr");
    let in_place = call.is("yq sort xmllint mlr");
    let mut input = call.stdin.clone();
    let mut operands = operands(call);
    if call.name == "tr" || call.name == "look" {
        operands.clear();
    }
    if jq && !operands.is_empty() {
        operands.remove(0);
    }
    let names = takes_names(call);
    for operand in operands {
        let data = if names {
            super::content(machine, operand)
        } else {
            super::reads(machine, operand)
        };
        input = if input.text.as_deref() == Some("") {
            data
        } else {
            input.then(data)
        };
    }
    own_languages(machine, call, jq);
    if in_place
        && let Some(target) = options::parse(call.args(), "o", "output", false).value("o", "output")
    {
        super::writes(machine, target, super::How::Write);
    }
    let endless = input.endless && (call.name != "head" || sizes::head_fills(call.args()));
    if input.endless && call.is("sort tail column shuf jq") {
        super::exhausts(machine, "keeps input without end in memory");
    }
    let output = match transformed(call, &input) {
        Some(text) => Data::known(&text),
        // Lines that are not known in full pass as they are, or not at all.
        None if chooses_lines(call) && patterns(&input) => Data {
            path: None,
            ..input
        },
        None => input.derived(),
    };
    Data {
        endless,
        secret: output.secret && !names,
        ..output
    }
}

fn chooses_lines(call: &Call) -> bool {
    call.is("sort uniq head tail shuf") && !options::any(call.args(), "-c --bytes")
}

fn patterns(data: &Data) -> bool {
    let text = data.text.as_deref();
    text.is_some_and(|text| text.lines().all(mark::unknown))
}

/// Is it `cut -d= -f1`? Of `NAME=value` the names alone are no secret.
fn takes_names(call: &Call) -> bool {
    let cut = options::parse(call.args(), "dfcb", "delimiter fields", false);
    call.name == "cut"
        && cut.value("d", "delimiter") == Some("=")
        && cut.value("f", "fields") == Some("1")
}

/// Files that jq takes in by name, files that yq edits, and code in mlr's own language.
fn own_languages(machine: &mut Machine<'_>, call: &Call, jq: bool) {
    if jq && call.args().iter().any(|arg| shows_environment(arg)) {
        effect(machine, &policy::ENVIRONMENT, &call.name);
    }
    if call.name == "yq" && options::any(call.args(), "-i --inplace -iy") {
        for file in operands(call).iter().skip(1) {
            super::writes(machine, file, super::How::Append);
        }
    }
    for (at, arg) in call.args().iter().enumerate() {
        if matches!(arg.as_str(), "--rawfile" | "--slurpfile" | "--argfile")
            && let Some(file) = call.args().get(at + 2)
        {
            super::reads(machine, file);
        }
    }
    if call.name == "mlr" {
        for text in call.args().iter().filter(|arg| arg.contains([' ', '('])) {
            code::awk(machine, text);
        }
    }
}

/// Options with a value of each program: what is no value is a file.
const VALUED: &[[&str; 2]] = rows!("../../tables/valued.txt");

fn operands(call: &Call) -> Vec<&str> {
    let valued = VALUED.iter().find(|[names, _]| call.is(names));
    options::words(call.args(), valued.map_or("--output", |[_, valued]| valued))
}

/// `env` and `$ENV` of jq, all of it or a variable named like a secret.
fn shows_environment(program: &str) -> bool {
    ["$ENV", "env"].iter().any(|base| {
        program.match_indices(base).any(|(at, _)| {
            let before = program[..at].chars().next_back();
            let rest = &program[at + base.len()..];
            let name: String = rest
                .trim_start_matches('.')
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            let apart = before.is_none_or(|c| " |(,[{:".contains(c));
            apart && (name.is_empty() && !rest.starts_with(['.', '"']) || secret_name(&name))
        })
    })
}

/// Text made from known text.
fn transformed(call: &Call, input: &Data) -> Option<String> {
    let text = input.text.as_deref().filter(|text| !mark::unknown(text))?;
    let args: Vec<&str> = call.args().iter().map(String::as_str).collect();
    match (call.name.as_str(), args.as_slice()) {
        ("rev", _) => Some(
            text.lines()
                .map(|line| line.chars().rev().collect::<String>() + "\n")
                .collect(),
        ),
        ("base64", ["-d" | "--decode" | "-D" | "-di" | "-id", ..]) => decode_base64(text),
        ("xxd", flags)
            if flags.iter().all(|flag| flag.starts_with('-'))
                && flags.iter().any(|flag| flag.contains('r')) =>
        {
            decode_hex(text)
        }
        ("tr", ["-d", set]) => Some(text.chars().filter(|c| !ranges(set).contains(c)).collect()),
        ("tr", [from, to]) if !from.starts_with('-') => translate(text, from, to),
        ("sort" | "uniq" | "head" | "tail", []) => Some(text.to_owned()),
        _ => None,
    }
}

fn ranges(set: &str) -> Vec<char> {
    let characters: Vec<char> = set.replace("\\n", "\n").chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        if at + 2 < characters.len() && characters[at + 1] == '-' {
            all.extend(characters[at]..=characters[at + 2]);
            at += 3;
        } else {
            all.push(characters[at]);
            at += 1;
        }
    }
    all
}

fn translate(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (ranges(from), ranges(to));
    let last = *to.last()?;
    Some(
        text.chars()
            .map(|c| match from.iter().position(|other| *other == c) {
                Some(at) => to.get(at).copied().unwrap_or(last),
                None => c,
            })
            .collect(),
    )
}

fn decode_base64(text: &str) -> Option<String> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=')
    {
        let value = u32::try_from(ALPHABET.iter().position(|letter| *letter == byte)?).ok()?;
        bits = ((bits << 6) | value) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count).to_le_bytes()[0]);
        }
    }
    String::from_utf8(bytes).ok()
}

fn decode_hex(text: &str) -> Option<String> {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    let bytes = digits
        .chunks_exact(2)
        .map(|pair| (pair[0] * 16 + pair[1]).to_le_bytes()[0])
        .collect();
    String::from_utf8(bytes).ok()
}

const SEARCH_VALUED: &str = "-e -f -A -B -C -m -g --glob --type --include --exclude --exclude-dir -d -D --color -j \
    --max-depth -M --replace --pre --sort";

/// The names that a search lists, one pattern for each place where it looks.
fn file_names(call: &Call, options: &options::Options<'_>, operands: &[&str]) -> Option<String> {
    let names = options.gives("l L files files-with-matches files-without-match");
    let below = call.is("rg ag ack ugrep") || options.has("rR", "recursive");
    let here = [if below { "." } else { return None }];
    if !names {
        return None;
    }
    let roots = if operands.is_empty() {
        &here[..]
    } else {
        operands
    };
    let list: Vec<String> = roots
        .iter()
        .map(|root| format!("{}/{}", root.trim_end_matches('/'), mark::STAR))
        .collect();
    Some(list.join("\n") + "\n")
}

fn search(machine: &mut Machine<'_>, call: &Call) -> Data {
    let args = call.args();
    let also = if call.is("rg ack ag") {
        " -r -t -T -E"
    } else {
        ""
    };
    let mut operands = options::words(args, &format!("{SEARCH_VALUED}{also}"));
    let options = options::parse(args, "efABCmgd", "regexp file", false);
    let listing = options.gives("files l c q L files-with-matches count quiet");
    let pattern = operands.first().copied();
    if !options.has("e", "regexp") && !options.gives("files") && !operands.is_empty() {
        operands.remove(0);
    }
    if let Some(file) = options.value("f", "file") {
        super::reads(machine, file);
    }
    if let Some(names) = file_names(call, &options, &operands) {
        return Data::known(&names);
    }
    let pattern = options.value("e", "regexp").or(pattern);
    let named = machine.made.contains(super::ENVIRONMENT) && pattern.is_some_and(names_harmless);
    let mut secret = call.stdin.secret && !listing && !named;
    if !listing {
        for operand in operands {
            secret |= super::reads(machine, operand).secret;
            if reads_all(call, &options) && holds_home(machine, operand) {
                effect(machine, &policy::READ_SECRETS, operand);
            }
        }
    }
    Data {
        secret,
        ..call.stdin.derived()
    }
}

/// Does it read every file below a folder, hidden ones too?
fn reads_all(call: &Call, options: &options::Options<'_>) -> bool {
    let hidden = if call.is("rg ack ag") {
        "hidden u unrestricted"
    } else {
        "r R recursive dereference-recursive"
    };
    let mut chosen = options.values("include g glob t type").into_iter();
    options.gives(hidden) && chosen.all(|glob| glob == "*")
}

/// Is the home folder in it?
fn holds_home(machine: &Machine<'_>, folder: &str) -> bool {
    let folder = machine.resolve(folder, false);
    let inside = machine
        .context
        .home
        .strip_prefix(folder.trim_end_matches('/'));
    inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `^(CI|PATH)=`: of all variables none that may be a secret.
fn names_harmless(pattern: &str) -> bool {
    let Some(names) = pattern
        .strip_prefix('^')
        .and_then(|rest| rest.strip_suffix('='))
    else {
        return false;
    };
    let name = |name: &str| {
        name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') && !secret_name(name)
    };
    names
        .trim_matches(['(', ')', '\\'])
        .split('|')
        .map(|it| it.trim_end_matches('\\'))
        .all(name)
}

fn awk(machine: &mut Machine<'_>, call: &Call) -> Data {
    let options = options::parse(
        call.args(),
        "fvFie",
        "file assign source include field-separator",
        true,
    );
    let files = options.values("f file");
    let mut operands = options.operands.clone();
    let mut programs: Vec<&str> = options.values("e source");
    if files.is_empty() && programs.is_empty() && !operands.is_empty() {
        programs.push(operands.remove(0));
    }
    for program in programs {
        code::awk(machine, program);
    }
    if options.values("i include").contains(&"inplace") {
        for operand in &operands {
            super::writes(machine, operand, super::How::Append);
        }
    }
    let mut data = call.stdin.derived();
    for operand in operands.iter().filter(|operand| !operand.contains('=')) {
        data = data.then(super::reads(machine, operand)).derived();
    }
    data.derived()
}

fn pager(machine: &mut Machine<'_>, call: &Call) -> Data {
    for arg in call.args() {
        if let Some(command) = arg.strip_prefix("+!").or_else(|| arg.strip_prefix("+|")) {
            super::runs_text(machine, command, &Data::unknown());
        }
    }
    filter(machine, call)
}
