//! Lines with their tone, made by views and printed by commands.

use crate::console::{Console, Tone};

/// Some output for people.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Page {
    lines: Vec<(Tone, String)>,
}

impl Page {
    /// A plain line.
    pub fn line(&mut self, text: impl Into<String>) {
        self.toned(Tone::Plain, text);
    }

    /// A line with a tone.
    pub fn toned(&mut self, tone: Tone, text: impl Into<String>) {
        self.lines.push((tone, text.into()));
    }

    /// A heading with its lines, set off by an empty line; nothing at all if there are none.
    pub fn section(&mut self, heading: &str, lines: impl IntoIterator<Item = (Tone, String)>) {
        let mut lines = lines.into_iter().peekable();
        if lines.peek().is_none() {
            return;
        }
        if !self.lines.is_empty() {
            self.line("");
        }
        self.line(heading);
        self.lines.extend(lines.map(|(tone, text)| (tone, format!("  {text}"))));
    }

    /// Prints it.
    pub fn print(&self, console: &Console) {
        for (tone, line) in &self.lines {
            console.toned(*tone, line);
        }
    }

    /// The text without tones.
    pub fn text(&self) -> String {
        self.lines.iter().map(|(_, line)| format!("{line}\n")).collect()
    }
}

/// A line without a tone, for sections.
pub fn plain(text: impl Into<String>) -> (Tone, String) {
    (Tone::Plain, text.into())
}
