//! The generator as a process.

use interlock_domain::Stage;
use interlock_generator::Settings;
use interlock_stage::{Config, shutdown, telemetry};
use std::error::Error;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match service().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-generator: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn service() -> Result<(), Box<dyn Error>> {
    let config = Config::<Settings>::from_args()?;
    let telemetry = telemetry::init(Stage::Generator, &config.telemetry)?;
    let ended = interlock_generator::run(config, shutdown::on_signal()?).await;
    telemetry.shutdown().await;
    Ok(ended?)
}
