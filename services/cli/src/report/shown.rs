//! The only text that a page takes: control characters made visible, bounded, and cut with a note.
//!
//! Almost everything on a page was written by a model or by a program that it wrote. The template escapes what HTML acts
//! on; what a reader's eye would act on (characters that turn text around, overwrite or hide it) is made harmless here.

use crate::view::text;
use std::fmt;

/// Longest line in characters.
const LINE: usize = 600;
/// Longest text of several lines in characters.
const BLOCK: usize = 12_000;

/// Text that can be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    /// One line.
    pub fn line(text: &str) -> Self {
        Self(cut_end(text, LINE, text::line))
    }

    /// Several lines, cut at their end.
    pub fn block(text: &str) -> Self {
        Self(cut_end(text.trim_end(), BLOCK, text::block))
    }

    /// The end of several lines, at most so many characters: where a program says why it ended.
    pub fn tail(text: &str, most: usize) -> Self {
        let text = text.trim_end();
        let from = text
            .char_indices()
            .rev()
            .nth(most.saturating_sub(1))
            .map_or(0, |(at, _)| at);
        let (before, kept) = text.split_at_checked(from).unwrap_or(("", text));
        let note = match before.chars().count() {
            0 => String::new(),
            left_out => format!("[{left_out} characters before this are left out]\n"),
        };
        Self(format!("{note}{}", text::block(kept)))
    }

    /// As its type writes itself.
    pub fn of(value: impl fmt::Display) -> Self {
        Self::line(&value.to_string())
    }

    /// Whether there is nothing to see.
    pub fn is_empty(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// As many of some things as there is room for, and how many there are beside them.
#[derive(Clone, Debug)]
pub struct Listed<T> {
    /// Those that are shown.
    pub shown: Vec<T>,
    /// How many are not.
    pub left_out: usize,
}

impl<T> Listed<T> {
    /// The first ones.
    pub fn first(mut all: Vec<T>, most: usize) -> Self {
        let left_out = all.len().saturating_sub(most);
        all.truncate(most);
        Self { shown: all, left_out }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// How many there are in all.
    pub fn len(&self) -> usize {
        self.shown.len() + self.left_out
    }
}

fn cut_end(text: &str, most: usize, clean: fn(&str) -> String) -> String {
    match text.char_indices().nth(most) {
        None => clean(text),
        Some((at, _)) => {
            let (kept, rest) = text.split_at_checked(at).unwrap_or((text, ""));
            format!(
                "{} [… {} more characters are left out]",
                clean(kept),
                rest.chars().count()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_says_how_much_is_missing() {
        let long = "ä".repeat(1_000_000);
        let line = Shown::line(&long).to_string();
        assert!(line.ends_with("[… 999400 more characters are left out]"), "{line}");
        assert!(Shown::block(&long).to_string().contains("988000 more"));
        let tail = Shown::tail(&format!("{long}END"), 12_000).to_string();
        assert!(tail.starts_with("[988003 characters before this are left out]\n") && tail.ends_with("äEND"));
        assert_eq!(Shown::line("short").to_string(), "short");
        assert_eq!(Shown::tail("a\nb\n\n", 9).to_string(), "a\nb");
    }

    #[test]
    fn what_the_eye_would_act_on_is_visible() {
        assert_eq!(
            Shown::line("a\0b\u{202e}c\x1b[2J").to_string(),
            "a\\u{0}b\\u{202e}c\\u{1b}[2J"
        );
        assert_eq!(Shown::block("a\nb\rc").to_string(), "a\nb\\u{d}c");
        assert_eq!(
            Shown::line("a\u{61c}b\u{feff}c\u{e0041}").to_string(),
            "a\\u{61c}b\\u{feff}c\\u{e0041}"
        );
    }
}
