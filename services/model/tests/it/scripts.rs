//! A scripted server with one answer, and a client that is quick to give up.

use std::time::Duration;

use interlock_model::{Answer, Client, ModelConfig, ModelError, Prompt, Protocol};
use interlock_scripted::{Options, ScriptedServer};
use tokio_util::sync::CancellationToken;

pub(crate) const BOTH: [Protocol; 2] = [Protocol::OpenAi, Protocol::Anthropic];
/// Under which the server counts the requests of [`prompt`].
pub(crate) const KEY: &str = "plan.1";
/// What every client of these tests gives a call, in attempts.
pub(crate) const ATTEMPTS: u32 = 3;

pub(crate) struct Scripted {
    pub(crate) server: ScriptedServer,
    _answers: tempfile::TempDir,
}

impl Scripted {
    /// A server whose one answer is this file.
    pub(crate) async fn new(answer: &str) -> Self {
        Self::with(answer, Options::default()).await
    }

    pub(crate) async fn with(answer: &str, options: Options) -> Self {
        let answers = tempfile::tempdir().unwrap();
        std::fs::write(answers.path().join("plan.1.md"), answer).unwrap();
        let server = ScriptedServer::start_with(Options {
            answers: answers.path().to_owned(),
            ..options
        })
        .await
        .unwrap();
        Self {
            server,
            _answers: answers,
        }
    }

    pub(crate) fn config(&self, protocol: Protocol) -> ModelConfig {
        quick(&self.server.url, protocol)
    }

    /// One call with [`Scripted::config`].
    pub(crate) async fn ask(&self, protocol: Protocol) -> Result<Answer, ModelError> {
        ask(self.config(protocol)).await
    }

    pub(crate) fn started(&self) -> u32 {
        self.server.stats().started(KEY)
    }

    /// Waits until `count` clients were seen to go away; the server learns it from the kernel.
    pub(crate) async fn abandoned(&self, count: u32) {
        tokio::time::timeout(Duration::from_secs(10), async {
            while self.server.stats().abandoned(KEY) < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
        .expect("the connection stays open");
    }
}

/// A configuration with short waits between attempts.
pub(crate) fn quick(url: &str, protocol: Protocol) -> ModelConfig {
    let mut config = ModelConfig::new(url, "test-model");
    config.protocol = protocol;
    config.max_attempts = ATTEMPTS;
    config.retry_base = Duration::from_millis(10);
    config.max_retry_wait = Duration::from_secs(5);
    config.stall_timeout = Duration::from_secs(20);
    config.total_timeout = Duration::from_secs(60);
    config
}

pub(crate) fn prompt() -> Prompt {
    Prompt {
        system: "You plan.".to_owned(),
        user: "# interlock request: plan attempt 1\nPlan something.".to_owned(),
        ..Prompt::default()
    }
}

pub(crate) async fn ask(config: ModelConfig) -> Result<Answer, ModelError> {
    let client = Client::new(config).unwrap();
    client.complete(&prompt(), &CancellationToken::new()).await
}

/// The kind of the last attempt's failure, of a call that used up all its attempts.
pub(crate) fn exhausted(outcome: Result<Answer, ModelError>) -> ModelError {
    match outcome {
        Err(ModelError::Exhausted { attempts, last }) => {
            assert_eq!(attempts, ATTEMPTS);
            *last
        }
        other => panic!("expected all attempts to be used up: {other:?}"),
    }
}
