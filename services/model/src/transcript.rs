//! What has come of an answer so far, in whichever protocol; it becomes a reply only if the server
//! said how the answer ended.

use crate::answer::{Finish, Usage};
use crate::complaint::Complaint;
use crate::error::ModelError;

/// A whole answer, before the client adds what it knows about the call.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) finish: Finish,
    pub(crate) usage: Usage,
    pub(crate) model: String,
}

/// Whether the stream has more to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    More,
    End,
}

/// Why a stream is given up.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server says so itself.
    Complaint(Complaint),
    /// More text than is allowed.
    TooLarge,
    /// Not what the protocol says.
    Protocol(String),
}

/// How the answer ended, before the words of a refusal are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    Complete,
    Truncated,
    /// With the reason, if the protocol gives one.
    Refused(Option<String>),
}

#[derive(Debug)]
pub(crate) struct Transcript {
    text: String,
    refusal: String,
    ending: Option<Ending>,
    limit: usize,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) model: Option<String>,
}

impl Transcript {
    /// `limit` bounds the bytes of text.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            text: String::new(),
            refusal: String::new(),
            ending: None,
            limit,
            input_tokens: None,
            output_tokens: None,
            model: None,
        }
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<(), Fault> {
        self.text.push_str(text);
        self.bounded()
    }

    pub(crate) fn refuse(&mut self, text: &str) -> Result<(), Fault> {
        self.refusal.push_str(text);
        self.bounded()
    }

    pub(crate) fn end(&mut self, ending: Ending) {
        self.ending = Some(ending);
    }

    /// The server has said how the answer ended; only counts can be missing now.
    pub(crate) fn has_ended(&self) -> bool {
        self.ending.is_some()
    }

    /// Bytes of text so far.
    pub(crate) fn received(&self) -> usize {
        self.text.len() + self.refusal.len()
    }

    fn bounded(&self) -> Result<(), Fault> {
        if self.received() > self.limit {
            return Err(Fault::TooLarge);
        }
        Ok(())
    }

    /// The reply, or [`ModelError::Cut`] if nobody said how it ended.
    pub(crate) fn into_reply(self, asked: &str, prompt_bytes: usize) -> Result<Reply, ModelError> {
        let received = self.received();
        let ending = self.ending.ok_or(ModelError::Cut { received })?;
        let finish = match ending {
            Ending::Refused(reason) => {
                Finish::Refused(reason.filter(|_| self.refusal.is_empty()).unwrap_or(self.refusal))
            }
            // A server that fills the field of refusals ends with an ordinary stop.
            Ending::Complete | Ending::Truncated if !self.refusal.is_empty() => Finish::Refused(self.refusal),
            Ending::Complete => Finish::Complete,
            Ending::Truncated => Finish::Truncated,
        };
        Ok(Reply {
            finish,
            usage: Usage {
                input_tokens: self.input_tokens.unwrap_or_else(|| tokens(prompt_bytes)),
                output_tokens: self.output_tokens.unwrap_or_else(|| tokens(received)),
                estimated: self.input_tokens.is_none() || self.output_tokens.is_none(),
            },
            text: self.text,
            model: self.model.unwrap_or_else(|| asked.to_owned()),
        })
    }
}

/// Three bytes a token: code has some 3.5, and a budget must not be overrun by an estimate.
fn tokens(bytes: usize) -> u64 {
    (bytes / 3 + 1) as u64
}
