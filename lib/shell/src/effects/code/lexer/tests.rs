//! What the lexer makes of each language.

use super::super::languages;
use super::*;

fn shown(code: &str, program: &str) -> String {
    let show = |token: &Token| match token {
        Token::Name(name) => name.clone(),
        Token::Text(text) => format!("<{}>", mark::show(&text.shown())),
        Token::Command(text) => format!("!{}!", mark::show(&text.shown())),
        Token::Sign(sign) => sign.to_string(),
        Token::End => "|".to_owned(),
    };
    let tokens = tokens(code, languages::of(program));
    tokens.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_language_quotes_and_comments_in_its_own_way() {
    for (program, code, want) in [
        ("python3", "# don't\nos.system('x')", "| os.system ( <x> )"),
        (
            "python3",
            "f'{a}b' r'\\n' '''q\n'r'''",
            "<$…b> <\\n> <q\n'r>",
        ),
        ("python3", "x = 'open\ny", "x = <open> | y"),
        ("python3", "a = 7 // 2 # '", "a = 7 / / 2"),
        ("node", "/* ' */ f(/'/g, `a${b}`) // '", "f ( <> , <a$…> )"),
        ("node", "a / b / c; a?.b\n  .c()", "a / b / c | a.b.c ( )"),
        (
            "ruby",
            "%w[a b] %x{rm #{d}} `ls` x % y",
            "<a b> !rm $…! !ls! x % y",
        ),
        (
            "ruby",
            "puts <<~A\n don't\nA\nexit",
            "puts < don't\n> | exit",
        ),
        (
            "perl",
            "s/'/x/; system 'rm'; q{a{b}}",
            "<> | system <rm> | <a{b}>",
        ),
        (
            "perl",
            "\"$ENV{HOME}/x\" . $y->{s}",
            "<$…/x> . $y - > { s }",
        ),
        ("php", "'a'.f(\"b\") # '", "<a> . f ( <b> )"),
        ("lua", "--[[ ' ]] f[[x]] -- '", "f <x>"),
        ("guile", "(system* \"rm\") ; \"", "( system* <rm> )"),
        (
            "rust",
            "std::fs::remove_file(\"x\") // '",
            "std.fs.remove_file ( <x> )",
        ),
        ("elixir", "File.rm_rf!(\"x\")", "File.rm_rf ( <x> )"),
        ("erl", "os:cmd(\"x\"). % '", "os.cmd ( <x> ) ."),
    ] {
        assert_eq!(shown(code, program), want, "{code}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(program in 0..8_usize, code in "[a-cfqmsw=.'\"`;\n(){}, \\\\/%#$<é\u{f0000}]{0,60}") {
        let programs = ["python", "node", "ruby", "perl", "php", "lua", "sbcl", "groovy"];
        tokens(&code, languages::of(programs[program]));
    }
}
