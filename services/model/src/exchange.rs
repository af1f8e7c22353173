//! One HTTP exchange: a request out, a stream in, a reply or an error. Never repeats anything.

use std::future::Future;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::complaint::{Asked, Complaint};
use crate::config::Protocol;
use crate::error::ModelError;
use crate::sse::{Decoder, Malformed};
use crate::transcript::{Fault, Reply, Step, Transcript};
use crate::{anthropic, openai, retry};

/// Bytes of an error body that are read; what servers say fits in far less.
const ERROR_BODY: usize = 64 * 1024;
/// What an event may have beyond the text in it.
const EVENT_FRAME: usize = 64 * 1024;

/// Everything that one exchange needs to know.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    pub(crate) http: &'a reqwest::Client,
    pub(crate) url: &'a reqwest::Url,
    pub(crate) protocol: Protocol,
    pub(crate) asked: Asked<'a>,
    pub(crate) prompt_bytes: usize,
    pub(crate) stall: Duration,
    pub(crate) max_answer_bytes: usize,
}

impl Exchange<'_> {
    pub(crate) async fn run(&self, body: &Value) -> Result<Reply, ModelError> {
        let request = self.http.post(self.url.clone()).json(body);
        let response = self
            .awaited(request.send())
            .await?
            .map_err(|error| connection_error(&error))?;
        let status = response.status();
        if status.is_redirection() {
            return Err(ModelError::Redirected {
                status: status.as_u16(),
            });
        }
        if status != StatusCode::OK {
            return Err(self.refusal(response).await);
        }
        let kind = response.headers().get(CONTENT_TYPE);
        if let Some(kind) = kind
            && !kind.as_bytes().starts_with(b"text/event-stream")
        {
            return Err(ModelError::Protocol(format!("content type {kind:?}")));
        }
        self.answer(response).await
    }

    async fn answer(&self, mut response: Response) -> Result<Reply, ModelError> {
        let mut transcript = Transcript::new(self.max_answer_bytes);
        let mut decoder = Decoder::new(self.max_answer_bytes.saturating_add(EVENT_FRAME));
        loop {
            let bytes = match self.awaited(response.chunk()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) => break,
                // Only counts can be missing now, and an answer that is there was paid for.
                Ok(Err(_)) | Err(_) if transcript.has_ended() => break,
                Ok(Err(_)) => {
                    let received = transcript.received();
                    return Err(ModelError::Cut { received });
                }
                Err(stalled) => return Err(stalled),
            };
            match self.take(&bytes, &mut decoder, &mut transcript) {
                Ok(Step::More) => {}
                Ok(Step::End) => break,
                Err(fault) => return Err(self.fault(fault)),
            }
        }
        transcript.into_reply(self.asked.model, self.prompt_bytes)
    }

    fn take(&self, bytes: &[u8], decoder: &mut Decoder, transcript: &mut Transcript) -> Result<Step, Fault> {
        let events = decoder.push(bytes).map_err(|malformed| match malformed {
            Malformed::TooLong => Fault::TooLarge,
            Malformed::NotUtf8 => Fault::Protocol("bytes that are not UTF-8".to_owned()),
        })?;
        for event in events {
            let step = match self.protocol {
                Protocol::OpenAi => openai::apply(&event, transcript)?,
                Protocol::Anthropic => anthropic::apply(&event, transcript)?,
            };
            if step == Step::End {
                return Ok(Step::End);
            }
        }
        Ok(Step::More)
    }

    fn fault(&self, fault: Fault) -> ModelError {
        match fault {
            Fault::Complaint(complaint) => complaint.into_error(None, None, &self.asked),
            Fault::TooLarge => ModelError::TooLarge {
                limit: self.max_answer_bytes,
            },
            Fault::Protocol(what) => ModelError::Protocol(what),
        }
    }

    /// Any response that is neither an answer nor a redirect.
    async fn refusal(&self, mut response: Response) -> ModelError {
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| retry::retry_after(value, SystemTime::now()));
        let mut body = Vec::new();
        // The status alone says most of it: a body that breaks off is read as far as it goes.
        while body.len() < ERROR_BODY
            && let Ok(Ok(Some(bytes))) = self.awaited(response.chunk()).await
        {
            body.extend_from_slice(&bytes);
        }
        Complaint::from_body(&body).into_error(Some(status), retry_after, &self.asked)
    }

    async fn awaited<F: Future>(&self, future: F) -> Result<F::Output, ModelError> {
        tokio::time::timeout(self.stall, future)
            .await
            .map_err(|_| ModelError::Stalled { after: self.stall })
    }
}

/// Before the head of a response: never reached, or broken off.
fn connection_error(error: &reqwest::Error) -> ModelError {
    if !error.is_connect() && !error.is_timeout() {
        return ModelError::Cut { received: 0 };
    }
    // The causes say more than the outermost error, which would repeat the URL.
    let mut words = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    ModelError::Unreachable(words.join(": "))
}
