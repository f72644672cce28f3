//! The terminal: taken over for the view, given back whatever happens.

use super::draw;
use overnight_core::code::Code;
use overnight_core::config::vars;
use overnight_core::fault::Fault;
use overnight_core::watch::{Choice, Key, View, view};
use overnight_host::env;
use overnight_host::signals::Signals;
use overnight_host::watch::Watcher;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;
use std::time::{Duration, Instant};

/// Shows the view until a key or a signal ends it.
pub(super) fn show(watcher: &mut Watcher, signals: &Signals, every: Duration) -> Result<(), Fault> {
    let mut terminal = ratatui::try_init().map_err(|error| fault(&error))?;
    let shown = turns(&mut terminal, watcher, signals, every);
    ratatui::restore();
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
            Some(Event::Key(key)) if key.kind != KeyEventKind::Release => {
                if meant(key).is_some_and(|key| !choice.press(key, &now)) {
                    return Ok(());
                }
                drawn = Some(now);
            }
            Some(Event::Resize(..)) => drawn = None,
            Some(_) => drawn = Some(now),
            None => {
                watcher.refresh();
                look = Instant::now() + every;
                drawn = Some(now);
            }
        }
    }
    Ok(())
}

/// What comes until then; a signal to us comes as nothing.
fn next_event(until: Instant) -> io::Result<Option<Event>> {
    match event::poll(until.saturating_duration_since(Instant::now())) {
        Ok(true) => event::read().map(Some),
        Ok(false) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(error),
    }
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

fn fault(error: &io::Error) -> Fault {
    Fault::new(Code::FileWrite, format!("the terminal: {error}"))
        .hint("append lines instead: overnight watch --plain")
}
