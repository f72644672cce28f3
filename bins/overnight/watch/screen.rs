//! The terminal: taken over for the view, given back whatever happens.

use super::draw;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_engine::watch::Watcher;
use overnight_host::env;
use overnight_host::signals::Signals;
use overnight_host::terminal;
use overnight_views::watch::{Choice, Key, Pane, View, view};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;
use std::time::{Duration, Instant};

/// Shows the view until a key, a signal or the terminal's end ends it.
pub(super) fn show(watcher: &mut Watcher, signals: &Signals, every: Duration) -> Result<(), Fault> {
    let mut terminal = ratatui::try_init().map_err(|error| fault(&error))?;
    let shown = turns(&mut terminal, watcher, signals, every);
    if ratatui::try_restore().is_err() {
        // It is gone; dropped, ratatui would say so on the same terminal and panic.
        std::mem::forget(terminal);
    }
    shown.map_err(|error| fault(&error))
}

fn turns(
    terminal: &mut DefaultTerminal,
    watcher: &mut Watcher,
    signals: &Signals,
    every: Duration,
) -> io::Result<()> {
    let colours = env::get(&vars::NO_COLOR).is_none();
    let mut choice = Choice::default();
    let mut drawn: Option<View> = None;
    let mut look = Instant::now() + every;
    while signals.interrupted().is_none() {
        let now = view(watcher.subjects(), &choice, watcher.clock());
        if drawn.as_ref() != Some(&now) {
            terminal.draw(|frame| draw::draw(frame, &now, colours))?;
        }
        match next_event(look)? {
            Next::Gone => return Ok(()),
            Next::Event(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                if meant(key).is_some_and(|key| !choice.press(key, &now)) {
                    return Ok(());
                }
                if let Some(wish) = choice.wish.take() {
                    choice.note = Some(watcher.grant(&wish));
                }
                if choice.pane == Pane::Diff {
                    watcher.look_at_changes();
                }
                drawn = Some(now);
            }
            Next::Event(Event::Resize(..)) => drawn = None,
            Next::Event(_) => drawn = Some(now),
            Next::Nothing => {
                watcher.refresh();
                if choice.pane == Pane::Diff {
                    watcher.look_at_changes();
                }
                look = Instant::now() + every;
                drawn = Some(now);
            }
        }
    }
    Ok(())
}

/// What came.
pub(crate) enum Next {
    Event(Event),
    /// The time is over, or a signal came to us.
    Nothing,
    /// The terminal was closed.
    Gone,
}

/// What comes until then. Crossterm reads without end from a terminal that is gone; it is asked
/// only while there is one, and does not wait itself.
pub(crate) fn next_event(until: Instant) -> io::Result<Next> {
    let left = until.saturating_duration_since(Instant::now());
    // First what crossterm may have kept from its last reading.
    for longest in [Duration::ZERO, left] {
        if !terminal::wait_for_input(longest) {
            return Ok(Next::Gone);
        }
        match event::poll(Duration::ZERO) {
            Ok(true) => return event::read().map(Next::Event),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            Ok(false) | Err(_) => {}
        }
    }
    Ok(Next::Nothing)
}

fn meant(key: KeyEvent) -> Option<Key> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'd') if control => Key::Quit,
        KeyCode::Char(_) if control => return None,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        _ => return None,
    })
}

pub(crate) fn fault(error: &io::Error) -> Fault {
    Fault::new(Code::FileWrite, format!("the terminal: {error}"))
        .hint("append lines instead: overnight watch --plain")
}
