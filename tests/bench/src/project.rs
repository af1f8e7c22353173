//! The workspace that is checked: ten files, in as many versions as there are rounds, so that nothing is known.

use crate::BenchError;
use bytes::Bytes;
use interlock_domain::manifest::Owner;
use interlock_domain::plan::{Export, ExportKind, PlannedFile};
use interlock_domain::{Manifest, Plan, owned};
use interlock_stage::workspace::Sources;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The file that a repair changes; nothing but the experiment imports it.
const REPAIRED: &str = "src/reporting.py";

/// One version of the workspace: text by path.
#[derive(Clone, Debug)]
pub struct Project(BTreeMap<String, String>);

impl Project {
    /// Where it lies.
    pub fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("verify")
    }

    /// As it lies there.
    pub fn read() -> Result<Self, BenchError> {
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(Self::folder().join("src"))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.insert(format!("src/{name}"), std::fs::read_to_string(&path)?);
        }
        Ok(Self(files))
    }

    /// The same, with a comment in every file that no other version has.
    pub fn as_of(&self, version: usize) -> Self {
        let files = self.0.iter();
        Self(
            files
                .map(|(path, text)| (path.clone(), format!("{text}\n# Version {version}.\n")))
                .collect(),
        )
    }

    /// With one file changed.
    pub fn repaired(&self) -> Self {
        let mut files = self.0.clone();
        if let Some(text) = files.get_mut(REPAIRED) {
            text.push_str("# Repaired.\n");
        }
        Self(files)
    }

    /// Text by path.
    pub fn texts(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// The paths.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The modules' names.
    pub fn modules(&self) -> impl Iterator<Item = &str> {
        self.files()
            .map(|path| path.trim_start_matches("src/").trim_end_matches(".py"))
    }

    /// Writes the files.
    pub fn lay_out(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder.join("src"))?;
        self.0
            .iter()
            .try_for_each(|(path, text)| std::fs::write(folder.join(path), text))
    }

    /// The files alone.
    pub fn sources(&self) -> Result<Sources, BenchError> {
        let files = self.0.iter();
        files
            .map(|(path, text)| {
                let path = path.parse().map_err(|e| BenchError::Wrong(format!("{path}: {e}")))?;
                Ok((path, Bytes::from(text.clone())))
            })
            .collect()
    }

    /// As a run has it: with a plan, and with the harness's files.
    pub fn whole(&self) -> Result<(Plan, Manifest, Sources), BenchError> {
        let wrong = |error: &dyn std::fmt::Display| BenchError::Wrong(error.to_string());
        let mut sources = self.sources()?;
        let planned = sources.keys().map(|path| PlannedFile {
            path: path.clone(),
            purpose: "measured".to_owned(),
            exports: if path.as_str() == owned::CONTRACT_FILE {
                vec![Export {
                    name: owned::CONTRACT_FUNCTION.to_owned(),
                    kind: ExportKind::Function,
                }]
            } else {
                Vec::new()
            },
            depends_on: Vec::new(),
        });
        let plan = Plan::new(planned.collect()).map_err(|e| BenchError::Wrong(format!("{e:?}")))?;
        let entries = sources.iter().map(|(path, text)| {
            let text = std::str::from_utf8(text).unwrap_or_default();
            (path.clone(), owned::entry_of(text, Owner::Model))
        });
        let manifest = Manifest::new(entries.chain(owned::harness_entries())).map_err(|e| wrong(&e))?;
        for file in &owned::FILES {
            let path = file.path.parse().map_err(|_| wrong(&file.path))?;
            sources.insert(path, Bytes::from_static(file.content.as_bytes()));
        }
        Ok((plan, manifest, sources))
    }
}
