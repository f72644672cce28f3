//! May I have this lease? The one place that decides who holds a task.

pub use super::claimant::{Answer, Evidence, Me, Now, Why};

use super::record::{Phase, Record, Standing};
use super::{SKEW_MS, TTL_S_DEFAULT, margin_ms, next_token};

/// Decides from what stands on the ref. The compare-and-swap that follows makes sure that it
/// still stands there.
pub fn judge(standing: &Standing, me: &Me, now: Now, evidence: Evidence) -> Answer {
    let take = |last, why| Answer::Take {
        token: next_token(last, now.wall_ms),
        why,
    };
    let watched = |ttl_s: u64| evidence.watched_ms >= ttl_s * 1_000 + margin_ms(ttl_s);
    let record = match standing {
        Standing::Absent => return take(0, Why::New),
        Standing::Unreadable { .. } if watched(TTL_S_DEFAULT) => return take(0, Why::Watched),
        Standing::Unreadable { .. } => return Answer::Held,
        Standing::Record { record, .. } => record,
    };
    if record.state == Phase::Free {
        return take(record.token, Why::Released);
    }
    let same_boot = record.boot == me.boot && record.host == me.host;
    if same_boot && evidence.owner_dead {
        return take(record.token, Why::OwnerDied);
    }
    if is_mine(record, me) {
        return if is_live(record, me, now) {
            Answer::Mine
        } else {
            take(record.token, Why::Elapsed)
        };
    }
    let ttl_ms = record.ttl_s * 1_000;
    let wait_ms = ttl_ms + margin_ms(record.ttl_s);
    if same_boot && now.mono_ms >= record.mono_ms.saturating_add(wait_ms) {
        take(record.token, Why::Elapsed)
    } else if watched(record.ttl_s) {
        take(record.token, Why::Watched)
    } else if now.wall_ms > record.renewed_ms.saturating_add(ttl_ms + SKEW_MS) {
        take(record.token, Why::LongPast)
    } else {
        Answer::Held
    }
}

/// Does the holder of this record, asking itself, still hold it? Its time to live is counted on
/// the boot clock from before the record was sent; after a reboot nothing is held any more.
pub fn is_live(record: &Record, me: &Me, now: Now) -> bool {
    record.state == Phase::Held
        && record.boot == me.boot
        && now.mono_ms >= record.mono_ms
        && now.mono_ms - record.mono_ms < record.ttl_s * 1_000
}

/// The same agent of the same clone, and not two processes that both claim its name. The same name
/// in another clone is another agent: it may run on another machine at the same time.
pub fn is_mine(record: &Record, me: &Me) -> bool {
    let rivals = matches!((&record.owner, &me.owner), (Some(theirs), Some(mine)) if theirs != mine);
    record.agent == me.agent && record.instance == me.instance && !rivals
}
