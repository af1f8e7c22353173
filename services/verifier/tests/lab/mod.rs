//! A verifier without a broker: workspaces from folders, checked by the real thing.

use bytes::Bytes;
use interlock_domain::manifest::Owner;
use interlock_domain::plan::{Export, ExportKind, PlannedFile};
use interlock_domain::task::Limits;
use interlock_domain::{Manifest, Plan, WorkspacePath, owned};
use interlock_sandbox::{Environment, Environments, Sandbox, SandboxConfig, Tier};
use interlock_stage::workspace::Sources;
use interlock_verifier::checks::{Checked, Subject, run};
use interlock_verifier::extra::Extra;
use interlock_verifier::fork_servers::ForkLimits;
use interlock_verifier::workshop::Workshop;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Everything that checks need, once for many of them.
pub(crate) struct Lab {
    _folder: tempfile::TempDir,
    pub(crate) workshop: Workshop,
    pub(crate) environment: Environment,
    pub(crate) extra: Extra,
}

impl Lab {
    pub(crate) async fn new() -> Self {
        Self::with(None, ForkLimits::default()).await
    }

    pub(crate) async fn with_lock(lock: &[u8], tier: Tier) -> Self {
        Self::built(lock, Some(tier), ForkLimits::default()).await
    }

    pub(crate) async fn with(tier: Option<Tier>, limits: ForkLimits) -> Self {
        Self::built(b"", tier, limits).await
    }

    async fn built(lock: &[u8], tier: Option<Tier>, limits: ForkLimits) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("interlock-verifier-")
            .tempdir()
            .unwrap();
        let sandbox = Sandbox::probe(SandboxConfig {
            launcher: built("interlock-launcher"),
            supervisor: built("interlock-supervisor"),
            bwrap: on_path("bwrap"),
            tier,
            scratch: folder.path().join("sandbox"),
        });
        let uv = on_path("uv").expect("uv, which `make setup` fetches");
        let python = PathBuf::from("/usr/bin/python3");
        let environments = Environments::new(folder.path().join("environments"), uv, python);
        let environment = environments.ensure(lock).await.unwrap();
        let scratch = folder.path().join("checks");
        Self {
            workshop: Workshop::new(Arc::new(sandbox.await.unwrap()), scratch, limits),
            environment,
            extra: Extra::default(),
            _folder: folder,
        }
    }

    /// Puts a module into the environment, as if a package had brought it.
    pub(crate) fn package(&mut self, name: &str, text: &str) {
        let library = std::fs::read_dir(self.environment.path.join("lib")).unwrap().next();
        let site = library.unwrap().unwrap().path().join("site-packages");
        std::fs::write(site.join(format!("{name}.py")), text).unwrap();
        self.environment.modules.insert(name.to_owned());
    }

    /// Stops the only fork server, as a machine that is out of breath would.
    pub(crate) fn stop_server(&self) {
        let own = self.workshop.scratch.to_string_lossy().into_owned();
        let is_server = |path: &Path| {
            let command = std::fs::read(path.join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).into_owned();
            command.contains(&own) && command.contains("fork_server.py\0--root\0")
        };
        let all = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let servers: Vec<PathBuf> = all.filter(|path| is_server(path)).collect();
        assert_eq!(servers.len(), 1, "{servers:?}");
        let id = servers[0].file_name().unwrap();
        let stopped = std::process::Command::new("kill").arg("-STOP").arg(id).status();
        assert!(stopped.unwrap().success());
    }

    /// What checks and servers have left in their folder, which has one folder for each environment.
    pub(crate) fn left(&self) -> Vec<PathBuf> {
        let below = |folder: &Path| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder).unwrap();
            entries.map(|entry| entry.unwrap().path()).collect()
        };
        let (servers, environments): (Vec<_>, Vec<_>) = below(&self.workshop.scratch)
            .into_iter()
            .partition(|path| path.file_name().unwrap().to_string_lossy().starts_with("server-"));
        let checks = environments.iter().flat_map(|folder| below(folder));
        servers.into_iter().chain(checks).collect()
    }

    /// Checks these files, beside the harness's own.
    pub(crate) async fn check(
        &self,
        files: &BTreeMap<String, Vec<u8>>,
        exports: &BTreeMap<String, Vec<String>>,
    ) -> Checked {
        let mut sources = Sources::new();
        let mut planned = Vec::new();
        for (name, content) in files {
            let path: WorkspacePath = name.parse().unwrap();
            planned.push(PlannedFile {
                path: path.clone(),
                purpose: "a case".to_owned(),
                exports: exports_of(name, exports),
                depends_on: Vec::new(),
            });
            sources.insert(path, Bytes::from(content.clone()));
        }
        let plan = Plan::new(planned).unwrap();
        let own = sources.iter().map(|(path, content)| {
            let text = std::str::from_utf8(content).unwrap();
            (path.clone(), owned::entry_of(text, Owner::Model))
        });
        let manifest = Manifest::new(own.chain(owned::harness_entries())).unwrap();
        for file in &owned::FILES {
            sources.insert(file.path.parse().unwrap(), Bytes::from_static(file.content.as_bytes()));
        }
        let limits = Limits {
            import_seconds: 2,
            memory_mb: 1024,
            ..Limits::default()
        };
        let subject = Subject {
            plan: &plan,
            manifest: &manifest,
            sources: &sources,
            environment: &self.environment,
            limits: &limits,
            complete: true,
            extra: &self.extra,
        };
        let none = CancellationToken::new();
        run(&self.workshop, subject, &none).await.unwrap()
    }
}

fn exports_of(path: &str, exports: &BTreeMap<String, Vec<String>>) -> Vec<Export> {
    let mut names = exports.get(path).cloned().unwrap_or_default();
    if path == owned::CONTRACT_FILE {
        names.push(owned::CONTRACT_FUNCTION.to_owned());
    }
    names
        .into_iter()
        .map(|name| Export {
            name,
            kind: ExportKind::Function,
        })
        .collect()
}

/// The files below a case's folder, by their path in the workspace.
pub(crate) fn files_of(case: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![case.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let about = [OsStr::new("expect.txt"), OsStr::new("plan.txt")];
            if path.is_dir() {
                open.push(path);
            } else if !about.contains(&path.file_name().unwrap()) {
                let name = path.strip_prefix(case).unwrap().to_str().unwrap().to_owned();
                files.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    with_contract(files)
}

/// The files, and the file that every plan has.
pub(crate) fn with_contract(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let contract = b"def run(config, recorder):\n    return dict(config)\n";
    files
        .entry(owned::CONTRACT_FILE.to_owned())
        .or_insert_with(|| contract.to_vec());
    files
}

/// The exports that a case plans.
pub(crate) fn planned_exports(case: &Path) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(case.join("plan.txt")).unwrap_or_default();
    let lines = text.lines().map(|line| {
        let mut words = line.split_whitespace().map(str::to_owned);
        (words.next().unwrap(), words.collect())
    });
    lines.collect()
}

fn built(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.ancestors().nth(2).unwrap().join(name)
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
