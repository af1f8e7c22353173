//! What people write, checked before it goes on record: who they are, and what they have to say.

use crate::refusal::Refusal;

/// Longest name in bytes.
const MAX_NAME: usize = 200;
/// Longest text in bytes: a page or five, and far below what a record may hold.
const MAX_TEXT: usize = 16 * 1024;

/// A name that can stand in one line: of who submitted, answered or cancelled.
pub(crate) fn name(field: &str, text: String) -> Result<String, Refusal> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(Refusal::Invalid(format!(
            "{field} is empty; say who does this, such as a login name"
        )));
    }
    if trimmed.len() > MAX_NAME {
        return Err(Refusal::Invalid(format!(
            "{field} has {} bytes; at most {MAX_NAME} are allowed",
            trimmed.len()
        )));
    }
    if trimmed.chars().any(char::is_control) {
        return Err(Refusal::Invalid(format!(
            "{field} holds a control character; expected one line of plain text"
        )));
    }
    Ok(trimmed.to_owned())
}

/// Free text: feedback, a hint, a reason.
pub(crate) fn text(field: &str, text: String) -> Result<String, Refusal> {
    if text.len() > MAX_TEXT {
        return Err(Refusal::Invalid(format!(
            "{field} has {} bytes; at most {MAX_TEXT} are allowed; put more into a file that the task names",
            text.len()
        )));
    }
    Ok(text)
}

/// A record's time for people, in UTC.
pub(crate) fn time(unix_ms: i64) -> String {
    let since = std::time::Duration::from_millis(u64::try_from(unix_ms).unwrap_or(0));
    // What does not fit into a four-digit year would make the formatter panic.
    let latest = std::time::Duration::from_secs(253_402_300_799);
    httpdate::fmt_http_date(std::time::UNIX_EPOCH + since.min(latest))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{MAX_NAME, MAX_TEXT, name, text, time};

    #[test]
    fn names_are_one_line_of_somebody() {
        assert_eq!(name("by", " ada ".into()).unwrap(), "ada");
        for refused in ["", "  ", "a\nb", "a\u{1b}[2J", &"x".repeat(MAX_NAME + 1)] {
            assert!(name("by", refused.into()).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn texts_have_an_end() {
        assert!(text("text", "x".repeat(MAX_TEXT)).is_ok());
        assert!(text("text", "x".repeat(MAX_TEXT + 1)).is_err());
    }

    #[test]
    fn any_time_can_be_told() {
        assert_eq!(time(0), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(time(-5), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(time(i64::MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
    }
}
