//! A model whose answers are files, asked without a bus in between; and a small plan.

use interlock_domain::plan::{Export, ExportKind, PlannedFile};
use interlock_domain::{FailureClass, Plan, RunId};
use interlock_generator::{Ask, Asked, Brief, Context, Job};
use interlock_model::{Client, ModelConfig, Prompt};
use interlock_scripted::ScriptedServer;
use interlock_stage::WorkError;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

pub(crate) struct Scripted {
    pub(crate) prompts: Mutex<Vec<Prompt>>,
    client: Client,
    _server: ScriptedServer,
    _answers: tempfile::TempDir,
}

impl Scripted {
    /// Answers for `src/data.py`, from 1 on.
    pub(crate) async fn new(answers: &[&str]) -> Self {
        let named: Vec<String> = (1..=answers.len()).map(|n| format!("src/data.py.{n}")).collect();
        let answers: Vec<(&str, &str)> = named.iter().map(String::as_str).zip(answers.iter().copied()).collect();
        Self::answering(&answers).await
    }

    /// Answers by the names of their files.
    pub(crate) async fn answering(answers: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("src")).unwrap();
        for (name, answer) in answers {
            std::fs::write(folder.path().join(format!("{name}.md")), answer).unwrap();
        }
        let server = ScriptedServer::start(folder.path()).await.unwrap();
        Self {
            client: Client::new(ModelConfig::new(&server.url, "scripted")).unwrap(),
            prompts: Mutex::default(),
            _server: server,
            _answers: folder,
        }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.prompts
            .lock()
            .unwrap()
            .iter()
            .map(|prompt| prompt.user.clone())
            .collect()
    }
}

impl Ask for Scripted {
    async fn ask(&self, purpose: &str, prompt: &Prompt) -> Result<Asked, WorkError> {
        self.prompts.lock().unwrap().push(prompt.clone());
        let answer = self.client.complete(prompt, &CancellationToken::new()).await;
        let answer = answer.map_err(|e| WorkError::failed(FailureClass::Model, e.to_string()))?;
        let call = answer.call(prompt.call_key(RunId::from_parts(1, 1), purpose), prompt);
        Ok(Asked { answer, call })
    }
}

pub(crate) fn brief() -> Brief {
    Brief {
        task: "THE TASK".to_owned(),
        harness: "THE HARNESS".to_owned(),
        hint: String::new(),
    }
}

/// `src/experiment.py` imports from `src/data.py`, which imports from `src/config.py`.
pub(crate) fn plan() -> Plan {
    plan_with(&["src/config.py"])
}

/// The same, but `src/data.py` and `src/config.py` have nothing to do with each other.
pub(crate) fn wide_plan() -> Plan {
    plan_with(&[])
}

fn plan_with(data_needs: &[&str]) -> Plan {
    let file = |path: &str, export: &str, depends_on: &[&str]| PlannedFile {
        path: path.parse().unwrap(),
        purpose: format!("purpose of {path}"),
        exports: vec![Export {
            name: export.to_owned(),
            kind: ExportKind::Function,
        }],
        depends_on: depends_on.iter().map(|path| path.parse().unwrap()).collect(),
    };
    Plan::new(vec![
        file("src/config.py", "settings", &[]),
        file("src/data.py", "load", data_needs),
        file("src/experiment.py", "run", &["src/data.py", "src/main.py"]),
    ])
    .unwrap()
}

pub(crate) fn job(path: &str) -> Job {
    Job {
        path: path.parse().unwrap(),
        first_attempt: 1,
        current: None,
        findings: Vec::new(),
        rewrite: false,
        dependencies: Context::default(),
        dependents: Context::default(),
    }
}
