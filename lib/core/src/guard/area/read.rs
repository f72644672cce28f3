//! What must not reach the model's transcript.

use super::{Grounds, Named, names};
use crate::guard::{Context, Verdict};

pub(super) fn judge(path: &Named<'_>, _context: &Context<'_>, _grounds: &Grounds) -> Verdict {
    let shown = path.path;
    if names::is_store(path) && !names::is_public_half(path) {
        return Verdict::deny(
            "read-secret",
            &format!("{shown} holds credentials; reading it copies them into the transcript and the logs"),
        )
        .instead("name the variable or the file to the program that needs it, without showing its content");
    }
    if names::is_env_file(path) || names::is_key(path) {
        return Verdict::ask(
            "read-secret",
            &format!(
                "{shown} may hold secrets; reading it copies them into the transcript and the logs"
            ),
        )
        .instead("read the project's .env.example, or let the program load the file itself");
    }
    Verdict::allow()
}
