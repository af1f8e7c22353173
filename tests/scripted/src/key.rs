//! Which answer a prompt asks for: the request line on top of every prompt, read strictly.
//! Must not touch the disk; it only says which file would be the answer.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

const PREFIX: &str = "# interlock request:";

/// The name under which a request is answered and counted: `plan.1`, `src/data.py.2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    name: String,
    attempt: u32,
}

/// Why the first line of a prompt names no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    /// The prompt has no request line at all.
    #[error("the first line of the prompt is not a request line (`{PREFIX} … attempt N`): {0:?}")]
    NoRequestLine(String),
    /// The line does not end in `attempt N` with N of at least 1.
    #[error("the request line says no attempt: {0:?}")]
    NoAttempt(String),
    /// Neither one word (`plan`) nor `write PATH`.
    #[error("the request line asks for neither one word nor `write PATH`: {0:?}")]
    UnknownRequest(String),
    /// A path that would leave the folder of answers.
    #[error("the request names an unsafe path: {0:?}")]
    UnsafePath(String),
}

impl Key {
    /// Reads the first line of a user prompt; whatever follows the attempt is ignored.
    pub fn from_prompt(prompt: &str) -> Result<Self, KeyError> {
        let line = prompt.lines().next().unwrap_or_default();
        let request = line
            .strip_prefix(PREFIX)
            .ok_or_else(|| KeyError::NoRequestLine(line.chars().take(120).collect()))?;
        let (subject, rest) = request
            .split_once(" attempt ")
            .ok_or_else(|| KeyError::NoAttempt(line.to_owned()))?;
        let attempt = rest
            .split_whitespace()
            .next()
            .and_then(|word| word.parse::<u32>().ok())
            .filter(|attempt| *attempt >= 1)
            .ok_or_else(|| KeyError::NoAttempt(line.to_owned()))?;
        let words: Vec<&str> = subject.split_whitespace().collect();
        let name = match words.as_slice() {
            ["write", path] => *path,
            [word] if !word.contains('/') => *word,
            _ => return Err(KeyError::UnknownRequest(line.to_owned())),
        };
        let safe = !name.contains('\\')
            && !name.contains('\0')
            && name
                .split('/')
                .all(|part| !part.is_empty() && part != "." && part != "..");
        if !safe {
            return Err(KeyError::UnsafePath(name.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            attempt,
        })
    }

    /// The answer's file, relative to the folder of answers.
    pub fn file(&self) -> PathBuf {
        PathBuf::from(format!("{self}.md"))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.name, self.attempt)
    }
}
