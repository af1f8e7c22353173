//! Asks the static rules about many faulty variants of one workspace, in one process.
//! It must not plant faults or run them: `plant.py` does the one, `run` the other.

use interlock_pysource::{Declared, Status, Workspace, check};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Write};
use thiserror::Error;

/// The correct workspace: the first line that `plant.py` writes.
#[derive(Clone, Debug, Deserialize)]
pub struct Base {
    /// The folder that is first on the module path.
    pub root: String,
    pub files: BTreeMap<String, String>,
    /// Top-level modules of the standard library.
    pub stdlib: BTreeSet<String>,
    /// Top-level modules of the environment.
    #[serde(default)]
    pub env: BTreeSet<String>,
}

/// The workspace with one fault: every further line.
#[derive(Clone, Debug, Deserialize)]
pub struct Mutant {
    pub id: u64,
    pub kind: String,
    /// `file:line` of the fault.
    pub place: String,
    pub what: String,
    /// Whether the interpreter's `compile()` accepts all files: it has the word on syntax, not the rules.
    pub compiles: bool,
    /// New text by path; `None` for a file that is taken away.
    pub edits: BTreeMap<String, Option<String>>,
}

/// What the checks that run nothing say about one variant.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    pub id: u64,
    /// Rules with a finding, and `syntax` where the interpreter refuses a file.
    pub caught: BTreeSet<String>,
    /// The first finding.
    pub message: Option<String>,
}

/// Why a batch cannot be judged. No retry helps.
#[derive(Debug, Error)]
pub enum BatchError {
    #[error("line {line} is not what plant.py writes: {why}; pipe its output in unchanged")]
    Line { line: usize, why: serde_json::Error },
    #[error("the batch is empty; its first line has to be the workspace")]
    Empty,
    #[error("reading or writing the batch: {0}")]
    Io(#[from] io::Error),
}

/// Judges every variant of a batch.
///
/// # Errors
/// A line cannot be read, or nothing can be written.
pub fn judge_all(input: impl BufRead, mut output: impl Write) -> Result<(), BatchError> {
    let mut base: Option<Base> = None;
    for (at, line) in input.lines().enumerate() {
        let (line, number) = (line?, at + 1);
        let unread = |why| BatchError::Line { line: number, why };
        let Some(base) = &base else {
            base = Some(serde_json::from_str(&line).map_err(unread)?);
            continue;
        };
        let mutant: Mutant = serde_json::from_str(&line).map_err(unread)?;
        let answer = serde_json::to_string(&judge(base, &mutant)).map_err(unread)?;
        writeln!(output, "{answer}")?;
    }
    base.map(|_| output.flush().map_err(BatchError::Io))
        .ok_or(BatchError::Empty)?
}

/// What the static checks say about one variant.
pub fn judge(base: &Base, mutant: &Mutant) -> Answer {
    let mut files = base.files.clone();
    for (path, text) in &mutant.edits {
        match text {
            Some(text) => files.insert(path.clone(), text.clone()),
            None => files.remove(path),
        };
    }
    let mut answer = Answer {
        id: mutant.id,
        caught: BTreeSet::new(),
        message: None,
    };
    if !mutant.compiles {
        answer.caught.insert("syntax".to_owned());
        return answer;
    }
    let targets: Vec<String> = files.keys().filter(|path| path.ends_with(".py")).cloned().collect();
    let workspace = Workspace::new(files, &base.root, base.env.clone(), base.stdlib.clone());
    for report in check(&workspace, &Declared::default(), &targets) {
        let Status::Failed { findings, .. } = report.status else {
            continue;
        };
        answer.caught.insert(report.rule.to_owned());
        if let Some(first) = findings.first().filter(|_| answer.message.is_none()) {
            answer.message = Some(format!("{}:{}: {}", first.file, first.line, first.message));
        }
    }
    answer
}
