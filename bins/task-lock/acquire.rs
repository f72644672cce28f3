//! `task-lock acquire`.

use super::args::{Terms, Ttl};
use super::show::Show;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::config;
use overnight_host::leases::{Acquired, Leases};

/// Takes the lease, waiting if asked to.
pub(crate) fn run(leases: &Leases, terms: &Terms, show: &Show) -> Result<Exit, Fault> {
    let wait = terms.wait.0;
    let set = || config::here().settings.lock.ttl.as_secs();
    let ttl_s = terms.ttl.as_ref().map_or_else(set, Ttl::seconds);
    match leases.acquire_within(&terms.task, ttl_s, wait)? {
        Acquired::Granted(grant) => show.granted(&grant),
        Acquired::Held(holder) if wait.is_zero() => {
            Err(holder.fault(Code::LockConflict, &terms.task))
        }
        Acquired::Held(holder) => Err(holder.fault(Code::LockWait, &terms.task)),
    }
}
