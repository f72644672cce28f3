//! Verbs of programs that nobody knows.

/// Words after an unknown program that usually mean that something is lost.
pub(super) const GRAVE: &[&str] = overnight_base::words!(
    "destroy delete delete-all drop purge wipe nuke flush flushall truncate terminate uninstall \
     deprovision teardown tear-down rollback force-delete decommission erase trash zap obliterate \
     forget shipit"
);
/// Words that change shared state.
pub(super) const CHANGING: &[&str] = overnight_base::words!(
    "publish deploy release apply upload push remove rm reset prune unpublish promote migrate \
     yank up install revoke login logout restore scale stop kill restart shutdown submit"
);
