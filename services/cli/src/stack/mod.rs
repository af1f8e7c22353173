//! A local stack: a private broker, the five services, and the scripted model where one is used.
//!
//! The same programs with the same credentials and permissions as in a cluster. It lives on the thread that started
//! it, restarts what dies, gives up on what keeps dying, and leaves no process behind.

pub mod broker;
mod config;
mod environment;
mod error;
mod member;
pub mod process;
pub mod runner;
pub mod supervisor;

pub use config::ConfigError;
pub use error::StackError;

use crate::client::Gateway;
use crate::home::Home;
use crate::locate::{Env, Locator};
use crate::model::ModelChoice;
use crate::notice::{Kind, Notice};
use config::Writer;
use interlock_domain::Stage;
use member::{Member, Seen};
use process::Program;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a service has for its drain before it is killed.
const DRAIN: Duration = Duration::from_secs(12);
/// How long the gateway or the scripted model may take until they answer.
const READY: Duration = Duration::from_secs(60);
/// How often members are looked at.
const LOOK: Duration = Duration::from_millis(100);
const MODEL: &str = "model";

/// What a stack is started with.
pub struct Setting<'a> {
    home: &'a Home,
    locator: &'a Locator<'a>,
    passed_on: Vec<(OsString, OsString)>,
}

/// A stack; everything in it ends with this value.
pub struct Stack {
    home: Home,
    model: Option<ModelChoice>,
    verifiers: u16,
    notice: Notice,
    // In the order in which they are stopped: services, model, broker.
    services: Vec<Member>,
    scripted: Option<Member>,
    broker: Option<Member>,
    _lock: File,
}

impl Stack {
    /// Takes the state folder; nothing is started yet. Without a model it has broker and gateway only.
    pub async fn take(home: &Home, kind: Kind, model: Option<ModelChoice>) -> Result<Self, StackError> {
        let lock = home.lock().await?;
        home.remove_notice();
        for folder in ["run", "logs"] {
            home.folder(folder)?;
        }
        home.ensure_token()?;
        Ok(Self {
            home: home.clone(),
            notice: Notice {
                kind,
                pid: std::process::id(),
                address: String::new(),
                broker: String::new(),
                model: model.as_ref().map(ToString::to_string),
                model_url: None,
                members: Vec::new(),
            },
            model,
            verifiers: 1,
            services: Vec::new(),
            scripted: None,
            broker: None,
            _lock: lock,
        })
    }

    /// How many verifiers are started; they share the work.
    pub fn verifiers(&mut self, count: u16) {
        self.verifiers = count;
    }

    /// Starts everything and waits until the gateway answers.
    pub async fn start(&mut self, locator: &Locator<'_>, env: Env<'_>) -> Result<Gateway, StackError> {
        let home = self.home.clone();
        let setting = Setting {
            home: &home,
            locator,
            passed_on: environment::passed_on(std::env::vars_os()),
        };
        let (broker, url) = broker::start(&setting).await?;
        self.broker = Some(broker);
        self.notice.broker.clone_from(&url);
        let writer = Writer {
            home: &home,
            locator,
            env,
            broker: &url,
        };
        if let Some(model) = self.model.clone() {
            let model_url = self.model_url(&setting, &model).await?;
            for stage in [Stage::Planner, Stage::Generator] {
                self.service(&setting, stage, stage.name(), writer.asking(stage, &model, &model_url)?)?;
            }
            for number in 1..=self.verifiers {
                // The same identity and the same consumers: the broker hands each piece of work to one of them.
                let name = replica(Stage::Verifier, number);
                self.service(
                    &setting,
                    Stage::Verifier,
                    &name,
                    writer.running(Stage::Verifier, &name)?,
                )?;
            }
            let executor = Stage::Executor.name();
            self.service(
                &setting,
                Stage::Executor,
                executor,
                writer.running(Stage::Executor, executor)?,
            )?;
            self.notice.model_url = Some(model_url);
        }
        let gateway = self.gateway(&setting, &writer).await?;
        self.announce()?;
        Ok(gateway)
    }

    /// Keeps everything running. Ends only when that cannot be done any more.
    pub async fn watch(&mut self, tell: &dyn Fn(&str)) -> StackError {
        loop {
            tokio::time::sleep(LOOK).await;
            if let Err(error) = self.look(tell) {
                return error;
            }
        }
    }

    fn look(&mut self, tell: &dyn Fn(&str)) -> Result<(), StackError> {
        let mut changed = false;
        for member in self
            .services
            .iter_mut()
            .chain(&mut self.scripted)
            .chain(&mut self.broker)
        {
            let name = member.program.name.clone();
            let seen = member.look(Instant::now()).map_err(|source| StackError::Run {
                program: member.program.path.clone(),
                source,
            })?;
            match seen {
                Seen::Same => {}
                Seen::Died(how) => {
                    changed = true;
                    tell(&format!("{name} ended unexpectedly ({how}); it is started again"));
                }
                Seen::Again => changed = true,
                Seen::Hopeless(how, words) => {
                    return Err(StackError::Died {
                        again: ", again and again",
                        log: member.program.log.clone(),
                        name,
                        how,
                        words,
                    });
                }
            }
        }
        if changed { self.announce() } else { Ok(()) }
    }

    /// Stops everything in order: services with time to drain, then the model, the broker last.
    pub async fn stop(&mut self) {
        self.home.remove_notice();
        end(std::mem::take(&mut self.services)).await;
        end(self.scripted.take().into_iter().collect()).await;
        end(self.broker.take().into_iter().collect()).await;
        // The key is needed no longer; a stack that is killed leaves it to the next one.
        let _ = fs::remove_file(self.home.path("run/model.key"));
    }

    async fn model_url(&mut self, setting: &Setting<'_>, model: &ModelChoice) -> Result<String, StackError> {
        let answers = match model {
            ModelChoice::Endpoint(endpoint) => return Ok(endpoint.url.clone()),
            ModelChoice::Scripted(answers) => answers,
        };
        let port_file = self.home.path("run/model.port");
        let _ = fs::remove_file(&port_file);
        let arguments = |listen: &str| -> Vec<OsString> {
            let file = port_file.clone().into_os_string();
            let answers = answers.clone().into_os_string();
            let listen = OsString::from(listen);
            vec![
                "--answers".into(),
                answers,
                "--listen".into(),
                listen,
                "--port-file".into(),
                file,
            ]
        };
        let mut member = member(setting, MODEL, "interlock-scripted-model", arguments("127.0.0.1:0"))?;
        let port = wait(&mut member, READY, async |_| {
            fs::read_to_string(&port_file).ok()?.trim().parse::<u16>().ok()
        })
        .await?;
        let address = format!("127.0.0.1:{port}");
        member.program.args = arguments(&address);
        self.scripted = Some(member);
        Ok(format!("http://{address}/v1"))
    }

    fn service(&mut self, setting: &Setting<'_>, stage: Stage, name: &str, config: PathBuf) -> Result<(), StackError> {
        let program = format!("interlock-{stage}");
        self.services
            .push(member(setting, name, &program, vec!["--config".into(), config.into()])?);
        Ok(())
    }

    async fn gateway(&mut self, setting: &Setting<'_>, writer: &Writer<'_>) -> Result<Gateway, StackError> {
        let token = self.home.ensure_token()?;
        let file = config::address_file(&self.home);
        let _ = fs::remove_file(&file);
        let name = Stage::Gateway.name();
        self.service(setting, Stage::Gateway, name, writer.gateway("127.0.0.1:0")?)?;
        let Some(member) = self.services.last_mut() else {
            return Err(StackError::Bootstrap("the gateway was not started".to_owned()));
        };
        let (address, gateway) = wait(member, READY, async |_| {
            let address = fs::read_to_string(&file).ok()?.trim().to_owned();
            let gateway = Gateway::at(&address, &token).ok()?;
            gateway.health().await.ok().map(|_| (address, gateway))
        })
        .await?;
        // A restarted gateway has to be where its clients look for it.
        writer.gateway(&address)?;
        self.notice.address = address;
        Ok(gateway)
    }

    fn announce(&mut self) -> Result<(), StackError> {
        let all = self.services.iter().chain(&self.scripted).chain(&self.broker);
        self.notice.members = all.map(Member::notice).collect();
        Ok(self.home.write_notice(&self.notice)?)
    }
}

/// What a replica's files are called: the first one's like the stage.
fn replica(stage: Stage, number: u16) -> String {
    match number {
        1 => stage.name().to_owned(),
        number => format!("{stage}-{number}"),
    }
}

fn member(setting: &Setting<'_>, name: &str, program: &str, args: Vec<OsString>) -> Result<Member, StackError> {
    let path = setting.locator.program(program)?;
    Member::start(Program {
        name: name.to_owned(),
        path: path.clone(),
        args,
        env: setting.passed_on.clone(),
        log: setting.home.log(name),
    })
    .map_err(|source| StackError::Run { program: path, source })
}

/// Waits until a member shows what is looked for; one that ends in the meantime will never show it.
async fn wait<T>(
    member: &mut Member,
    limit: Duration,
    mut shown: impl AsyncFnMut(u32) -> Option<T>,
) -> Result<T, StackError> {
    let deadline = Instant::now() + limit;
    let name = member.program.name.clone();
    let log = member.program.log.clone();
    let path = member.program.path.clone();
    loop {
        if let Some(found) = shown(member.pid().unwrap_or(0)).await {
            return Ok(found);
        }
        if let Some(running) = member.running() {
            let ended = running.ended().map_err(|source| StackError::Run {
                program: path.clone(),
                source,
            })?;
            if let Some(status) = ended {
                return Err(StackError::Died {
                    name,
                    how: process::describe(status),
                    again: " while it was starting",
                    words: running.last_words(),
                    log,
                });
            }
        }
        if Instant::now() >= deadline {
            return Err(StackError::Slow {
                name,
                seconds: limit.as_secs(),
                log,
            });
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Asks all of them to stop at once, gives them time, and ends what is left.
async fn end(mut members: Vec<Member>) {
    for member in &mut members {
        if let Some(running) = member.running() {
            running.terminate();
        }
    }
    let deadline = Instant::now() + DRAIN;
    for member in &mut members {
        if let Some(running) = member.running() {
            // Whatever is still there at the deadline is killed when `members` goes.
            let _ = running.wait_until(deadline).await;
        }
    }
}
