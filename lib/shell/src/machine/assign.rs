//! Assignments.

use super::{Machine, Value};
use crate::bash::{Assign, Part, Word};

impl Machine<'_> {
    /// `name=value` without a command, in the current shell.
    pub(super) fn assign(&mut self, assign: &Assign) {
        if let Some(index) = &assign.index {
            let index = self.text(index);
            self.evaluated(&index);
            let value = self.text(&assign.value);
            self.assign_element(&assign.name, &index, value);
            return;
        }
        if let [Part::Array(words)] = assign.value.parts.as_slice() {
            self.assign_list(&assign.name, words, assign.append);
            return;
        }
        let value = self.text(&assign.value);
        self.set_variable(&assign.name, value, assign.append);
    }

    /// Sets a variable to text and looks at what that changes for later commands.
    pub(crate) fn set_variable(&mut self, name: &str, value: String, append: bool) {
        let value = match self.state.vars.get(name) {
            Some(Value::Text(old)) if append => format!("{old}{value}"),
            _ if append => format!("{}{value}", crate::mark::ANY),
            _ => value,
        };
        crate::effects::environment_change(self, name, &value);
        self.state.set(name, Value::Text(value));
    }

    pub(super) fn assign_list(&mut self, name: &str, words: &[Word], append: bool) {
        let mut values = match self.state.vars.get(name) {
            Some(Value::List(values)) if append => values.clone(),
            Some(Value::Text(text)) if append => vec![text.clone()],
            _ => Vec::new(),
        };
        for word in words {
            for value in self.expand(word) {
                // `[key]=value`: the order of an associative array is not followed.
                let plain = crate::mark::show(&value);
                self.evaluated(&plain);
                values.push(value);
            }
        }
        self.state.set(name, Value::List(values));
    }

    fn assign_element(&mut self, name: &str, index: &str, value: String) {
        if name == "BASH_ALIASES" {
            self.aliases.insert(index.to_owned(), value.clone());
        }
        let mut values = match self.state.vars.get(name) {
            Some(Value::List(values)) => values.clone(),
            Some(Value::Text(text)) => vec![text.clone()],
            _ => Vec::new(),
        };
        // Indices beyond what scripts write by hand would only cost memory.
        match index.parse::<usize>() {
            Ok(index) if index < 1_000 => {
                if values.len() <= index {
                    values.resize(index + 1, String::new());
                }
                values[index] = value;
            }
            _ => values.push(value),
        }
        self.state.set(name, Value::List(values));
    }
}
