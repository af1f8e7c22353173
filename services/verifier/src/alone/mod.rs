//! The verifier on any folder, without a broker or a model: for people, and for other people's pipelines.
//!
//! The same checks as in a run; with a plan, level by level and with its owners. Writes nothing into the folder.

mod arguments;
mod base;
mod choose;
mod encoding;
mod environment;
mod explain;
mod folder;
mod json;
mod layout;
mod planned;
mod report;
mod sarif;
mod text;
mod walk;

pub use arguments::{Arguments, Wish};
pub use environment::Origin;
pub use explain::{NoSuchRule, explain};
pub use folder::{Folder, FolderError};
pub use report::{Format, Report};

use crate::checks::{Texts, not_run, rules};
use crate::files;
use crate::fork_servers::ForkLimits;
use crate::import::{self, Question};
use crate::reach::Reach;
use crate::static_rules;
use crate::syntax;
use crate::testing;
use crate::toolbox::{Bench, ToolError};
use crate::workshop::Workshop;
use bytes::Bytes;
use choose::{Chosen, choose};
use environment::Surroundings;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::task::Limits;
use interlock_domain::{Finding, Plan, owned};
use interlock_pysource::Declared;
use interlock_sandbox::{Environment, EnvironmentError, Sandbox, SandboxError};
use interlock_stage::workspace::Sources;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Why a folder could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum AloneError {
    /// How it was called.
    #[error("{0}")]
    Usage(String),
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file that was named.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A plan that is none.
    #[error("{path} is no plan: {reason}; expected JSON as in {{\"files\": [{{\"path\": ..., \"purpose\": ...}}]}}")]
    Plan {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A plan for something that no run could be.
    #[error("a plan is of files below src; leave --root out, and name no other --entry than src/main.py")]
    PlanElsewhere,
    /// Requirements that cannot be installed without trusting somebody.
    #[error("{path}: {reason}")]
    Requirements {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The environment.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A check.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// Somebody did not want to wait.
    #[error("interrupted")]
    Interrupted,
}

/// Checks the folder that the arguments name, until `cancel`.
///
/// # Errors
/// It could not be checked, which is exit code 2.
pub async fn run(arguments: &Arguments, cancel: &CancellationToken) -> Result<(Report, Folder), AloneError> {
    let done = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(AloneError::Interrupted),
        done = compared(arguments, cancel) => done,
    };
    // What was cut short says nothing about the folder.
    if cancel.is_cancelled() {
        Err(AloneError::Interrupted)
    } else {
        done
    }
}

/// The folder's report, without what its base version has as well.
async fn compared(arguments: &Arguments, cancel: &CancellationToken) -> Result<(Report, Folder), AloneError> {
    let (mut report, folder) = checked(arguments, cancel).await?;
    if let Some(earlier) = &arguments.base {
        let earlier = Arguments {
            folder: earlier.clone(),
            ..arguments.clone()
        };
        base::subtract(&mut report, &checked(&earlier, cancel).await?.0);
    }
    Ok((report, folder))
}

async fn checked(arguments: &Arguments, cancel: &CancellationToken) -> Result<(Report, Folder), AloneError> {
    let named = (arguments.entry.as_deref(), arguments.root.as_deref());
    let mut folder = Folder::read(&arguments.folder, named.0, named.1)?;
    let plan = arguments.plan.as_deref().map(planned::read).transpose()?;
    if plan.is_some() && folder.layout.root != owned::SOURCE_ROOT {
        return Err(AloneError::PlanElsewhere);
    }
    let sandbox = Arc::new(Sandbox::probe(arguments.runner.sandbox.config()).await?);
    let scratch = arguments.runner.sandbox.scratch.join("checks");
    let workshop = Workshop::new(Arc::clone(&sandbox), scratch, ForkLimits::default());
    let judged = judged(arguments, &mut folder, plan, &workshop, cancel).await;
    workshop.close().await;
    Ok((judged?, folder))
}

async fn judged(
    arguments: &Arguments,
    folder: &mut Folder,
    plan: Option<Result<Plan, Vec<Finding>>>,
    workshop: &Workshop,
    cancel: &CancellationToken,
) -> Result<Report, AloneError> {
    let sandbox = &*workshop.sandbox;
    let around = environment::surroundings(arguments.environment.as_deref(), &arguments.runner, sandbox).await?;
    let decoded = encoding::decode(folder, sandbox, &around.environment, cancel).await?;
    let unreadable = decoded.findings.clone();
    folder.decoded(decoded);
    if plan.is_some() {
        for file in &owned::FILES {
            if let Ok(path) = file.path.parse() {
                folder
                    .sources
                    .entry(path)
                    .or_insert(Bytes::from_static(file.content.as_bytes()));
                folder
                    .texts
                    .entry(file.path.to_owned())
                    .or_insert_with(|| file.content.to_owned());
            }
        }
    }
    let chosen = choose(&folder.texts, &folder.layout);
    let work = Work {
        arguments,
        folder,
        workshop,
        around: &around,
        unreadable: &unreadable,
        cancel,
    };
    let (checks, interpreter) = match plan {
        None => work.check(None, &folder.sources, &chosen, true).await?,
        Some(Ok(plan)) => work.level_by_level(&plan, &chosen).await?,
        Some(Err(findings)) => (vec![result("plan", failed(findings))], String::new()),
    };
    Ok(Report::new(
        arguments,
        folder,
        checks,
        &chosen,
        &around,
        (interpreter, sandbox.tier().name()),
    ))
}

/// What all checks of a folder need.
struct Work<'a> {
    arguments: &'a Arguments,
    folder: &'a Folder,
    workshop: &'a Workshop,
    around: &'a Surroundings,
    /// Files that the interpreter would refuse before it compiles them.
    unreadable: &'a [Finding],
    cancel: &'a CancellationToken,
}

/// What is there by one level of the plan, or all of it where there is none.
#[derive(Clone, Copy)]
struct Level<'a> {
    plan: Option<&'a Plan>,
    texts: &'a BTreeMap<String, String>,
    reach: &'a Reach,
    complete: bool,
}

impl Work<'_> {
    /// As a run would: every level on what is there by then, until one does not pass.
    async fn level_by_level(&self, plan: &Plan, chosen: &Chosen) -> Result<(Vec<CheckResult>, String), AloneError> {
        let different = planned::differences(plan, &self.folder.sources);
        let as_planned = if different.is_empty() {
            let what = format!("{} planned files in {} levels", plan.files().len(), plan.level_count());
            Ran::new(what, 0)
                .map(CheckAnswer::Passed)
                .unwrap_or_else(static_rules::contradiction)
        } else {
            failed(different)
        };
        let mut said = (Vec::new(), String::new());
        for level in 1..=plan.level_count() {
            let sources = planned::up_to(plan, level, &self.folder.sources);
            said = self
                .check(Some(plan), &sources, chosen, level == plan.level_count())
                .await?;
            if said.0.iter().any(|check| !check.passed()) {
                break;
            }
        }
        said.0.insert(0, result("plan", as_planned));
        Ok(said)
    }

    async fn check(
        &self,
        plan: Option<&Plan>,
        sources: &Sources,
        chosen: &Chosen,
        complete: bool,
    ) -> Result<(Vec<CheckResult>, String), AloneError> {
        let (cancel, environment) = (self.cancel, &self.around.environment);
        let bench = Bench::new(&self.workshop.scratch, sources, environment)?;
        // With a plan, as in a run: the entry point waits for the file that it imports.
        let texts: BTreeMap<String, String> = match plan {
            Some(_) => files::python_files(sources).map_err(ToolError::NotText)?,
            None => self.folder.texts.clone(),
        };
        let mut checks = vec![files::formats(sources)];
        if let Some(plan) = plan {
            checks.push(files::ownership(&planned::manifest(plan, sources)));
        }
        let question = syntax::Question {
            files: &texts,
            environment,
            preload: &files::preload(&texts, environment),
        };
        let (mut syntax, interpreter) = syntax::run(&bench, self.workshop, question, cancel).await?;
        refuse(&mut syntax, self.unreadable);
        checks.push(syntax);
        let nobody_planned = || Declared {
            unplanned: true,
            ..Declared::default()
        };
        let declared = plan.map_or_else(nobody_planned, |plan| static_rules::declared(plan, &texts));
        let read = Texts::of(&texts, sources);
        let sandbox = &self.workshop.sandbox;
        checks.extend(rules(&bench, sandbox, &self.assumed(&texts), declared, read, cancel).await?);
        if !self.arguments.only_static {
            let level = Level {
                plan,
                texts: &texts,
                reach: &Reach::of(sources),
                complete,
            };
            self.started(&bench, level, chosen, &mut checks).await?;
        }
        checks.insert(0, result("files", self.read()));
        Ok((checks, interpreter))
    }

    /// The environment, with all that the files may mean where nobody has said what they run with.
    fn assumed(&self, texts: &BTreeMap<String, String>) -> Environment {
        let mut environment = self.around.environment.clone();
        if self.arguments.only_static && self.arguments.environment.is_none() {
            let below = format!("{}/", owned::SOURCE_ROOT);
            let inside = texts.keys().filter_map(|path| path.strip_prefix(&below));
            let own: BTreeSet<&str> = inside.filter_map(|path| path.split(['/', '.']).next()).collect();
            let others = files::words(texts)
                .into_iter()
                .filter(|word| !own.contains(word.as_str()));
            environment.modules.extend(others);
        }
        environment
    }

    /// The checks that run the folder's code.
    async fn started(
        &self,
        bench: &Bench,
        level: Level<'_>,
        chosen: &Chosen,
        checks: &mut Vec<CheckResult>,
    ) -> Result<(), AloneError> {
        let (plan, texts) = (level.plan, level.texts);
        let limits = Limits::default();
        let order = match plan {
            Some(plan) => files::import_order(plan, &planned::manifest(plan, &self.folder.sources)),
            None => chosen.imported.clone(),
        };
        let order: Vec<String> = order.into_iter().filter(|path| texts.contains_key(path)).collect();
        // Beside a base version everything is run: what was wrong before must not hide what is wrong now.
        let goes_on = self.arguments.base.is_some();
        let nothing_wrong = |checks: &[CheckResult]| goes_on || checks.iter().all(CheckResult::passed);
        if !order.is_empty() {
            checks.push(if !self.folder.unread.is_empty() {
                let reason = "some files could not be read, and others may import them".to_owned();
                result(import::CHECK, CheckAnswer::NotRun { reason })
            } else if nothing_wrong(checks) {
                let question = Question {
                    files: &order,
                    environment: &self.around.environment,
                    reach: level.reach,
                    preload: &files::preload(texts, &self.around.environment),
                    each: Duration::from_secs(limits.import_seconds),
                    memory_bytes: limits.memory_mb << 20,
                };
                import::run(bench, self.workshop, question, self.cancel).await?.0
            } else {
                not_run(import::CHECK, import::VERSION)
            });
        }
        if !chosen.tests.is_empty() && level.complete {
            checks.push(if nothing_wrong(checks) {
                let question = testing::Question {
                    files: &chosen.tests,
                    plan,
                    limits: &limits,
                };
                testing::run(bench, &self.workshop.sandbox, question, self.cancel)
                    .await?
                    .0
            } else {
                not_run(testing::CHECK, testing::VERSION)
            });
        }
        Ok(())
    }

    fn read(&self) -> CheckAnswer {
        let unread = self.folder.unread.len();
        if unread > 0 {
            let reason = format!("{} could not be read", report::count(unread, "Python file"));
            return CheckAnswer::NotRun { reason };
        }
        let what = report::count(self.folder.texts.len(), "Python file");
        Ran::new(what, 0)
            .map(CheckAnswer::Passed)
            .unwrap_or_else(static_rules::contradiction)
    }
}

/// Adds findings to the answer of a check that ran.
fn refuse(check: &mut CheckResult, more: &[Finding]) {
    if !more.is_empty() {
        let all = check.findings().iter().chain(more).cloned().collect();
        check.answer = failed(all);
    }
}

fn failed(findings: Vec<Finding>) -> CheckAnswer {
    Findings::new(findings)
        .map(CheckAnswer::Failed)
        .unwrap_or_else(static_rules::contradiction)
}

fn result(check: &str, answer: CheckAnswer) -> CheckResult {
    CheckResult {
        check: check.to_owned(),
        version: 1,
        answer,
    }
}
