//! The protobuf messages and the gateway's gRPC service, as generated code only.
//!
//! Nothing is added by hand here: validation and meaning live in `interlock-domain`.

/// Version 1 of the wire format.
#[allow(unreachable_pub, clippy::all, clippy::pedantic, reason = "generated code")]
pub mod v1 {
    tonic::include_proto!("interlock.v1");
}
