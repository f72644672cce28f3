//! Kinds of tasks: detected by keywords, each with its steps.

use super::Request;

/// A kind of task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Talk about a design before anything is built.
    DesignTalk,
    /// Something is down.
    Emergency,
    /// Something is wrong.
    BugFix,
    /// Better structure, same behaviour.
    Refactoring,
    /// Text for people.
    Documentation,
    /// More or better tests.
    Tests,
    /// Something new; what holds when no keyword says otherwise.
    Feature,
    /// Answers out of data.
    DataAnalysis,
    /// Machines, pipelines, deployment.
    Infrastructure,
    /// Find something out; nothing is changed.
    Investigation,
}

/// One step of a kind, and what lets it be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Always(&'static str),
    /// Left out by `--skip-prd`.
    Prd(&'static str),
    /// Left out by `--skip-test`.
    Test(&'static str),
    /// Left out by `--skip-review`.
    Review(&'static str),
}

struct Row {
    kind: Kind,
    name: &'static str,
    /// What else a person may write before a colon; each keyword may stand there too.
    also: &'static [&'static str],
    /// Lower case. ASCII keywords stand at the beginning of a word, others anywhere.
    keywords: &'static [&'static str],
    steps: &'static [Step],
}

use Step::{Always, Prd, Review, Test};

/// In this order: the first kind with a keyword in the text is taken.
const TABLE: &[Row] = &[
    Row {
        kind: Kind::DesignTalk,
        name: "design talk",
        also: &["設計", "設計相談"],
        keywords: &[
            "discuss",
            "brainstorm",
            "design talk",
            "think about",
            "trade-off",
            "tradeoff",
            "pros and cons",
            "相談",
            "壁打ち",
            "議論",
            "設計方針",
            "設計を考",
        ],
        steps: &[
            Always(
                "Read what exists before you have an opinion. Check: name the files that the decision touches.",
            ),
            Always(
                "Lay out two or three options with what each costs. Check: each has a reason against it.",
            ),
            Always("Recommend one and say what would change your mind. Change no file."),
        ],
    },
    Row {
        kind: Kind::Emergency,
        name: "emergency",
        also: &["緊急対応"],
        keywords: &[
            "emergency",
            "urgent",
            "hotfix",
            "outage",
            "is down",
            "incident",
            "緊急",
            "至急",
            "障害",
            "ホットフィックス",
            "落ちた",
            "落ちている",
        ],
        steps: &[
            Always(
                "Find out what is broken since when: logs, last commits. Check: you can say it in one sentence.",
            ),
            Always(
                "Make the smallest change that ends it; a revert counts. Check: the symptom is gone, shown by a command.",
            ),
            Test("Add a test that would have caught it. Check: it fails without the change."),
            Always("Write down cause and follow-up with `progress-log next \"…\"`."),
        ],
    },
    Row {
        kind: Kind::BugFix,
        name: "bug fix",
        also: &["バグ修正"],
        keywords: &[
            "fix",
            "bug",
            "debug",
            "crash",
            "broken",
            "regression",
            "wrong result",
            "バグ",
            "修正",
            "不具合",
            "直し",
            "直す",
            "クラッシュ",
            "エラー",
            "失敗",
        ],
        steps: &[
            Always("Reproduce it. Check: a command or a test shows the wrong behaviour."),
            Test("Write that as a failing test first. Check: it fails for the right reason."),
            Always(
                "Find the cause, not the place where it shows, and fix it there. Check: the reproduction is right now.",
            ),
            Test("Run the whole test suite. Check: nothing that passed before fails."),
            Review(
                "Read your diff as a stranger would. Check: nothing in it is not needed for the fix.",
            ),
        ],
    },
    Row {
        kind: Kind::Refactoring,
        name: "refactoring",
        also: &["リファクタリング", "perf"],
        keywords: &[
            "refactor",
            "clean up",
            "cleanup",
            "restructure",
            "simplify",
            "optimi",
            "speed up",
            "performance",
            "reorganis",
            "reorganiz",
            "リファクタ",
            "整理",
            "共通化",
            "高速化",
            "パフォーマンス",
        ],
        steps: &[
            Test(
                "Run the tests before you touch anything. Check: they pass, and they cover what you will move.",
            ),
            Always(
                "Change the structure in steps, each with the same behaviour. Check: the tests pass after each; commit each.",
            ),
            Always(
                "Start the agents `overnight:perf-agent` and `overnight:quality-agent` side by side on the result. Check: their reports stand in progress/.",
            ),
            Review("Read your diff as a stranger would. Check: no behaviour changed."),
        ],
    },
    Row {
        kind: Kind::Documentation,
        name: "documentation",
        also: &["docs"],
        keywords: &[
            "document",
            "docs",
            "readme",
            "changelog",
            "manual",
            "ドキュメント",
            "文書",
            "説明書",
            "手順書",
        ],
        steps: &[
            Always(
                "Read the code that the text is about. Check: every statement you will make is in it.",
            ),
            Always(
                "Write it for one reader with one question, examples first. Check: somebody new could do it by the text alone.",
            ),
            Test("Run every command and example as it stands. Check: they do what the text says."),
        ],
    },
    Row {
        kind: Kind::Tests,
        name: "tests",
        also: &["tests"],
        keywords: &["test", "coverage", "テスト", "カバレッジ"],
        steps: &[
            Always("Find what is not tested and would hurt most. Check: a list, worst first."),
            Always("Write tests that say in their name which fact they prove."),
            Always("Break the code once for each. Check: each new test fails then."),
            Always("Run the whole suite twice. Check: the same result both times."),
        ],
    },
    Row {
        kind: Kind::DataAnalysis,
        name: "data analysis",
        also: &["分析"],
        keywords: &[
            "data analysis",
            "analyse",
            "analyze",
            "dataset",
            "statistic",
            "histogram",
            "aggregate",
            "データ分析",
            "集計",
            "可視化",
        ],
        steps: &[
            Always(
                "Look at the data first: size, columns, gaps, doubles. Check: counts by a command, not by eye.",
            ),
            Always(
                "Write the question down in one sentence, then the script that answers it. Check: it gives the same figures twice.",
            ),
            Always("Check the result another way. Check: both agree, or say why not."),
            Always("Report figure, method and doubt; leave the script in the repository."),
        ],
    },
    Row {
        kind: Kind::Infrastructure,
        name: "infrastructure",
        also: &["infra", "ci", "build"],
        keywords: &[
            "infrastructure",
            "docker",
            "kubernetes",
            "terraform",
            "pipeline",
            "ci/cd",
            "github actions",
            "deploy",
            "インフラ",
            "デプロイ",
            "環境構築",
        ],
        steps: &[
            Always(
                "Say what runs now and where its configuration stands. Check: the files by name.",
            ),
            Always(
                "Change it so that it can be undone. Check: you can name the command that undoes it.",
            ),
            Test(
                "Validate without touching anything live: dry run, linter, local build. Check: it passes.",
            ),
            Review(
                "Read the diff for secrets, open ports and wider rights. Check: none that nobody asked for.",
            ),
        ],
    },
    Row {
        kind: Kind::Investigation,
        name: "investigation",
        also: &["question"],
        keywords: &[
            "investigat",
            "find out",
            "research",
            "look into",
            "explain",
            "why",
            "how does",
            "調査",
            "調べ",
            "原因",
            "なぜ",
        ],
        steps: &[
            Always(
                "Collect facts: code, history, logs, an experiment. Change no file of the project.",
            ),
            Always(
                "Separate what you saw from what you conclude. Check: each fact has a file and line, or a command and its output.",
            ),
            Always(
                "Answer the question in the first sentence, then the evidence, then what stays open.",
            ),
        ],
    },
];

const FEATURE: Row = Row {
    kind: Kind::Feature,
    name: "feature",
    also: &["feat", "機能", "新機能", "機能追加"],
    keywords: &[],
    steps: &[
        Prd(
            "Write down what it must do, in a few testable sentences. Check: each could be a test's name.",
        ),
        Always("Read the code around it and follow its ways."),
        Always("Build the smallest whole thing. Check: it runs."),
        Test("Test each of those sentences. Check: the whole suite passes."),
        Always(
            "Start the agent `overnight:dedup-agent` on what changed. Check: its report stands in progress/.",
        ),
        Review(
            "Read your diff as a stranger would. Check: names, errors, edge cases, no leftovers.",
        ),
    ],
};

impl Kind {
    /// Its name, as it is shown and as a person may write it before a colon.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The steps, numbered, without those that the person skips.
    pub fn steps(self, request: &Request) -> String {
        let wanted = self.row().steps.iter().filter_map(|step| match step {
            Prd(_) if request.skip_prd => None,
            Test(_) if request.skip_test => None,
            Review(_) if request.skip_review => None,
            Always(text) | Prd(text) | Test(text) | Review(text) => Some(*text),
        });
        let lines = wanted
            .enumerate()
            .map(|(index, text)| format!("{}. {text}\n", index + 1));
        lines.collect::<Vec<_>>().concat()
    }

    /// Does such work keep everything green by nature, so that no test need be red before it?
    pub fn keeps_green(self) -> bool {
        matches!(self, Self::Refactoring | Self::Documentation)
    }

    fn row(self) -> &'static Row {
        TABLE
            .iter()
            .find(|row| row.kind == self)
            .unwrap_or(&FEATURE)
    }
}

/// The kind of a task and why: the name (or a keyword alone) before a colon, else the first kind with a keyword in
/// the text, else a feature.
pub fn detect(what: &str) -> (Kind, Option<&'static str>) {
    let lower = what.to_lowercase();
    let named = lower.split_once([':', '：']).map(|(name, _)| name.trim());
    let mut all = TABLE.iter().chain([&FEATURE]);
    let by_name = |name: &str| {
        all.find_map(|row| {
            let words = row.also.iter().chain(row.keywords).copied();
            let word = std::iter::once(row.name)
                .chain(words)
                .find(|word| *word == name)?;
            Some((row.kind, Some(word)))
        })
    };
    if let Some(found) = named.and_then(by_name) {
        return found;
    }
    let hit = |row: &'static Row| {
        let word = row
            .keywords
            .iter()
            .find(|keyword| contains(&lower, keyword))?;
        Some((row.kind, Some(*word)))
    };
    TABLE.iter().find_map(hit).unwrap_or((Kind::Feature, None))
}

/// Words that begin like a keyword and mean something else.
const LOOKALIKES: &[&str] = &["fixture", "testimon", "testament", "manually"];

fn contains(text: &str, keyword: &str) -> bool {
    let mut from = 0;
    while let Some(at) = text[from..].find(keyword) {
        let (before, word) = text.split_at(from + at);
        let begins = before
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_ascii_alphanumeric());
        let other = LOOKALIKES.iter().any(|other| word.starts_with(other));
        if !keyword.is_ascii() || begins && !other {
            return true;
        }
        from += at + keyword.len();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_kind_with_a_keyword_is_taken() {
        for (what, kind) in [
            ("let's discuss how to fix the login", Kind::DesignTalk),
            ("URGENT: the shop is down", Kind::Emergency),
            ("fix the failing tests", Kind::BugFix),
            ("ログインのバグを修正して", Kind::BugFix),
            ("Refactor the parser", Kind::Refactoring),
            ("README を更新", Kind::Documentation),
            ("raise the coverage of lib/", Kind::Tests),
            ("テストを追加", Kind::Tests),
            ("add the latest prefix", Kind::Feature),
            ("aggregate the sales csv", Kind::DataAnalysis),
            ("Dockerイメージを小さく", Kind::Infrastructure),
            ("why is the build slow", Kind::Investigation),
            ("ログイン画面を作る", Kind::Feature),
            (
                "investigation: fix candidates in the tests",
                Kind::Investigation,
            ),
            ("feature: fix the date format", Kind::Feature),
            ("設計方針を相談したい", Kind::DesignTalk),
            ("本番で障害が起きている", Kind::Emergency),
            ("パーサーをリファクタリング", Kind::Refactoring),
            ("手順書を書く", Kind::Documentation),
            ("売上を集計", Kind::DataAnalysis),
            ("原因を調べて", Kind::Investigation),
            ("add a testimonials page", Kind::Feature),
            ("share the fixtures", Kind::Feature),
            ("stop adding them manually", Kind::Feature),
            ("add a CSV export", Kind::Feature),
            ("docs: fix the typo", Kind::Documentation),
            ("feat: document upload", Kind::Feature),
            ("機能：バグ報告の画面を作る", Kind::Feature),
            ("調査：なぜテストが失敗するか", Kind::Investigation),
            ("テストが失敗する", Kind::BugFix),
            ("本番が落ちた", Kind::Emergency),
            ("検索を高速化", Kind::Refactoring),
            ("note: see docs", Kind::Documentation),
        ] {
            assert_eq!(detect(what).0, kind, "{what}");
        }
    }

    #[test]
    fn every_kind_has_words_in_both_languages_and_steps_with_checks() {
        for row in TABLE {
            let japanese = row.keywords.iter().filter(|word| !word.is_ascii()).count();
            assert!(
                japanese >= 1 && japanese < row.keywords.len(),
                "{}",
                row.name
            );
        }
        for row in TABLE.iter().chain([&FEATURE]) {
            let steps = row.kind.steps(&Request::default());
            assert!(steps.lines().count() >= 3, "{}", row.name);
            assert!(steps.contains("Check: "), "{}", row.name);
            let named = format!("{}: fix the tests", row.name);
            assert_eq!(
                detect(&named),
                (row.kind, Some(row.name)),
                "correctable by name"
            );
        }
    }

    #[test]
    fn skipped_steps_are_gone_and_the_rest_counts_on() {
        let request = Request {
            skip_test: true,
            skip_review: true,
            ..Request::default()
        };
        insta::assert_snapshot!(Kind::BugFix.steps(&request), @r"
        1. Reproduce it. Check: a command or a test shows the wrong behaviour.
        2. Find the cause, not the place where it shows, and fix it there. Check: the reproduction is right now.
        ");
        for row in TABLE.iter().chain([&FEATURE]) {
            assert!(!row.kind.steps(&request).is_empty(), "{}", row.name);
        }
    }
}
