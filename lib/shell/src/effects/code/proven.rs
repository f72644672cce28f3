//! Code of languages that nobody searches: harmless only if every name in it is known to be.

use super::lexer::{Part, Token};

/// Names that neither delete, run, read nor send, in lower case, all languages together: printing,
/// arithmetic, data, control, and the project's own tests.
const HARMLESS: &str = "print println prints printf putstrln putstr show puts put echo disp display displayln newline format writeln fmt iolist inspect \
using import require include library pkg test tests instantiate precompile status resolve devtools testthat test_dir test_file test_local check document lint lintr lint_package style_pkg styler covr package_coverage roxygenise roxygen2 renv rcmdcheck \
version versioninfo sessioninfo packageversion string length len size count map filter fold foldl reduce sum prod max min abs sqrt round floor ceil range list vector array dict int integer float double bool char true false nil null none nothing \
let var val const def defn func function lambda then else elif elsif elseif end done for foreach each with case match when and not xor mod div rem begin return module main math base core sin cos tan log exp rand seed today date upper lower upcase downcase toupper tolower trim split join replace sort reverse concat append head tail first last keys values \
tostring to_string tojson json parse parseint tonumber halt init stop quit exit asdf ql quickload character numeric paste paste0 seq rep mean median matrix dim local _version table ipairs pairs console type typeof class assert equal stdout stderr flush \
scala predef haskell prelude data maybe just ioputs foundation stdlib swift";

/// Is every name in the code known to be harmless?
pub(super) fn harmless(tokens: &[Token]) -> bool {
    let known = |word: &str| {
        let word = word.to_ascii_lowercase();
        HARMLESS.split_whitespace().any(|known| known == word)
    };
    let parts = |c: char| !(c.is_alphanumeric() || c == '_');
    let named = |word: &&str| word.len() > 2 && !word.starts_with(|c: char| c.is_ascii_digit());
    tokens.iter().all(|token| match token {
        Token::Name(name) => name.split(parts).filter(named).all(known),
        Token::Text(text) => text.parts.iter().all(|part| match part {
            Part::Code(tokens) => harmless(tokens),
            Part::Plain(_) => true,
        }),
        Token::Command(_) | Token::Sign('`') => false,
        Token::Sign(_) | Token::End => true,
    })
}
