//! A call: attempts with waits in between until there is an answer, a final error, or no time left.
//! The one owner of retries, and of the span that shows a call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use interlock_domain::Disposition;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span, field};

use crate::answer::{Answer, Prompt};
use crate::complaint::Asked;
use crate::config::{ConfigError, ModelConfig, Protocol};
use crate::connect;
use crate::endpoint::Endpoint;
use crate::error::ModelError;
use crate::exchange::Exchange;
use crate::secret::Secret;
use crate::transcript::Reply;
use crate::{anthropic, openai, retry};

/// Access to one model of one server. Share it by reference or in an `Arc`: calls run side by side.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    config: ModelConfig,
    endpoint: Endpoint,
    key: Option<Secret>,
    /// Set when the server has refused JSON mode: it is not asked again.
    no_json_mode: AtomicBool,
}

impl Client {
    /// Checks the configuration and reads the key; does not connect.
    ///
    /// # Errors
    /// A value that cannot be right, a key that is named but not there, or no TLS set-up.
    pub fn new(config: ModelConfig) -> Result<Self, ConfigError> {
        config.check()?;
        let endpoint = Endpoint::new(&config.url, config.protocol)?;
        let key = config.key()?;
        let http = connect::client(&config, &endpoint, key.as_ref())?;
        Ok(Self {
            http,
            config,
            endpoint,
            key,
            no_json_mode: AtomicBool::new(false),
        })
    }

    /// The model that is asked for.
    pub fn model(&self) -> &str {
        &self.config.model
    }

    /// Asks once and returns the whole answer. `cancel`, or dropping the future, drops the
    /// connection, which is how servers learn that they can stop.
    ///
    /// # Errors
    /// See [`ModelError`]; a partial answer is always an error.
    pub async fn complete(&self, prompt: &Prompt, cancel: &CancellationToken) -> Result<Answer, ModelError> {
        let span = self.span();
        let outcome = async {
            tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ModelError::Cancelled),
                outcome = self.call(prompt) => outcome,
            }
        }
        .instrument(span.clone())
        .await;
        match &outcome {
            Ok(answer) => record(&span, answer),
            Err(error) => {
                span.record("error.type", error.kind());
                span.record("otel.status_code", "ERROR");
            }
        }
        outcome
    }

    async fn call(&self, prompt: &Prompt) -> Result<Answer, ModelError> {
        let started = Instant::now();
        let deadline = started + self.config.total_timeout;
        for attempt in 1.. {
            Span::current().record("attempts", attempt);
            let error = match timeout_at(deadline, self.attempt(prompt)).await {
                Ok(Ok(reply)) => return Ok(answer(reply, started.elapsed(), attempt)),
                Ok(Err(error)) => error,
                Err(_) => break,
            };
            match error.disposition() {
                Disposition::Retry => {}
                Disposition::Refuse | Disposition::Escalate => return Err(error),
            }
            if matches!(error, ModelError::NoJsonMode) {
                self.no_json_mode.store(true, Ordering::Relaxed);
            }
            let wait = retry::wait(&error, attempt, &self.config)?;
            if attempt >= self.config.max_attempts || Instant::now() + wait >= deadline {
                return Err(ModelError::Exhausted {
                    attempts: attempt,
                    last: Box::new(error),
                });
            }
            tracing::warn!(
                attempt,
                kind = error.kind(),
                wait_ms = wait.as_millis(),
                "model call fails, will be repeated"
            );
            sleep(wait).await;
        }
        Err(ModelError::TimedOut {
            after: self.config.total_timeout,
        })
    }

    async fn attempt(&self, prompt: &Prompt) -> Result<Reply, ModelError> {
        let json_mode = prompt.json && !self.no_json_mode.load(Ordering::Relaxed);
        let exchange = Exchange {
            http: &self.http,
            url: &self.endpoint.url,
            protocol: self.config.protocol,
            asked: Asked {
                model: &self.config.model,
                key: self.key.as_ref(),
                json_mode: json_mode && self.config.protocol == Protocol::OpenAi,
            },
            prompt_bytes: prompt.system.len() + prompt.user.len(),
            stall: self.config.stall_timeout,
            max_answer_bytes: self.config.max_answer_bytes,
        };
        exchange.run(&self.request(prompt, json_mode)).await
    }

    fn request(&self, prompt: &Prompt, json_mode: bool) -> Value {
        let model = &self.config.model;
        let most = self.config.max_output_tokens;
        let limit = prompt.max_output_tokens.map_or(most, |wish| wish.min(most));
        match self.config.protocol {
            Protocol::OpenAi => {
                let field = self.endpoint.output_limit_field();
                openai::request(model, prompt, field, limit, json_mode)
            }
            Protocol::Anthropic => anthropic::request(model, prompt, limit),
        }
    }

    /// OpenTelemetry's names for calls of generative models. Sizes and counts, never texts.
    fn span(&self) -> Span {
        let system = match self.config.protocol {
            Protocol::OpenAi => "openai",
            Protocol::Anthropic => "anthropic",
        };
        tracing::info_span!(
            "model.call",
            otel.kind = "client",
            otel.status_code = field::Empty,
            "error.type" = field::Empty,
            gen_ai.system = system,
            gen_ai.operation.name = "chat",
            gen_ai.request.model = self.config.model,
            gen_ai.response.model = field::Empty,
            gen_ai.usage.input_tokens = field::Empty,
            gen_ai.usage.output_tokens = field::Empty,
            server.address = self.endpoint.host,
            server.port = self.endpoint.port,
            attempts = field::Empty,
        )
    }
}

fn answer(reply: Reply, latency: Duration, attempts: u32) -> Answer {
    Answer {
        text: reply.text,
        finish: reply.finish,
        usage: reply.usage,
        model: reply.model,
        latency,
        attempts,
    }
}

fn record(span: &Span, answer: &Answer) {
    span.record("gen_ai.response.model", &answer.model);
    span.record("gen_ai.usage.input_tokens", answer.usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", answer.usage.output_tokens);
}
