//! The command line as types. What the commands do stands in `commands`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Turns a task into a result that can be trusted, or into an exact account of why there is none.
#[derive(Debug, Parser)]
#[command(
    name = "interlock",
    version,
    after_help = "RUN is a run's id, an unambiguous beginning of it, or `latest`.\n\
        Exit codes: 0 accepted or done, 1 refused, failed or cancelled, 2 usage or set-up, 3 waiting for a human,\n\
        130 ended by a signal."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Carry out a task: on the running stack if there is one, else on a private one that ends with the command
    Run(Run),
    /// Start a stack that stays, and wait until it is ready
    Up(Up),
    /// Stop the stack that `up` started
    Down,
    /// List the runs, and say whether a stack is running
    Ps(Json),
    /// Show a run: plan, files, checks, findings, attempts, evidence
    Show(Show),
    /// Follow a run until it ends or waits for a human
    Watch(Show),
    /// Approve the plan as it is shown now; at the guidance gate: try again
    Approve(Answer),
    /// Send the plan back with what is to be changed
    Revise(Revise),
    /// Reject the plan, which ends the run; at the guidance gate: end the run as failed
    Reject(Answer),
    /// End a run, at any moment and in any state
    Cancel(Cancel),
    /// Print what the program wrote
    Logs(Logs),
    /// Write a run's workspace, artifacts and result to a folder
    Export(Export),
    /// Write a run's report, one HTML file that needs no network and no script
    Report(Report),
    /// Check every signature, link and transition of a run's chain
    Audit(Audit),
    /// Check the Python in any folder, without a stack or a model: exit 0 passed, 1 findings, 2 could not check
    Check(Check),
    /// Run any command in the sandbox and print what was seen as JSON: exit 0 it ended with 0, 1 otherwise, 2 it did not run
    Exec(Exec),
    /// Say what a rule is for, what it refuses, and what is right
    Explain(Explain),
    /// Say what is there, what is missing, and what to do about it
    Doctor,
    /// Print the version
    Version,
    /// Hold the stack of `up`
    #[command(hide = true)]
    Supervise(Up),
}

/// `run`
#[derive(Debug, Args)]
pub struct Run {
    /// The task file, or a folder with a task.toml
    pub task: PathBuf,
    /// One JSON object per record, and a last one with the result
    #[arg(long)]
    pub json: bool,
    /// Where the result goes [default: ./interlock-runs/NAME-RUN]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Submit to the running stack, print the run's id, and do not wait
    #[arg(long, conflicts_with_all = ["json", "out"])]
    pub detach: bool,
}

/// `up`
#[derive(Debug, Args)]
pub struct Up {
    /// Folder of scripted answers, for use without a real model
    #[arg(long, value_name = "DIR")]
    pub answers: Option<PathBuf>,
    /// How many verifiers share the work
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=16))]
    pub verifiers: u16,
}

/// `ps`
#[derive(Debug, Args)]
pub struct Json {
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
}

/// `show` and `watch`
#[derive(Debug, Args)]
pub struct Show {
    /// The run
    pub run: String,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
}

/// `approve` and `reject`
#[derive(Debug, Args)]
pub struct Answer {
    /// The run
    pub run: String,
    /// Goes on record with the answer; at the guidance gate it is a hint
    #[arg(long, default_value = "")]
    pub text: String,
}

/// `revise`
#[derive(Debug, Args)]
pub struct Revise {
    /// The run
    pub run: String,
    /// What is to be changed
    #[arg(long)]
    pub text: String,
}

/// `cancel`
#[derive(Debug, Args)]
pub struct Cancel {
    /// The run
    pub run: String,
    /// Goes on record
    #[arg(long, default_value = "")]
    pub reason: String,
}

/// `logs`
#[derive(Debug, Args)]
pub struct Logs {
    /// The run
    pub run: String,
    /// Which of the two [default: both, stdout first]
    #[arg(long)]
    pub stream: Option<Stream>,
    /// Show what the program writes while it runs, until it has ended
    #[arg(long, short)]
    pub follow: bool,
}

/// What a program can write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Stream {
    /// The name that its artifact has.
    pub const fn name(self) -> &'static str {
        match self {
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
        }
    }
}

/// `export`
#[derive(Debug, Args)]
pub struct Export {
    /// The run
    pub run: String,
    /// A folder that is new or empty
    pub dir: PathBuf,
}

/// `report`
#[derive(Debug, Args)]
pub struct Report {
    /// The run
    pub run: String,
    /// Where to, or `-` for standard output; what is there is replaced [default: ./interlock-RUN.html]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `check`
#[derive(Debug, Args)]
#[command(
    after_help = "DIR is copied and never written to. Code is run only inside the sandbox, without network.\n\
    Tests are what pytest's defaults say (test_*.py, *_test.py) if there is a test in it.\n\
    Exit codes: 0 everything passed, 1 something was found, 2 something could not be checked."
)]
pub struct Check {
    /// The folder
    pub dir: PathBuf,
    /// The script that the folder is run as: its folder is first on the module path, and it is imported last [default:
    /// src/main.py if there is one]
    #[arg(long, value_name = "FILE", conflicts_with = "root")]
    pub entry: Option<PathBuf>,
    /// Where there is no script: the folder that is first on the module path [default: src if there is one that is no
    /// package, else DIR itself]
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// What may be imported: a lock file with hashes (requirements), or an interpreter or virtual environment that is there
    /// (python) [default: the standard library alone]
    #[arg(long, value_name = "REQUIREMENTS|PYTHON")]
    pub env: Option<PathBuf>,
    /// A plan as JSON: its files, owners and exports are checked too, level by level as in a run
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<PathBuf>,
    /// An earlier version of the folder: what is found in it as well is named and does not count
    #[arg(long, value_name = "DIR")]
    pub base: Option<PathBuf>,
    /// Run nothing of the folder's code
    #[arg(long = "static")]
    pub only_static: bool,
    /// JSON instead of text
    #[arg(long, conflicts_with = "sarif")]
    pub json: bool,
    /// SARIF 2.1.0 instead of text
    #[arg(long)]
    pub sarif: bool,
}

/// `exec`
#[derive(Debug, Args)]
#[command(
    after_help = "Inside there are /usr, /bin, /lib, what --mount shows, /out (writable, the working folder, if --out is \
    given) and /tmp; no network but what --limits network=HOST:PORT names, through a proxy, in the tier namespaces; no variable of yours. Words of the command that begin with these paths are translated \
    where the tier remaps nothing; INTERLOCK_OUT and INTERLOCK_IN_<NAME> say where the folders are.\n\
    Limits: wall, grace, cpu, stall (500ms, 30s, 5m, 2h); memory, disk, file, output, kept, tmp (4096, 512MB, 2GiB); \
    processes, open-files, disk-files (a number). Without any: wall=60s, memory=2GiB, processes=64, disk=4GiB, \
    file=1GiB, output=1GiB, kept=64KiB, tmp=256MiB; the document names those that held.\n\
    Exit codes: 0 it ended with status 0 and nothing of it is left, 1 it ended otherwise (status, signal, limit, \
    cancelled), 2 it could not be run, 130 a signal ended this command, and the one in the sandbox with it."
)]
pub struct Exec {
    /// strict (checks: no sockets, no shared memory) or work (real runs: process pools work)
    #[arg(long, value_name = "PROFILE", default_value = "work", value_parser = ["strict", "work"])]
    pub profile: String,
    /// namespaces or landlock; a named one never falls to the other [default: the strongest that holds]
    #[arg(long, value_name = "TIER", value_parser = ["namespaces", "landlock"])]
    pub tier: Option<String>,
    /// How far it may go, as in wall=30s,memory=512MB,processes=64
    #[arg(long, value_name = "NAME=VALUE,..")]
    pub limits: Vec<String>,
    /// Folder that it may write to, seen as /out and made if it is missing; what changed in it is listed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Folder that it may read, seen as /in/NAME, or as /PATH if NAME begins with / [default: its own name]
    #[arg(long, value_name = "DIR[:NAME]")]
    pub mount: Vec<OsString>,
    /// Hand it what comes in on stdin, read to its end first [default: nothing]
    #[arg(long)]
    pub stdin: bool,
    /// The command and its words
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

/// `explain`
#[derive(Debug, Args)]
pub struct Explain {
    /// The rule as findings name it, such as contracts/call [default: list them all]
    pub rule: Option<String>,
}

/// `audit`
#[derive(Debug, Args)]
pub struct Audit {
    /// The run
    pub run: String,
    /// Public keys to trust [default: those of this state folder]
    #[arg(long, value_name = "FILE")]
    pub keyring: Option<PathBuf>,
}
