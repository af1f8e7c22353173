//! Spans reach a collector over OTLP. A binary of its own: a process has one subscriber only.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use async_nats::HeaderMap;
use interlock_domain::{RunId, Stage};
use interlock_stage::config::Telemetry;
use interlock_stage::telemetry::{TelemetryError, act_span, current_headers, init};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use tracing::Instrument as _;

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<ExportTraceServiceRequest>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.0.lock().unwrap().push(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spans_reach_the_collector_in_one_trace() {
    let collector = Collector::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let service = TraceServiceServer::new(collector.clone());
    let server = tonic::transport::Server::builder().add_service(service);
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));

    let guard = init(
        Stage::Planner,
        &Telemetry {
            otlp_endpoint: Some(endpoint),
            log: Some("warn".to_owned()),
        },
    )
    .unwrap();
    let run = RunId::from_parts(1_700_000_000_000, 1);
    let mut headers = HeaderMap::new();
    headers.insert("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let passed_on = async { current_headers() }
        .instrument(act_span("submit", run, Some(&headers)))
        .await;
    async { tracing::info_span!(target: "h2::proto", "somebody else's").in_scope(|| {}) }
        .instrument(act_span("later", run, Some(&passed_on)))
        .await;
    guard.shutdown().await;

    let requests = collector.0.lock().unwrap().clone();
    let resources: Vec<_> = requests.iter().flat_map(|request| &request.resource_spans).collect();
    for resource in &resources {
        let said = format!("{:?}", resource.resource);
        assert!(
            said.contains("service.name") && said.contains("interlock-planner"),
            "{said}"
        );
    }
    let scopes = resources.iter().flat_map(|resource| &resource.scope_spans);
    let mut spans: Vec<_> = scopes.flat_map(|scope| &scope.spans).collect();
    spans.sort_by_key(|span| span.start_time_unix_nano);
    let names: Vec<_> = spans.iter().map(|span| span.name.as_str()).collect();
    // Ours, and nothing that the libraries below say about themselves.
    assert_eq!(names, ["submit", "later"]);
    assert_eq!(hex(&spans[0].trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(hex(&spans[0].parent_span_id), "00f067aa0ba902b7");
    assert_eq!(spans[1].trace_id, spans[0].trace_id);
    assert_eq!(spans[1].parent_span_id, spans[0].span_id);
    let attributes = format!("{:?}", spans[0].attributes);
    assert!(
        attributes.contains("interlock.run") && attributes.contains(&run.to_string()),
        "{attributes}"
    );
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_filter_or_an_endpoint_that_cannot_be_read_is_named() {
    let with = |endpoint: Option<&str>, log: Option<&str>| {
        let telemetry = Telemetry {
            otlp_endpoint: endpoint.map(str::to_owned),
            log: log.map(str::to_owned),
        };
        init(Stage::Planner, &telemetry).err().expect("it is refused")
    };
    let error = with(None, Some("interlock=loud"));
    assert!(matches!(error, TelemetryError::Filter { .. }));
    assert!(error.to_string().contains("interlock=loud"), "{error}");
    let error = with(Some("not an address"), None);
    assert!(matches!(error, TelemetryError::Exporter { .. }));
    assert!(error.to_string().contains("not an address"), "{error}");
}
