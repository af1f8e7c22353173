//! The server as a library: routes, a bounded shutdown, and a handle for tests.

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::handler;
use crate::stats::{Counts, Stats};

/// Larger than any prompt that a model with a million tokens of context could take.
const MAX_REQUEST: usize = 16 * 1024 * 1024;
/// How long open answers may take to finish after the signal to end; a stalled one never would.
const GRACE: Duration = Duration::from_secs(1);

/// What a scripted model serves, and to whom.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder of answer files.
    pub answers: PathBuf,
    /// If set, requests with another key, or none, get 401.
    pub api_key: Option<String>,
    /// If not empty, requests for other models get 404.
    pub models: Vec<String>,
    /// Where to append one JSON line per started, completed or abandoned answer.
    pub log: Option<PathBuf>,
}

/// A scripted model, ready to be served.
#[derive(Debug, Clone)]
pub struct Scripted {
    pub(crate) options: Arc<Options>,
    pub(crate) stats: Stats,
}

impl Scripted {
    /// Opens the log, if there is to be one.
    ///
    /// # Errors
    /// The folder of answers is not there, or the log cannot be opened.
    pub fn new(options: Options) -> io::Result<Self> {
        if !options.answers.is_dir() {
            let message = format!("no folder of answers at {}", options.answers.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, message));
        }
        let stats = Stats::logging_to(options.log.as_deref())?;
        Ok(Self {
            options: Arc::new(options),
            stats,
        })
    }

    /// The counts, live.
    pub fn stats(&self) -> Stats {
        self.stats.clone()
    }

    fn router(self) -> Router {
        let stats = self.stats.clone();
        let counts = move || async move { Json::<Counts>(stats.counts()) };
        let models = models(&self.options.models);
        Router::new()
            .route("/v1/chat/completions", post(handler::openai))
            .route("/v1/messages", post(handler::anthropic))
            .route("/v1/models", get(move || async move { Json(models) }))
            .route("/v1/stats", get(counts.clone()))
            .route("/stats", get(counts))
            .layer(DefaultBodyLimit::max(MAX_REQUEST))
            .with_state(self)
    }
}

fn models(names: &[String]) -> Value {
    let any = [String::from("scripted")];
    let names = if names.is_empty() { &any[..] } else { names };
    let data: Vec<Value> = names
        .iter()
        .map(|name| json!({"id": name, "object": "model", "created": 0, "owned_by": "scripted"}))
        .collect();
    json!({"object": "list", "data": data})
}

/// Serves until `shutdown`, then lets open answers finish for at most a second.
///
/// # Errors
/// The listener broke.
pub async fn serve(
    listener: TcpListener,
    scripted: Scripted,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let (ending, ended) = oneshot::channel::<()>();
    let signal = async move {
        shutdown.await;
        // The receiver lives as long as this function does.
        ending.send(()).ok();
    };
    let server = axum::serve(listener, scripted.router()).with_graceful_shutdown(signal);
    let grace = async move {
        match ended.await {
            Ok(()) => tokio::time::sleep(GRACE).await,
            // The server ended by itself: leave the word to it.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        result = server => result,
        () = grace => Ok(()),
    }
}

/// A scripted model on a free loopback port, ended when dropped.
#[derive(Debug)]
pub struct ScriptedServer {
    /// The base of the API, as a client wants it: `http://127.0.0.1:PORT/v1`.
    pub url: String,
    stats: Stats,
    _shutdown: oneshot::Sender<()>,
}

impl ScriptedServer {
    /// Serves a folder of answers to everybody.
    ///
    /// # Errors
    /// There is no such folder, or no port to be had.
    pub async fn start(answers: impl AsRef<Path>) -> io::Result<Self> {
        Self::start_with(Options {
            answers: answers.as_ref().to_owned(),
            ..Options::default()
        })
        .await
    }

    /// Serves as `options` say.
    ///
    /// # Errors
    /// As [`Scripted::new`], or no port to be had.
    pub async fn start_with(options: Options) -> io::Result<Self> {
        let scripted = Scripted::new(options)?;
        let stats = scripted.stats();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let (sender, receiver) = oneshot::channel::<()>();
        // Dropping the sender ends the server as well: both results mean "end".
        tokio::spawn(serve(listener, scripted, async move {
            receiver.await.ok();
        }));
        Ok(Self {
            url,
            stats,
            _shutdown: sender,
        })
    }

    /// The counts, live.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }
}
