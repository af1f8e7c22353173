//! The one table of harness-owned files, and of the names that a model may never create.
//!
//! Planner, generator, verifier and executor all read this table and no other. The files are real
//! Python under `python/`, at the path they have in the workspace.

use crate::ids::Digest;
use crate::manifest::{Entry, Owner, SOURCE_MODE};
use crate::path::WorkspacePath;

/// A file that Interlock itself puts into every workspace.
#[derive(Clone, Copy, Debug)]
pub struct OwnedFile {
    /// Path in the workspace.
    pub path: &'static str,
    /// Content, byte for byte.
    pub content: &'static str,
}

/// Every harness-owned file of a workspace.
pub const FILES: [OwnedFile; 9] = [
    OwnedFile {
        path: "src/main.py",
        content: include_str!("../python/src/main.py"),
    },
    OwnedFile {
        path: "src/recorder.py",
        content: include_str!("../python/src/recorder.py"),
    },
    OwnedFile {
        path: "src/metrics.py",
        content: include_str!("../python/src/metrics.py"),
    },
    OwnedFile {
        path: "src/arguments.py",
        content: include_str!("../python/src/arguments.py"),
    },
    OwnedFile {
        path: "src/raised.py",
        content: include_str!("../python/src/raised.py"),
    },
    OwnedFile {
        path: "src/recorded_config.py",
        content: include_str!("../python/src/recorded_config.py"),
    },
    OwnedFile {
        path: "src/recorded_files.py",
        content: include_str!("../python/src/recorded_files.py"),
    },
    OwnedFile {
        path: "src/recorded_splits.py",
        content: include_str!("../python/src/recorded_splits.py"),
    },
    OwnedFile {
        path: "src/recorded_values.py",
        content: include_str!("../python/src/recorded_values.py"),
    },
];

/// The script that a run starts, from the workspace's root.
pub const ENTRY_POINT: &str = "src/main.py";
/// The one file and function that is the model's side of the contract.
pub const CONTRACT_FILE: &str = "src/experiment.py";
/// The function in [`CONTRACT_FILE`].
pub const CONTRACT_FUNCTION: &str = "run";
/// The folder that is `sys.path[0]` when the entry point runs.
pub const SOURCE_ROOT: &str = "src";

/// Harness programs that run beside a workspace and are never part of one.
pub mod tools {
    /// Compiles sources in the run's own interpreter.
    pub const COMPILE_CHECK: &str = include_str!("../python/harness/compile_check.py");
    /// The programs that import every file under its real name, with the modules that they share; by file name.
    pub const IMPORTING: [(&str, &str); 8] = [
        ("compile_check.py", COMPILE_CHECK),
        ("fork_server.py", include_str!("../python/harness/fork_server.py")),
        ("import_child.py", include_str!("../python/harness/import_child.py")),
        ("in_flight.py", include_str!("../python/harness/in_flight.py")),
        ("landlock.py", include_str!("../python/harness/landlock.py")),
        ("preflight.py", include_str!("../python/harness/preflight.py")),
        ("preloaded.py", include_str!("../python/harness/preloaded.py")),
        ("process_tree.py", include_str!("../python/harness/process_tree.py")),
    ];
    /// Runs a workspace's tests with the environment's pytest.
    pub const RUN_TESTS: &str = include_str!("../python/harness/run_tests.py");
    /// Computes metrics from predictions and sealed truth; laid out in one folder.
    pub const SCORING: [(&str, &str); 3] = [
        ("scorer.py", include_str!("../python/harness/scorer.py")),
        ("scorer_library.py", include_str!("../python/harness/scorer_library.py")),
        ("metrics.py", include_str!("../python/src/metrics.py")),
    ];
}

/// Modules that Python imports before the harness, be they a file or a package (faults D4).
const MODULES_BEFORE_US: [&str; 2] = ["sitecustomize", "usercustomize"];
/// Files that tools run unasked, wherever they lie, or that change how Python finds modules.
const FILES_BEFORE_US: [&str; 3] = ["conftest.py", "setup.py", "pyvenv.cfg"];
/// Endings of files that change how Python finds modules, or that are code which no rule can read.
const ENDINGS_BEFORE_US: [&str; 5] = [".pth", "._pth", ".pyc", ".so", ".pyd"];
/// The folder in which a program finds the task's inputs.
const INPUTS: &str = "inputs";

/// Why the model may not write a path.
#[derive(Debug, thiserror::Error, PartialEq, Eq, Clone)]
pub enum NotTheModels {
    /// It belongs to the harness.
    #[error("{0} is written by the harness itself; leave it out and import from it")]
    HarnessOwned(WorkspacePath),
    /// It would shadow a harness module, as a package of the same name.
    #[error("{0} would hide the harness's own module of that name; choose another name")]
    HidesHarness(WorkspacePath),
    /// It would run before the harness.
    #[error("{0} would run before the harness does, and may not be written")]
    RunsBeforeUs(WorkspacePath),
    /// It would stand among the task's inputs.
    #[error("{0} would stand among the task's inputs, which only the task provides")]
    AmongInputs(WorkspacePath),
}

/// Whether the model may write `path`; the only place where this is decided.
pub fn model_may_write(path: &WorkspacePath) -> Result<(), NotTheModels> {
    let folded = path.folded();
    if FILES.iter().any(|file| file.path == folded) {
        return Err(NotTheModels::HarnessOwned(path.clone()));
    }
    if folded.split('/').next() == Some(INPUTS) {
        return Err(NotTheModels::AmongInputs(path.clone()));
    }
    if runs_before_us(&folded) {
        return Err(NotTheModels::RunsBeforeUs(path.clone()));
    }
    // `src/recorder/__init__.py` would be found before `src/recorder.py`; an extension module or
    // another suffix of the same stem likewise.
    let hides = FILES.iter().any(|file| {
        let stem = file.path.trim_end_matches(".py");
        folded
            .strip_prefix(stem)
            .is_some_and(|rest| rest.starts_with('/') || rest.starts_with('.'))
    });
    if hides {
        return Err(NotTheModels::HidesHarness(path.clone()));
    }
    Ok(())
}

fn runs_before_us(folded: &str) -> bool {
    let module = |name: &str| MODULES_BEFORE_US.contains(&name);
    let mut folders = folded.split('/');
    let name = folders.next_back().unwrap_or(folded);
    folders.any(module)
        || name.strip_suffix(".py").is_some_and(module)
        || FILES_BEFORE_US.contains(&name)
        || ENDINGS_BEFORE_US.iter().any(|ending| name.ends_with(ending))
        || folded == "src/__init__.py"
        || folded == "__init__.py"
}

/// The harness's entries of every manifest.
pub fn harness_entries() -> Vec<(WorkspacePath, Entry)> {
    FILES
        .iter()
        .filter_map(|file| {
            let path = file.path.parse().ok()?;
            Some((path, entry_of(file.content, Owner::Harness)))
        })
        .collect()
}

/// The entry that a source file with this content has.
pub fn entry_of(content: &str, owner: Owner) -> Entry {
    Entry {
        digest: Digest::of(content.as_bytes()),
        size: content.len() as u64,
        mode: SOURCE_MODE,
        owner,
    }
}

/// Identity of the whole table and of the tools: names the harness that a run was made with.
pub fn harness_digest() -> Digest {
    let tools = [tools::COMPILE_CHECK, tools::RUN_TESTS];
    let named = tools::SCORING.iter().chain(&tools::IMPORTING);
    let named = named.flat_map(|(name, content)| [*name, *content]);
    let files = FILES.iter().flat_map(|file| [file.path, file.content]);
    Digest::of_parts(files.chain(tools).chain(named).map(str::as_bytes))
}
