//! A gateway that breaks off, lies, and says nothing: what the real one is not supposed to do.

use interlock_cli::client::Gateway;
use interlock_proto::v1::gateway_server::{Gateway as Service, GatewayServer};
use interlock_proto::v1::{
    AnswerGateRequest, BlobChunk, BlobRequest, CancelRunRequest, ChainRequest, ChainResponse, FollowRequest,
    HealthRequest, HealthResponse, ListRequest, ListResponse, LiveView, RunSummary, RunView, ShowRequest,
    SubmitRequest, SubmitResponse, WatchRequest,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use tonic::codegen::{BoxStream, tokio_stream};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

pub(crate) const TOKEN: &str = "let me in";
/// Runs that one page of a list has.
const PAGE: usize = 2;

/// What it answers.
#[derive(Default)]
pub(crate) struct Script {
    /// One entry for each call of Watch: its views, and how the stream ends.
    pub(crate) watches: Mutex<VecDeque<(Vec<RunView>, Option<Status>)>>,
    /// What every blob holds, in chunks.
    pub(crate) blob: Vec<Vec<u8>>,
    /// All runs, newest first.
    pub(crate) runs: Vec<RunSummary>,
}

struct Fake(Arc<Script>);

impl Script {
    /// Starts it; it ends with the test.
    pub(crate) async fn serve(self) -> (Gateway, Arc<Script>) {
        let script = Arc::new(self);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let service = GatewayServer::new(Fake(script.clone()));
        tokio::spawn(async move {
            Server::builder()
                .add_service(service)
                .serve_with_incoming(TcpIncoming::from(listener))
                .await
        });
        (Gateway::at(&address, TOKEN).unwrap(), script)
    }
}

fn unscripted<T>() -> Result<Response<T>, Status> {
    Err(Status::failed_precondition("nothing is written for this"))
}

#[tonic::async_trait]
impl Service for Fake {
    type WatchStream = BoxStream<RunView>;
    type FollowStream = BoxStream<LiveView>;
    type BlobStream = BoxStream<BlobChunk>;

    async fn submit(&self, _: Request<SubmitRequest>) -> Result<Response<SubmitResponse>, Status> {
        unscripted()
    }

    async fn list(&self, request: Request<ListRequest>) -> Result<Response<ListResponse>, Status> {
        let before = request.into_inner().before;
        let runs = &self.0.runs;
        let from = runs.iter().position(|run| run.run_id == before).map_or(0, |at| at + 1);
        let page: Vec<_> = runs.iter().skip(from).take(PAGE).cloned().collect();
        let more = from + page.len() < runs.len();
        Ok(Response::new(ListResponse { runs: page, more }))
    }

    async fn show(&self, _: Request<ShowRequest>) -> Result<Response<RunView>, Status> {
        unscripted()
    }

    async fn watch(&self, _: Request<WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let next = self.0.watches.lock().unwrap().pop_front();
        let Some((views, end)) = next else { return unscripted() };
        let answers = views.into_iter().map(Ok).chain(end.map(Err));
        Ok(Response::new(Box::pin(tokio_stream::iter(answers.collect::<Vec<_>>()))))
    }

    async fn follow(&self, _: Request<FollowRequest>) -> Result<Response<Self::FollowStream>, Status> {
        unscripted()
    }

    async fn answer_gate(&self, _: Request<AnswerGateRequest>) -> Result<Response<RunView>, Status> {
        unscripted()
    }

    async fn cancel_run(&self, _: Request<CancelRunRequest>) -> Result<Response<RunView>, Status> {
        unscripted()
    }

    async fn chain(&self, _: Request<ChainRequest>) -> Result<Response<ChainResponse>, Status> {
        unscripted()
    }

    async fn blob(&self, _: Request<BlobRequest>) -> Result<Response<Self::BlobStream>, Status> {
        let chunks: Vec<_> = self.0.blob.iter().cloned().map(|data| Ok(BlobChunk { data })).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(chunks))))
    }

    async fn health(&self, request: Request<HealthRequest>) -> Result<Response<HealthResponse>, Status> {
        match request.metadata().get("authorization").map(|said| said.to_str()) {
            Some(Ok(said)) if said == format!("Bearer {TOKEN}") => Ok(Response::new(HealthResponse::default())),
            Some(_) | None => Err(Status::unauthenticated("no token")),
        }
    }
}
