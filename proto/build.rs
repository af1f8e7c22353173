//! Compiles the protobuf files without a system `protoc`.

use std::error::Error;

const FILES: [&str; 3] = [
    "interlock/v1/record.proto",
    "interlock/v1/live.proto",
    "interlock/v1/gateway.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    for file in FILES {
        println!("cargo::rerun-if-changed={file}");
    }
    let descriptors = protox::compile(FILES, ["."])?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
