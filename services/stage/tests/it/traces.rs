//! A run is one trace: its context travels with the records, in their headers.

use crate::lab::{Does, Planner, Running, run_id, submit, until};
use crate::server::Server;
use async_nats::HeaderMap;
use interlock_domain::record::subject;
use interlock_domain::{RunId, Stage};
use interlock_stage::Service;
use interlock_stage::telemetry::act_span;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::sync::OnceLock;
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// Spans with identities, as a service has them whose traces are exported.
fn with_traces() {
    static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        let provider = SdkTracerProvider::builder().build();
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
        tracing_subscriber::registry().with(layer).init();
        provider
    });
}

/// Trace and span that a stored record names.
async fn context(gateway: &Service, stage: Stage, run: RunId, seq: u64) -> (String, String) {
    let stream = format!("EVT_{}", stage.upper());
    let headers = gateway.bus.headers(&stream, &subject(stage, run, seq)).await.unwrap();
    let value = headers.get("traceparent").unwrap().as_str();
    let parts: Vec<&str> = value.split('-').collect();
    let [version, trace, span, flags] = parts.as_slice() else {
        panic!("{value}");
    };
    assert_eq!((*version, *flags), ("00", "01"), "{value}");
    ((*trace).to_owned(), (*span).to_owned())
}

#[tokio::test]
async fn every_record_of_a_run_belongs_to_its_trace() {
    with_traces();
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(1));
    let running = Running::start(&server, &Planner::new(Does::Propose)).await;
    let mut headers = HeaderMap::new();
    headers.insert("traceparent", format!("00-{TRACE}-{PARENT}-01"));
    let span = act_span("submit", run, Some(&headers));
    submit(&gateway, run).instrument(span).await;
    until(&gateway, run, |state| state.seq == 2).await;
    running.stop().await;
    let (trace, submitted) = context(&gateway, Stage::Gateway, run, 1).await;
    assert_eq!(trace, TRACE);
    assert_ne!(submitted, PARENT);
    // Another stage, another span, the same trace.
    let (trace, planned) = context(&gateway, Stage::Planner, run, 2).await;
    assert_eq!(trace, TRACE);
    assert_ne!(planned, submitted);
}

#[tokio::test]
async fn a_context_that_cannot_be_read_holds_nothing_up() {
    with_traces();
    let server = Server::ready().await;
    let gateway = server.stage(Stage::Gateway).await;
    let running = Running::start(&server, &Planner::new(Does::Propose)).await;
    for (n, value) in ["", "00-zz-yy-01", "ff-0-0-0"].into_iter().enumerate() {
        let run = run_id(10 + n as u128);
        let mut headers = HeaderMap::new();
        headers.insert("traceparent", value);
        let span = act_span("submit", run, Some(&headers));
        submit(&gateway, run).instrument(span).await;
        until(&gateway, run, |state| state.seq == 2).await;
        let (trace, _) = context(&gateway, Stage::Planner, run, 2).await;
        assert_ne!(trace, TRACE);
    }
    running.stop().await;
}
