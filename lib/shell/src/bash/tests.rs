//! What the parser reads, seen through the arguments that would run.

use crate::{Context, predict_arguments};

/// The commands that would run, their words joined by `|`, the commands by `;`.
fn run(text: &str) -> String {
    let commands = predict_arguments(text, &Context::repository("/srv/repo", "/home/dev"));
    let commands: Vec<String> = commands.into_iter().map(|argv| argv.join("|")).collect();
    commands.join(";")
}

#[test]
fn quotes_join_and_keep_words() {
    assert_eq!(run(r#"p 'a b'"c d"e\ f"#), "p|a bc de f");
    assert_eq!(run(r"p $'a\tb\x41\u00e9'"), "p|a\tbA\u{e9}");
    assert_eq!(run("p ''"), "p|");
    assert_eq!(run("p a\\\nb"), "p|ab");
}

#[test]
fn expansions_with_known_values_are_followed() {
    assert_eq!(run("x='a b'; p $x \"$x\""), "p|a|b|a b");
    assert_eq!(run("p ${x:-d}"), "p|d");
    assert_eq!(
        run("x=abc.rs; p ${x%.rs} ${x#a} ${x/b/_}"),
        "p|abc|bc.rs|a_c.rs"
    );
    assert_eq!(run("p {a,b}{1..2}"), "p|a1|a2|b1|b2");
    assert_eq!(run("IFS=,; x=a,b; p $x"), "p|a|b");
}

#[test]
fn compounds_run_all_of_their_commands() {
    assert_eq!(run("if p; then q; else r; fi"), "p;q;r");
    assert_eq!(run("for i in 1 2; do p $i; done"), "p|1;p|2");
    assert_eq!(run("case $a in a) p;; *) q;; esac"), "p;q");
    assert_eq!(run("f() { p; }; f"), "f;p");
    assert_eq!(run("( p ) & { q; }"), "p;q");
    assert_eq!(run("p && q || r"), "p;q;r");
}

#[test]
fn what_is_data_does_not_run() {
    assert_eq!(run("p <<'E'\n$(q)\nE"), "p");
    assert_eq!(run("p # $(q)"), "p");
    assert_eq!(run("p '$(q)'"), "p|$(q)");
    assert_eq!(run("p <<E\n$(q)\nE"), "q;p");
    assert_eq!(run("[[ a == b ]] && p"), "p");
}

#[test]
fn substitutions_run_wherever_they_stand() {
    for text in [
        "p $(q)",
        "p `q`",
        "p \"$(q)\"",
        "p <(q)",
        "p $(( $(q) ))",
        "p ${x:-$(q)}",
        "p > $(q)",
        "x=$(q) p",
        "[[ -n $(q) ]]",
    ] {
        assert!(
            run(text).split(';').any(|argv| argv == "q"),
            "{text}: {}",
            run(text)
        );
    }
}
