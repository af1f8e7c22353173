//! What the generator does when it is its turn.

use crate::ask::Remembered;
use crate::context::Sources;
use crate::prompt::Brief;
use crate::turn::{self, Turn};
use futures::future::try_join_all;
use interlock_domain::manifest::Owner;
use interlock_domain::payload::{Candidate, WrittenFile};
use interlock_domain::state::Phase;
use interlock_domain::{FailureClass, Manifest, Payload, RunState, Stage, owned};
use interlock_model::{Client, Input, briefing, harness_modules};
use interlock_pysource::{Unreadable, interface};
use interlock_stage::workspace::blob_of;
use interlock_stage::{Bus, Given, Handler, Work, WorkError};

/// The generator's handler.
#[derive(Debug)]
pub struct Generator {
    client: Client,
    /// The harness's modules as prompts show them: the same for every run.
    harness: String,
}

impl Generator {
    /// A generator that asks this model.
    ///
    /// # Errors
    /// The harness's own modules cannot be read, which is a defect.
    pub fn new(client: Client) -> Result<Self, Unreadable> {
        let harness = harness_modules(interface)?;
        Ok(Self { client, harness })
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
            gathered = gather(&work.state, &work.bus, &self.harness) => gathered?,
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
async fn gather(state: &RunState, bus: &Bus, harness: &str) -> Result<(Brief, Sources), WorkError> {
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
        harness: harness.to_owned(),
        hint: state.hint.clone(),
    };
    let mut sources = Sources::new();
    let entries = state.manifest().into_iter().flat_map(Manifest::iter);
    let model_owned: Vec<_> = entries.filter(|(_, entry)| entry.owner == Owner::Model).collect();
    let blobs: Vec<_> = model_owned.iter().map(|(_, entry)| blob_of(entry)).collect();
    let contents = try_join_all(blobs.iter().map(|blob| bus.get_blob(blob))).await?;
    for ((path, _), content) in model_owned.into_iter().zip(contents) {
        let text = String::from_utf8(content.to_vec()).map_err(|_| defect(&format!("{path} is not UTF-8")))?;
        sources.insert(path.clone(), text);
    }
    Ok((brief, sources))
}

/// Stores every file, then makes the workspace that they stand in.
async fn candidate(work: &Work, level: u32, repair: bool, turn: Turn) -> Result<Candidate, WorkError> {
    let mut changes = Vec::new();
    let mut written = Vec::new();
    let stored = turn
        .written
        .iter()
        .map(|(file, _)| work.bus.put_blob(file.content.as_bytes()));
    try_join_all(stored).await?;
    for (file, shown) in turn.written {
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
