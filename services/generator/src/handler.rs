//! What the generator does when it is its turn.

use crate::ask::Remembered;
use crate::context::Sources;
use crate::prompt::Brief;
use crate::turn::{self, Turn};
use interlock_domain::manifest::Owner;
use interlock_domain::payload::{Candidate, WrittenFile};
use interlock_domain::state::Phase;
use interlock_domain::{FailureClass, Manifest, Payload, RunState, Stage, owned};
use interlock_model::{Client, Input, briefing, harness_modules};
use interlock_pysource::interface;
use interlock_stage::workspace::blob_of;
use interlock_stage::{Bus, Given, Handler, Work, WorkError};

/// The generator's handler.
#[derive(Debug)]
pub struct Generator {
    client: Client,
}

impl Generator {
    /// A generator that asks this model.
    pub const fn new(client: Client) -> Self {
        Self { client }
    }
}

impl Handler for Generator {
    const STAGE: Stage = Stage::Generator;

    async fn handle(&self, work: &mut Work) -> Result<(), WorkError> {
        let (level, repair) = match work.state.phase {
            Phase::Writing { level } => (level, false),
            Phase::Repairing { level } => (level, true),
            Phase::New
            | Phase::Planning
            | Phase::PlanGate
            | Phase::Verifying { .. }
            | Phase::Ready
            | Phase::Running
            | Phase::Guidance { .. }
            | Phase::Concluding { .. }
            | Phase::Finished => return Ok(()),
        };
        let (plan, _) = work
            .state
            .plan
            .clone()
            .ok_or_else(|| defect("there is no plan on the chain"))?;
        let gathered = tokio::select! {
            biased;
            () = work.cancel.cancelled() => return Err(WorkError::Cancelled),
            gathered = gather(&work.state, &work.bus) => gathered?,
        };
        let (brief, sources) = gathered;
        // Not raced against the cancellation: it ends the calls by itself, and an answer that has come is
        // stored whatever happens.
        let ask = Remembered {
            client: &self.client,
            bus: &work.bus,
            run: work.state.run,
            cancel: &work.cancel,
        };
        let turn = turn::take(&ask, &brief, &work.state, &plan, sources).await?;
        let candidate = candidate(work, level, repair, turn).await?;
        work.append(Payload::Candidate(candidate)).await
    }
}

/// What prompts say, and the sources as they stand.
async fn gather(state: &RunState, bus: &Bus) -> Result<(Brief, Sources), WorkError> {
    let (request, task) = state
        .request
        .as_ref()
        .ok_or_else(|| defect("there is no request on the chain"))?;
    let given = Given::gather(request, bus).await?;
    let inputs = given.inputs.into_iter();
    let inputs: Vec<Input> = inputs
        .map(|input| Input {
            name: input.name,
            size: input.size,
            head: input.head.to_vec(),
        })
        .collect();
    let brief = Brief {
        task: briefing(task, &given.lock_text, &inputs).map_err(|e| defect(&e.to_string()))?,
        harness: harness_modules(interface).map_err(|e| defect(&e.to_string()))?,
        hint: state.hint.clone(),
    };
    let mut sources = Sources::new();
    let model_owned = state.manifest().into_iter().flat_map(Manifest::iter);
    for (path, entry) in model_owned.filter(|(_, entry)| entry.owner == Owner::Model) {
        let content = bus.get_blob(&blob_of(entry)).await?;
        let text = String::from_utf8(content.to_vec()).map_err(|_| defect(&format!("{path} is not UTF-8")))?;
        sources.insert(path.clone(), text);
    }
    Ok((brief, sources))
}

/// Stores every file, then makes the workspace that they stand in.
async fn candidate(work: &Work, level: u32, repair: bool, turn: Turn) -> Result<Candidate, WorkError> {
    let mut changes = Vec::new();
    let mut written = Vec::new();
    for (file, shown) in turn.written {
        work.bus.put_blob(file.content.as_bytes()).await?;
        let entry = owned::entry_of(&file.content, Owner::Model);
        changes.push((file.path.clone(), entry));
        written.push(WrittenFile {
            path: file.path,
            digest: entry.digest,
            attempt: file.attempt,
            repair,
            dependencies: shown.forms(),
            call: file.call,
        });
    }
    written.sort_by(|a, b| a.path.cmp(&b.path));
    let base = match work.state.manifest() {
        Some(manifest) => manifest.clone(),
        None => Manifest::new(owned::harness_entries()).map_err(|e| defect(&e.to_string()))?,
    };
    let manifest = base.with(changes).map_err(|e| defect(&e.to_string()))?;
    Ok(Candidate {
        level,
        manifest,
        written,
        refused: turn.refused,
    })
}

fn defect(why: &str) -> WorkError {
    WorkError::failed(
        FailureClass::Harness,
        format!("the generator cannot prepare its work: {why}"),
    )
}
