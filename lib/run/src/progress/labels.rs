//! The words of the files. New files speak English, or Japanese where the project asks for it; files whose
//! headings a person translated stay as they are.

use super::document::Document;

/// What kind of work is under way (PRD FR-4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// 計画
    Planning,
    /// 実装
    #[default]
    Implementation,
    /// テスト
    Testing,
    /// レビュー
    Review,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 4] = [
        Self::Planning,
        Self::Implementation,
        Self::Testing,
        Self::Review,
    ];

    /// Its English name, as arguments and JSON have it.
    pub fn name(self) -> &'static str {
        self.word(&ENGLISH)
    }

    /// The phase of this name, in either language.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| {
            LANGUAGES
                .iter()
                .any(|labels| phase.word(labels).eq_ignore_ascii_case(word))
        })
    }

    pub(super) fn word(self, labels: &Labels) -> &'static str {
        match self {
            Self::Planning => labels.phases[0],
            Self::Implementation => labels.phases[1],
            Self::Testing => labels.phases[2],
            Self::Review => labels.phases[3],
        }
    }
}

/// The words of one language.
#[derive(Debug)]
pub(super) struct Labels {
    pub(super) title: &'static str,
    pub(super) updated: &'static str,
    pub(super) by: &'static str,
    pub(super) state: &'static str,
    pub(super) done: &'static str,
    pub(super) doing: &'static str,
    pub(super) next: &'static str,
    pub(super) phase: &'static str,
    pub(super) percent: &'static str,
    pub(super) blockers: &'static str,
    pub(super) no_blockers: &'static str,
    pub(super) iteration: &'static str,
    pub(super) result: &'static str,
    pub(super) needs: &'static str,
    pub(super) reason: &'static str,
    /// What is said of a done item, below it.
    pub(super) summary: &'static str,
    /// Opens the note behind an item, up to the session's id.
    pub(super) open: &'static str,
    /// Between session and time.
    pub(super) comma: &'static str,
    pub(super) started_at: &'static str,
    pub(super) done_at: &'static str,
    pub(super) blocked_at: &'static str,
    pub(super) close: &'static str,
    /// Around the number of done items that the summary leaves out.
    pub(super) more: (&'static str, &'static str),
    pub(super) phases: [&'static str; 4],
    pub(super) completed_title: &'static str,
    pub(super) blocked_title: &'static str,
    pub(super) next_title: &'static str,
    /// What is said in this language.
    pub(super) said: fn(&Spoken) -> &str,
}

/// A text in each language of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// In English.
    pub english: String,
    /// In Japanese.
    pub japanese: String,
}

impl Spoken {
    /// A text that was read: what language it is in does not matter.
    pub(super) fn read(text: String) -> Self {
        Self {
            english: text.clone(),
            japanese: text,
        }
    }
}

pub(super) const JAPANESE: Labels = Labels {
    title: "# プロジェクト進捗: ",
    updated: "最終更新: ",
    by: " | セッション: #",
    state: "現在の状態",
    done: "完了済み",
    doing: "進行中",
    next: "Next Actions",
    phase: "- フェーズ: ",
    percent: "- 進捗率: ",
    blockers: "- ブロッカー: ",
    no_blockers: "なし",
    iteration: "- 反復: ",
    result: "- 結果: ",
    needs: "- 要対応: ",
    reason: "  - 理由: ",
    summary: "  - 要約: ",
    open: "（セッション#",
    comma: "、",
    started_at: "開始: ",
    done_at: "完了: ",
    blocked_at: "ブロック: ",
    close: "）",
    more: ("（ほか ", " 件は completed.md）"),
    phases: ["計画", "実装", "テスト", "レビュー"],
    completed_title: "# 完了タスク履歴",
    blocked_title: "# ブロックされたタスク",
    next_title: "# 次に取り組むべきこと",
    said: |spoken| &spoken.japanese,
};

pub(super) const ENGLISH: Labels = Labels {
    title: "# Project progress: ",
    updated: "Last updated: ",
    by: " | Session: #",
    state: "Current state",
    done: "Done",
    doing: "In progress",
    next: "Next Actions",
    phase: "- Phase: ",
    percent: "- Progress: ",
    blockers: "- Blockers: ",
    no_blockers: "none",
    iteration: "- Iteration: ",
    result: "- Result: ",
    needs: "- Needs you: ",
    reason: "  - Reason: ",
    summary: "  - Summary: ",
    open: " (session #",
    comma: ", ",
    started_at: "started ",
    done_at: "done ",
    blocked_at: "blocked ",
    close: ")",
    more: ("(", " more in completed.md)"),
    phases: ["planning", "implementation", "testing", "review"],
    completed_title: "# Completed tasks",
    blocked_title: "# Blocked tasks",
    next_title: "# What to do next",
    said: |spoken| &spoken.english,
};

pub(super) const LANGUAGES: [&Labels; 2] = [&JAPANESE, &ENGLISH];

/// The language of a project's progress files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// As the rest of Overnight.
    #[default]
    English,
    /// As the PRD has them.
    Japanese,
}

impl Labels {
    /// The language of an existing summary; without one, that which was asked for.
    pub(super) fn of(readme: &Document, asked: Language) -> &'static Self {
        let is_in = |labels: &Labels| {
            let headings = [labels.state, labels.done, labels.doing];
            let mut titles = readme.preamble.iter();
            let mut sections = readme.sections.iter();
            titles.any(|line| line.starts_with(labels.title))
                || sections.any(|section| headings.contains(&section.heading.as_str()))
        };
        match asked {
            _ if is_in(&ENGLISH) => &ENGLISH,
            _ if is_in(&JAPANESE) => &JAPANESE,
            Language::English => &ENGLISH,
            Language::Japanese => &JAPANESE,
        }
    }
}

/// What follows the first of these prefixes, one a language, that the line begins with.
pub(super) fn after(line: &str, prefix: impl Fn(&Labels) -> &'static str) -> Option<&str> {
    LANGUAGES
        .iter()
        .find_map(|labels| line.strip_prefix(prefix(labels).trim_end()))
        .map(str::trim)
}
