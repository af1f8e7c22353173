//! Logs, spans, and the trace context that travels in message headers.

use crate::config::Telemetry;
use async_nats::HeaderMap;
use interlock_domain::{RunId, Stage};
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator as _};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// Keeps the exporter alive; flushes when it is shut down.
pub struct TelemetryGuard {
    provider: Option<SdkTracerProvider>,
}

/// Why telemetry cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The exporter.
    #[error("the OTLP exporter for {endpoint} cannot be made: {why}")]
    Exporter {
        /// Where.
        endpoint: String,
        /// Why.
        why: String,
    },
    /// A filter that cannot be read.
    #[error("the log filter {filter:?} is not valid: {why}")]
    Filter {
        /// The filter.
        filter: String,
        /// What is wrong.
        why: String,
    },
}

/// Starts logging (JSON lines on stderr) and, if an endpoint is configured, the export of spans.
/// Call it inside the tokio runtime.
pub fn init(stage: Stage, config: &Telemetry) -> Result<TelemetryGuard, TelemetryError> {
    let filter = config.log.as_deref().unwrap_or("info");
    let parsed = EnvFilter::try_new(filter).map_err(|e| TelemetryError::Filter {
        filter: filter.to_owned(),
        why: e.to_string(),
    })?;
    let provider = config
        .otlp_endpoint
        .as_deref()
        .map(|endpoint| provider(stage, endpoint))
        .transpose()?;
    // Only our own spans: the exporter's transport has spans too, and would export its own exports.
    let ours = filter_fn(|about| about.target().starts_with("interlock") && *about.level() <= tracing::Level::INFO);
    let traces = provider.as_ref().map(|p| {
        tracing_opentelemetry::layer()
            .with_tracer(p.tracer("interlock"))
            .with_filter(ours)
    });
    let logs = tracing_subscriber::fmt::layer()
        .json()
        .with_writer(std::io::stderr)
        .with_filter(parsed);
    let installed = tracing_subscriber::registry().with(traces).with(logs).try_init();
    if installed.is_err() {
        // A test that starts several services in one process: the first one's subscriber serves all.
        tracing::debug!("a subscriber is installed already");
    }
    Ok(TelemetryGuard { provider })
}

fn provider(stage: Stage, endpoint: &str) -> Result<SdkTracerProvider, TelemetryError> {
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .map_err(|e| TelemetryError::Exporter {
            endpoint: endpoint.to_owned(),
            why: e.to_string(),
        })?;
    let resource = Resource::builder()
        .with_service_name(format!("interlock-{stage}"))
        .build();
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource)
        .build())
}

impl TelemetryGuard {
    /// Sends what is left. The exporter blocks, so it gets a thread of its own.
    pub async fn shutdown(self) {
        if let Some(provider) = self.provider {
            let done = tokio::task::spawn_blocking(move || provider.shutdown()).await;
            if let Ok(Err(error)) = done {
                tracing::warn!(%error, "the last spans were not sent");
            }
        }
    }
}

/// The span of one piece of work, as a child of the record that caused it.
pub(crate) fn work_span(stage: Stage, run: RunId, deliveries: i64, headers: Option<&HeaderMap>) -> Span {
    let span = tracing::info_span!(
        "work",
        otel.name = %format!("{stage} work"),
        otel.kind = "consumer",
        messaging.system = "nats",
        interlock.run = %run,
        interlock.stage = %stage,
        interlock.deliveries = deliveries,
    );
    follow(&span, headers);
    span
}

/// The span of something done to a run that no message asked for, as a child of its last record.
pub fn act_span(what: &str, run: RunId, headers: Option<&HeaderMap>) -> Span {
    let span = tracing::info_span!(
        "act",
        otel.name = what,
        otel.kind = "server",
        interlock.run = %run,
    );
    follow(&span, headers);
    span
}

fn follow(span: &Span, headers: Option<&HeaderMap>) {
    let Some(headers) = headers else { return };
    let context = TraceContextPropagator::new().extract(&Headers(headers));
    if let Err(error) = span.set_parent(context) {
        tracing::debug!(?error, "the trace context does not fit");
    }
}

/// Headers that carry the current span, so that whoever reads the record continues its trace.
pub fn current_headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    let context = Span::current().context();
    TraceContextPropagator::new().inject_context(&context, &mut HeadersMut(&mut headers));
    headers
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(|value| value.as_str())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_ref()).collect()
    }
}

struct HeadersMut<'a>(&'a mut HeaderMap);

impl Injector for HeadersMut<'_> {
    fn set(&mut self, key: &str, value: String) {
        self.0.insert(key, value);
    }
}
