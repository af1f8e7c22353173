//! Text that others wrote (a model, a program, a file name), made harmless for a terminal; and numbers for people.

pub use interlock_domain::shown::{block, line};

/// One line of at most `most` characters.
pub fn clipped(text: &str, most: usize) -> String {
    let clean = line(text);
    if clean.chars().count() <= most {
        return clean;
    }
    let mut short: String = clean.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// `1 file`, `3 files`, `2 libraries`, `2 processes`.
pub fn count(number: usize, one: &str) -> String {
    match (number, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) if one.ends_with('s') => format!("{number} {one}es"),
        (_, None) => format!("{number} {one}s"),
    }
}

/// A time span.
pub fn span(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {} s", milliseconds / 60_000, milliseconds / 1_000 % 60),
        _ => format!("{} h {} min", milliseconds / 3_600_000, milliseconds / 60_000 % 60),
    }
}

/// A number of bytes.
pub fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = 1024 * KIB;
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes / KIB),
        _ => format!("{} MiB", bytes / MIB),
    }
}

/// A measured number, short where that says the same: 0.9733333 and not 0.97333333333333333.
pub fn number(value: f64) -> String {
    let short = format!("{value:.6}");
    let short = short.trim_end_matches('0').trim_end_matches('.');
    if value == 0.0 || (value.is_finite() && (1e-4..1e9).contains(&value.abs())) {
        short.to_owned()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_as_a_command() {
        assert_eq!(line("a\x1b[2Jb\r\nc\u{202e}d"), "a\\u{1b}[2Jb\\u{d} ⏎ c\\u{202e}d");
        assert_eq!(block("a\nb\x07"), "a\nb\\u{7}");
        assert_eq!(clipped("abcdef", 4), "abc…");
        assert_eq!(clipped("äöü", 3), "äöü");
    }

    #[test]
    fn numbers_are_for_people() {
        assert_eq!(span(999), "999 ms");
        assert_eq!(span(3_250), "3.2 s");
        assert_eq!(span(61_000), "1 min 1 s");
        assert_eq!(span(7_260_000), "2 h 1 min");
        assert_eq!(size(2_048), "2 KiB");
        assert_eq!(size(210 * 1024 * 1024), "210 MiB");
        assert_eq!(count(1, "repair"), "1 repair");
        assert_eq!(count(2, "library"), "2 libraries");
        assert_eq!(count(3, "process"), "3 processes");
        assert_eq!(number(0.973_333_333_3), "0.973333");
        assert_eq!(number(1.0), "1");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(f64::NAN), "NaN");
        assert_eq!(number(1.5e-9), "1.5e-9");
    }
}
