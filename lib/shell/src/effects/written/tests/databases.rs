//! Statements that are given to databases from files.

use super::Files;
use crate::{Context, Decision, judge_command};

#[test]
fn statements_that_were_there_before_may_fill_a_database_of_this_machine() {
    for (command, before, stopped) in [
        ("psql -d app_dev -f seed.sql", true, false),
        ("psql -h localhost -d app_dev -f seed.sql", true, false),
        ("psql -d app_dev -f seed.sql", false, true),
        ("psql -h db.example.org -d app_dev -f seed.sql", true, true),
        ("psql \"$DATABASE_URL\" -f seed.sql", true, true),
        (
            "psql postgresql://a:b@localhost:5432/app_test -f seed.sql",
            false,
            false,
        ),
        (
            "psql postgresql://a:b@db.example.org/app_test -f seed.sql",
            false,
            true,
        ),
    ] {
        let facts = Files {
            before: Some(before),
            ..Files::one("seed.sql", "truncate items; insert into items values (1);")
        };
        let context = Context {
            facts: &facts,
            ..Context::repository("/srv/repo", "/home/dev")
        };
        let decision = judge_command(command, &context).decision;
        assert_eq!(decision != Decision::Allow, stopped, "{command}");
    }
}
