//! A person's own grammars, in the format of those that are built in.

use super::format;
use super::table::Table;

/// The most grammars that a file may have.
const GRAMMARS_MAX: usize = 64;

/// A grammar of a person.
#[derive(Debug, Clone, Copy)]
pub struct Custom(pub(super) &'static Table);

/// Reads grammars from TOML; the error says in one line what is wrong. They live as long as the process, which
/// reads them once.
pub fn parse(text: &str) -> Result<Vec<Custom>, String> {
    let grammars = format::read(text)?;
    if grammars.len() > GRAMMARS_MAX {
        return Err(format!("more than {GRAMMARS_MAX} grammars"));
    }
    let tables = grammars.into_iter().flat_map(Table::own);
    Ok(tables.map(Custom).collect())
}
