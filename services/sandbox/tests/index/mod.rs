//! A package index on the loopback, with one tiny package, and the real installer pointed at it.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::sync::{Arc, Condvar, Mutex};

use interlock_sandbox::Environments;
use tempfile::TempDir;

/// The interpreter that environments are made from.
pub const PYTHON: &str = "/usr/bin/python3";
const WHEEL: &str = "tiny-1.0-py3-none-any.whl";

/// What the index has been asked for, and whether it hands out wheels or lets everybody wait.
#[derive(Default)]
struct Gate {
    state: Mutex<(Vec<String>, bool)>,
    changed: Condvar,
}

/// The index, and a folder for the stores of the environments that are built from it.
pub struct Index {
    pub folder: TempDir,
    /// SHA-256 of the one wheel, in hex.
    pub hash: String,
    port: u16,
    gate: Arc<Gate>,
}

impl Index {
    pub fn start() -> Index {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/index/wheel.py");
        let made = Process::new(PYTHON).arg(script).arg(folder.path()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let wheel = std::fs::read(folder.path().join(WHEEL)).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, gate) = (listener.local_addr().unwrap().port(), Arc::new(Gate::default()));
        let shared = gate.clone();
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (wheel, gate) = (wheel.clone(), shared.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &wheel, &gate));
            }
        });
        Index {
            hash: String::from_utf8(made.stdout).unwrap().trim().to_owned(),
            folder,
            port,
            gate,
        }
    }

    /// From now on nobody gets a wheel before [`Index::open`].
    pub fn close(&self) {
        self.gate.state.lock().unwrap().1 = true;
    }

    pub fn open(&self) {
        self.gate.state.lock().unwrap().1 = false;
        self.gate.changed.notify_all();
    }

    /// How often the wheel has been asked for.
    pub fn asked(&self) -> usize {
        let state = self.gate.state.lock().unwrap();
        state.0.iter().filter(|path| path.ends_with(".whl")).count()
    }

    /// Returns when the wheel has been asked for.
    pub async fn until_asked(&self) {
        while self.asked() == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    /// A store in the folder of that name. Stores of one index share no cache, so that each has to ask.
    pub fn store(&self, name: &str) -> Environments {
        self.store_asking(self.port, name)
    }

    /// A store whose installer asks an index at this port.
    pub fn store_asking(&self, port: u16, name: &str) -> Environments {
        let uv = self.folder.path().join(format!("uv-{name}-{port}"));
        let cache = self.folder.path().join(format!("cache-{name}"));
        let script = format!(
            "#!/bin/sh\nexport UV_DEFAULT_INDEX=http://127.0.0.1:{port}/simple UV_HTTP_RETRIES=0 UV_NO_CONFIG=1\n\
             export UV_CACHE_DIR={} NO_PROXY=127.0.0.1\nexec {} \"$@\"\n",
            cache.display(),
            installer().display()
        );
        std::fs::write(&uv, script).unwrap();
        std::fs::set_permissions(&uv, std::fs::Permissions::from_mode(0o755)).unwrap();
        Environments::new(self.root(name), uv, PYTHON.into())
    }

    /// Where that store is.
    pub fn root(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The names in that store's folder.
    pub fn names(&self, name: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root(name)).into_iter().flatten();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    /// A lock file for the one package.
    pub fn lock(&self) -> Vec<u8> {
        format!("tiny==1.0 --hash=sha256:{}\n", self.hash).into_bytes()
    }
}

fn serve(mut stream: TcpStream, wheel: &[u8], gate: &Gate) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let path = lines.next().unwrap().unwrap().split(' ').nth(1).unwrap().to_owned();
    let _ = lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
    let page = format!("<a href=\"/files/{WHEEL}\">{WHEEL}</a>");
    let (status, kind, body) = match path.as_str() {
        "/simple/tiny/" => ("200 OK", "text/html", page.as_bytes()),
        file if file.ends_with(WHEEL) => ("200 OK", "application/octet-stream", wheel),
        _ => ("404 Not Found", "text/plain", &b""[..]),
    };
    let mut state = gate.state.lock().unwrap();
    let is_wheel = path.ends_with(".whl");
    state.0.push(path);
    drop(gate.changed.wait_while(state, |state| is_wheel && state.1).unwrap());
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // Whoever asked may be gone.
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
}

/// The real `uv`: the one that is configured, on the path, or among the tools that were fetched for the CLI.
fn installer() -> PathBuf {
    let chosen = std::env::var_os("INTERLOCK_UV").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let fetched = home.join(".cache/interlock/tools/bin");
    chosen
        .into_iter()
        .chain(
            std::env::split_paths(&path)
                .chain([fetched])
                .map(|folder| folder.join("uv")),
        )
        .find(|file| file.is_file())
        .expect("these tests need `uv`: put it on the path or name it in INTERLOCK_UV")
}
