use super::*;
use proptest::prelude::*;

fn text(input: &str) -> String {
    String::from_utf8(redact(input.as_bytes()).0).unwrap()
}

/// Secrets of every kind, put together here so that no scanner of this repository stumbles.
fn secrets() -> Vec<(String, &'static str)> {
    let a = |count: usize| {
        "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
            .chars()
            .cycle()
            .take(count)
            .collect::<String>()
    };
    let hex = |count: usize| {
        "0123456789abcdef"
            .chars()
            .cycle()
            .take(count)
            .collect::<String>()
    };
    vec![
        (format!("AKIA{}", "Q7RS5TUV3WXY2ZAB"), "aws-access-key"),
        (format!("ghp_{}", a(36)), "github-token"),
        (format!("github_pat_{}_{}", a(22), a(59)), "github-token"),
        (format!("glpat-{}", a(20)), "gitlab-token"),
        (
            format!("sk-ant-api03-{}-{}AA", a(60), a(30)),
            "anthropic-key",
        ),
        (format!("sk-proj-{}", a(48)), "openai-key"),
        (format!("sk-{}", a(48)), "openai-key"),
        (format!("xoxb-{}-{}", "123456789012", a(24)), "slack-token"),
        (format!("AIza{}", a(35)), "google-api-key"),
        (format!("npm_{}", a(36)), "npm-token"),
        (format!("pypi-AgEIcHlwaS5vcmc{}", a(60)), "pypi-token"),
        (format!("hf_{}", a(34)), "huggingface-token"),
        (format!("cio{}", a(32)), "crates-io-token"),
        (format!("sk_live_{}", a(24)), "stripe-key"),
        (format!("SG.{}.{}", a(22), a(43)), "sendgrid-key"),
        (format!("dop_v1_{}", hex(64)), "digitalocean-token"),
        (format!("hvs.{}", a(24)), "vault-token"),
        (format!("dckr_pat_{}", a(27)), "docker-token"),
        (
            format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{}", a(43)),
            "jwt",
        ),
    ]
}

#[test]
fn every_kind_is_found_in_every_surrounding() {
    for (secret, kind) in secrets() {
        for (before, after) in [
            ("", ""),
            ("see ", "."),
            ("\"", "\","),
            ("x=", "&y=1"),
            ("\x1b[32m", "\x1b[0m"),
            ("(", ")"),
        ] {
            let shown = text(&format!("line\n{before}{secret}{after}\nline\n"));
            let expected = format!("line\n{before}[REDACTED:{kind}:");
            assert!(shown.starts_with(&expected), "{kind}: {shown}");
            assert!(
                shown.ends_with(&format!("]{after}\nline\n")),
                "{kind}: {shown}"
            );
        }
    }
}

#[test]
fn no_beginning_stands_for_two_shapes() {
    let beginnings = shapes::beginnings();
    let distinct: std::collections::BTreeSet<_> = shapes::beginnings().collect();
    assert_eq!(distinct.len(), beginnings.count());
}

#[test]
fn headers_urls_and_assignments_lose_their_value_only() {
    for (input, shown) in [
        (
            "Authorization: Bearer abcdef123456",
            "Authorization: Bearer [REDACTED:authorization:da4ec3]",
        ),
        (
            "-H 'authorization: Basic dXNlcjpwYXNz'",
            "-H 'authorization: Basic [REDACTED:authorization:0e9d22]'",
        ),
        (
            "https://u:p@h/x",
            "https://u:[REDACTED:url-password:148de9]@h/x",
        ),
        ("PASSWORD=hunter2", "PASSWORD=[REDACTED:password:f52fbd]"),
        (
            "export DB_PASSWORD=\"hunter2\" # x",
            "export DB_PASSWORD=\"[REDACTED:password:f52fbd]\" # x",
        ),
        (
            "{\"password\": \"hunter2\"}",
            "{\"password\": \"[REDACTED:password:f52fbd]\"}",
        ),
        (
            "{\\\"password\\\":\\\"hunter2\\\"}",
            "{\\\"password\\\":\\\"[REDACTED:password:f52fbd]\\\"}",
        ),
        (
            "?password=hunter2&x=1",
            "?password=[REDACTED:password:f52fbd]&x=1",
        ),
    ] {
        assert_eq!(text(input), shown);
    }
    for name in [
        "API_KEY=",
        "GITHUB_TOKEN=",
        "AWS_SECRET_ACCESS_KEY=",
        "secret_key: ",
        "apiKey: \"",
        "--token=",
        "MY_KEY=",
    ] {
        let shown = text(&format!("{name}abcd1234efgh5678ijkl"));
        assert!(shown.contains("[REDACTED:"), "{shown}");
    }
}

#[test]
fn what_agents_need_stays() {
    for harmless in [
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "pip install sk-learn scikit-learn task-0123456789abcdef0123456789abcdef01234567",
        "password: ",
        "Password:\n",
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "PASSWORD=$DB_PASSWORD TOKEN=${TOKEN} SECRET=<your secret> API_KEY=***",
        "[with _Key = std::__cxx11::basic_string<char>; _Val = std::pair<const std::__cxx11::basic_string<char>, int>]",
        "MAX_TOKENS=4096 tokens: 1234 token_type=bearer secret_name=db",
        "error: unexpected token: `}`",
        "fn login(user: &str, password: String, token: Token)",
        "password = input(\"Password: \")",
        "if token == other.token { token::next() }",
        "https://example.com/a:b@c git@github.com:a/b.git ssh://git@host/x http://[::1]:80/",
        "CACHE_KEY=node-cache-Linux-x64-npm-9f86d081884c7d65",
        "test auth::bearer token_is_required ... FAILED",
        "npm_config_registry=https://registry.npmjs.org",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ] {
        assert_eq!(text(harmless), harmless);
    }
}

#[test]
fn a_private_key_goes_whole_and_its_lines_stay_counted() {
    let body = "MIIEpAIBAAKCAQEA7bq9".repeat(3);
    for (line_end, end) in [
        ("\n", "-----END RSA PRIVATE KEY-----"),
        ("\r\n", "-----END RSA PRIVATE KEY-----"),
        ("\n", ""),
    ] {
        let key = [
            "-----BEGIN RSA PRIVATE KEY-----",
            "Proc-Type: 4,ENCRYPTED",
            "",
            &body,
            "MIIE",
            end,
        ]
        .join(line_end);
        let shown = text(&format!("before\n{key}\nafter it all\n"));
        assert!(!shown.contains("MII"), "{shown}");
        assert!(
            shown.starts_with("before\n[REDACTED:private-key:"),
            "{shown}"
        );
        assert!(shown.ends_with("\nafter it all\n"), "{shown}");
        assert_eq!(shown.lines().count(), 8, "{shown}");
    }
    let escaped = format!(
        "{{\"key\":\"-----BEGIN PRIVATE KEY-----\\n{body}\\n-----END PRIVATE KEY-----\\n\",\"a\":1}}\n"
    );
    let shown = text(&escaped);
    assert!(
        shown.starts_with("{\"key\":\"[REDACTED:private-key:")
            && shown.ends_with("]\\n\",\"a\":1}\n"),
        "{shown}"
    );
}

#[test]
fn a_line_without_end_is_given_out_in_pieces_and_secrets_in_it_are_found() {
    let secret = secrets().swap_remove(1).0;
    let mut redactor = Redactor::new();
    let (mut out, mut longest) = (Vec::new(), 0);
    for _ in 0..100 {
        redactor.push(&[b' '; 5_000], &mut out);
        redactor.push(secret.as_bytes(), &mut out);
        longest = longest.max(redactor.text.len());
    }
    redactor.finish(&mut out);
    assert_eq!(redactor.count(), 100);
    assert!(longest < 2 * LINE_HELD_MAX, "{longest}");
    assert!(memchr::memmem::find(&out, b"ghp_").is_none());
}

proptest! {
    #[test]
    fn chunks_make_no_difference(
        pieces in proptest::collection::vec(prop_oneof![
            Just("PASSWORD=hunter2 ".to_owned()),
            Just("-----BEGIN PRIVATE KEY-----\nMIIEaaaa\n".to_owned()),
            Just("-----END PRIVATE KEY-----".to_owned()),
            Just("\n".to_owned()),
            (0..19_usize).prop_map(|at| secrets().swap_remove(at).0),
            "[ -~]{0,12}",
        ], 0..12),
        cuts in proptest::collection::vec(1..40_usize, 1..40),
    ) {
        let whole = pieces.concat();
        let mut redactor = Redactor::new();
        let (mut out, mut rest, mut cuts) = (Vec::new(), whole.as_bytes(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(rest.len().min(*cuts.next().unwrap()));
            redactor.push(chunk, &mut out);
            rest = after;
        }
        redactor.finish(&mut out);
        prop_assert_eq!(String::from_utf8(out).unwrap(), text(&whole));
    }

    #[test]
    fn any_bytes_are_survived_and_text_without_secrets_is_exact(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (out, count) = redact(&bytes);
        if count == 0 {
            prop_assert_eq!(out, bytes);
        }
    }
}

/// Lines longer than what is held back, with keys in them, with and without an END.
#[test]
fn where_chunks_end_in_a_line_without_end_makes_no_difference() {
    let key = format!(
        "-----BEGIN {} KEY-----\\n{}\\n-----END {} KEY-----",
        "PRIVATE",
        "MIIEvQIBADANBgkq".repeat(100),
        "PRIVATE"
    );
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE");
    let filler = "word ".repeat(12_000);
    let bare = format!("-----BEGIN {} KEY-----\n", "PRIVATE");
    let texts = [
        format!("{filler}{key}{filler}{token} {filler}{key} {filler}\nend {token}\n"),
        format!(
            "{filler}{bare}{}\n{token}\n",
            "MIIEvQIBADANBgkq".repeat(9_000)
        ),
        format!("{bare}{filler}{token}{filler}{filler}\n{token}"),
        format!("{}{filler}{token}{filler}", bare.trim_end()),
    ];
    for text in &texts {
        let whole = redact(text.as_bytes());
        for size in [1_000, 4_095, 8_192, 30_001, 65_537] {
            let (mut redactor, mut out) = (Redactor::new(), Vec::new());
            for chunk in text.as_bytes().chunks(size) {
                redactor.push(chunk, &mut out);
            }
            redactor.finish(&mut out);
            assert!(
                out == whole.0,
                "chunks of {size} bytes of {} bytes",
                text.len()
            );
            assert_eq!(redactor.count(), whole.1);
        }
    }
}
