//! The desk on a terminal: drawn after each key, given back whatever happens.

use crate::watch::screen::{Next, fault, next_event};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_host::env;
use overnight_host::signals::Signals;
use overnight_views::review::{Desk, Key, Line as Row, Page, Tone, Wish};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use ratatui::{DefaultTerminal, Frame};
use std::io;
use std::time::{Duration, Instant};

/// How long one wait for a key is: a signal ends it sooner.
const LOOK: Duration = Duration::from_secs(1);

/// Shows the desk until it is left; what is wished goes to `grant`.
pub(super) fn show(
    desk: &mut Desk,
    signals: &Signals,
    grant: impl FnMut(&mut Desk, &Wish),
) -> Result<(), Fault> {
    let mut terminal = ratatui::try_init().map_err(|error| fault(&error))?;
    let shown = turns(&mut terminal, desk, signals, grant);
    if ratatui::try_restore().is_err() {
        // It is gone; dropped, ratatui would say so on the same terminal and panic.
        std::mem::forget(terminal);
    }
    shown.map_err(|error| fault(&error))
}

fn turns(
    terminal: &mut DefaultTerminal,
    desk: &mut Desk,
    signals: &Signals,
    mut grant: impl FnMut(&mut Desk, &Wish),
) -> io::Result<()> {
    let colours = env::get(&vars::NO_COLOR).is_none();
    let mut drawn: Option<Page> = None;
    while signals.interrupted().is_none() {
        let page = desk.page();
        if drawn.as_ref() != Some(&page) {
            terminal.draw(|frame| draw(frame, &page, colours))?;
        }
        drawn = Some(page);
        match next_event(Instant::now() + LOOK)? {
            Next::Gone => return Ok(()),
            Next::Event(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                match meant(key).map_or(Wish::Nothing, |key| desk.press(key)) {
                    Wish::Leave => return Ok(()),
                    Wish::Nothing => {}
                    wish => grant(desk, &wish),
                }
            }
            Next::Event(Event::Resize(..)) => drawn = None,
            Next::Event(_) | Next::Nothing => {}
        }
    }
    Ok(())
}

fn meant(key: KeyEvent) -> Option<Key> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'd') if control => Key::Quit,
        KeyCode::Char(_) if control => return None,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}

/// Head and foot keep their places; the body shows what is selected.
fn draw(frame: &mut Frame, page: &Page, colours: bool) {
    let area = frame.area();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let mut head = wrapped(&page.head, width);
    head.truncate(height / 2);
    let mut foot = lines(&page.foot, width);
    foot.truncate(height / 8);
    let body = if page.code {
        page.body.clone()
    } else {
        wrapped(&page.body, width)
    };
    let room = height.saturating_sub(head.len() + foot.len());
    let last = body.iter().rposition(|row| row.selected).unwrap_or(0);
    let skipped = (last + 1).saturating_sub(room);
    let rows = head.iter().chain(body.iter().skip(skipped).take(room));
    let shown: Vec<Line> = rows
        .map(|row| Line::styled(&*row.text, style(row, colours)))
        .collect();
    frame.render_widget(Paragraph::new(shown), area);
    let rows = u16::try_from(foot.len()).unwrap_or(area.height);
    let place = Rect {
        y: area.height.saturating_sub(rows),
        height: rows,
        ..area
    };
    let strong = Style::new().add_modifier(Modifier::BOLD);
    let foot: Vec<Line> = foot
        .iter()
        .map(|text| Line::styled(&**text, strong))
        .collect();
    frame.render_widget(Paragraph::new(foot), place.intersection(area));
}

/// The rows, each in as many lines as it takes.
fn wrapped(rows: &[Row], width: usize) -> Vec<Row> {
    let parts = |row: &Row| {
        let (tone, selected) = (row.tone, row.selected);
        let texts = lines(&row.text, width).into_iter();
        texts.map(move |text| Row {
            text,
            tone,
            selected,
        })
    };
    rows.iter().flat_map(parts).collect()
}

/// A text in lines of this width, broken at spaces; further lines are indented as the first one, and
/// some more.
pub(crate) fn lines(text: &str, width: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start_matches([' ', '>']).len();
    let further = " ".repeat((indent + 2).min(width / 2));
    let mut all = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = all.last().map_or(0, |line| line.chars().count());
        let fits = last + word.trim_end().chars().count() <= width;
        match all.last_mut() {
            Some(line) if fits || line.trim().is_empty() => line.push_str(word),
            _ => all.push(format!("{further}{word}")),
        }
    }
    all
}

fn style(row: &Row, colours: bool) -> Style {
    let style = match row.tone {
        Tone::Strong => Style::new().add_modifier(Modifier::BOLD),
        Tone::Bad if colours => Style::new().fg(Color::Red),
        Tone::Good if colours => Style::new().fg(Color::Green),
        Tone::Soft if colours => Style::new().fg(Color::DarkGray),
        _ => Style::new(),
    };
    if row.selected {
        style.add_modifier(Modifier::BOLD)
    } else {
        style
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_long_text_is_broken_at_spaces_and_keeps_its_indentation() {
        assert_eq!(lines("> short", 20), ["> short"]);
        assert_eq!(
            lines("  one two three four", 12),
            ["  one two ", "    three ", "    four"]
        );
        assert_eq!(lines("", 10), [""]);
        // What has no space is cut by the terminal; nothing loops.
        assert_eq!(lines("abcdefghijkl mn", 4), ["abcdefghijkl ", "  mn"]);
    }
}
