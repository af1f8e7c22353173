//! A private nats-server with its own folder. It is killed when the test ends, however the test ends.

use async_nats::jetstream::{self, message::StreamMessage};
use interlock_domain::Stage;
use interlock_stage::broker::{self, Identities, KEYRING_FILE};
use interlock_stage::config::Broker;
use interlock_stage::{Service, connect};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Long enough for anything that happens at all on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(20);

pub(crate) struct Server {
    child: Child,
    dir: TempDir,
    pub(crate) url: String,
    pub(crate) identities: Identities,
}

impl Server {
    /// A server with Interlock's own configuration, streams and consumers.
    pub(crate) async fn ready() -> Self {
        let server = Self::bare().await;
        broker::apply(&server.url, &server.identities).await.unwrap();
        server
    }

    /// The same, before bootstrap has made anything in it.
    pub(crate) async fn bare() -> Self {
        Self::with_config(broker::server_config).await
    }

    /// A server whose configuration is what `config` makes of the identities.
    pub(crate) async fn with_config(config: impl Fn(&Identities, &str, i32, &str, Option<&str>) -> String) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let identities = Identities::ensure(&dir.path().join("identities")).unwrap();
        let (store, ports) = (dir.path().join("store"), dir.path().join("ports"));
        std::fs::create_dir(&ports).unwrap();
        let text = |port| {
            let (store, ports) = (store.to_str().unwrap(), ports.to_str().unwrap());
            config(&identities, "127.0.0.1", port, store, Some(ports))
        };
        let file = dir.path().join("nats.conf");
        std::fs::write(&file, text(-1)).unwrap();
        let mut child = start(&file);
        let url = address(&mut child, &ports).await;
        // A server that starts again has to be where its clients look for it.
        let port = url.rsplit(':').next().unwrap().parse().unwrap();
        std::fs::write(&file, text(port)).unwrap();
        let server = Self {
            child,
            dir,
            url,
            identities,
        };
        server.answers().await;
        server
    }

    /// As if the power of this one process were cut.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again on the same store and port.
    pub(crate) async fn start_again(&mut self) {
        self.child = start(&self.dir.path().join("nats.conf"));
        self.answers().await;
    }

    async fn answers(&self) {
        let deadline = Instant::now() + SOON;
        while self.try_admin().await.is_err() {
            assert!(Instant::now() < deadline, "{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn try_admin(&self) -> Result<async_nats::Client, async_nats::ConnectError> {
        let seed = self.identities.admin_seed().to_owned();
        async_nats::ConnectOptions::with_nkey(seed).connect(&self.url).await
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.dir.path().join("nats.log")).unwrap_or_default()
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The bootstrap identity, which may do everything in the core's account.
    pub(crate) async fn admin(&self) -> jetstream::Context {
        jetstream::new(self.try_admin().await.unwrap())
    }

    pub(crate) fn seed(&self, stage: Stage) -> String {
        std::fs::read_to_string(self.seed_file(stage)).unwrap()
    }

    fn seed_file(&self, stage: Stage) -> PathBuf {
        Identities::seed_file(&self.dir.path().join("identities"), stage)
    }

    /// What a stage's configuration says about the broker.
    pub(crate) fn broker(&self, stage: Stage) -> Broker {
        Broker {
            url: self.url.clone(),
            seed_file: self.seed_file(stage),
            keyring_file: self.dir.path().join("identities").join(KEYRING_FILE),
        }
    }

    /// A connected stage.
    pub(crate) async fn stage(&self, stage: Stage) -> Service {
        connect(stage, &self.broker(stage)).await.unwrap()
    }

    /// The messages of a stream, oldest first.
    pub(crate) async fn stored(&self, stream: &str) -> Vec<StreamMessage> {
        let admin = self.admin().await;
        let mut stream = admin.get_stream(stream).await.unwrap();
        let last = stream.info().await.unwrap().state.last_sequence;
        let mut messages = Vec::new();
        for sequence in 1..=last {
            messages.push(stream.get_raw_message(sequence).await.unwrap());
        }
        messages
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(config: &Path) -> Child {
    let log = config.with_file_name("nats.log");
    Command::new("nats-server")
        .arg("-c")
        .arg(config)
        .arg("-l")
        .arg(log)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("nats-server is on the PATH; `make setup` installs it")
}

/// Reads the port that the server chose from the file it writes for that.
async fn address(child: &mut Child, ports: &Path) -> String {
    let file = ports.join(format!("nats-server_{}.ports", child.id()));
    let deadline = Instant::now() + SOON;
    loop {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if let Ok(said) = serde_json::from_str::<serde_json::Value>(&text) {
            return said["nats"][0].as_str().unwrap().to_owned();
        }
        if let Some(status) = child.try_wait().unwrap() {
            let log = std::fs::read_to_string(ports.with_file_name("nats.log"));
            panic!("nats-server ended with {status}: {}", log.unwrap_or_default());
        }
        assert!(Instant::now() < deadline, "nats-server named no port");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
