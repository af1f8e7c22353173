//! The text of one file: the policy on what is read at all, and offsets turned into lines and columns.
//! It must not know Python.

use thiserror::Error;

/// Largest file that is read, in bytes. A parser needs about 35 bytes of memory for each byte of text;
/// the longest hand-written module among 8,570 files of popular packages is a third of this.
pub const MAX_BYTES: usize = 1024 * 1024;

/// Why a file cannot be read. Never a verdict on the file: the running interpreter has that word.
/// No retry helps; a tree from the interpreter itself may (`Workspace::with_interpreter_tree`).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Unreadable {
    /// One sentence with the cause.
    pub message: String,
    /// Line of the cause from 1; 0 where there is none.
    pub line: u32,
    /// Column of the cause from 1; 0 where there is none.
    pub column: u32,
}

impl Unreadable {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            line: 0,
            column: 0,
        }
    }

    pub(crate) fn at(message: impl Into<String>, pos: Pos) -> Self {
        Self {
            message: message.into(),
            line: pos.line,
            column: pos.column,
        }
    }
}

/// A half-open range of bytes in a [`Source`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Line and column, both from 1, the column in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pos {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A text that passed the policy, without its byte order mark.
#[derive(Clone, Debug)]
pub(crate) struct Source<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Source<'t> {
    /// Refuses a text that is too long or contains NUL (which the interpreter refuses too).
    pub(crate) fn new(text: &'t str) -> Result<Self, Unreadable> {
        if text.len() > MAX_BYTES {
            return Err(Unreadable::new(format!(
                "the file has {} bytes; at most {MAX_BYTES} are read",
                text.len()
            )));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let source = Self {
            text,
            starts: line_starts(text),
        };
        match text.find('\0') {
            Some(at) => Err(Unreadable::at("the file contains a NUL character", source.pos(at))),
            None => Ok(source),
        }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Line and column of a byte offset; an offset past the end counts as the end.
    pub(crate) fn pos(&self, offset: usize) -> Pos {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = match self.text.get(start..offset) {
            Some(before) => before.chars().count() + 1,
            None => 1,
        };
        Pos {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// The text of a span; empty where the span does not fit the text.
    pub(crate) fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Offset just behind the line that contains `offset`, its line end included.
    pub(crate) fn line_end(&self, offset: usize) -> usize {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }
}

/// Python ends lines at `\n`, `\r\n` and a bare `\r`.
fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let next = bytes.peek().map(|(_, byte)| *byte);
        if byte == b'\n' || (byte == b'\r' && next != Some(b'\n')) {
            starts.push(at + 1);
        }
    }
    starts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters_and_every_line_end_counts() {
        let source = Source::new("\u{feff}é = 1\r\nx\ry\nz").unwrap();
        assert_eq!(source.pos("é ".len()), Pos { line: 1, column: 3 });
        let find = |what| source.pos(source.text().find(what).unwrap());
        assert_eq!(find("x"), Pos { line: 2, column: 1 });
        assert_eq!(find("y"), Pos { line: 3, column: 1 });
        assert_eq!(find("z"), Pos { line: 4, column: 1 });
        assert_eq!(source.pos(9_999), Pos { line: 4, column: 1 });
    }

    #[test]
    fn long_files_and_nul_are_not_read() {
        assert!(Source::new(&" ".repeat(MAX_BYTES)).is_ok());
        assert!(Source::new(&" ".repeat(MAX_BYTES + 1)).is_err());
        let refused = Source::new("x = 1\ny = '\0'").unwrap_err();
        assert_eq!((refused.line, refused.column), (2, 6));
    }
}
