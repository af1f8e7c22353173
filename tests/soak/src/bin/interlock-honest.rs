//! `interlock-honest [LOCK]`: honest programs over numpy, pandas, scikit-learn and matplotlib in the sandbox; over torch
//! too where another lock file brings it.

use interlock_sandbox::Environments;
use interlock_soak::{SoakError, honest::honest};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("interlock-honest: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<bool, SoakError> {
    let own = std::env::current_exe()?;
    let bin = own.parent().unwrap_or(Path::new("."));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut tools = std::env::split_paths(&path).map(|folder| folder.join("uv"));
    let uv = tools
        .find(|file| file.is_file())
        .ok_or_else(|| std::io::Error::other("uv is not on the PATH; `make setup` fetches it"))?;
    let lock = std::env::args_os().nth(1).map(PathBuf::from);
    let lock = lock.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/honest/requirements.lock").into());
    let environments = Environments::new(bin.join("honest-environments"), uv, "/usr/bin/python3".into());
    let environment = environments.ensure(&std::fs::read(lock)?).await?;
    let mut good = true;
    for told in honest(bin, &environment).await? {
        println!("{:<11} {:<11} {}", told.tier.name(), told.program, told.said);
        if let Some(wrong) = told.wrong {
            println!("{wrong}");
            good = false;
        }
    }
    Ok(good)
}
