//! Where programs and models are looked for, and what is said when they are not there.

use interlock_cli::keyring;
use interlock_cli::locate::{LocateError, Locator};
use interlock_cli::model::{Endpoint, ModelChoice, ModelError};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

type Variables = BTreeMap<&'static str, OsString>;

fn program(path: &Path) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_owned()
}

#[test]
fn what_a_variable_names_comes_first_and_nothing_replaces_it() {
    let dir = tempfile::tempdir().unwrap();
    let on_path = program(&dir.path().join("path/nats-server"));
    let fetched = dir.path().join("cache/tools/bin/nats-server");
    let mut variables = Variables::from([
        ("INTERLOCK_BIN_DIR", dir.path().join("bin").into()),
        ("INTERLOCK_CACHE", dir.path().join("cache").into()),
        ("PATH", dir.path().join("path").into()),
    ]);
    let find = |variables: &Variables| {
        let env = |name: &str| variables.get(name).cloned();
        Locator::new(&env).unwrap().nats_server()
    };
    assert_eq!(find(&variables).unwrap(), on_path);
    program(&fetched);
    assert_eq!(find(&variables).unwrap(), fetched, "the pinned one is better");
    let own = program(&dir.path().join("own"));
    variables.insert("INTERLOCK_NATS_SERVER", own.clone().into());
    assert_eq!(find(&variables).unwrap(), own);
    fs::set_permissions(&own, fs::Permissions::from_mode(0o644)).unwrap();
    let text = find(&variables).unwrap_err().to_string();
    assert!(text.contains("INTERLOCK_NATS_SERVER="), "{text}");
}

#[test]
fn what_is_missing_is_named_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let variables = Variables::from([
        ("INTERLOCK_BIN_DIR", dir.path().join("bin").into()),
        ("INTERLOCK_CACHE", dir.path().join("cache").into()),
    ]);
    let env = |name: &str| variables.get(name).cloned();
    let locator = Locator::new(&env).unwrap();
    let error = locator.program("interlock-planner").unwrap_err();
    assert!(matches!(error, LocateError::Program { .. }));
    assert!(error.to_string().contains("make build"), "{error}");
    assert!(locator.uv().unwrap_err().to_string().contains("make setup"));
    assert_eq!(locator.bwrap().unwrap(), None, "a tier less, no error");
    let bare = |_: &str| None;
    assert!(matches!(
        Locator::new(&bare).unwrap().cache(),
        Err(LocateError::NoCache)
    ));
}

fn choose(pairs: &[(&'static str, &str)], answers: Option<&Path>) -> Result<ModelChoice, ModelError> {
    let pairs: BTreeMap<_, _> = pairs.iter().copied().collect();
    ModelChoice::choose(&|name| pairs.get(name).map(OsString::from), answers)
}

#[test]
fn a_real_model_goes_before_answers_from_files() {
    let dir = tempfile::tempdir().unwrap();
    let named = [
        ("INTERLOCK_MODEL_URL", "http://127.0.0.1:1/v1"),
        ("INTERLOCK_MODEL", "m"),
        ("INTERLOCK_API_KEY", "secret"),
    ];
    let chosen = choose(&named, Some(dir.path())).unwrap();
    let endpoint = Endpoint {
        url: "http://127.0.0.1:1/v1".to_owned(),
        model: "m".to_owned(),
        protocol: "openai".to_owned(),
        api_key: Some("secret".to_owned()),
    };
    assert_eq!(chosen, ModelChoice::Endpoint(endpoint));
    for shown in [format!("{chosen:?}"), chosen.to_string()] {
        assert!(!shown.contains("secret"), "{shown}");
    }
    let scripted = choose(&[], Some(dir.path())).unwrap();
    assert!(matches!(&scripted, ModelChoice::Scripted(_)), "{scripted:?}");
    assert!(scripted.to_string().starts_with("scripted answers of"));
    assert_eq!(choose(&[("INTERLOCK_MODEL_URL", " ")], Some(dir.path())), Ok(scripted));
}

#[test]
fn half_a_model_is_refused_by_name() {
    let url = ("INTERLOCK_MODEL_URL", "http://127.0.0.1:1/v1");
    assert_eq!(choose(&[], None), Err(ModelError::None));
    assert_eq!(choose(&[url], None), Err(ModelError::NoName));
    let odd = [url, ("INTERLOCK_MODEL", "m"), ("INTERLOCK_MODEL_PROTOCOL", "smtp")];
    assert_eq!(choose(&odd, None), Err(ModelError::Protocol("smtp".to_owned())));
    let nowhere = PathBuf::from("nowhere");
    assert_eq!(choose(&[], Some(&nowhere)), Err(ModelError::NoAnswers(nowhere)));
}

#[test]
fn keys_are_read_strictly() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("keyring.toml");
    let read = |text: &str| {
        fs::write(&file, text).unwrap();
        keyring::read(&file)
            .map(|keyring| format!("{keyring:?}"))
            .map_err(|e| e.to_string())
    };
    let key = nkeys::KeyPair::new_user().public_key();
    assert!(read(&format!("planner = \"{key}\"\n")).unwrap().contains("Planner"));
    assert!(read(&format!("plumber = \"{key}\"\n")).unwrap_err().contains("plumber"));
    assert!(read("planner = \"UABC\"\n").unwrap_err().contains("is no keyring"));
    assert!(read("planner").unwrap_err().contains("is no keyring"));
    fs::remove_file(&file).unwrap();
    let gone = keyring::read(&file).unwrap_err().to_string();
    assert!(gone.contains("keyring.toml"), "{gone}");
}
