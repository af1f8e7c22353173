//! The gateway as the commands see it: one method per call, errors in words.
//!
//! Holds the token and shows it to nobody but the gateway.

use interlock_domain::Digest;
use interlock_proto::v1::gateway_client::GatewayClient;
use interlock_proto::v1::{
    AnswerGateRequest, BlobRequest, CancelRunRequest, ChainRequest, ChainResponse, FollowRequest, HealthRequest,
    HealthResponse, ListRequest, LiveView, RunSummary, RunView, ShowRequest, SubmitRequest, WatchRequest,
};
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status, Streaming};

/// Time to reach the gateway; on the same machine it answers at once or not at all.
const CONNECT: Duration = Duration::from_secs(5);

/// A client of the gateway. Connects when it is first used, and again when it has to.
#[derive(Clone, Debug)]
pub struct Gateway {
    client: GatewayClient<InterceptedService<Channel, Bearer>>,
}

/// Why a call was not fulfilled.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address or the token cannot be used.
    #[error("the gateway's {what} is not usable: {why}")]
    Unusable {
        /// Which of the two.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// The gateway said no, or did not answer.
    #[error("{doing}: {}", words(.status))]
    Call {
        /// What was asked for.
        doing: &'static str,
        /// What came back.
        status: Box<Status>,
    },
    /// What came is not what its digest says.
    #[error("the gateway sent other bytes than the ones with digest {0}")]
    Content(Digest),
}

fn words(status: &Status) -> String {
    match status.code() {
        Code::Unavailable => format!("the gateway does not answer ({})", status.message()),
        _ => status.message().to_owned(),
    }
}

impl ClientError {
    /// Whether the gateway understood and refused; trying again changes nothing.
    pub fn is_refusal(&self) -> bool {
        match self {
            ClientError::Call { status, .. } => matches!(
                status.code(),
                Code::InvalidArgument
                    | Code::NotFound
                    | Code::FailedPrecondition
                    | Code::AlreadyExists
                    | Code::PermissionDenied
            ),
            ClientError::Unusable { .. } | ClientError::Content(_) => false,
        }
    }

    /// Whether the gateway may answer in a moment, for example because it is just being started again.
    pub fn is_passing(&self) -> bool {
        match self {
            // A stream that breaks off shows as one of the last two.
            ClientError::Call { status, .. } => {
                matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled)
            }
            ClientError::Unusable { .. } | ClientError::Content(_) => false,
        }
    }
}

/// Puts the token on every call.
#[derive(Clone)]
struct Bearer(MetadataValue<Ascii>);

impl std::fmt::Debug for Bearer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bearer")
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}

fn failed(doing: &'static str) -> impl FnOnce(Status) -> ClientError {
    move |status| ClientError::Call {
        doing,
        status: Box::new(status),
    }
}

impl Gateway {
    /// The gateway at `address` (`host:port`).
    pub fn at(address: &str, token: &str) -> Result<Self, ClientError> {
        let unusable = |what| move |why: String| ClientError::Unusable { what, why };
        let channel = Endpoint::from_shared(format!("http://{address}"))
            .map_err(|e| unusable("address")(e.to_string()))?
            .connect_timeout(CONNECT)
            .connect_lazy();
        let mut token: MetadataValue<Ascii> = format!("Bearer {token}")
            .parse()
            .map_err(|e: tonic::metadata::errors::InvalidMetadataValue| unusable("token")(e.to_string()))?;
        token.set_sensitive(true);
        // A view carries the whole chain, a submission every input: far more than the default limit of 4 MiB.
        let client = GatewayClient::with_interceptor(channel, Bearer(token))
            .max_decoding_message_size(usize::MAX)
            .max_encoding_message_size(usize::MAX);
        Ok(Self { client })
    }

    /// Whether it answers.
    pub async fn health(&self) -> Result<HealthResponse, ClientError> {
        let answer = self.client.clone().health(HealthRequest {}).await;
        Ok(answer
            .map_err(failed("asking the gateway for its health"))?
            .into_inner())
    }

    /// Submits a task; answers the run's id.
    pub async fn submit(&self, request: SubmitRequest) -> Result<String, ClientError> {
        let answer = self.client.clone().submit(request).await;
        Ok(answer.map_err(failed("submitting the task"))?.into_inner().run_id)
    }

    /// Every run.
    pub async fn list(&self) -> Result<Vec<RunSummary>, ClientError> {
        let mut runs: Vec<RunSummary> = Vec::new();
        loop {
            let before = runs.last().map(|run| run.run_id.clone()).unwrap_or_default();
            let answer = self.client.clone().list(ListRequest { limit: 0, before }).await;
            let page = answer.map_err(failed("listing the runs"))?.into_inner();
            let is_last = !page.more || page.runs.is_empty();
            runs.extend(page.runs);
            if is_last {
                return Ok(runs);
            }
        }
    }

    /// One run as it stands.
    pub async fn show(&self, run: &str) -> Result<RunView, ClientError> {
        let request = ShowRequest { run_id: run.to_owned() };
        let answer = self.client.clone().show(request).await;
        Ok(answer.map_err(failed("looking at the run"))?.into_inner())
    }

    /// One run, again after every change.
    pub async fn watch(&self, run: &str) -> Result<Watch, ClientError> {
        let request = WatchRequest { run_id: run.to_owned() };
        let answer = self.client.clone().watch(request).await;
        Ok(Watch(answer.map_err(failed("following the run"))?.into_inner()))
    }

    /// What a run's program does and writes, until its end is on record.
    pub async fn follow(&self, run: &str) -> Result<Follow, ClientError> {
        let request = FollowRequest { run_id: run.to_owned() };
        let answer = self.client.clone().follow(request).await;
        Ok(Follow(answer.map_err(failed("following the program"))?.into_inner()))
    }

    /// Answers a gate.
    pub async fn answer(&self, request: AnswerGateRequest) -> Result<RunView, ClientError> {
        let answer = self.client.clone().answer_gate(request).await;
        Ok(answer.map_err(failed("answering the gate"))?.into_inner())
    }

    /// Cancels a run.
    pub async fn cancel(&self, request: CancelRunRequest) -> Result<RunView, ClientError> {
        let answer = self.client.clone().cancel_run(request).await;
        Ok(answer.map_err(failed("cancelling the run"))?.into_inner())
    }

    /// The chain as stored.
    pub async fn chain(&self, run: &str) -> Result<ChainResponse, ClientError> {
        let request = ChainRequest { run_id: run.to_owned() };
        let answer = self.client.clone().chain(request).await;
        Ok(answer.map_err(failed("reading the chain"))?.into_inner())
    }

    /// The content of one blob, checked against its digest.
    pub async fn blob(&self, run: &str, digest: Digest) -> Result<Vec<u8>, ClientError> {
        let request = BlobRequest {
            run_id: run.to_owned(),
            digest: digest.as_bytes().to_vec(),
        };
        let doing = "reading a file of the run";
        let mut chunks = self
            .client
            .clone()
            .blob(request)
            .await
            .map_err(failed(doing))?
            .into_inner();
        let mut content = Vec::new();
        while let Some(chunk) = chunks.message().await.map_err(failed(doing))? {
            content.extend_from_slice(&chunk.data);
        }
        if Digest::of(&content) == digest {
            Ok(content)
        } else {
            Err(ClientError::Content(digest))
        }
    }
}

/// A program's news as they come.
#[derive(Debug)]
pub struct Follow(Streaming<LiveView>);

impl Follow {
    /// The next ones; `None` when the program has ended.
    pub async fn next(&mut self) -> Result<Option<LiveView>, ClientError> {
        self.0.message().await.map_err(failed("following the program"))
    }
}

/// A run's views as they come.
#[derive(Debug)]
pub struct Watch(Streaming<RunView>);

impl Watch {
    /// The next one; `None` when the run has ended.
    pub async fn next(&mut self) -> Result<Option<RunView>, ClientError> {
        self.0.message().await.map_err(failed("following the run"))
    }
}
