use super::*;

const NOW: i64 = 1_795_179_600; // 2026-11-20T13:00:00Z

fn run(channel: Channel, exit: i32, now: i64, text: &str) -> Failure {
    classify(&Report {
        channel,
        text,
        exit: Some(exit),
        now,
        local: &TimeZone::UTC,
        zones: &|name| match name {
            // A zone with daylight saving, as POSIX text, so that no database is needed.
            "America/New_York" => TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").ok(),
            "America/Santiago" => TimeZone::posix("<-04>4<-03>,M9.1.6/24,M4.1.6/24").ok(),
            _ => None,
        },
    })
}

fn plain(text: &str) -> Failure {
    run(Channel::Plain, 1, NOW, text)
}

#[test]
fn limits_and_their_reset_times() {
    let at = |text: &str| {
        let failure = plain(text);
        assert!(failure.limited, "{text}: {failure:?}");
        failure.resets_at.map(|at| at - NOW)
    };
    let hour = 3600;
    assert_eq!(at("Claude AI usage limit reached|1795183200"), Some(hour));
    assert_eq!(
        at("Claude AI usage limit reached|1795183200000"),
        Some(hour)
    );
    assert_eq!(
        at("Claude usage limit reached. Your limit will reset \n     at 3pm (America/Santiago)."),
        Some(5 * hour)
    );
    assert_eq!(at("You're out of extra usage · resets 9pm"), Some(8 * hour));
    assert_eq!(
        at("You've hit your session limit · resets 12am (UTC)"),
        Some(11 * hour)
    );
    assert_eq!(
        at("You’ve hit your 5-hour limit · resets 5:29pm (UTC)"),
        Some(4 * hour + 29 * 60)
    );
    assert_eq!(
        at("You've hit your weekly limit · resets Nov 24 at 5pm (UTC)"),
        Some(4 * 24 * hour + 4 * hour)
    );
    assert_eq!(
        at("You've hit your weekly limit · resets Dec 8"),
        Some(18 * 24 * hour - 13 * hour)
    );
    assert_eq!(
        at("You've hit your weekly limit · resets Mon 9am (UTC)"),
        Some(3 * 24 * hour - 4 * hour)
    );
    assert_eq!(
        at("Weekly limit reached ∙ resets in 2h 10m"),
        Some(2 * hour + 600)
    );
    assert_eq!(at("5-hour limit reached ∙ resets 15:00"), Some(2 * hour));
    assert_eq!(
        at("Usage limit reached, resets 2026-11-20T14:00:00Z"),
        Some(hour)
    );
    assert_eq!(
        at("You've hit your limit · resets 9am (America/New_York)"),
        Some(hour)
    );
    assert_eq!(at("You've hit your limit · resets 9am (UTC-4)"), Some(0));
    assert_eq!(
        at("You've hit your session limit · resets 3pm (Mars/Olympus)"),
        None
    );
    assert_eq!(at("You've hit your session limit"), None);
}

#[test]
fn a_reset_that_has_just_passed_is_probed_after_a_minute() {
    let now = 1_795_186_840; // 15:00:40
    let failure = run(
        Channel::Plain,
        1,
        now,
        "You've hit your session limit · resets 3pm (UTC)",
    );
    assert_eq!(
        (failure.resets_at, failure.wait_s),
        (Some(1_795_186_800), Some(60))
    );
    let old = plain("Claude AI usage limit reached|1762952400");
    assert_eq!((old.resets_at, old.wait_s), (Some(1_762_952_400), Some(60)));
    let hour_ago = run(
        Channel::Plain,
        1,
        now + 3600,
        "You've hit your session limit · resets 3pm (UTC)",
    );
    assert_eq!(hour_ago.resets_at, Some(1_795_186_800 + 86_400));
}

#[test]
fn the_classes_by_message() {
    for (text, class) in [
        ("Invalid API key · Fix external API key", Class::Auth),
        ("Failed to authenticate. API Error: 403 {}", Class::Auth),
        ("OAuth token has expired. Please run /login", Class::Auth),
        ("Credit balance is too low", Class::Billing),
        (
            "Fable 5 requires usage credits. Switch models to continue.",
            Class::Billing,
        ),
        ("Your seat type doesn't include Claude Code", Class::Billing),
        (
            "Your usage allocation has been disabled by your admin",
            Class::Billing,
        ),
        (
            "API Error: Repeated 529 Overloaded errors. Try later",
            Class::Transient,
        ),
        ("API Error: 500 {\"type\":\"error\"}", Class::Transient),
        (
            "API Error: Connection dropped (ECONNRESET). …",
            Class::Transient,
        ),
        (
            "API Error: Request rejected (429) · This request would exceed your rate limit",
            Class::Transient,
        ),
        ("Request timed out. …", Class::Transient),
        ("Prompt is too long", Class::Context),
        ("Error: Exceeded USD budget (1)", Class::Budget),
        ("", Class::Unknown),
        (
            "You've used 93% of your session limit · resets 3pm",
            Class::Unknown,
        ),
        (
            "I wrote that the API Error: 500 is handled.",
            Class::Unknown,
        ),
    ] {
        assert_eq!(plain(text).class, class, "{text}");
    }
    assert!(plain("Credit balance is too low").needs_human);
}

#[test]
fn the_clients_own_list_of_limits_is_known_and_says_who_must_act() {
    for (start, class) in wording::ENDS {
        let rest = if *class == Class::UsageLimit {
            " limit · resets 3pm (UTC)"
        } else {
            ". Switch models to continue."
        };
        let found = plain(&format!("{start}{rest}"));
        assert_eq!(found.class, *class, "{start}");
        assert_eq!(found.needs_human, *class == Class::Billing, "{start}");
    }
    for start in wording::GOES_ON {
        assert_eq!(
            plain(&format!("{start} 93% of it · resets 3pm")).class,
            Class::Unknown,
            "{start}"
        );
    }
    assert!(plain("This service is disabled for your org").needs_human);
}

#[test]
fn prose_and_tool_results_never_count() {
    for channel in [Channel::Plain, Channel::AssistantText, Channel::ToolResult] {
        for text in [
            "You've used 93% of your session limit · resets 3pm",
            "Documented that the gateway answers API Error: 500 in the README.",
            "HTTP 403: API rate limit exceeded for user ID 123.",
            "The text \"You've hit your session limit\" is parsed now.",
        ] {
            assert_eq!(run(channel, 0, NOW, text).class, Class::None, "{text}");
        }
    }
    assert!(
        !run(
            Channel::ToolResult,
            0,
            NOW,
            "You've hit your session limit · resets 3pm"
        )
        .limited
    );
}

#[test]
fn structure_comes_first() {
    let json = |exit, text: &str| run(Channel::ResultJson, exit, NOW, text);
    assert_eq!(
        json(
            0,
            r#"{"type":"result","is_error":false,"result":"API Error: 500"}"#
        )
        .class,
        Class::None
    );
    assert_eq!(json(1, r#"{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":401,"result":"Invalid API key"}"#).class, Class::Auth);
    assert_eq!(json(1, r#"{"type":"result","is_error":true,"terminal_reason":"prompt_too_long","api_error_status":400,"result":"Prompt is too long"}"#).class, Class::Context);
    assert_eq!(
        json(
            1,
            r#"{"type":"result","subtype":"error_max_budget_usd","is_error":true}"#
        )
        .class,
        Class::Budget
    );
    assert_eq!(json(1, r#"{"type":"result","is_error":true,"api_error_status":529,"result":"API Error: Repeated 529"}"#).class, Class::Transient);
    assert_eq!(json(1, r#"{"type":"result","is_error":true,"result":"Credit balance is too low","api_error_status":400}"#).class, Class::Billing);
}

#[test]
fn a_stream_says_when_the_limit_ends_and_whether_it_was_outwaited() {
    let limit = run(
        Channel::Stream,
        1,
        NOW,
        concat!(
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795195799}}"#,
            "\n",
            r#"{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"You've hit your 5-hour limit"}"#,
            "\n"
        ),
    );
    assert_eq!(
        (limit.class, limit.resets_at),
        (Class::UsageLimit, Some(1_795_195_799))
    );
    let recovered = run(
        Channel::Stream,
        0,
        NOW,
        concat!(
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795195799}}"#,
            "\n",
            r#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#,
            "\n"
        ),
    );
    assert_eq!(recovered.class, Class::None);
}

#[test]
fn a_hook_names_its_class() {
    let hook = |error: &str, message: &str| {
        let text = serde_json::json!({"hook_event_name":"StopFailure","error":error,"last_assistant_message":message});
        run(Channel::StopFailureHook, 1, NOW, &text.to_string())
    };
    assert_eq!(
        hook(
            "server_error",
            "API Error: Connection refused (ECONNREFUSED)"
        )
        .class,
        Class::Transient
    );
    assert_eq!(
        hook("authentication_failed", "Invalid API key").class,
        Class::Auth
    );
    assert_eq!(hook("quota_paused", "?").class, Class::Unknown);
    assert_eq!(
        hook(
            "rate_limit",
            "You've hit your 5-hour limit · resets 5:29pm (UTC)"
        )
        .resets_at,
        Some(NOW + 16_140)
    );
    assert_eq!(
        hook("rate_limit", "API Error: Request rejected (429)").class,
        Class::Transient
    );
}
