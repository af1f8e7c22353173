//! What caller, supervisor and launcher say to each other: frames of one byte of kind, four bytes of length (big
//! endian) and a body. Bodies are JSON, except captured output and stdin, which stay bytes.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::command::{Profile, Tier};
use crate::observed::End;
use interlock_domain::destination::Destination;

/// Longest frame that is read: far above any job or kept output, far below what hurts.
pub(crate) const MAX_FRAME: u32 = 512 << 20;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A [`Job`], to the supervisor.
    Job,
    /// The program's stdin, to the supervisor.
    Stdin,
    /// A [`crate::Progress`], from the supervisor.
    Progress,
    /// A [`Report`], from the supervisor.
    Report,
    /// Captured output, from the supervisor, four times after the report.
    Bytes,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Job, Kind::Stdin, Kind::Progress, Kind::Report, Kind::Bytes];

    const fn code(self) -> u8 {
        match self {
            Kind::Job => 1,
            Kind::Stdin => 2,
            Kind::Progress => 3,
            Kind::Report => 4,
            Kind::Bytes => 5,
        }
    }
}

/// A word that may not be valid UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Word {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<OsString> for Word {
    fn from(word: OsString) -> Word {
        match word.into_string() {
            Ok(text) => Word::Text(text),
            Err(raw) => Word::Bytes(raw.as_bytes().to_vec()),
        }
    }
}

impl From<&str> for Word {
    fn from(word: &str) -> Word {
        Word::Text(word.to_owned())
    }
}

impl From<Word> for OsString {
    fn from(word: Word) -> OsString {
        match word {
            Word::Text(text) => OsString::from(text),
            Word::Bytes(bytes) => OsString::from_vec(bytes),
        }
    }
}

/// Everything that the supervisor needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) tier: Tier,
    /// The caller's process id. If the parent is somebody else by now, the caller is gone and nothing is started.
    pub(crate) parent: u32,
    /// The launcher: its path inside the namespaces, or on the host in the landlock tier.
    pub(crate) launcher: PathBuf,
    /// Bubblewrap and its options; only in the tier namespaces.
    pub(crate) wrap: Option<Wrap>,
    pub(crate) launch: Launch,
    pub(crate) watch: WatchLimits,
    /// Host paths of the writable mounts.
    pub(crate) writable: Vec<PathBuf>,
    /// Folders inside the namespaces that are file systems of the sandbox's own; none in the landlock tier.
    pub(crate) own: Vec<PathBuf>,
    /// A folder that the supervisor makes before and removes after the run; only in the landlock tier.
    pub(crate) scratch: Option<PathBuf>,
    /// What the program may reach through its proxy.
    pub(crate) allowed: Vec<Destination>,
    /// A folder, on the host, for both streams in full length.
    pub(crate) logs: Option<PathBuf>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Wrap {
    pub(crate) program: PathBuf,
    pub(crate) options: Vec<Word>,
}

/// The limits that the supervisor watches. Times in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WatchLimits {
    pub(crate) wall_ms: u64,
    pub(crate) grace_ms: u64,
    pub(crate) cpu_ms: Option<u64>,
    pub(crate) memory_bytes: u64,
    pub(crate) processes: u32,
    /// Most tasks (processes and threads). The kernel is asked to allow no more, where it can be.
    pub(crate) tasks: u64,
    pub(crate) output_kept: u64,
    pub(crate) output_total: u64,
    pub(crate) stall_ms: Option<u64>,
    pub(crate) disk_bytes: u64,
    pub(crate) disk_files: u64,
    /// Temporary files that lie in memory may take so much of it.
    pub(crate) scratch_bytes: u64,
}

/// Everything that the launcher needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Launch {
    pub(crate) tier: Tier,
    pub(crate) profile: Profile,
    pub(crate) program: Word,
    pub(crate) args: Vec<Word>,
    pub(crate) env: Vec<(String, Word)>,
    pub(crate) cwd: PathBuf,
    /// Paths below which everything may be read and executed.
    pub(crate) readable: Vec<PathBuf>,
    /// Folders below which files may be made and changed.
    pub(crate) writable: Vec<PathBuf>,
    /// Files that may be read and written but not made: devices.
    pub(crate) devices: Vec<PathBuf>,
    /// Devices that may also be told things by `ioctl`: those that the configuration passes on.
    pub(crate) passed: Vec<PathBuf>,
    pub(crate) open_files: u64,
    pub(crate) file_bytes: u64,
    pub(crate) data_bytes: u64,
    pub(crate) tasks: Option<u64>,
    /// The port of the loopback interface on which the program finds its proxy; none without a network.
    pub(crate) proxy: Option<u16>,
    pub(crate) cpu_seconds: Option<u64>,
}

/// How far the start got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Start {
    /// The program ran.
    Done,
    /// The walls could not be put up; nothing ran.
    SetUpFailed(String),
    /// The walls stood, but the program could not be started.
    NotStarted(String),
}

/// The supervisor's one report. Four frames of bytes follow: head and tail of stdout, head and tail of stderr.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) start: Start,
    pub(crate) end: End,
    pub(crate) started_ms: u64,
    pub(crate) duration_us: u64,
    pub(crate) cpu_ms: u64,
    pub(crate) peak_memory_bytes: u64,
    pub(crate) peak_processes: u32,
    pub(crate) survivors: u32,
    pub(crate) stdout_bytes: u64,
    pub(crate) stderr_bytes: u64,
    /// What the program wanted to reach and may not.
    pub(crate) denied: Vec<String>,
}

/// The bytes of one frame.
pub(crate) fn frame(kind: Kind, body: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= MAX_FRAME);
    let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "frame too long"))?;
    let mut bytes = Vec::with_capacity(body.len() + 5);
    bytes.push(kind.code());
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(body);
    Ok(bytes)
}

/// A frame with a JSON body.
pub(crate) fn json_frame<T: Serialize>(kind: Kind, body: &T) -> io::Result<Vec<u8>> {
    frame(kind, &serde_json::to_vec(body)?)
}

/// What the five bytes before a body say.
pub(crate) fn parse_header(header: [u8; 5]) -> io::Result<(Kind, u32)> {
    let [code, a, b, c, d] = header;
    let length = u32::from_be_bytes([a, b, c, d]);
    match Kind::ALL.into_iter().find(|kind| kind.code() == code) {
        Some(kind) if length <= MAX_FRAME => Ok((kind, length)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "not a frame")),
    }
}

/// Reads one frame of the given kind.
pub(crate) fn read_frame(from: &mut impl Read, wanted: Kind) -> io::Result<Vec<u8>> {
    let mut header = [0; 5];
    from.read_exact(&mut header)?;
    let (kind, length) = parse_header(header)?;
    if kind != wanted {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "unexpected frame"));
    }
    let mut body = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut body)?;
    if body.len() as u64 == u64::from(length) {
        Ok(body)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
