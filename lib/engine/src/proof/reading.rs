//! A room to read in: nothing is run.

use super::objects;
use super::room::Room;
use crate::state::Place;
use overnight_base::fault::Fault;
use std::path::Path;

/// A room at a commit, held while somebody reads.
pub(crate) struct Reading(Room);

impl Reading {
    /// The first room that is free, at this commit.
    pub(crate) fn enter(place: &Place, commit: &str) -> Result<Self, Fault> {
        let room = Room::enter(place, commit)?;
        room.point_at(commit)?;
        Ok(Self(room))
    }

    /// Its folder.
    pub(crate) fn top(&self) -> &Path {
        &self.0.top
    }
}

/// What differs between two commits, as a patch.
pub(crate) fn change(place: &Place, before: &str, after: &str) -> Result<String, Fault> {
    let arguments = [
        "-c",
        "core.quotePath=false",
        "diff",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        before,
        after,
        "--",
    ];
    objects::read_at(&place.top, &arguments)
}
