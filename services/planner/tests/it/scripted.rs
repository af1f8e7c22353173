//! A model whose answers are files, asked without a bus in between.

use interlock_domain::{FailureClass, RunId};
use interlock_model::{Client, ModelConfig, Prompt};
use interlock_planner::{Ask, Asked, Material};
use interlock_scripted::ScriptedServer;
use interlock_stage::WorkError;
use std::sync::Mutex;
use tokio_util::sync::CancellationToken;

pub(crate) struct Scripted {
    pub(crate) server: ScriptedServer,
    pub(crate) prompts: Mutex<Vec<Prompt>>,
    client: Client,
    _answers: tempfile::TempDir,
}

impl Scripted {
    /// Answers by number, from 1 on.
    pub(crate) async fn new(answers: &[(u32, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (number, answer) in answers {
            std::fs::write(folder.path().join(format!("plan.{number}.md")), answer).unwrap();
        }
        let server = ScriptedServer::start(folder.path()).await.unwrap();
        Self {
            client: Client::new(ModelConfig::new(&server.url, "scripted")).unwrap(),
            server,
            prompts: Mutex::default(),
            _answers: folder,
        }
    }
}

impl Ask for Scripted {
    async fn ask(&self, purpose: &str, prompt: &Prompt) -> Result<Asked, WorkError> {
        self.prompts.lock().unwrap().push(prompt.clone());
        let answer = self
            .client
            .complete(prompt, &CancellationToken::new())
            .await
            .map_err(|e| WorkError::later(FailureClass::Model, e.to_string()))?;
        let key = prompt.call_key(RunId::from_parts(1, 1), purpose);
        let call = answer.call(key, prompt);
        Ok(Asked { answer, call })
    }
}

pub(crate) fn material() -> Material {
    Material {
        task: "THE TASK".to_owned(),
        lock_text: "numpy==2.2.6\n".to_owned(),
        harness: "THE HARNESS".to_owned(),
        previous: None,
        feedback: String::new(),
        first_attempt: 1,
    }
}

pub(crate) const GOOD: &str = r#"Here it is:
```json
{"files": [{"path": "src/experiment.py", "purpose": "All.", "exports": [{"name": "run", "kind": "function"}]}]}
```
"#;
