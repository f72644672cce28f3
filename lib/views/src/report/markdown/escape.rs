//! Text that stays text.

/// Text that cannot become markup, a link, a mention or a reference.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            // An empty comment separates the sign from the word: nobody is notified, no issue is linked.
            '@' => out.push_str("@<!-- -->"),
            '#' => out.push_str("#<!-- -->"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            // A bare address is made a link without its colon escaped.
            ':' => out.push_str("&#58;"),
            _ => out.push(c),
        }
    }
    out.replace("&#58; ", ": ")
}

/// Code in one line: the fence is longer than any run of back-ticks within.
pub(crate) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    // A bar would end a table's cell even within code.
    format!("{fence}{space}{}{space}{fence}", text.replace('|', "\\|"))
}
