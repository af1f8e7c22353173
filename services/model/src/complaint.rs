//! From what a server says about a failure to the kind of error. Servers agree on neither statuses
//! nor codes nor words; the tables here hold what real ones were seen to send.

use std::time::Duration;

use serde_json::Value;

use crate::Secret;
use crate::error::ModelError;

/// Codes that mean "too long", whatever the status: OpenAI, llama.cpp, Anthropic.
const TOO_LONG_CODES: [&str; 3] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "request_too_large",
];
/// Words that mean "too long" where there is no code: Anthropic, vLLM, LM Studio, llama.cpp.
const TOO_LONG_WORDS: [&str; 6] = [
    "prompt is too long",
    "exceed context limit",
    "maximum context length",
    "context length exceeded",
    "context size has been exceeded",
    "available context size",
];
/// Codes that mean that no attempt will ever succeed before somebody pays.
const NO_CREDIT_CODES: [&str; 3] = ["insufficient_quota", "billing_error", "billing_hard_limit_reached"];
/// The same in words: Anthropic sends it as an ordinary 400.
const NO_CREDIT_WORDS: &str = "credit balance is too low";
/// The status that an error event stands for; events have none of their own.
const EVENT_STATUS: [(&str, u16); 13] = [
    ("invalid_request_error", 400),
    ("authentication_error", 401),
    ("invalid_api_key", 401),
    ("permission_error", 403),
    ("not_found_error", 404),
    ("model_not_found", 404),
    ("rate_limit_error", 429),
    ("rate_limit_exceeded", 429),
    ("api_error", 500),
    ("server_error", 500),
    ("timeout_error", 504),
    ("overloaded_error", 529),
    ("overloaded", 529),
];
/// Characters of a server's words that an error keeps.
const WORDS: usize = 300;

/// What was asked for, as far as an error needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) model: &'a str,
    pub(crate) key: Option<&'a Secret>,
    /// The request asked for JSON mode.
    pub(crate) json_mode: bool,
}

/// What a server said about a failure.
#[derive(Debug, Default)]
pub(crate) struct Complaint {
    codes: Vec<String>,
    message: String,
}

impl Complaint {
    /// Reads the body of an error response, whatever it is.
    pub(crate) fn from_body(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self::from_json(&value),
            Err(_) => Self {
                codes: Vec::new(),
                message: String::from_utf8_lossy(body).into_owned(),
            },
        }
    }

    /// Reads `{"error": {…}}`, `{"error": "…"}`, `{"message": …}`, or a list of one of these.
    pub(crate) fn from_json(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").unwrap_or(value);
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        let message = match error {
            Value::String(message) => message.clone(),
            _ => text("message").unwrap_or_else(|| error.to_string()),
        };
        Self {
            codes: ["code", "type"].into_iter().filter_map(text).collect(),
            message,
        }
    }

    /// The error for a response with this status, or for an event in the stream.
    pub(crate) fn into_error(
        self,
        status: Option<u16>,
        retry_after: Option<Duration>,
        asked: &Asked<'_>,
    ) -> ModelError {
        let effective = status.or_else(|| self.event_status());
        let message = self.words(asked.key);
        if self.is_too_long(effective) {
            return ModelError::ContextTooLong(message);
        }
        if self.has_code(&NO_CREDIT_CODES) || self.message.contains(NO_CREDIT_WORDS) {
            return ModelError::NoCredit(message);
        }
        if self.has_code(&["model_not_found"]) {
            return not_found(asked, message);
        }
        match effective {
            Some(status @ (401 | 403)) => ModelError::KeyRejected { status },
            Some(402) => ModelError::NoCredit(message),
            Some(404) => not_found(asked, message),
            Some(429) => ModelError::RateLimited { retry_after },
            Some(400 | 422) if asked.json_mode && self.message.contains("response_format") => ModelError::NoJsonMode,
            // Not implemented, and a version that is not spoken: waiting changes neither.
            Some(status @ (501 | 505)) => ModelError::Rejected { status, message },
            Some(408 | 500..=599) | None => ModelError::Upstream {
                status: effective,
                retry_after,
                message,
            },
            Some(status) => ModelError::Rejected { status, message },
        }
    }

    fn has_code(&self, known: &[&str]) -> bool {
        self.codes.iter().any(|code| known.contains(&code.as_str()))
    }

    fn is_too_long(&self, status: Option<u16>) -> bool {
        let lower = self.message.to_lowercase();
        let could_be = matches!(status, None | Some(400 | 422 | 500));
        status == Some(413)
            || self.has_code(&TOO_LONG_CODES)
            || (could_be && TOO_LONG_WORDS.iter().any(|words| lower.contains(words)))
    }

    /// A numeric code is a status; a named one stands in the table.
    fn event_status(&self) -> Option<u16> {
        self.codes.iter().find_map(|code| {
            let named = EVENT_STATUS.iter().find(|(name, _)| name == code);
            named
                .map(|(_, status)| *status)
                .or_else(|| code.parse().ok().filter(|status| (400..600).contains(status)))
        })
    }

    /// What the server said, short, on one line and without the key.
    fn words(&self, key: Option<&Secret>) -> String {
        let message = key.map_or_else(|| self.message.clone(), |key| key.redact(&self.message));
        message
            .chars()
            .take(WORDS)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect()
    }
}

fn not_found(asked: &Asked<'_>, message: String) -> ModelError {
    ModelError::NotFound {
        model: asked.model.to_owned(),
        message,
    }
}
