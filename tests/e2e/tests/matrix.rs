//! Every process of a stack dies at every kind of record: the run ends as if nothing had been.
//!
//! With `INTERLOCK_CHAOS=N` (see `make chaos`) N runs follow in which processes die at random moments. Must not know more
//! of the services than their names.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, clippy::print_stderr)]

use interlock_e2e::model::Model;
use interlock_e2e::stack::copy;
use interlock_e2e::{Home, tasks};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

const TASK: &str = "crash-once";
/// Runs at the same time; each waits most of its time for the broker to deliver again what a dead service held.
const AT_ONCE: usize = 4;
/// A run that takes longer is lost.
const LOST: Duration = Duration::from_secs(150);
const VICTIMS: [&str; 6] = [
    "interlock-gateway",
    "interlock-planner",
    "interlock-generator",
    "interlock-verifier",
    "interlock-executor",
    "nats-server",
];
const KINDS: [&str; 7] = [
    "request",
    "plan",
    "answer",
    "candidate",
    "verdict",
    "execution-started",
    "execution",
];
/// When who dies.
#[derive(Clone, Copy, Debug)]
enum Death {
    /// Nobody.
    Never,
    /// This process, right after the first record of this kind.
    After(&'static str, &'static str),
    /// Up to [`RANDOM_KILLS`] processes, drawn by this seed with their moments.
    Random(u64),
}

/// Fewer than a stack takes for a sign that starting again does not help.
const RANDOM_KILLS: usize = 4;

/// What a run came to, as far as a death must not change it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Came {
    code: Option<i32>,
    status: String,
    manifest: String,
    asked: BTreeSet<String>,
}

#[test]
fn a_death_changes_nothing() {
    let chaos = std::env::var("INTERLOCK_CHAOS").map_or(0, |runs| runs.parse().unwrap());
    let expected = run(Death::Never).unwrap();
    assert_eq!((expected.code, expected.status.as_str()), (Some(0), "accepted"));
    assert_eq!(expected.asked.len(), 3, "a plan, a file, its repair: {expected:?}");
    let pairs = VICTIMS
        .into_iter()
        .flat_map(|victim| KINDS.map(|kind| Death::After(victim, kind)));
    let mut deaths: Vec<Death> = pairs.chain((1..=chaos).map(Death::Random)).collect();
    let count = deaths.len();
    deaths.reverse();
    let (open, wrong) = (Mutex::new(deaths), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(death) = open.lock().unwrap().pop() else {
                        break;
                    };
                    let begun = Instant::now();
                    let problem = match run(death) {
                        Ok(came) if came == expected => None,
                        Ok(came) => Some(format!("{death:?}: {came:?} instead of {expected:?}")),
                        Err(why) => Some(format!("{death:?}: {why}")),
                    };
                    let how = if problem.is_some() { "WRONG" } else { "as undisturbed" };
                    eprintln!("{death:?}: {how}, {:.1} s", begun.elapsed().as_secs_f32());
                    wrong.lock().unwrap().extend(problem);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {count} runs:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// One run on a stack and with a model of its own. An error is what no run may show, however it ends.
fn run(death: Death) -> Result<Came, String> {
    let home = Home::new().map_err(|e| e.to_string())?;
    let model = Model::of_answers(&answers(&home, death)).map_err(|e| e.to_string())?;
    let path = tasks().join(TASK).join("task.toml");
    let mut child = home.with_model(&path, model.url()).spawn().map_err(|e| e.to_string())?;
    let (sender, lines) = mpsc::channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || {
        stdout
            .lines()
            .map_while(Result::ok)
            .try_for_each(|line| sender.send(line))
    });
    let mut stderr = child.stderr.take().unwrap();
    let said = std::thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });

    let lost = Instant::now() + LOST;
    let mut reaper = Reaper::new(death);
    let mut events: Vec<Value> = Vec::new();
    let mut whole = true;
    loop {
        let next = reaper.due().map_or(lost, |due| due.min(lost));
        match lines.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                let event: Value = serde_json::from_str(&line).unwrap_or_default();
                reaper.hear(&home, &event)?;
                events.push(event);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if Instant::now() >= lost => {
                whole = false;
                child.kill().map_err(|e| e.to_string())?;
                break;
            }
            Err(RecvTimeoutError::Timeout) => reaper.draw(&home),
        }
    }
    let code = child.wait().map_err(|e| e.to_string())?.code();
    let said = said.join().unwrap().unwrap_or_default();
    let kinds: Vec<&str> = events.iter().map(|event| text(event, "kind")).collect();
    if !whole {
        return Err(format!("lost after {kinds:?}; killed {:?}; {said}", reaper.killed));
    }
    if matches!(death, Death::Random(_)) {
        eprintln!("{death:?}: killed {:?}", reaper.killed);
    }
    let came = sound(&home, model, code, &events, &reaper);
    came.map_err(|why| format!("{why}\nkilled {:?}; records {kinds:?}; {said}", reaper.killed))
}

/// What holds after every run: each record once, each completed call once, nobody left, and a chain that stands.
fn sound(home: &Home, model: Model, code: Option<i32>, events: &[Value], reaper: &Reaper) -> Result<Came, String> {
    if matches!(reaper.death, Death::After(..)) && reaper.killed.len() != 1 {
        return Err("nobody was killed".to_owned());
    }
    let numbers: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    if !numbers.iter().copied().eq(1..=numbers.len() as u64) {
        return Err(format!("records came as {numbers:?}"));
    }
    let stats = model.stats().map_err(|e| e.to_string())?;
    let completed = stats["completed"].as_object().cloned().unwrap_or_default();
    let repeated: u64 = completed
        .values()
        .filter_map(Value::as_u64)
        .map(|count| count - 1)
        .sum();
    if repeated > reaper.may_repeat() {
        return Err(format!("completed calls were made again: {stats}"));
    }
    // The model is the test's own, and would be found among this home's processes.
    drop(model);
    let left = home.leftovers();
    if !left.is_empty() {
        return Err(format!("processes are left: {left:?}"));
    }
    let audit = home.interlock(&["audit", "latest"]).map_err(|e| e.to_string())?;
    if audit.code != Some(0) {
        return Err(format!("audit: {}{}", audit.stdout, audit.stderr));
    }
    let mut manifests = events.iter().filter_map(|event| event["manifest"].as_str());
    Ok(Came {
        code,
        status: events
            .last()
            .map(|event| text(event, "status"))
            .unwrap_or_default()
            .to_owned(),
        manifest: manifests.next_back().unwrap_or_default().to_owned(),
        asked: completed.keys().cloned().collect(),
    })
}

/// Kills when it is time.
struct Reaper {
    death: Death,
    killed: Vec<&'static str>,
    random: u64,
    due: Option<Instant>,
}

impl Reaper {
    fn new(death: Death) -> Self {
        let random = match death {
            Death::Random(seed) => seed,
            Death::Never | Death::After(..) => 0,
        };
        Self {
            death,
            killed: Vec::new(),
            random,
            due: None,
        }
    }

    /// When somebody dies next, if it is known.
    fn due(&self) -> Option<Instant> {
        self.due
    }

    fn hear(&mut self, home: &Home, event: &Value) -> Result<(), String> {
        match self.death {
            Death::Never => Ok(()),
            Death::After(victim, kind) if self.killed.is_empty() && text(event, "kind") == kind => {
                self.kill(home, victim)
            }
            Death::After(..) => Ok(()),
            Death::Random(_) => {
                // A stack that is starting or stopping is another matter: from the first record to the last.
                match text(event, "kind") {
                    "request" => self.plan(),
                    "outcome" => self.due = None,
                    _ => {}
                }
                Ok(())
            }
        }
    }

    /// Kills whom the numbers name.
    fn draw(&mut self, home: &Home) {
        let index = self.next() as usize % VICTIMS.len();
        let victim = VICTIMS.get(index).unwrap();
        // One that is just being started again cannot be killed.
        let _ = self.kill(home, victim);
        self.plan();
    }

    fn plan(&mut self) {
        let wait = Duration::from_millis(self.next() % 2500);
        self.due = (self.killed.len() < RANDOM_KILLS).then(|| Instant::now() + wait);
    }

    fn kill(&mut self, home: &Home, victim: &'static str) -> Result<(), String> {
        let all = home.processes();
        let found = all.iter().find(|process| process.name == victim);
        let found = found.ok_or_else(|| format!("{victim} does not run: {all:?}"))?;
        let pid = rustix::process::Pid::from_raw(found.pid.try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).map_err(|e| e.to_string())?;
        self.killed.push(victim);
        Ok(())
    }

    /// Calls that may be made again: one whose answer had been sent and was not yet stored when its asker died at a
    /// random moment. The chosen moments lie in the middle of a call, or far from any.
    fn may_repeat(&self) -> u64 {
        let asks = |victim: &&&str| ["interlock-planner", "interlock-generator"].contains(*victim);
        match self.death {
            Death::Never | Death::After(..) => 0,
            Death::Random(_) => self.killed.iter().filter(asks).count() as u64,
        }
    }

    /// Splitmix: the same seed, the same deaths.
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The task's answers: programs that take a moment, and time to be killed in where somebody dies during a call.
fn answers(home: &Home, death: Death) -> PathBuf {
    let folder = home.path().join("answers");
    copy(&tasks().join(TASK).join("answers"), &folder).unwrap();
    for (name, asked_after) in [
        ("plan.1.md", "request"),
        ("src/experiment.py.1.md", "answer"),
        ("src/experiment.py.2.md", "execution"),
    ] {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("import csv\n", "import csv\nimport time\n");
        let text = text.replace("    with recorder", "    time.sleep(0.5)\n    with recorder");
        let delay = match death {
            Death::After(_, kind) if kind == asked_after => 1500,
            // By the first candidate everybody is ready for work.
            Death::After(..) if asked_after == "answer" => 1000,
            Death::Random(_) => 700,
            Death::Never | Death::After(..) => 0,
        };
        let text = if delay > 0 {
            format!("---\ndelay_ms: {delay}\n---\n{text}")
        } else {
            text
        };
        std::fs::write(&path, text).unwrap();
    }
    folder
}

fn text<'a>(event: &'a Value, field: &str) -> &'a str {
    event.get(field).and_then(Value::as_str).unwrap_or_default()
}
