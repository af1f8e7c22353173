//! Fork servers: one per environment, each in a sandbox of its own, which has loaded what workspaces import.
//!
//! Only a pass from here counts. Whatever else is said, and when nothing is said, a fresh interpreter decides: no
//! fault of a server, and nothing that one check does to another, can refuse a file.

mod server;
mod wire;

pub use wire::Request;

use crate::import::Report;
use crate::toolbox::{TOOLS, ToolError, checks_folder, write_importing};
use interlock_sandbox::{
    ANSWERS, Arg, Command, Environment, Limits, Mount, PYTHON_INSIDE, Profile, REQUESTS, Sandbox, dialogue,
    python_mounts, remove_tree, system_paths,
};
use server::{Reply, Server, StartError};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Where a server sees the workspaces of its environment.
const CHECKS: &str = "/checks";
/// Where it sees its pipes.
const PIPES: &str = "/pipes";
/// Most memory of a server and its children.
const MEMORY: u64 = 6 << 30;
/// Longest life of a server.
const LIFE: Duration = Duration::from_secs(24 * 3600);
/// How long servers live and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct ForkLimits {
    /// Servers at the same time; each holds its packages in memory, some 100 to 600 MB.
    pub servers: usize,
    /// Files after which a server is replaced: its children share a hash seed and the state of random generators.
    pub files: u64,
    /// A server that nobody has asked for so long gives its memory back.
    pub idle: Duration,
    /// Longest start, and longest loading of new modules.
    pub start: Duration,
    /// What a server may take beyond the time of the files themselves.
    pub margin: Duration,
}

impl Default for ForkLimits {
    fn default() -> Self {
        Self {
            servers: 4,
            files: 1_000,
            idle: Duration::from_secs(600),
            start: Duration::from_secs(120),
            margin: Duration::from_secs(30),
        }
    }
}

/// The servers of one verifier.
#[derive(Debug)]
pub struct ForkServers {
    sandbox: Arc<Sandbox>,
    scratch: PathBuf,
    limits: ForkLimits,
    slots: std::sync::Mutex<BTreeMap<String, Arc<Slot>>>,
    clock: AtomicU64,
    started: AtomicU64,
    tasks: TaskTracker,
}

/// What a warm interpreter said.
#[derive(Debug)]
pub(crate) struct Warm {
    /// Its reports: one for each file to import, or one for all that were to be compiled.
    pub(crate) reports: Vec<Report>,
    /// Its version.
    pub(crate) interpreter: String,
}

/// What is known of one environment.
#[derive(Debug, Default)]
struct Slot {
    state: Mutex<State>,
    used: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    server: Option<Server>,
    /// What the server was asked to load.
    loaded: BTreeSet<String>,
    /// What must not be loaded in any server: it leaves threads, or does not come to an end.
    spoiling: BTreeSet<String>,
    /// There can be no server: asked again it would say the same.
    refused: bool,
}

impl ForkServers {
    /// Servers that keep their files below `scratch`.
    pub fn new(sandbox: Arc<Sandbox>, scratch: PathBuf, limits: ForkLimits) -> Self {
        Self {
            sandbox,
            scratch,
            limits,
            started: AtomicU64::new(0),
            slots: std::sync::Mutex::default(),
            clock: AtomicU64::new(0),
            tasks: TaskTracker::new(),
        }
    }

    /// What a server says that has loaded the modules named in `preload`; `None` where a fresh interpreter has to be
    /// asked.
    pub(crate) async fn ask(
        &self,
        environment: &Environment,
        preload: &[String],
        request: Request,
        cancel: &CancellationToken,
    ) -> Option<Warm> {
        let files = u32::try_from(request.files.len()).unwrap_or(u32::MAX);
        let longest = Duration::from_secs(request.timeout).saturating_mul(files) + self.limits.margin;
        let slot = self.slot(environment.digest.clone());
        let asked = async {
            let mut state = slot.state.lock().await;
            let server = self.serving(&mut state, environment, preload).await?;
            Some((server.ask(request)?, server.interpreter().to_owned()))
        };
        let (mut asked, interpreter) = tokio::select! {
            asked = asked => asked?,
            () = cancel.cancelled() => return None,
        };
        let reply = tokio::select! {
            reply = asked.reply() => reply,
            () = cancel.cancelled() => return None,
            () = tokio::time::sleep(longest) => {
                tracing::warn!("a fork server does not answer, and is ended");
                self.end(&slot).await;
                return None;
            }
        };
        match reply {
            Some(Reply::Reports(reports)) => Some(Warm { reports, interpreter }),
            Some(Reply::Cold(why) | Reply::Spoiled(why)) => {
                tracing::debug!(why, "a fresh interpreter is asked");
                None
            }
            None => {
                tracing::warn!("a fork server ended while it was asked");
                self.end(&slot).await;
                None
            }
        }
    }

    /// How many were started so far.
    pub fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    /// Ends every server and waits until they are gone.
    pub async fn close(&self) {
        let slots = std::mem::take(&mut *self.locked());
        for slot in slots.into_values() {
            self.end(&slot).await;
        }
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn end(&self, slot: &Slot) {
        if let Some(server) = slot.state.lock().await.server.take() {
            server.kill();
        }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The slot of a key. The one that was not used for longest gives way: its server ends when it has answered.
    fn slot(&self, key: String) -> Arc<Slot> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.locked();
        if !slots.contains_key(&key) && slots.len() >= self.limits.servers {
            let oldest = slots.iter().min_by_key(|(_, slot)| slot.used.load(Ordering::Relaxed));
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                slots.remove(&oldest);
            }
        }
        let slot = slots.entry(key).or_default();
        slot.used.store(now, Ordering::Relaxed);
        Arc::clone(slot)
    }

    /// The server of a slot, started if there is none and with the modules loaded; `None` if there can be none.
    async fn serving<'a>(
        &self,
        state: &'a mut State,
        environment: &Environment,
        preload: &[String],
    ) -> Option<&'a Server> {
        // Every failure to load leaves one module or more out, so this ends.
        loop {
            let is_over = |server: &Server| server.files() >= self.limits.files || server.has_ended();
            if state.server.as_ref().is_none_or(is_over) {
                state.server = self.start(state, environment).await;
                state.loaded.clear();
            }
            let server = state.server.as_ref()?;
            let is_new = |name: &&String| !state.loaded.contains(*name) && !state.spoiling.contains(*name);
            let new: Vec<String> = preload.iter().filter(is_new).cloned().collect();
            if new.is_empty() {
                return state.server.as_ref();
            }
            let mut asked = server.load(new.clone());
            let reply = match &mut asked {
                Some(asked) => tokio::time::timeout(self.limits.start, asked.reply())
                    .await
                    .ok()
                    .flatten(),
                None => None,
            };
            match reply {
                Some(Reply::Reports(_)) => state.loaded.extend(new),
                Some(Reply::Spoiled(name)) => {
                    tracing::info!(name, "is imported anew for every file: it leaves threads");
                    state.spoiling.insert(name);
                    state.server = None;
                }
                Some(Reply::Cold(_)) | None => {
                    tracing::warn!(
                        ?new,
                        "are imported anew for every file: loading them did not come to an end"
                    );
                    server.kill();
                    state.spoiling.extend(new);
                    state.server = None;
                }
            }
        }
    }

    async fn start(&self, state: &mut State, environment: &Environment) -> Option<Server> {
        if state.refused {
            return None;
        }
        match self.try_start(environment).await {
            Ok(server) => Some(server),
            Err(StartError::Refused(why)) => {
                tracing::warn!(why, "there can be no fork server here");
                state.refused = true;
                None
            }
            Err(StartError::Failed(why)) => {
                tracing::warn!(why, "a fork server did not start");
                None
            }
        }
    }

    async fn try_start(&self, environment: &Environment) -> Result<Server, StartError> {
        let failed = |error: &dyn std::fmt::Display| StartError::Failed(error.to_string());
        let number = self.clock.fetch_add(1, Ordering::Relaxed);
        let folder = self.scratch.join(format!("server-{}-{number}", std::process::id()));
        let pipes = folder.join("pipes");
        let prepared = self.prepare(&folder, &pipes, environment);
        let mounts = prepared.map_err(|e| failed(&e))?;
        let dialogue = dialogue(&pipes).map_err(|e| failed(&e))?;
        let command = command(mounts).map_err(|e| failed(&e))?;
        self.started.fetch_add(1, Ordering::Relaxed);
        let sandbox = Arc::clone(&self.sandbox);
        Server::start(sandbox, command, folder, dialogue, self.limits, &self.tasks).await
    }

    fn prepare(&self, folder: &Path, pipes: &Path, environment: &Environment) -> Result<Vec<Mount>, ToolError> {
        remove_tree(folder)?;
        let tools = folder.join("harness");
        let checks = checks_folder(&self.scratch, environment);
        for made in [&tools, pipes, &checks] {
            fs::create_dir_all(made)?;
        }
        write_importing(&tools)?;
        let mut mounts = python_mounts(&environment.path)?;
        for (host, inside, writable) in [
            (tools, TOOLS, false),
            (pipes.to_owned(), PIPES, true),
            (checks, CHECKS, false),
        ] {
            mounts.push(Mount {
                host,
                inside: inside.to_owned(),
                writable,
            });
        }
        Ok(mounts)
    }
}

fn command(mounts: Vec<Mount>) -> io::Result<Command> {
    let mut args = vec![Arg::text("-I"), Arg::text("-B")];
    args.push(Arg::inside(format!("{TOOLS}/fork_server.py")));
    for (option, value) in [
        ("--root", CHECKS.to_owned()),
        ("--requests", format!("{PIPES}/{REQUESTS}")),
        ("--answers", format!("{PIPES}/{ANSWERS}")),
    ] {
        args.extend([Arg::text(option), Arg::inside(value)]);
    }
    args.extend([
        Arg::text("--max-parallel"),
        Arg::text(crate::import::parallel().to_string()),
    ]);
    args.push(Arg::text("--readable"));
    args.extend(system_paths()?.into_iter().map(Arg::text));
    let shared = mounts
        .iter()
        .filter(|mount| mount.inside != CHECKS && mount.inside != PIPES);
    args.extend(shared.map(|mount| Arg::inside(mount.inside.clone())));
    Ok(Command {
        program: Arg::inside(PYTHON_INSIDE),
        args,
        env: BTreeMap::new(),
        cwd: CHECKS.to_owned(),
        mounts,
        profile: Profile::Strict,
        limits: Limits {
            wall: LIFE,
            memory_bytes: MEMORY,
            ..Limits::default()
        },
        stdin: None,
    })
}
