//! `task-lock acquire`.

use crate::args::Terms;
use crate::show::Show;
use overnight_core::code::Code;
use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_host::leases::{Acquired, Leases};

/// Takes the lease, waiting if asked to.
pub(crate) fn run(leases: &Leases, terms: &Terms, show: &Show) -> Result<Exit, Fault> {
    let wait = terms.wait.0;
    match leases.acquire_within(&terms.task, terms.ttl.seconds(), wait)? {
        Acquired::Granted(grant) => show.granted(&grant),
        Acquired::Held(holder) if wait.is_zero() => {
            Err(holder.fault(Code::LockConflict, &terms.task))
        }
        Acquired::Held(holder) => Err(holder.fault(Code::LockWait, &terms.task)),
    }
}
