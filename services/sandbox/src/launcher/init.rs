//! The first process of a pid namespace: starts the launcher proper, waits for every orphan, and passes on exactly how
//! the program ended, which bubblewrap's own first process cannot.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use rustix::process::{DumpableBehavior, WaitOptions};

use crate::process;

/// The argument that asks for this.
pub(crate) const INIT: &str = "init";
/// What precedes the wait status in the status pipe.
pub(crate) const ENDED: &str = "ended ";

/// Runs the launcher again with the words after [`INIT`], and writes its wait status to the status pipe. When this returns, the
/// kernel ends everything that is left in the namespace.
pub(super) fn main(words: Vec<OsString>, pipe: &mut File) -> io::Result<()> {
    // Nobody inside may look into this process: it holds the status pipe.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let child = process::command(Path::new("/proc/self/exe")).args(words).spawn()?;
    let first = i32::try_from(child.id()).unwrap_or(-1);
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, ended))) if pid.as_raw_nonzero().get() == first => {
                return pipe.write_all(format!("{ENDED}{}\n", ended.as_raw()).as_bytes());
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
