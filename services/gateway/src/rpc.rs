//! The calls, one line of meaning each: check the form, do it, answer.

use crate::answer::Word;
use crate::blob::pieces;
use crate::cancel::Cancellation;
use crate::follow;
use crate::gateway::Gateway;
use crate::refusal::Refusal;
use crate::submit::Submission;
use crate::watch;
use futures::stream::{self, BoxStream, StreamExt as _};
use interlock_domain::RunId;
use interlock_domain::ids::IdError;
use interlock_proto::v1 as wire;
use tonic::{Request, Response, Status};

/// Most runs in one list; their lines stay below the 4 MiB that clients take by default.
const MAX_LISTED: u32 = 10_000;

type Answered<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl wire::gateway_server::Gateway for Gateway {
    async fn submit(&self, request: Request<wire::SubmitRequest>) -> Answered<wire::SubmitResponse> {
        let submission = Submission::check(request.into_inner())?;
        let run = self.submit(submission).await?;
        Ok(Response::new(wire::SubmitResponse {
            run_id: run.to_string(),
        }))
    }

    async fn list(&self, request: Request<wire::ListRequest>) -> Answered<wire::ListResponse> {
        let wire::ListRequest { limit, before } = request.into_inner();
        let limit = if limit == 0 { MAX_LISTED } else { limit.min(MAX_LISTED) };
        let before = if before.is_empty() {
            None
        } else {
            Some(run_id(&before)?)
        };
        let (runs, more) = self.view.list(limit as usize, before);
        Ok(Response::new(wire::ListResponse { runs, more }))
    }

    async fn show(&self, request: Request<wire::ShowRequest>) -> Answered<wire::RunView> {
        let run = run_id(&request.into_inner().run_id)?;
        let mut view = self.view.show(run)?;
        view.live = self.lives.view(run);
        Ok(Response::new(view))
    }

    type WatchStream = BoxStream<'static, Result<wire::RunView, Status>>;

    async fn watch(&self, request: Request<wire::WatchRequest>) -> Answered<Self::WatchStream> {
        let run = run_id(&request.into_inner().run_id)?;
        let views = watch::watch(self.view.clone(), self.lives.clone(), run, self.ending.clone())?;
        Ok(Response::new(views))
    }

    type FollowStream = BoxStream<'static, Result<wire::LiveView, Status>>;

    async fn follow(&self, request: Request<wire::FollowRequest>) -> Answered<Self::FollowStream> {
        let run = run_id(&request.into_inner().run_id)?;
        let news = follow::follow(self.view.clone(), self.lives.clone(), run, self.ending.clone())?;
        Ok(Response::new(news))
    }

    async fn answer_gate(&self, request: Request<wire::AnswerGateRequest>) -> Answered<wire::RunView> {
        let word = Word::check(request.into_inner())?;
        Ok(Response::new(self.answer(word).await?))
    }

    async fn cancel_run(&self, request: Request<wire::CancelRunRequest>) -> Answered<wire::RunView> {
        let wanted = Cancellation::check(request.into_inner())?;
        Ok(Response::new(self.cancel(wanted).await?))
    }

    async fn chain(&self, request: Request<wire::ChainRequest>) -> Answered<wire::ChainResponse> {
        let run = run_id(&request.into_inner().run_id)?;
        Ok(Response::new(Gateway::chain(self, run).await?))
    }

    type BlobStream = BoxStream<'static, Result<wire::BlobChunk, Status>>;

    async fn blob(&self, request: Request<wire::BlobRequest>) -> Answered<Self::BlobStream> {
        let wire::BlobRequest { run_id: run, digest } = request.into_inner();
        let content = Gateway::blob(self, run_id(&run)?, &digest).await?;
        Ok(Response::new(stream::iter(pieces(content).map(Ok)).boxed()))
    }

    async fn health(&self, _request: Request<wire::HealthRequest>) -> Answered<wire::HealthResponse> {
        let (runs, stray) = self.view.counts();
        Ok(Response::new(wire::HealthResponse {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            runs,
            stray,
        }))
    }
}

fn run_id(text: &str) -> Result<RunId, Refusal> {
    text.parse().map_err(|e: IdError| Refusal::Invalid(e.to_string()))
}
