//! What a review means for the open claim.

use crate::config::Config;
use crate::review::Reviewed;
use crate::state::{Open, State};
use overnight_judge::gates::{Kind, Objection};

/// How often a task goes back for what its reviewer says.
const REFUSALS_MAX: u32 = 2;

/// Is the open claim to be reviewed? Only one that nothing else speaks against.
pub(super) fn is_due(config: &Config, open: &Open) -> bool {
    config.review.is_some() && open.review.is_none()
}

/// What the open claim's review objects to, while it may still send the task back.
pub(super) fn objections(state: &State, open: &Open) -> Vec<Objection> {
    let refused = state.task(&open.task).map_or(0, |task| task.back.reviewed);
    let review = open.review.as_ref().and_then(|came| came.review.as_ref());
    let Some(review) = review.filter(|review| !review.accept && refused < REFUSALS_MAX) else {
        return Vec::new();
    };
    let told = review.objections.iter().map(|objection| {
        let reason = format!("the reviewer: {}", objection.words());
        Objection::new(Kind::Review, objection.file.clone(), reason)
    });
    told.collect()
}

/// What of the open claim's review a person should read; one that is still `due` cannot be had any more.
pub(super) fn lines(open: &Open, due: bool) -> Vec<String> {
    match &open.review {
        _ if due => vec!["no review: the budget or the time was spent".to_owned()],
        Some(Reviewed {
            review: Some(review),
            ..
        }) => review
            .objections
            .iter()
            .map(overnight_judge::review::Remark::words)
            .collect(),
        Some(Reviewed { problem, .. }) => vec![format!("no review: {problem}")],
        None => Vec::new(),
    }
}
