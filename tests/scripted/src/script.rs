//! One answer file: the text to send and the faults to inject, from the front matter.
//! Strict on purpose: a misspelt fault would make a test pass for nothing.

use std::str::FromStr;
use std::time::Duration;

use axum::http::StatusCode;
use thiserror::Error;

/// An answer file, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Script {
    pub(crate) text: String,
    pub(crate) fault: Fault,
    /// Faults apply to this many first requests of the key; `None`: to all.
    pub(crate) times: Option<u32>,
}

/// What goes wrong with one reply. The default is: nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fault {
    pub(crate) finish: Finish,
    /// Answer with this status and an error body in place of the text.
    pub(crate) status: Option<StatusCode>,
    /// The machine-readable code in that error body.
    pub(crate) error: Option<String>,
    /// The words in that error body.
    pub(crate) message: Option<String>,
    /// The `Retry-After` header, as it stands: seconds or an HTTP date.
    pub(crate) retry_after: Option<String>,
    /// The `Location` header of a redirect.
    pub(crate) location: Option<String>,
    /// Silence before the head of the reply.
    pub(crate) delay: Duration,
    pub(crate) broken: Option<Break>,
}

/// How the model says it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Finish {
    #[default]
    Stop,
    Length,
    Refusal,
    ContentFilter,
    /// The stream ends in good order, but nobody said why.
    Unsaid,
}

/// What breaks inside the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Break {
    /// The connection is torn down after this many bytes of the text.
    Cut(usize),
    /// Half of the text, then silence for as long as the client stays.
    Stall,
    /// Half of the text, then an error event with this code.
    ErrorEvent(String),
}

/// Why an answer file cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ScriptError {
    #[error("the front matter is not closed by a line `---`")]
    Unclosed,
    #[error("front matter line {0:?} is not `key: value`")]
    NotAPair(String),
    #[error("unknown front matter key {0:?}")]
    UnknownKey(String),
    #[error("bad value for `{key}`: {value:?}")]
    BadValue { key: String, value: String },
    #[error("at most one of cut_after_bytes, stall and error_event can happen")]
    TwoBreaks,
}

impl Script {
    /// Reads a file's content. Front matter is there if the first line is `---`.
    pub(crate) fn parse(file: &str) -> Result<Self, ScriptError> {
        let Some(rest) = file.strip_prefix("---\n") else {
            return Ok(Self {
                text: file.to_owned(),
                ..Self::default()
            });
        };
        let mut script = Self::default();
        let mut lines = rest.split_inclusive('\n');
        let mut used = 0;
        loop {
            let line = lines.next().ok_or(ScriptError::Unclosed)?;
            used += line.len();
            match line.trim() {
                "---" => break,
                "" => {}
                pair => script.set(pair)?,
            }
        }
        script.text = rest.get(used..).unwrap_or_default().to_owned();
        Ok(script)
    }

    /// The fault for the `ordinal`-th request (from 1) of this key.
    pub(crate) fn fault_for(&self, ordinal: u32) -> Fault {
        match self.times {
            Some(times) if ordinal > times => Fault::default(),
            Some(_) | None => self.fault.clone(),
        }
    }

    fn set(&mut self, pair: &str) -> Result<(), ScriptError> {
        let (key, value) = pair
            .split_once(':')
            .map(|(key, value)| (key.trim(), value.trim()))
            .ok_or_else(|| ScriptError::NotAPair(pair.to_owned()))?;
        let fault = &mut self.fault;
        match key {
            "finish" => fault.finish = parsed(key, value)?,
            "status" => fault.status = Some(parsed(key, value)?),
            "error" => fault.error = Some(value.to_owned()),
            "message" => fault.message = Some(value.to_owned()),
            "retry_after" => fault.retry_after = Some(value.to_owned()),
            "location" => fault.location = Some(value.to_owned()),
            "delay_ms" => fault.delay = Duration::from_millis(parsed(key, value)?),
            "cut_after_bytes" => fault.break_with(Break::Cut(parsed(key, value)?))?,
            "stall" if parsed(key, value)? => fault.break_with(Break::Stall)?,
            "stall" => {}
            "error_event" => fault.break_with(Break::ErrorEvent(value.to_owned()))?,
            "times" => self.times = Some(parsed(key, value)?),
            _ => return Err(ScriptError::UnknownKey(key.to_owned())),
        }
        Ok(())
    }
}

impl Fault {
    fn break_with(&mut self, how: Break) -> Result<(), ScriptError> {
        match self.broken.replace(how) {
            None => Ok(()),
            Some(_) => Err(ScriptError::TwoBreaks),
        }
    }
}

fn parsed<T: FromStr>(key: &str, value: &str) -> Result<T, ScriptError> {
    value.parse().map_err(|_| ScriptError::BadValue {
        key: key.to_owned(),
        value: value.to_owned(),
    })
}

impl FromStr for Finish {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "stop" => Ok(Self::Stop),
            "length" => Ok(Self::Length),
            "refusal" => Ok(Self::Refusal),
            "content_filter" => Ok(Self::ContentFilter),
            "none" => Ok(Self::Unsaid),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_front_matter_is_all_text() {
        let script = Script::parse("text\n---\nmore").unwrap();
        assert_eq!(script.text, "text\n---\nmore");
        assert_eq!(script.fault, Fault::default());
    }

    #[test]
    fn front_matter_is_taken_off_exactly() {
        let script = Script::parse("---\nfinish: length\nstall: false\n\n---\n\n a\n---\n").unwrap();
        assert_eq!(script.text, "\n a\n---\n");
        assert_eq!(script.fault.finish, Finish::Length);
        assert_eq!(script.fault.broken, None);
    }

    #[test]
    fn times_bounds_the_fault() {
        let script = Script::parse("---\nfinish: length\ntimes: 2\n---\na").unwrap();
        assert_eq!(script.fault_for(2).finish, Finish::Length);
        assert_eq!(script.fault_for(3), Fault::default());
    }

    #[test]
    fn every_mistake_is_an_error() {
        let kind = |text: &str| Script::parse(text).unwrap_err();
        assert_eq!(kind("---\nfinish: stop\n"), ScriptError::Unclosed);
        assert!(matches!(kind("---\nstall\n---\n"), ScriptError::NotAPair(_)));
        assert!(matches!(kind("---\nstal: true\n---\n"), ScriptError::UnknownKey(_)));
        for bad in ["finish: end", "status: 42", "times: -1", "stall: yes", "delay_ms: 1s"] {
            let text = format!("---\n{bad}\n---\n");
            assert!(matches!(kind(&text), ScriptError::BadValue { .. }), "{bad}");
        }
        let two = kind("---\nstall: true\ncut_after_bytes: 3\n---\n");
        assert_eq!(two, ScriptError::TwoBreaks);
    }
}
