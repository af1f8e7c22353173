//! With an endpoint configured, a run is one trace over all five services, and nothing of its content is in it.

#![allow(clippy::unwrap_used, clippy::panic)]

use interlock_e2e::{Ended, Home, tasks};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// Keeps every span that it is sent, with the service that it is from.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<(String, Span)>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            let about = resource
                .resource
                .map(|resource| resource.attributes)
                .unwrap_or_default();
            let named = about.into_iter().find(|pair| pair.key == "service.name");
            let name = match named.and_then(|pair| pair.value).and_then(|value| value.value) {
                Some(Value::StringValue(name)) => name,
                _ => String::new(),
            };
            let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            self.0.lock().unwrap().extend(spans.map(|span| (name.clone(), span)));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tokio::test]
async fn a_run_is_one_trace_over_all_services() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let collector = Collector::default();
    let service = TraceServiceServer::new(collector.clone());
    let served = tokio::spawn(
        Server::builder()
            .add_service(service)
            .serve_with_incoming(TcpIncoming::from(listener)),
    );

    let home = Home::new().unwrap();
    let task = tasks().join("tiny");
    let mut command = home.command(&["run", &task.to_string_lossy(), "--json", "--out", "result"]);
    command.env("INTERLOCK_OTLP_ENDPOINT", endpoint);
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .unwrap()
        .unwrap();
    let ended = Ended::of(output);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    served.abort();

    let spans = collector.0.lock().unwrap().clone();
    let services: BTreeSet<&str> = spans.iter().map(|(service, _)| service.as_str()).collect();
    let all = ["executor", "gateway", "generator", "planner", "verifier"].map(|stage| format!("interlock-{stage}"));
    assert_eq!(services, all.iter().map(String::as_str).collect());
    let traces: BTreeSet<&[u8]> = spans.iter().map(|(_, span)| span.trace_id.as_slice()).collect();
    assert_eq!(
        traces.len(),
        1,
        "{:?}",
        spans.iter().map(|(s, span)| (s, &span.name)).collect::<Vec<_>>()
    );
    let roots = spans.iter().filter(|(_, span)| span.parent_span_id.is_empty()).count();
    assert_eq!(roots, 1, "every span but the first one has a parent");
    let text = format!("{spans:?}");
    assert!(
        text.contains(ended.result()["run"].as_str().unwrap()),
        "the run's id is an attribute"
    );
    assert!(!text.contains("Learn from inputs"), "no prompt is in a span");
    assert!(!text.contains("def run("), "no source is in a span");
}
