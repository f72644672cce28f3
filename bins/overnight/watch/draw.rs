//! The view on a screen of any size: what matters most keeps its place when there is little.

use crate::review::screen::lines;
use overnight_views::watch::{Cell, Mark, Row, Urgency, View};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use std::borrow::Cow;

/// Rows for each part, in the order in which they stand.
struct Rows {
    head: u16,
    agents: u16,
    strip: u16,
    details: u16,
    events: u16,
    foot: u16,
}

impl Rows {
    /// The agents and the strip come first, then the details, then the events.
    fn of(height: u16, view: &View, details: &dyn Fn(usize) -> usize) -> Self {
        let wanted = |lines: usize| u16::try_from(lines).unwrap_or(u16::MAX);
        let head = u16::from(height >= 4);
        let foot = u16::from(height >= 8);
        let strip = u16::from(height >= 2);
        let mut left = height.saturating_sub(head + foot + strip);
        let mut take = |lines: u16| {
            let taken = lines.min(left);
            left -= taken;
            taken
        };
        let agents = take(wanted(view.agents.len()).clamp(1, (height / 3).max(1)));
        let half = (height / 2).max(1);
        let details = take(wanted(details(usize::from(half))).min(half));
        let events = take(u16::MAX);
        Self {
            head,
            agents,
            strip,
            details,
            events,
            foot,
        }
    }
}

/// Draws the whole view; only what differs from the last time reaches the terminal.
pub(super) fn draw(frame: &mut Frame, view: &View, colours: bool) {
    let area = frame.area();
    let width = usize::from(area.width);
    let details = |room| fitted(&view.details, width, room);
    let rows = Rows::of(area.height, view, &|room| details(room).len());
    let paint = Paint(colours);
    let mut y = 0;
    let mut put = |height: u16, lines: Vec<Line>| {
        let place = Rect {
            x: 0,
            y,
            width: area.width,
            height,
        };
        frame.render_widget(Paragraph::new(lines), place.intersection(area));
        y = y.saturating_add(height);
    };
    put(rows.head, vec![Line::styled(&*view.head, strong())]);
    put(rows.agents, agents(view, rows.agents, width, paint));
    put(rows.strip, vec![strip(&view.strip, area.width, paint)]);
    let details = details(usize::from(rows.details)).into_iter();
    put(rows.details, details.map(Line::raw).collect());
    let below = Rect {
        y: rows.head + rows.agents + rows.strip + rows.details,
        height: rows.events,
        ..area
    };
    put(rows.events, Vec::new());
    put(rows.foot, vec![Line::styled(&*view.foot, strong())]);
    lower(frame, view, below.intersection(area), paint);
}

/// Lines of the details, those that are too long in up to three as far as there is room.
fn fitted(details: &[String], width: usize, room: usize) -> Vec<String> {
    const ROWS_MAX: usize = 3;
    let mut spare = room.saturating_sub(details.len());
    let mut fitted = Vec::new();
    for line in details {
        let mut broken = lines(line, width.max(1));
        let rows = broken.len().min(ROWS_MAX).min(spare + 1);
        spare -= rows - 1;
        let is_cut = rows < broken.len();
        broken.truncate(rows);
        if let Some(last) = broken.last_mut().filter(|_| is_cut) {
            let kept: String = last.chars().take(width.saturating_sub(1)).collect();
            *last = format!("{}…", kept.trim_end());
        }
        fitted.append(&mut broken);
    }
    fitted
}

/// Least width of a column.
const COLUMN: u16 = 38;
/// Columns between two of them.
const GAP: u16 = 2;

/// What happened last, and below it what the agent and its members said last, side by side as far as
/// they fit: of a low window they get the larger part, for that is what somebody watches.
fn lower(frame: &mut Frame, view: &View, area: Rect, paint: Paint) {
    const EVENTS_MIN: usize = 2;
    let rows = usize::from(area.height);
    let fit = usize::from((area.width / COLUMN).max(1)).min(view.output.len());
    let columns = &view.output[..fit];
    let gaps = GAP * u16::try_from(fit.saturating_sub(1)).unwrap_or(0);
    let width = area.width.saturating_sub(gaps) / u16::try_from(fit).unwrap_or(1).max(1);
    let said: Vec<Vec<String>> = columns
        .iter()
        .map(|column| last_rows(&column.lines, usize::from(width), rows))
        .collect();
    let longest = said.iter().map(Vec::len).max();
    let events = view.events.len();
    let events = match longest {
        None => events.min(rows),
        Some(said) => {
            let left = rows.saturating_sub(said + 1);
            events.min(left.max(rows / 3).max(EVENTS_MIN)).min(rows)
        }
    };
    let soft = |lines: &[String]| -> Vec<Line> {
        let lines = lines.iter();
        lines
            .map(|line| Line::styled(line.clone(), paint.soft()))
            .collect()
    };
    let happened = &view.events[view.events.len() - events..];
    frame.render_widget(Paragraph::new(soft(happened)), area);
    let room = rows.saturating_sub(events + 1);
    // What is short stands at the foot, with its head above it.
    let shown = longest.unwrap_or(0).min(room);
    let mut x = area.x;
    for (column, said) in columns.iter().zip(&said).filter(|_| shown > 0) {
        let mut lines = vec![Line::raw(&*column.head)];
        lines.extend(soft(&said[said.len().saturating_sub(shown)..]));
        let height = u16::try_from(shown + 1).unwrap_or(area.height);
        let place = Rect {
            x,
            y: area.bottom().saturating_sub(height),
            width,
            height,
        };
        frame.render_widget(Paragraph::new(lines), place.intersection(area));
        x = x.saturating_add(width + GAP);
    }
}

/// The last rows of these lines, each in as many as it takes.
fn last_rows(of: &[String], width: usize, rows: usize) -> Vec<String> {
    let mut said: Vec<String> = Vec::new();
    for line in of.iter().rev() {
        if said.len() >= rows {
            break;
        }
        said.extend(lines(line, width.max(1)).into_iter().rev());
    }
    said.reverse();
    said.split_off(said.len().saturating_sub(rows))
}

/// The rows around the selected agent.
fn agents(view: &View, height: u16, width: usize, paint: Paint) -> Vec<Line<'_>> {
    let height = usize::from(height);
    let at = view.agents.iter().position(|row| row.selected).unwrap_or(0);
    let skipped = (at + 1).saturating_sub(height);
    let rows = view.agents.iter().skip(skipped).take(height);
    rows.map(|row| agent(row, width, paint)).collect()
}

/// An agent in a row of this width: its name is whole, for it is what a person types.
fn agent(row: &Row, width: usize, paint: Paint) -> Line<'_> {
    /// Columns of how far it is that stay in a window too narrow for both.
    const TEXT_MIN: usize = 20;
    let mark = if row.selected { "> " } else { "  " };
    let level = Span::styled(row.urgency.name(), paint.urgency(row.urgency));
    let name = Span::raw(short(&row.name));
    let room = width.saturating_sub(mark.len() + level.width() + name.width() + 4);
    let line = Line::from(vec![
        Span::raw(mark),
        level,
        Span::raw("  "),
        Span::raw(cut(&row.text, room.max(TEXT_MIN))),
        Span::raw("  "),
        name,
        Span::raw("  "),
        Span::styled(&*row.doing, paint.soft()),
    ]);
    if row.selected {
        line.style(strong())
    } else {
        line
    }
}

/// A text in so many columns, a cut marked by `…`.
fn cut(text: &str, columns: usize) -> Cow<'_, str> {
    if Span::raw(text).width() <= columns {
        return Cow::Borrowed(text);
    }
    let mut kept = text;
    while Span::raw(kept).width() >= columns.max(1)
        && let Some((last, _)) = kept.char_indices().next_back()
    {
        kept = &kept[..last];
    }
    Cow::Owned(format!("{}…", kept.trim_end_matches([' ', '·'])))
}

/// A member by its number and the end of its run's name, so that both are seen in a narrow window.
fn short(name: &str) -> String {
    let Some((run, member)) = name.split_once(" member ") else {
        return name.to_owned();
    };
    let run = run.rsplit('-').next().unwrap_or(run);
    format!("member {member} of {run}")
}

/// A sign for each iteration; of more than fit, those around the selected one.
fn strip(cells: &[Cell], width: u16, paint: Paint) -> Line<'static> {
    let width = usize::from(width.max(1));
    let at = cells.iter().position(|cell| cell.selected).unwrap_or(0);
    let last = cells.len().saturating_sub(width);
    let skipped = (at + width / 4 + 1).saturating_sub(width).min(last).max(
        // While the newest is looked at, the newest are shown.
        if at + 1 == cells.len() { last } else { 0 },
    );
    let shown = cells.iter().skip(skipped).take(width);
    let span = |cell: &Cell| {
        let style = paint.mark(cell.mark);
        let style = if cell.selected {
            style.add_modifier(Modifier::REVERSED)
        } else {
            style
        };
        Span::styled(cell.mark.sign().to_string(), style)
    };
    Line::from(shown.map(span).collect::<Vec<_>>())
}

fn strong() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

/// Styles, without colours where a person does not want any.
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn coloured(self, colour: Color) -> Style {
        if self.0 {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    fn soft(self) -> Style {
        self.coloured(Color::DarkGray)
    }

    fn urgency(self, urgency: Urgency) -> Style {
        self.coloured(match urgency {
            Urgency::NeedsYou | Urgency::Blocked => Color::Red,
            Urgency::Stalled | Urgency::Dead => Color::Magenta,
            Urgency::Working => Color::Green,
            Urgency::Waiting => Color::Yellow,
            Urgency::Ended => Color::Reset,
        })
    }

    fn mark(self, mark: Mark) -> Style {
        self.coloured(match mark {
            Mark::Complete => Color::Green,
            Mark::Incomplete => Color::Yellow,
            Mark::TimedOut => Color::Red,
            Mark::Open => Color::Cyan,
        })
    }
}

#[cfg(test)]
mod tests;
