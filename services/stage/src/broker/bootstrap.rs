//! Makes the streams and consumers, with an identity that no stage has.
//!
//! The server's echo is compared with what was asked for: servers ignore options they do not know.

use super::echo::differences;
use super::{ACK_WAIT, Identities};
use async_nats::jetstream::consumer::IntoConsumerConfig as _;
use async_nats::jetstream::{self, consumer, stream};
use interlock_domain::Stage;
use interlock_domain::authority::{EDGES, SEALED_STREAM, blob_stream, consumer as durable_name, record_stream};
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Why the broker cannot be made ready.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    /// It cannot be reached or did not answer.
    #[error("the broker at {url} cannot be reached: {why}")]
    Unreachable {
        /// Where.
        url: String,
        /// Why.
        why: String,
    },
    /// It is too old.
    #[error(
        "nats-server {0} is too old: it ignores options that Interlock relies on without saying so; install {1} or newer"
    )]
    TooOld(String, &'static str),
    /// It refused.
    #[error("the broker refused {what}: {why}")]
    Refused {
        /// What was asked for.
        what: String,
        /// Its answer.
        why: String,
    },
    /// It says that it did something else than what was asked for.
    #[error("the broker did not keep to what was asked of {what}: {difference}")]
    Differs {
        /// Which stream or consumer.
        what: String,
        /// How.
        difference: String,
    },
}

/// The oldest server that is not known to ignore what we ask of it.
pub const fn oldest_supported() -> &'static str {
    "2.10.0"
}

/// Whether a server of this version is too old, or has a version that cannot be read.
pub fn unsupported(version: &str) -> bool {
    let mut parts = version
        .trim_start_matches('v')
        .split(['.', '-', '+'])
        .map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) < (2, 10),
        (_, _) => true,
    }
}

/// Connects as the bootstrap identity, and makes and checks every stream and consumer. Can be repeated.
pub async fn apply(url: &str, identities: &Identities) -> Result<(), BootstrapError> {
    let unreachable = |why: String| BootstrapError::Unreachable {
        url: url.to_owned(),
        why,
    };
    let client = async_nats::ConnectOptions::with_nkey(identities.admin_seed().to_owned())
        .name("interlock-bootstrap")
        .connection_timeout(Duration::from_secs(5))
        .connect(url)
        .await
        .map_err(|e| unreachable(e.to_string()))?;
    let version = client.server_info().version;
    if unsupported(&version) {
        return Err(BootstrapError::TooOld(version, oldest_supported()));
    }
    let js = jetstream::new(client);
    for stage in Stage::ALL {
        let mut subjects = vec![format!("evt.{stage}.*.*")];
        if interlock_domain::authority::writes_controls(stage) {
            subjects.push("ctl.*.*".to_owned());
        }
        ensure_stream(&js, record_stream(stage), subjects).await?;
        let mut subjects = vec![format!("blob.{stage}.*.*")];
        if interlock_domain::authority::calls_model(stage) {
            subjects.push(format!("call.{stage}.*.*"));
        }
        ensure_stream(&js, blob_stream(stage), subjects).await?;
    }
    ensure_stream(&js, SEALED_STREAM.to_owned(), vec!["sealed.gateway.*.*".to_owned()]).await?;
    for (from, to) in EDGES {
        ensure_consumer(&js, from, to).await?;
    }
    Ok(())
}

/// An immutable archive: one message per subject, no overwrite, no delete, no purge.
fn archive(name: String, subjects: Vec<String>) -> stream::Config {
    stream::Config {
        name,
        subjects,
        retention: stream::RetentionPolicy::Limits,
        storage: stream::StorageType::File,
        discard: stream::DiscardPolicy::New,
        discard_new_per_subject: true,
        max_messages_per_subject: 1,
        deny_delete: true,
        deny_purge: true,
        allow_direct: true,
        ..Default::default()
    }
}

async fn ensure_stream(js: &jetstream::Context, name: String, subjects: Vec<String>) -> Result<(), BootstrapError> {
    let what = format!("stream {name}");
    let asked = archive(name.clone(), subjects);
    js.get_or_create_stream(asked.clone())
        .await
        .map_err(|e| refused(&what, e))?;
    compare(js, &what, format!("STREAM.INFO.{name}"), &asked).await
}

async fn ensure_consumer(js: &jetstream::Context, from: Stage, to: Stage) -> Result<(), BootstrapError> {
    let (stream, durable) = (record_stream(from), durable_name(to));
    let what = format!("consumer {durable} on {stream}");
    let asked = consumer::pull::Config {
        name: Some(durable.to_owned()),
        durable_name: Some(durable.to_owned()),
        filter_subject: format!("evt.{from}.*.*"),
        ack_policy: consumer::AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        // Never given up by the broker: a stage that cannot go on says so on the chain instead.
        max_deliver: -1,
        max_ack_pending: 4096,
        ..Default::default()
    };
    js.get_stream_no_info(&stream)
        .await
        .map_err(|e| refused(&what, e))?
        .create_consumer(asked.clone())
        .await
        .map_err(|e| refused(&what, e))?;
    compare(
        js,
        &what,
        format!("CONSUMER.INFO.{stream}.{durable}"),
        &asked.into_consumer_config(),
    )
    .await
}

fn refused(what: &str, why: impl ToString) -> BootstrapError {
    BootstrapError::Refused {
        what: what.to_owned(),
        why: why.to_string(),
    }
}

/// Compares every setting that the server has with what was asked for, known to this build or not:
/// a stream that was there before may have been told more than we would have told it.
async fn compare(
    js: &jetstream::Context,
    what: &str,
    call: String,
    asked: &impl Serialize,
) -> Result<(), BootstrapError> {
    let answer: Value = js.request(call, &json!({})).await.map_err(|e| refused(what, e))?;
    let asked = serde_json::to_value(asked).map_err(|e| refused(what, e))?;
    let echo = answer.get("config").ok_or_else(|| refused(what, &answer))?;
    let differences = differences(&asked, echo);
    if differences.is_empty() {
        return Ok(());
    }
    Err(BootstrapError::Differs {
        what: what.to_owned(),
        difference: differences.join("; "),
    })
}
