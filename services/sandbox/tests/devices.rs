//! A device of the machine is there for a real run that the configuration passes it to, and for nobody else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod lab;

use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use interlock_sandbox::{Command, Profile, Sandbox, Tier};
use lab::Bench;
use tokio_util::sync::CancellationToken;

/// Asks it for something that it does not know: `ENOTTY` (25) is the device's own answer, `EACCES` (13) that of a wall.
const ASK: &str = "\
import fcntl, os, sys
try:
    device = os.open(sys.argv[1], os.O_RDWR)
except OSError as error:
    print('closed', error.errno)
else:
    try:
        fcntl.ioctl(device, 0x7fffffff)
        print('asked')
    except OSError as error:
        print('asked', error.errno)
";

/// Devices that can be opened here and are not among those that every sandbox has.
fn device() -> PathBuf {
    let usual = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"];
    let mut found: Vec<PathBuf> = std::fs::read_dir("/dev")
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_type().unwrap().is_char_device())
        .filter(|entry| !usual.contains(&entry.file_name().to_str().unwrap()))
        .map(|entry| entry.path())
        .filter(|path| !path.to_string_lossy().contains("tty") && !path.to_string_lossy().contains("watchdog"))
        .filter(|path| std::fs::File::options().read(true).write(true).open(path).is_ok())
        .collect();
    found.sort();
    found
        .into_iter()
        .next()
        .expect("no device on this machine can be opened by this user")
}

fn asking(bench: &Bench, device: &Path, profile: Profile) -> Command {
    let mut command = bench.python(ASK);
    command.args.push(interlock_sandbox::Arg::text(device.as_os_str()));
    command.profile = profile;
    command
}

async fn said(sandbox: &Sandbox, command: Command) -> String {
    let seen = sandbox.run(command, CancellationToken::new()).await.unwrap();
    seen.stdout.to_text().trim().to_owned()
}

#[tokio::test]
async fn a_device_is_there_for_whom_it_is_passed_to() {
    let device = device();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let closed = said(&bench.sandbox, asking(&bench, &device, Profile::Work)).await;
        assert!(closed.starts_with("closed"), "{tier}: {closed}");
        let scratch = bench.folder.path().join("other");
        let sandbox = Sandbox::probe(lab::config(Some(tier), &scratch)).await.unwrap();
        let sandbox = sandbox.with_devices(std::slice::from_ref(&device)).unwrap();
        let asked = said(&sandbox, asking(&bench, &device, Profile::Work)).await;
        assert!(asked.starts_with("asked") && asked != "asked 13", "{tier}: {asked}");
        let strict = said(&sandbox, asking(&bench, &device, Profile::Strict)).await;
        assert!(strict.starts_with("closed"), "{tier}: checks have no devices: {strict}");
    }
}

#[tokio::test]
async fn what_is_no_device_is_refused_before_anything_runs() {
    for wrong in [
        "/etc/passwd",
        "/dev/no-such-device",
        "/dev/shm",
        "/dev/../etc/passwd",
        "dev/null",
    ] {
        let bench = Bench::new(Tier::Landlock).await;
        let error = bench.sandbox.with_devices(&[wrong.into()]).unwrap_err();
        assert!(error.to_string().contains(wrong), "{error}");
    }
}
