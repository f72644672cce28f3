//! The settings put together: the sections of all parts, which values hold, and their reference page.

pub mod pages;
pub mod resolve;
pub mod settings;
