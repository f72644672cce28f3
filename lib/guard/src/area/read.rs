//! What must not reach the model's transcript.

use super::{Grounds, Named};
use overnight_shell::{Context, Verdict, names};

pub(super) fn judge(path: &Named<'_>, _context: &Context<'_>, _grounds: &Grounds) -> Verdict {
    let shown = path.path;
    if names::store(path.path, &path.parts) && !names::public_half(path.name()) {
        return Verdict::deny(
            "read-secret",
            &format!("{shown} holds credentials; reading it copies them into the transcript and the logs"),
        )
        .instead("name the variable or the file to the program that needs it, without showing its content");
    }
    if names::local_secret(path.name()) {
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
