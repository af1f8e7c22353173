//! Starts the verifier.

use interlock_domain::Stage;
use interlock_stage::{Config, shutdown, telemetry};
use interlock_verifier::{Settings, run};
use std::error::Error;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match start().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-verifier: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn start() -> Result<(), Box<dyn Error>> {
    let config = Config::<Settings>::from_args()?;
    let telemetry = telemetry::init(Stage::Verifier, &config.telemetry)?;
    let shutdown = shutdown::on_signal()?;
    let ended = run(config, shutdown).await;
    telemetry.shutdown().await;
    Ok(ended?)
}
