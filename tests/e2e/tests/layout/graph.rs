//! The crate graph as cargo resolves it. No opinion on what it should be.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Normal,
    Build,
    Dev,
}

/// One line of a `[dependencies]` table.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) features: Vec<String>,
}

/// Crates by name. Two versions of one crate are one entry, which can only make more reachable, never less.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// What each workspace member lists in its Cargo.toml, optional ones included.
    pub(crate) members: BTreeMap<String, Vec<Declared>>,
    /// What each crate has below it in the build, dev-dependencies apart.
    below: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<Kind>,
    features: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDependency>,
}

#[derive(Deserialize)]
struct NodeDependency {
    pkg: String,
    dep_kinds: Vec<NodeKind>,
}

#[derive(Deserialize)]
struct NodeKind {
    kind: Option<Kind>,
}

impl Graph {
    /// Asks cargo, for this machine's platform: crates of other platforms need not have been downloaded.
    pub(crate) fn read(root: &Path) -> Self {
        let version = cargo(root, &["-vV"]);
        let host = version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .expect("cargo names its host");
        let metadata = cargo(
            root,
            &["metadata", "--format-version=1", "--frozen", "--filter-platform", host],
        );
        Self::from_metadata(serde_json::from_str(&metadata).expect("cargo metadata"))
    }

    fn from_metadata(metadata: Metadata) -> Self {
        let mut graph = Self::default();
        let mut names = BTreeMap::new();
        for package in metadata.packages {
            names.insert(package.id.clone(), package.name.clone());
            if metadata.workspace_members.contains(&package.id) {
                let declared = package.dependencies.into_iter().map(|dependency| Declared {
                    name: dependency.name,
                    kind: dependency.kind.unwrap_or(Kind::Normal),
                    features: dependency.features,
                });
                graph.members.insert(package.name, declared.collect());
            }
        }
        for node in metadata.resolve.nodes {
            let below = graph.below.entry(names[&node.id].clone()).or_default();
            for dependency in node.deps {
                let built = |kind: &NodeKind| kind.kind != Some(Kind::Dev);
                if dependency.dep_kinds.iter().any(built) {
                    below.insert(names[&dependency.pkg].clone());
                }
            }
        }
        graph
    }

    /// Adds one dependency, as if it stood in the Cargo.toml of `from`.
    pub(crate) fn add(&mut self, from: &str, declared: Declared) {
        if declared.kind != Kind::Dev {
            let below = self.below.entry(from.to_owned()).or_default();
            below.insert(declared.name.clone());
        }
        // What a foreign crate lists is its own business: only that it is below matters.
        if let Some(member) = self.members.get_mut(from) {
            member.push(declared);
        }
    }

    /// The shortest way down from one crate to another, both ends included.
    pub(crate) fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut came_from = BTreeMap::from([(from.to_owned(), None)]);
        let mut queue = VecDeque::from([from.to_owned()]);
        while let Some(here) = queue.pop_front() {
            for next in self.below.get(&here).into_iter().flatten() {
                if !came_from.contains_key(next) {
                    came_from.insert(next.clone(), Some(here.clone()));
                    queue.push_back(next.clone());
                }
            }
        }
        let mut way = vec![to.to_owned()];
        let mut last = came_from.get(to)?.clone();
        while let Some(step) = last {
            last = came_from[&step].clone();
            way.push(step);
        }
        way.reverse();
        Some(way)
    }
}

fn cargo(root: &Path, arguments: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .current_dir(root)
        .output()
        .expect("cargo runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "cargo {arguments:?} (after `cargo fetch --locked`, or a build of the workspace): {complaint}"
    );
    String::from_utf8(output.stdout).expect("cargo speaks UTF-8")
}
