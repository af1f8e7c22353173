//! A task comes in: checked against itself, stored, and put on record as a run's first word.

use crate::gateway::Gateway;
use crate::refusal::{Refusal, of_append};
use crate::words;
use interlock_domain::blob::NamedBlob;
use interlock_domain::payload::{Payload, Request};
use interlock_domain::{Digest, RunId, RunState, Task, owned};
use interlock_proto::v1 as wire;
use interlock_stage::work::now_unix_ms;
use std::collections::BTreeMap;
use std::io::Read as _;
use tracing::Instrument as _;

/// Largest call in bytes, the task and all its files together.
pub(crate) const MAX_CALL_BYTES: usize = 64 * 1024 * 1024;
/// Largest lock file in bytes; a thousand packages with their hashes take a tenth of it.
const MAX_LOCK_BYTES: usize = 4 * 1024 * 1024;

/// A submission whose task is valid and whose files are exactly those that the task names.
#[derive(Debug)]
pub(crate) struct Submission {
    task: Task,
    task_toml: String,
    files: BTreeMap<String, Vec<u8>>,
    by: String,
}

impl Submission {
    /// Checks what came. Stores nothing.
    pub(crate) fn check(raw: wire::SubmitRequest) -> Result<Self, Refusal> {
        let by = words::name("submitted_by", raw.submitted_by)?;
        let task = Task::parse(&raw.task_toml).map_err(|e| Refusal::Invalid(e.to_string()))?;
        let submission = Self {
            files: by_name(&task, raw.files)?,
            task_toml: raw.task_toml,
            task,
            by,
        };
        submission.check_contents()?;
        Ok(submission)
    }

    fn check_contents(&self) -> Result<(), Refusal> {
        if let Some(name) = &self.task.lock {
            let size = self.content(name)?.len();
            if size > MAX_LOCK_BYTES {
                return Err(Refusal::Invalid(format!(
                    "environment.lock: {name:?} has {size} bytes; at most {MAX_LOCK_BYTES} are allowed"
                )));
            }
        }
        self.check_checks()?;
        let Some(scoring) = &self.task.scoring else {
            return Ok(());
        };
        let truth = self.content(&scoring.truth)?;
        // The scorer would say so too, but only after the run has been paid for.
        if let Some(why) = unscorable(truth) {
            return Err(Refusal::Invalid(format!("scoring.truth: {:?} {why}", scoring.truth)));
        }
        let truth = Digest::of(truth);
        let shown = self.task.inputs.values().chain(&self.task.lock);
        for name in shown {
            if Digest::of(self.content(name)?) == truth {
                return Err(Refusal::Invalid(format!(
                    "scoring.truth: {:?} has the same content as {name:?}, which the program sees; a score against it would prove nothing",
                    scoring.truth
                )));
            }
        }
        Ok(())
    }

    /// What a verifier could only answer with "not run".
    fn check_checks(&self) -> Result<(), Refusal> {
        let checks = &self.task.checks;
        for name in &checks.custom {
            let content = self.content(name)?;
            let can_run = name.ends_with(".py") || content.starts_with(b"#!") || content.starts_with(b"\x7fELF");
            if !can_run {
                return Err(Refusal::Invalid(format!(
                    "checks.custom: {name:?} cannot be run; it has to be a .py file, begin with #!, or be a binary"
                )));
            }
        }
        let lock = match &self.task.lock {
            Some(name) => String::from_utf8_lossy(self.content(name)?).to_lowercase(),
            None => String::new(),
        };
        for (asked, package, key) in [(checks.lint, "ruff", "lint"), (checks.types, "mypy", "types")] {
            let pinned = lock
                .lines()
                .any(|line| line.trim_start().starts_with(&format!("{package}==")));
            if asked && !pinned {
                return Err(Refusal::Invalid(format!(
                    "checks.{key}: the task's environment has no {package}; add {package} to the lock file"
                )));
            }
        }
        Ok(())
    }

    fn content(&self, name: &str) -> Result<&[u8], Refusal> {
        let content = self.files.get(name).map(Vec::as_slice);
        content.ok_or_else(|| Refusal::Invalid(format!("file {name:?} did not come")))
    }
}

/// Why no prediction can be held against this truth, as far as its beginning tells.
fn unscorable(truth: &[u8]) -> Option<&'static str> {
    let Ok(text) = std::str::from_utf8(truth) else {
        return Some("is not UTF-8; save it as UTF-8 text");
    };
    let mut lines = text.lines();
    match lines.next().map(|header| header.replace('"', "")).as_deref() {
        Some("id,label") if lines.next().is_some() => None,
        Some("id,label") => Some("has no row below its header; give every id its label"),
        Some(header) if header.starts_with('\u{feff}') => {
            Some("begins with a byte order mark; save it as UTF-8 without one")
        }
        Some(_) | None => Some("does not begin with the line id,label; write a CSV file of these two columns"),
    }
}

/// Exactly the files that the task names, each once.
fn by_name(task: &Task, files: Vec<wire::TaskFile>) -> Result<BTreeMap<String, Vec<u8>>, Refusal> {
    let named = task.files();
    let mut came = BTreeMap::new();
    for file in files {
        if !named.contains(&file.name.as_str()) {
            return Err(Refusal::Invalid(format!(
                "file {:?} is not named by the task; it names {}",
                shortened(&file.name),
                list(&named)
            )));
        }
        if let Some(twice) = came.insert(file.name.clone(), file.content) {
            return Err(Refusal::Invalid(format!(
                "file {:?} came twice ({} bytes the first time); send each file once",
                file.name,
                twice.len()
            )));
        }
    }
    let missing: Vec<&str> = named.into_iter().filter(|name| !came.contains_key(*name)).collect();
    if missing.is_empty() {
        return Ok(came);
    }
    Err(Refusal::Invalid(format!(
        "the task names {}, which did not come; send every file that the task names",
        list(&missing)
    )))
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        return "no file".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    quoted.join(", ")
}

fn shortened(name: &str) -> String {
    name.chars().take(200).collect()
}

impl Gateway {
    /// Stores the files and then the request that names them: from that record on, the run exists.
    pub(crate) async fn submit(&self, submission: Submission) -> Result<RunId, Refusal> {
        let run = new_run()?;
        // The root of the run's trace: whoever reads the record goes on from here.
        let span = tracing::info_span!(
            parent: None,
            "run",
            otel.name = %format!("run {}", submission.task.name),
            otel.kind = "server",
            interlock.run = %run,
            interlock.task = %submission.task.name,
        );
        async {
            let request = self.store(submission).await?;
            self.append(RunState::new(run), Payload::Request(request))
                .await
                .map_err(|e| of_append(run, e))
        }
        .instrument(span)
        .await?;
        Ok(run)
    }

    async fn store(&self, submission: Submission) -> Result<Request, Refusal> {
        let lock = match &submission.task.lock {
            Some(name) => Some(self.named(name, submission.content(name)?).await?),
            None => None,
        };
        let mut inputs = Vec::new();
        for (inside, name) in &submission.task.inputs {
            inputs.push(self.named(inside, submission.content(name)?).await?);
        }
        let mut checkers = Vec::new();
        for name in &submission.task.checks.custom {
            checkers.push(self.named(name, submission.content(name)?).await?);
        }
        let truth = match &submission.task.scoring {
            Some(scoring) => Some(NamedBlob {
                name: scoring.truth.clone(),
                blob: self.bus().put_sealed(submission.content(&scoring.truth)?).await?,
            }),
            None => None,
        };
        Ok(Request {
            task_toml: submission.task_toml,
            lock,
            inputs,
            truth,
            submitted_by: submission.by,
            harness: owned::harness_digest(),
            checkers,
        })
    }

    async fn named(&self, name: &str, content: &[u8]) -> Result<NamedBlob, Refusal> {
        Ok(NamedBlob {
            name: name.to_owned(),
            blob: self.bus().put_blob(content).await?,
        })
    }
}

/// A new identity, from the time and the kernel's randomness.
fn new_run() -> Result<RunId, Refusal> {
    let mut random = [0_u8; 16];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut random))
        .map_err(|e| Refusal::Ours(format!("/dev/urandom cannot be read: {e}")))?;
    let now = u64::try_from(now_unix_ms()).unwrap_or(0);
    Ok(RunId::from_parts(now, u128::from_le_bytes(random)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_that_nothing_can_be_scored_against_is_known_before_the_run() {
        let cases: [(&[u8], Option<&str>); 8] = [
            (b"id,label\n1,a\n", None),
            (b"\"id\",\"label\"\r\n1,a\r\n", None),
            (b"", Some("does not begin")),
            (b"id,target\n1,a\n", Some("does not begin")),
            (b"id;label\n1;a\n", Some("does not begin")),
            (b"id,label\n", Some("no row")),
            (b"\xef\xbb\xbfid,label\n1,a\n", Some("byte order mark")),
            (b"id,label\n1,\xff\n", Some("not UTF-8")),
        ];
        for (truth, expected) in cases {
            let found = unscorable(truth);
            let fits = found.zip(expected).map(|(why, word)| why.contains(word));
            assert!(
                found.is_some() == expected.is_some() && fits != Some(false),
                "{truth:?}: {found:?}"
            );
        }
    }

    #[test]
    fn checks_that_could_never_run_are_refused_before_the_run() {
        let submit = |checks: &str, files: &[(&str, &str)]| {
            let task_toml = format!(
                "name = \"x\"\ngoal = \"y\"\n[environment]\nlock = \"lock.txt\"\n[checks]\n{checks}\n\
                 [[criteria]]\nmetric = \"accuracy\"\nsplit = \"test\"\nunit = \"fraction\"\n\
                 direction = \"at_least\"\nthreshold = 0.5\nevidence = \"recorded\"\n"
            );
            let files = files.iter().map(|(name, text)| wire::TaskFile {
                name: (*name).to_owned(),
                content: text.as_bytes().to_vec(),
            });
            let request = wire::SubmitRequest {
                task_toml,
                files: files.collect(),
                submitted_by: "ada".to_owned(),
            };
            Submission::check(request)
                .map(|_| ())
                .map_err(|refusal| refusal.to_string())
        };
        let lock = ("lock.txt", "ruff==0.1 --hash=sha256:0\n");
        for (checks, file) in [
            ("lint = true", None),
            ("custom = [\"a.py\"]", Some(("a.py", "pass"))),
            ("custom = [\"a\"]", Some(("a", "#!/bin/sh\n"))),
        ] {
            let files: Vec<_> = [lock].into_iter().chain(file).collect();
            assert_eq!(submit(checks, &files), Ok(()), "{checks}");
        }
        for (checks, file, word) in [
            ("types = true", None, "add mypy to the lock file"),
            ("custom = [\"a\"]", Some(("a", "print(1)")), "cannot be run"),
            ("custom = [\"a.py\"]", None, "did not come"),
        ] {
            let files: Vec<_> = [lock].into_iter().chain(file).collect();
            let refused = submit(checks, &files).err().unwrap_or_default();
            assert!(refused.contains(word), "{checks}: {refused}");
        }
    }
}
