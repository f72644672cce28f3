//! Settings: each declared once, with name, default, range and meaning.

pub mod vars;
