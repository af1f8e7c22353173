//! The one thread that starts supervisors. A supervisor dies with the thread that started it, so this thread lives
//! until the last of them is gone.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::process;

/// How often children that nobody waits for any more are looked after.
const LOOK_AFTER: Duration = Duration::from_millis(100);

enum Request {
    Start(PathBuf, oneshot::Sender<io::Result<Child>>),
    Bury(Child),
}

/// A handle to the thread. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Spawner {
    requests: mpsc::Sender<Request>,
}

impl Spawner {
    /// Starts the thread.
    pub(super) fn new() -> io::Result<Spawner> {
        let (requests, inbox) = mpsc::channel();
        std::thread::Builder::new()
            .name("supervisor-spawner".to_owned())
            .spawn(move || serve(&inbox))?;
        Ok(Spawner { requests })
    }

    /// Starts a program with three pipes and an empty environment.
    pub(super) async fn start(&self, program: PathBuf) -> io::Result<Child> {
        let (answer, answered) = oneshot::channel();
        let gone = |_| io::Error::other("the spawning thread is gone");
        self.requests
            .send(Request::Start(program, answer))
            .map_err(|_| gone(()))?;
        answered.await.map_err(|_| gone(()))?
    }

    /// Waits for a child in the background, so that it does not stay a zombie.
    pub(super) fn bury(&self, child: Child) {
        // If the thread is gone, so is this process.
        let _ = self.requests.send(Request::Bury(child));
    }
}

fn serve(inbox: &mpsc::Receiver<Request>) {
    let mut dying: Vec<Child> = Vec::new();
    loop {
        let request = if dying.is_empty() {
            inbox.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected)
        } else {
            inbox.recv_timeout(LOOK_AFTER)
        };
        match request {
            Ok(Request::Start(program, answer)) => {
                if let Err(Ok(child)) = answer.send(start(&program)) {
                    // Whoever asked is gone. Dropping its stdin ends it.
                    dying.push(abandoned(child));
                }
            }
            Ok(Request::Bury(child)) => dying.push(abandoned(child)),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) if dying.is_empty() => return,
            Err(mpsc::RecvTimeoutError::Disconnected) => pause(),
        }
        dying.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this thread is the spawner's own, and no task runs on it"
)]
fn pause() {
    std::thread::sleep(LOOK_AFTER);
}

fn start(program: &Path) -> io::Result<Child> {
    process::command(program)
        .current_dir("/")
        // A signal from the terminal ends the caller, which ends the supervisor; not both at once.
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

fn abandoned(mut child: Child) -> Child {
    drop((child.stdin.take(), child.stdout.take(), child.stderr.take()));
    child
}
