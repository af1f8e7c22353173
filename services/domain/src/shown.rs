//! Text that others wrote (a model, a program, a file), made harmless for a terminal; and lines of source as findings show
//! them. Reads no file and knows no colour.

use std::fmt::Write as _;

/// Most characters of a source line that are shown.
const MOST: usize = 160;

/// One line: control characters and line breaks become visible, so that nothing can fake or hide output.
pub fn line(text: &str) -> String {
    escape(text, |c| c == '\t')
}

/// Several lines: as [`line`], with line breaks kept.
pub fn block(text: &str) -> String {
    escape(text, |c| matches!(c, '\t' | '\n'))
}

fn escape(text: &str, kept: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if kept(c) || !(c.is_control() || turns_text(c)) {
            out.push(c);
        } else {
            // Writing into a String cannot fail.
            let _ = match c {
                '\n' => write!(out, " ⏎ "),
                _ => write!(out, "{}", c.escape_unicode()),
            };
        }
    }
    out
}

/// Marks that change the direction of the text around them, break lines where nobody sees why, or have no shape at all, so
/// that it reads as something else.
fn turns_text(c: char) -> bool {
    matches!(
        c,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// The source line of a place with its number, and below it a caret where a column (in characters, from 1) is known.
pub fn source_line(number: u32, column: u32, source: &str) -> Vec<String> {
    let source = source.trim_end();
    let before = (column as usize).saturating_sub(1);
    // A long line is shown around the column.
    let from = if source.chars().count() <= MOST {
        0
    } else {
        before.saturating_sub(MOST / 2)
    };
    let cut = |chars: std::iter::Skip<std::str::Chars<'_>>, most: usize| line(&chars.take(most).collect::<String>());
    let mut shown = vec![format!("{number:>5} | {}", cut(source.chars().skip(from), MOST))];
    if column > 0 && before <= source.chars().count() {
        let lead = cut(source.chars().skip(from), before - from);
        // Tabs stay tabs, so that the caret stands below its character however wide they are shown.
        let pad: String = lead.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        shown.push(format!("      | {pad}^"));
    }
    shown
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_below_its_character() {
        assert_eq!(source_line(7, 5, "a = f(1)\r\n"), ["    7 | a = f(1)", "      |     ^"]);
        assert_eq!(source_line(7, 3, "\t\tf(1)"), ["    7 | \t\tf(1)", "      | \t\t^"]);
        assert_eq!(source_line(12, 0, "x"), ["   12 | x"], "no column, no caret");
        assert_eq!(
            source_line(1, 40, "x").len(),
            1,
            "a column past the end points at nothing"
        );
    }

    #[test]
    fn a_long_line_is_shown_around_its_column() {
        let long = format!("{}HERE{}", "a".repeat(1000), "b".repeat(1000));
        let shown = source_line(1, 1001, &long);
        let at = shown[1].chars().position(|c| c == '^').unwrap_or_default();
        assert!(
            shown[0].chars().skip(at).collect::<String>().starts_with("HERE"),
            "{shown:?}"
        );
        assert!(shown[0].chars().count() < 200);
    }

    #[test]
    fn source_cannot_steer_the_terminal() {
        let shown = source_line(1, 9, "\u{1b}[2Jx = f()");
        assert_eq!(shown[0], "    1 | \\u{1b}[2Jx = f()");
        assert!(shown[1].ends_with("            ^"), "{shown:?}");
    }
}
