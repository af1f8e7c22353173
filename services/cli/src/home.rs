//! The state folder: where everything of a local stack lies, and who may use it at a time.
//!
//! Whatever is secret stands below a folder that only its owner can enter. Nothing here starts a process.

use crate::notice::{Kind, Notice};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Random bytes of a gateway token: far beyond guessing.
const TOKEN_BYTES: usize = 32;
/// Who only asks whether the lock is taken holds it for a moment, and that is no stack: so it is tried again.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The state folder.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

/// Why the state folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// No variable says where it is.
    #[error("no state folder: set INTERLOCK_HOME to a folder of your own, or set HOME")]
    Nowhere,
    /// A file or folder in it.
    #[error("cannot use {path}: {source}; set INTERLOCK_HOME to a folder of your own")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A stack that is already there.
    #[error("a stack is already running on {root}{who}, and a second one would spoil its records. {advice}")]
    Taken {
        /// The state folder.
        root: PathBuf,
        /// Which process, if it has said so.
        who: String,
        /// What to do.
        advice: &'static str,
    },
}

impl Home {
    /// Where the environment says it is.
    pub fn find(env: impl Fn(&str) -> Option<OsString>) -> Result<Self, HomeError> {
        let set = |name| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = set("INTERLOCK_HOME")
            .or_else(|| set("XDG_STATE_HOME").map(|base| base.join("interlock")))
            .or_else(|| set("HOME").map(|home| home.join(".local/state/interlock")))
            .ok_or(HomeError::Nowhere)?;
        let root = std::path::absolute(&root).map_err(failed(&root))?;
        Ok(Self { root })
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path below it.
    pub fn path(&self, below: &str) -> PathBuf {
        self.root.join(below)
    }

    /// The public keys of the local stages.
    pub fn keyring(&self) -> PathBuf {
        self.path("identities/keyring.toml")
    }

    /// The gateway's token.
    pub fn token_file(&self) -> PathBuf {
        self.path("token")
    }

    /// The log of one process.
    pub fn log(&self, name: &str) -> PathBuf {
        self.path("logs").join(format!("{name}.log"))
    }

    /// Makes a folder below the root, entered by its owner only.
    pub fn folder(&self, below: &str) -> Result<PathBuf, HomeError> {
        let path = if below.is_empty() {
            self.root.clone()
        } else {
            self.path(below)
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(failed(&path))?;
        // A folder that was there before may be open to others.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).map_err(failed(&path))?;
        Ok(path)
    }

    /// Takes the folder for one stack, for as long as the answer is kept.
    ///
    /// # Errors
    /// Another stack has it, or the folder cannot be used.
    pub async fn lock(&self) -> Result<File, HomeError> {
        self.folder("")?;
        let path = self.path("lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(failed(&path))?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_PAUSE).await,
                Err(TryLockError::Error(source)) => return Err(HomeError::File { path, source }),
            }
        }
        Err(self.taken())
    }

    fn taken(&self) -> HomeError {
        let notice = self.notice();
        let advice = match notice.as_ref().map(|notice| notice.kind) {
            Some(Kind::Shared) => "Use it as it is, or stop it first: interlock down",
            Some(Kind::Private) => {
                "It belongs to one `interlock run`: wait for that, or share a stack between runs (interlock up)"
            }
            Some(Kind::View) | None => "It ends with the command that started it: try again in a moment",
        };
        HomeError::Taken {
            root: self.root.clone(),
            who: notice
                .map(|notice| format!(" (process {})", notice.pid))
                .unwrap_or_default(),
            advice,
        }
    }

    /// Whether a stack holds the folder now.
    pub fn is_held(&self) -> Result<bool, HomeError> {
        let path = self.path("lock");
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(source) => return Err(HomeError::File { path, source }),
        };
        // Shared, so that two who ask do not take each other for a stack.
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(HomeError::File { path, source }),
        }
    }

    /// What the stack that holds the folder says about itself, if it has come that far.
    pub fn notice(&self) -> Option<Notice> {
        serde_json::from_slice(&fs::read(self.path("stack.json")).ok()?).ok()
    }

    /// Publishes what the stack says about itself.
    pub fn write_notice(&self, notice: &Notice) -> Result<(), HomeError> {
        let path = self.path("stack.json");
        let text = serde_json::to_vec_pretty(notice)
            .map_err(io::Error::from)
            .map_err(failed(&path))?;
        write_secret(&path, &text)
    }

    /// Takes the notice back. It may not be there; who reads a stale one finds the lock free and does not believe it.
    pub fn remove_notice(&self) {
        let _ = fs::remove_file(self.path("stack.json"));
    }

    /// The gateway's token, made when it is missing.
    pub fn ensure_token(&self) -> Result<String, HomeError> {
        let path = self.token_file();
        match fs::read_to_string(&path) {
            Ok(token) if !token.trim().is_empty() => return Ok(token.trim().to_owned()),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(HomeError::File { path, source }),
        }
        let mut bytes = [0; TOKEN_BYTES];
        File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut bytes))
            .map_err(failed(&path))?;
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        write_secret(&path, token.as_bytes())?;
        Ok(token)
    }
}

/// Writes a file that only its owner reads; a reader sees all of it or what was there before.
pub fn write_secret(path: &Path, content: &[u8]) -> Result<(), HomeError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let write = || {
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&beside)?;
        file.write_all(content)?;
        fs::rename(&beside, path)
    };
    write().map_err(failed(path))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> HomeError {
    let path = path.to_owned();
    move |source| HomeError::File { path, source }
}
