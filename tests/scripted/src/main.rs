//! `interlock-scripted-model`: the scripted model as a process.

mod arguments;
mod parent;

use std::error::Error;
use std::io::Write as _;

use clap::Parser as _;
use interlock_scripted::{Options, Scripted, serve};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use arguments::Arguments;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let parent = parent::watch(arguments.die_with_parent)?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let scripted = Scripted::new(Options::from(&arguments))?;
    let listener = TcpListener::bind(&arguments.listen).await?;
    let address = listener.local_addr()?;
    if let Some(file) = &arguments.port_file {
        arguments::write_whole(file, &format!("{}\n", address.port()))?;
    }
    writeln!(std::io::stdout(), "http://{address}/v1")?;
    let shutdown = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = parent.gone() => {}
        }
    };
    Ok(serve(listener, scripted, shutdown).await?)
}
