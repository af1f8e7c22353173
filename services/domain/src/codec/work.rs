//! Requests, plans, answers and candidates.

use super::enums::{
    decision_from_wire, decision_to_wire, form_from_wire, form_to_wire, gate_from_wire, gate_to_wire, owner_from_wire,
    owner_to_wire, stage_from_wire, stage_to_wire,
};
use super::{DecodeError, bad, digest, required};
use crate::blob::{BlobRef, MAX_BLOB_BYTES, NamedBlob, chunk_count};
use crate::finding::{Finding, Location};
use crate::manifest::{Entry, Manifest};
use crate::payload::{Answer, Candidate, ModelCall, PlanProposal, RefusedAnswer, Request, WrittenFile};
use crate::plan::{Export, ExportKind, Plan, PlannedFile};
use interlock_proto::v1 as wire;

impl From<&NamedBlob> for wire::NamedBlob {
    fn from(named: &NamedBlob) -> Self {
        let blob = named.blob;
        wire::NamedBlob {
            name: named.name.clone(),
            blob: Some(wire::BlobRef {
                digest: blob.digest.as_bytes().to_vec(),
                size: blob.size,
                chunks: blob.chunks,
                writer: stage_to_wire(blob.writer) as i32,
                sealed: blob.sealed,
            }),
        }
    }
}

impl TryFrom<wire::NamedBlob> for NamedBlob {
    type Error = DecodeError;

    fn try_from(raw: wire::NamedBlob) -> Result<Self, DecodeError> {
        let blob = required("blob", raw.blob)?;
        if blob.size > MAX_BLOB_BYTES || blob.chunks != chunk_count(blob.size) {
            return Err(bad(
                "blob",
                format!(
                    "{} bytes in {} chunks is not how blobs are stored",
                    blob.size, blob.chunks
                ),
            ));
        }
        Ok(NamedBlob {
            name: raw.name,
            blob: BlobRef {
                digest: digest("blob.digest", &blob.digest)?,
                size: blob.size,
                chunks: blob.chunks,
                writer: stage_from_wire("blob.writer", blob.writer)?,
                sealed: blob.sealed,
            },
        })
    }
}

impl From<&Request> for wire::Request {
    fn from(request: &Request) -> Self {
        wire::Request {
            task_toml: request.task_toml.clone(),
            lock: request.lock.as_ref().map(Into::into),
            inputs: request.inputs.iter().map(Into::into).collect(),
            truth: request.truth.as_ref().map(Into::into),
            submitted_by: request.submitted_by.clone(),
            harness: request.harness.as_bytes().to_vec(),
            checkers: request.checkers.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::Request> for Request {
    type Error = DecodeError;

    fn try_from(raw: wire::Request) -> Result<Self, DecodeError> {
        let truth: Option<NamedBlob> = raw.truth.map(TryInto::try_into).transpose()?;
        if truth.as_ref().is_some_and(|named| !named.blob.sealed) {
            return Err(bad("truth", "it is not sealed"));
        }
        Ok(Request {
            task_toml: raw.task_toml,
            lock: raw.lock.map(TryInto::try_into).transpose()?,
            inputs: raw
                .inputs
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            truth,
            submitted_by: raw.submitted_by,
            harness: digest("harness", &raw.harness)?,
            checkers: raw
                .checkers
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl From<&PlanProposal> for wire::PlanProposal {
    fn from(proposal: &PlanProposal) -> Self {
        let files = proposal.plan.files().iter().map(|file| wire::PlannedFile {
            path: file.path.to_string(),
            purpose: file.purpose.clone(),
            exports: file
                .exports
                .iter()
                .map(|e| wire::Export {
                    name: e.name.clone(),
                    kind: e.kind.name().to_owned(),
                })
                .collect(),
            depends_on: file.depends_on.iter().map(ToString::to_string).collect(),
        });
        wire::PlanProposal {
            plan: Some(wire::Plan { files: files.collect() }),
            attempt: proposal.attempt,
            refused: proposal.refused.iter().map(Into::into).collect(),
            call: Some((&proposal.call).into()),
        }
    }
}

impl TryFrom<wire::PlanProposal> for PlanProposal {
    type Error = DecodeError;

    fn try_from(raw: wire::PlanProposal) -> Result<Self, DecodeError> {
        let files = required("plan", raw.plan)?
            .files
            .into_iter()
            .map(planned_file)
            .collect::<Result<Vec<_>, _>>()?;
        let plan = Plan::new(files)
            .map_err(|findings| bad("plan", findings.first().map_or_else(String::new, ToString::to_string)))?;
        Ok(PlanProposal {
            plan,
            attempt: raw.attempt,
            refused: raw
                .refused
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            call: required("call", raw.call)?.try_into()?,
        })
    }
}

fn planned_file(raw: wire::PlannedFile) -> Result<PlannedFile, DecodeError> {
    let exports = raw.exports.into_iter().map(|export| {
        let kind = ExportKind::from_name(&export.kind).ok_or_else(|| bad("export.kind", &export.kind))?;
        Ok(Export {
            name: export.name,
            kind,
        })
    });
    Ok(PlannedFile {
        path: raw.path.parse().map_err(|e| bad("path", e))?,
        purpose: raw.purpose,
        exports: exports.collect::<Result<_, DecodeError>>()?,
        depends_on: raw
            .depends_on
            .iter()
            .map(|p| p.parse().map_err(|e| bad("depends_on", e)))
            .collect::<Result<_, _>>()?,
    })
}

impl From<&RefusedAnswer> for wire::RefusedAnswer {
    fn from(refused: &RefusedAnswer) -> Self {
        wire::RefusedAnswer {
            subject: refused.subject.clone(),
            attempt: refused.attempt,
            findings: refused.findings.iter().map(Into::into).collect(),
            call: Some((&refused.call).into()),
        }
    }
}

impl TryFrom<wire::RefusedAnswer> for RefusedAnswer {
    type Error = DecodeError;

    fn try_from(raw: wire::RefusedAnswer) -> Result<Self, DecodeError> {
        Ok(RefusedAnswer {
            subject: raw.subject,
            attempt: raw.attempt,
            findings: raw
                .findings
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
            call: required("call", raw.call)?.try_into()?,
        })
    }
}

impl From<&ModelCall> for wire::ModelCall {
    fn from(call: &ModelCall) -> Self {
        wire::ModelCall {
            key: call.key.as_bytes().to_vec(),
            prompt: call.prompt.as_bytes().to_vec(),
            model: call.model.clone(),
            input_tokens: call.input_tokens,
            output_tokens: call.output_tokens,
            latency_ms: call.latency_ms,
        }
    }
}

impl TryFrom<wire::ModelCall> for ModelCall {
    type Error = DecodeError;

    fn try_from(raw: wire::ModelCall) -> Result<Self, DecodeError> {
        Ok(ModelCall {
            key: digest("call.key", &raw.key)?,
            prompt: digest("call.prompt", &raw.prompt)?,
            model: raw.model,
            input_tokens: raw.input_tokens,
            output_tokens: raw.output_tokens,
            latency_ms: raw.latency_ms,
        })
    }
}

impl From<&Answer> for wire::Answer {
    fn from(answer: &Answer) -> Self {
        wire::Answer {
            gate: gate_to_wire(answer.gate) as i32,
            about: answer.about.as_bytes().to_vec(),
            decision: decision_to_wire(answer.decision) as i32,
            by: answer.by.clone(),
            automatic: answer.automatic,
            text: answer.text.clone(),
        }
    }
}

impl TryFrom<wire::Answer> for Answer {
    type Error = DecodeError;

    fn try_from(raw: wire::Answer) -> Result<Self, DecodeError> {
        Ok(Answer {
            gate: gate_from_wire("gate", raw.gate)?,
            about: digest("about", &raw.about)?,
            decision: decision_from_wire("decision", raw.decision)?,
            by: raw.by,
            automatic: raw.automatic,
            text: raw.text,
        })
    }
}

impl From<&Manifest> for wire::Manifest {
    fn from(manifest: &Manifest) -> Self {
        let entries = manifest.iter().map(|(path, entry)| wire::ManifestEntry {
            path: path.to_string(),
            digest: entry.digest.as_bytes().to_vec(),
            size: entry.size,
            mode: entry.mode,
            owner: owner_to_wire(entry.owner) as i32,
        });
        wire::Manifest {
            entries: entries.collect(),
        }
    }
}

impl TryFrom<wire::Manifest> for Manifest {
    type Error = DecodeError;

    fn try_from(raw: wire::Manifest) -> Result<Self, DecodeError> {
        let entries = raw.entries.into_iter().map(|entry| {
            let path = entry.path.parse().map_err(|e| bad("manifest.path", e))?;
            let value = Entry {
                digest: digest("manifest.digest", &entry.digest)?,
                size: entry.size,
                mode: entry.mode,
                owner: owner_from_wire("manifest.owner", entry.owner)?,
            };
            Ok((path, value))
        });
        Manifest::new(entries.collect::<Result<Vec<_>, DecodeError>>()?).map_err(|e| bad("manifest", e))
    }
}

impl From<&Candidate> for wire::Candidate {
    fn from(candidate: &Candidate) -> Self {
        let written = candidate.written.iter().map(|file| wire::WrittenFile {
            path: file.path.to_string(),
            digest: file.digest.as_bytes().to_vec(),
            attempt: file.attempt,
            repair: file.repair,
            dependencies: file
                .dependencies
                .iter()
                .map(|(path, form)| wire::DependencyUse {
                    path: path.to_string(),
                    form: form_to_wire(*form) as i32,
                })
                .collect(),
            call: Some((&file.call).into()),
        });
        wire::Candidate {
            level: candidate.level,
            manifest: Some((&candidate.manifest).into()),
            written: written.collect(),
            refused: candidate.refused.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<wire::Candidate> for Candidate {
    type Error = DecodeError;

    fn try_from(raw: wire::Candidate) -> Result<Self, DecodeError> {
        Ok(Candidate {
            level: raw.level,
            manifest: required("manifest", raw.manifest)?.try_into()?,
            written: raw.written.into_iter().map(written_file).collect::<Result<_, _>>()?,
            refused: raw
                .refused
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
        })
    }
}

fn written_file(raw: wire::WrittenFile) -> Result<WrittenFile, DecodeError> {
    let dependencies = raw.dependencies.into_iter().map(|d| {
        let path = d.path.parse().map_err(|e| bad("dependency.path", e))?;
        Ok((path, form_from_wire("dependency.form", d.form)?))
    });
    Ok(WrittenFile {
        path: raw.path.parse().map_err(|e| bad("written.path", e))?,
        digest: digest("written.digest", &raw.digest)?,
        attempt: raw.attempt,
        repair: raw.repair,
        dependencies: dependencies.collect::<Result<_, DecodeError>>()?,
        call: required("call", raw.call)?.try_into()?,
    })
}

impl From<&Location> for wire::Location {
    fn from(at: &Location) -> Self {
        wire::Location {
            file: at.file.clone(),
            line: at.line,
            column: at.column,
        }
    }
}

impl From<wire::Location> for Location {
    fn from(raw: wire::Location) -> Self {
        Location {
            file: raw.file,
            line: raw.line,
            column: raw.column,
        }
    }
}

impl From<&Finding> for wire::Finding {
    fn from(finding: &Finding) -> Self {
        wire::Finding {
            rule: finding.rule.clone(),
            at: Some((&finding.at).into()),
            message: finding.message.clone(),
            other: finding.other.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<wire::Finding> for Finding {
    type Error = DecodeError;

    fn try_from(raw: wire::Finding) -> Result<Self, DecodeError> {
        Ok(Finding {
            rule: raw.rule,
            at: required("finding.at", raw.at)?.into(),
            message: raw.message,
            other: raw.other.map(Into::into),
        })
    }
}
