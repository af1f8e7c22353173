//! A run to work on, a planner that does what a test tells it, and ways to see what became of it.

use crate::server::{SOON, Server};
use interlock_domain::owned::harness_digest;
use interlock_domain::payload::{ModelCall, PlanProposal, Request};
use interlock_domain::plan::{Export, ExportKind, PlannedFile};
use interlock_domain::{Digest, FailureClass, Payload, Plan, RunId, RunState, Stage};
use interlock_stage::{Handler, Service, ServiceError, Work, WorkError};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const TASK: &str = include_str!("../../../domain/tests/cases/tasks/accept/least.toml");

pub(crate) fn run_id(n: u128) -> RunId {
    RunId::from_parts(1_700_000_000_000, n)
}

pub(crate) fn request() -> Payload {
    Payload::Request(Request {
        task_toml: TASK.to_owned(),
        lock: None,
        inputs: vec![],
        truth: None,
        submitted_by: "ada".to_owned(),
        harness: harness_digest(),
        checkers: Vec::new(),
    })
}

/// A plan whose only file says what it is for.
pub(crate) fn proposal(purpose: &str) -> Payload {
    let plan = Plan::new(vec![PlannedFile {
        path: "src/experiment.py".parse().unwrap(),
        purpose: purpose.to_owned(),
        exports: vec![Export {
            name: "run".to_owned(),
            kind: ExportKind::Function,
        }],
        depends_on: vec![],
    }]);
    Payload::PlanProposal(PlanProposal {
        plan: plan.unwrap(),
        attempt: 1,
        refused: vec![],
        call: ModelCall {
            key: Digest::of(b"call"),
            prompt: Digest::of(b"prompt"),
            model: "model".to_owned(),
            input_tokens: 1,
            output_tokens: 1,
            latency_ms: 1,
        },
    })
}

/// What the planner does when it is its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Does {
    Propose,
    /// Says that it started, and proposes once it may go on. Deaf to cancellation.
    WaitAndPropose,
    /// Says that it started, and works until it is cancelled.
    WorkUntilCancelled,
    /// Proposes, and never comes back.
    ProposeAndHang,
    /// Has trouble this often, and then proposes.
    LaterTimes(u32),
    Fail,
    /// Fails, and quotes more than a record can hold.
    FailAtLength,
    /// Says nothing at all.
    Wait,
    /// Writes what only the gateway may.
    WriteAsGateway,
    /// Says what is not legal now.
    WriteTwice,
    Panic,
}

/// A planner under orders.
#[derive(Debug)]
pub(crate) struct Planner {
    does: Does,
    pub(crate) purpose: &'static str,
    pub(crate) calls: AtomicU32,
    pub(crate) observed: Mutex<Vec<u64>>,
    pub(crate) cancelled_by_human: Mutex<Option<bool>>,
    started: Semaphore,
    go_on: Semaphore,
}

impl Planner {
    pub(crate) fn new(does: Does) -> Arc<Self> {
        Self::with_purpose(does, "to run")
    }

    pub(crate) fn with_purpose(does: Does, purpose: &'static str) -> Arc<Self> {
        Arc::new(Self {
            does,
            purpose,
            calls: AtomicU32::new(0),
            observed: Mutex::default(),
            cancelled_by_human: Mutex::default(),
            started: Semaphore::new(0),
            go_on: Semaphore::new(0),
        })
    }

    pub(crate) fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Waits until it is at work.
    pub(crate) async fn started(&self) {
        let permit = tokio::time::timeout(SOON, self.started.acquire()).await;
        permit.expect("it started").unwrap().forget();
    }

    pub(crate) fn go_on(&self) {
        self.go_on.add_permits(1);
    }
}

impl Handler for Planner {
    const STAGE: Stage = Stage::Planner;

    async fn handle(&self, work: &mut Work) -> Result<(), WorkError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        match self.does {
            Does::Propose => {}
            Does::WaitAndPropose => {
                self.started.add_permits(1);
                self.go_on.acquire().await.unwrap().forget();
            }
            Does::WorkUntilCancelled => {
                self.started.add_permits(1);
                work.cancel.cancelled().await;
                let by_human = work.cancelled_by_human().await?;
                *self.cancelled_by_human.lock().unwrap() = Some(by_human);
                return Err(WorkError::Cancelled);
            }
            Does::ProposeAndHang => {
                work.append(proposal(self.purpose)).await?;
                self.started.add_permits(1);
                std::future::pending::<()>().await;
            }
            Does::LaterTimes(times) if call <= times => {
                return Err(WorkError::later(FailureClass::Model, "the model is away"));
            }
            Does::LaterTimes(_) => {}
            Does::Fail => return Err(WorkError::failed(FailureClass::Model, "no usable answer")),
            Does::FailAtLength => {
                return Err(WorkError::failed(FailureClass::Model, "\u{e9}".repeat(1 << 20)));
            }
            Does::Wait => return Ok(()),
            Does::WriteAsGateway => {
                let place = format!("evt.gateway.{}.2", work.state.run);
                work.bus.append(&place, Default::default(), "forged".into()).await?;
            }
            Does::WriteTwice => {
                work.append(proposal(self.purpose)).await?;
            }
            Does::Panic => panic!("a defect of the handler"),
        }
        work.append(proposal(self.purpose)).await
    }

    async fn observe(&self, state: &RunState) {
        self.observed.lock().unwrap().push(state.seq);
    }
}

/// A planner's service that runs beside the test.
pub(crate) struct Running {
    shutdown: CancellationToken,
    ended: JoinHandle<Result<(), ServiceError>>,
}

impl Running {
    pub(crate) async fn start(server: &Server, planner: &Arc<Planner>) -> Self {
        let service = server.stage(Stage::Planner).await;
        let shutdown = CancellationToken::new();
        let ended = tokio::spawn(service.run(Arc::clone(planner), 2, shutdown.clone()));
        Self { shutdown, ended }
    }

    /// As SIGTERM does.
    pub(crate) fn ask_to_stop(&self) {
        self.shutdown.cancel();
    }

    pub(crate) async fn ended(self) -> Result<(), ServiceError> {
        let ended = tokio::time::timeout(SOON, self.ended).await;
        ended.expect("the service ends").unwrap()
    }

    pub(crate) async fn stop(self) {
        self.ask_to_stop();
        self.ended().await.unwrap();
    }
}

/// Submits a run, as the gateway does.
pub(crate) async fn submit(gateway: &Service, run: RunId) {
    let mut work = gateway.work(RunState::new(run), CancellationToken::new());
    work.append(request()).await.unwrap();
}

/// The run's state once it is as `wanted`.
pub(crate) async fn until(gateway: &Service, run: RunId, wanted: impl Fn(&RunState) -> bool) -> RunState {
    let deadline = Instant::now() + 2 * SOON;
    loop {
        let state = gateway.chain.replay(run).await.unwrap();
        if wanted(&state) {
            return state;
        }
        assert!(
            Instant::now() < deadline,
            "{:?} after {} records",
            state.phase,
            state.seq
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until the planner has acked everything that the gateway wrote.
pub(crate) async fn all_acked(server: &Server) {
    let deadline = Instant::now() + 2 * SOON;
    loop {
        let info = planner_consumer(server).await;
        if info.num_pending == 0 && info.num_ack_pending == 0 {
            return;
        }
        assert!(Instant::now() < deadline, "{info:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) async fn planner_consumer(server: &Server) -> async_nats::jetstream::consumer::Info {
    let admin = server.admin().await;
    let stream = admin.get_stream_no_info("EVT_GATEWAY").await.unwrap();
    let mut consumer: async_nats::jetstream::consumer::PullConsumer = stream.get_consumer("planner").await.unwrap();
    consumer.info().await.unwrap().clone()
}

/// How many records the planner has stored.
pub(crate) async fn planner_records(server: &Server) -> usize {
    server.stored("EVT_PLANNER").await.len()
}
