use super::*;

/// In the language of the PRD.
fn render(progress: &Progress, existing: &Files) -> Files {
    super::render(progress, existing, Language::Japanese)
}

#[test]
fn a_note_below_our_count_belongs_to_the_item_above_it() {
    let readme = "## 完了済み\n- [ ] a\n（ほか 5 件は completed.md）\n  note b".to_owned();
    let before = Files {
        readme,
        ..Files::default()
    };
    let after = render(&parse(&before), &before);
    assert!(after.completed.contains("  note b"), "{}", after.completed);
}

#[test]
fn new_files_are_english_unless_asked_otherwise_and_existing_ones_keep_their_language() {
    let english = super::render(&sample(), &Files::default(), Language::English);
    assert!(
        english.readme.contains("## Current state"),
        "{}",
        english.readme
    );
    assert!(english.readme.is_ascii() || !english.readme.contains("現在"));
    let japanese = render(&sample(), &Files::default());
    for asked in [Language::English, Language::Japanese] {
        assert_eq!(super::render(&sample(), &japanese, asked), japanese);
        assert_eq!(super::render(&sample(), &english, asked), english);
    }
}
use proptest::prelude::*;

fn stamp() -> Stamp {
    Stamp {
        session: "123".into(),
        when: "2026-02-08 10:00:30".into(),
    }
}

fn sample() -> Progress {
    let mut progress = Progress {
        project: "demo".into(),
        ..Progress::default()
    };
    progress.finish("first task", &stamp());
    progress.start("second task", &stamp());
    progress.block("third task", "no network\nhere", &stamp());
    progress.plan("fourth task", &stamp());
    progress
}

#[test]
fn new_files_have_the_format_of_the_prd() {
    let files = render(&sample(), &Files::default());
    insta::assert_snapshot!(files.readme, @r"
    # プロジェクト進捗: demo
    最終更新: 2026-02-08 10:00:30 | セッション: #123

    ## 現在の状態
    - フェーズ: 実装
    - 進捗率: 25%
    - ブロッカー: third task

    ## 完了済み
    - [x] first task（セッション#123）

    ## 進行中
    - [ ] second task（セッション#123、開始: 2026-02-08 10:00）

    ## Next Actions
    1. fourth task
    ");
    insta::assert_snapshot!(files.completed, @r"
    # 完了タスク履歴

    - [x] first task（セッション#123、完了: 2026-02-08 10:00）
    ");
    insta::assert_snapshot!(files.blocked, @r"
    # ブロックされたタスク

    - [ ] third task（セッション#123、ブロック: 2026-02-08 10:00）
      - 理由: no network here
    ");
    insta::assert_snapshot!(files.next_actions, @r"
    # 次に取り組むべきこと

    1. fourth task
    ");
}

#[test]
fn the_files_are_understood_as_they_were_meant() {
    let progress = sample();
    assert_eq!(parse(&render(&progress, &Files::default())), progress);
}

#[test]
fn a_persons_sections_notes_and_free_text_survive() {
    let mut files = render(&sample(), &Files::default());
    files.readme = files.readme.replace(
        "## 完了済み",
        "- レビュー待ち: Bob\n\nfree text\n\n## My notes\nkeep **this**\n```\n## not a heading\n```\n\n## 完了済み",
    );
    files.readme = files.readme.replace(
        "開始: 2026-02-08 10:00）",
        "開始: 2026-02-08 10:00）\n  - see ticket 7",
    );
    files
        .blocked
        .push_str("  - asked Alice\n\n## Contacts\nAlice 555\n");
    let mut progress = parse(&files);
    progress.finish("second task", &stamp());
    let files = render(&progress, &files);
    insta::assert_snapshot!(files.readme, @r"
    # プロジェクト進捗: demo
    最終更新: 2026-02-08 10:00:30 | セッション: #123

    ## 現在の状態
    - フェーズ: 実装
    - 進捗率: 50%
    - ブロッカー: third task

    - レビュー待ち: Bob

    free text

    ## My notes
    keep **this**
    ```
    ## not a heading
    ```

    ## 完了済み
    - [x] first task（セッション#123）
    - [x] second task（セッション#123）

    ## 進行中

    ## Next Actions
    1. fourth task
    ");
    assert!(
        files
            .blocked
            .contains("  - asked Alice\n\n## Contacts\nAlice 555\n"),
        "{}",
        files.blocked
    );
    assert!(
        files.completed.contains("  - see ticket 7\n"),
        "{}",
        files.completed
    );
}

#[test]
fn items_that_a_person_adds_or_ticks_are_taken_over() {
    let mut files = render(&sample(), &Files::default());
    files.readme = files.readme.replace("- [ ] second", "- [x] second") + "2. written by hand\n";
    files.next_actions.push_str("- also by hand\n");
    let progress = parse(&files);
    let titles = |items: &[Item]| {
        items
            .iter()
            .map(|item| item.title.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(&progress.done), ["first task", "second task"]);
    assert_eq!(
        titles(&progress.next),
        ["fourth task", "also by hand", "written by hand"]
    );
    assert!(progress.doing.is_empty());
}

#[test]
fn a_translated_summary_stays_english() {
    let files = Files {
        readme: "# Project progress: demo\n\n## In progress\n- [ ] old (session #9, started 2026-01-01 00:00)\n".into(),
        ..Files::default()
    };
    let mut progress = parse(&files);
    progress.block("old", "stuck", &stamp());
    let files = render(&progress, &files);
    insta::assert_snapshot!(files.readme, @r"
    # Project progress: demo
    Last updated: 2026-02-08 10:00:30 | Session: #123

    ## In progress

    ## Current state
    - Phase: implementation
    - Progress: 0%
    - Blockers: old

    ## Done

    ## Next Actions
    ");
    assert_eq!(parse(&files), progress);
}

#[test]
fn the_summary_shows_the_newest_done_items_and_forgets_none() {
    let mut progress = Progress::default();
    for number in 1..=25 {
        progress.finish(&format!("task {number}"), &stamp());
    }
    let files = render(&progress, &Files::default());
    assert!(
        files
            .readme
            .contains("（ほか 5 件は completed.md）\n- [x] task 6（"),
        "{}",
        files.readme
    );
    let again = render(&parse(&files), &files);
    assert_eq!(again, files);
    assert_eq!(parse(&again).done, progress.done);
}

#[test]
fn a_run_places_its_tasks_and_leaves_other_items_alone() {
    let mut progress = sample();
    let line = |title: &str, standing, why: Option<&str>| TaskLine {
        title: title.into(),
        standing,
        why: why.map(str::to_owned),
    };
    let snapshot = Snapshot {
        phase: Phase::Testing,
        iteration: (2, 10),
        result: None,
        needs: vec!["third task needs: a network".into()],
        tasks: vec![
            line("second task", Standing::Done, None),
            line("third task", Standing::Blocked, Some("still no network")),
            line("run's own", Standing::Doing, None),
        ],
    };
    let later = Stamp {
        session: "run\n）7".into(),
        when: "2026-02-08 11:00:00".into(),
    };
    progress.apply(&snapshot, &later);
    let files = render(&progress, &Files::default());
    insta::assert_snapshot!(format!("{}\n{}", files.readme, files.blocked), @r"
    # プロジェクト進捗: demo
    最終更新: 2026-02-08 11:00:00 | セッション: #run7

    ## 現在の状態
    - フェーズ: テスト
    - 進捗率: 33%
    - ブロッカー: third task
    - 反復: 2/10
    - 要対応: third task needs: a network

    ## 完了済み
    - [x] first task（セッション#123）
    - [x] second task（セッション#run7）

    ## 進行中
    - [ ] run's own（セッション#run7、開始: 2026-02-08 11:00）

    ## Next Actions
    1. fourth task

    # ブロックされたタスク

    - [ ] third task（セッション#123、ブロック: 2026-02-08 10:00）
      - 理由: still no network
    ");
    assert_eq!(parse(&files), progress);
}

/// A line as a person or a torn write might leave it.
fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        "note [a-z]{1,8}",
        "  note [a-z]{1,8}",
        Just(String::new()),
        Just("```".to_owned()),
        "- \\[[ x]\\] [a-z]{1,3}( \\(session #[a-z0-9]{1,3}\\)|（セッション#1、開始: x）)?",
        "[0-9]\\. [a-z]{1,3}",
        prop::sample::select(vec![
            "## 現在の状態",
            "## 完了済み",
            "## 進行中",
            "## Next Actions",
            "## Done",
            "## Own",
            "# プロジェクト進捗: p",
            "最終更新: x | セッション: #1",
            "- フェーズ: テスト",
            "- 進捗率: 300%",
            "- 反復: 1/2",
            "  - 理由: r",
            "（ほか 5 件は completed.md）",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,12}",
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(any_line(), 0..14).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn rendering_loses_no_note_and_is_stable(readme in any_text(), completed in any_text(), blocked in any_text(), next_actions in any_text()) {
        let before = Files { readme, completed, blocked, next_actions };
        let progress = parse(&before);
        let after = render(&progress, &before);
        let all = [&after.readme, &after.completed, &after.blocked, &after.next_actions].map(String::as_str).join("\n");
        let texts = [&before.readme, &before.completed, &before.blocked, &before.next_actions];
        for line in texts.iter().flat_map(|text| text.lines()).filter(|line| line.contains("note")) {
            prop_assert!(all.contains(line), "{line:?} is lost in:\n{all}");
        }
        // The second rendering may still move an item that stood in two lists; the third changes nothing.
        let twice = render(&parse(&after), &after);
        prop_assert_eq!(render(&parse(&twice), &twice), twice);
    }

    #[test]
    fn whatever_is_changed_is_read_back(title in any::<String>(), reason in any::<String>(), session in any::<String>()) {
        let mut progress = Progress { project: "p".into(), ..Progress::default() };
        let stamp = Stamp { session, when: "2026-02-08 10:00:30".into() };
        progress.block(&format!("t{title}"), &reason, &stamp);
        prop_assert_eq!(parse(&render(&progress, &Files::default())), progress);
    }
}
