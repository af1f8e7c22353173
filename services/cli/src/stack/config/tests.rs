//! The written files: complete, readable by their owner only, and without a secret in them.

use super::*;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use toml::Value;

struct Machine {
    dir: tempfile::TempDir,
    variables: BTreeMap<&'static str, OsString>,
}

impl Machine {
    /// Every program is there, as an empty one.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |below: &str| OsString::from(dir.path().join(below));
        let variables = BTreeMap::from([
            ("INTERLOCK_HOME", at("home")),
            ("INTERLOCK_CACHE", at("cache")),
            ("INTERLOCK_BIN_DIR", at("bin")),
            ("INTERLOCK_UV", at("bin/uv")),
            ("INTERLOCK_PYTHON", at("bin/python3")),
        ]);
        fs::create_dir(dir.path().join("bin")).unwrap();
        for name in ["interlock-launcher", "interlock-supervisor", "uv", "python3"] {
            let path = dir.path().join("bin").join(name);
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { dir, variables }
    }

    /// Writes files and answers what `write` answered.
    fn writer<T>(&self, write: impl FnOnce(&Writer<'_>) -> T) -> T {
        let env = |name: &str| self.variables.get(name).cloned();
        let home = Home::find(env).unwrap();
        home.folder("run").unwrap();
        let locator = Locator::new(&env).unwrap();
        write(&Writer {
            home: &home,
            locator: &locator,
            env: &env,
            broker: "nats://127.0.0.1:4222",
        })
    }

    fn at(&self, below: &str) -> String {
        self.dir.path().join(below).to_string_lossy().into_owned()
    }
}

/// The file, which only its owner may read.
fn parsed(path: &Path) -> Value {
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn text<'a>(file: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().try_fold(file, |value, key| value.get(key))?.as_str()
}

fn endpoint() -> ModelChoice {
    ModelChoice::Endpoint(Endpoint {
        url: "http://127.0.0.1:9/v1".to_owned(),
        model: "m".to_owned(),
        protocol: "anthropic".to_owned(),
        api_key: Some("top secret".to_owned()),
    })
}

#[test]
fn every_service_is_told_of_its_own_identity() {
    let machine = Machine::new();
    let scripted = ModelChoice::Scripted(machine.dir.path().to_owned());
    let files = machine.writer(|writer| {
        [
            (Stage::Gateway, writer.gateway("127.0.0.1:0").unwrap()),
            (
                Stage::Planner,
                writer
                    .asking(Stage::Planner, &scripted, "http://127.0.0.1:1/v1")
                    .unwrap(),
            ),
            (
                Stage::Generator,
                writer
                    .asking(Stage::Generator, &scripted, "http://127.0.0.1:1/v1")
                    .unwrap(),
            ),
            (Stage::Verifier, writer.running(Stage::Verifier, "verifier").unwrap()),
            (Stage::Executor, writer.running(Stage::Executor, "executor").unwrap()),
        ]
    });
    for (stage, path) in files {
        let file = parsed(&path);
        assert_eq!(text(&file, &["broker", "url"]), Some("nats://127.0.0.1:4222"));
        let seed = machine.at(&format!("home/identities/{stage}.nk"));
        assert_eq!(text(&file, &["broker", "seed_file"]), Some(seed.as_str()));
        let keyring = machine.at("home/identities/keyring.toml");
        assert_eq!(text(&file, &["broker", "keyring_file"]), Some(keyring.as_str()));
        assert!(
            file.get("slots")
                .and_then(Value::as_integer)
                .is_some_and(|slots| slots > 0)
        );
        assert_eq!(file.get("telemetry"), None, "nothing was asked for");
        let asks = text(&file, &["service", "model", "url"]).is_some();
        let runs = text(&file, &["service", "sandbox", "launcher"]).is_some();
        let serves = text(&file, &["service", "listen"]).is_some();
        let expected = match stage {
            Stage::Planner | Stage::Generator => (true, false, false),
            Stage::Verifier | Stage::Executor => (false, true, false),
            Stage::Gateway => (false, false, true),
        };
        assert_eq!(
            (asks, runs, serves),
            expected,
            "{stage} is told of no power that it has not"
        );
    }
}

#[test]
fn the_key_of_a_model_stands_in_a_file_of_its_own() {
    let machine = Machine::new();
    let path = machine.writer(|writer| {
        writer
            .asking(Stage::Planner, &endpoint(), "http://127.0.0.1:9/v1")
            .unwrap()
    });
    let file = parsed(&path);
    assert!(!file.to_string().contains("top secret"), "{file}");
    assert_eq!(text(&file, &["service", "model", "model"]), Some("m"));
    assert_eq!(text(&file, &["service", "model", "protocol"]), Some("anthropic"));
    let key = machine.at("home/run/model.key");
    assert_eq!(text(&file, &["service", "model", "api_key_file"]), Some(key.as_str()));
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&key).unwrap(), "top secret");
}

#[test]
fn settings_of_the_environment_are_passed_on() {
    let mut machine = Machine::new();
    machine.variables.insert("INTERLOCK_SANDBOX_TIER", "landlock".into());
    machine
        .variables
        .insert("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317".into());
    machine.variables.insert("INTERLOCK_LOG", "debug".into());
    let file = parsed(&machine.writer(|writer| writer.running(Stage::Verifier, "verifier").unwrap()));
    assert_eq!(text(&file, &["service", "sandbox", "tier"]), Some("landlock"));
    assert_eq!(text(&file, &["service", "sandbox", "bwrap"]), None, "none was found");
    assert_eq!(
        text(&file, &["telemetry", "otlp_endpoint"]),
        Some("http://127.0.0.1:4317")
    );
    assert_eq!(text(&file, &["telemetry", "log"]), Some("debug"));
    let root = machine.at("cache/environments");
    assert_eq!(text(&file, &["service", "environments", "root"]), Some(root.as_str()));
    let scratch = machine.at("home/scratch/verifier");
    assert!(Path::new(&scratch).is_dir(), "it is made");
}

#[test]
fn a_program_that_is_missing_is_named_before_anything_starts() {
    let machine = Machine::new();
    fs::remove_file(machine.dir.path().join("bin/interlock-launcher")).unwrap();
    let error = machine
        .writer(|writer| writer.running(Stage::Executor, "executor"))
        .unwrap_err();
    assert!(matches!(error, ConfigError::Locate(_)), "{error:?}");
    assert!(error.to_string().contains("interlock-launcher"), "{error}");
}
