//! `interlock-gateway --config FILE`: telemetry, signals, run, drain.

use interlock_domain::Stage;
use interlock_gateway::Settings;
use interlock_stage::{Config, shutdown, telemetry};
use std::error::Error;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("interlock-gateway: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let config: Config<Settings> = Config::from_args()?;
    let telemetry = telemetry::init(Stage::Gateway, &config.telemetry)?;
    let ended = interlock_gateway::run(config, shutdown::on_signal()?).await;
    telemetry.shutdown().await;
    Ok(ended?)
}
