//! The gateway: the only way for a human's word, and for anyone outside the stages, into a run.
//!
//! Serves gRPC, writes requests, answers, cancellations and outcomes, and keeps a view of all runs
//! that is derived from the streams and can be rebuilt from them at any time. It decides nothing that
//! a human or the task's written policy has not decided, and has neither model nor process.

mod address;
mod answer;
mod audit;
mod auth;
mod blob;
mod cancel;
mod follow;
mod gateway;
mod live;
mod policy;
mod refusal;
mod rpc;
mod serve;
mod settings;
mod submit;
mod tail;
mod turns;
mod view;
mod watch;
mod words;

pub use serve::run;
pub use settings::Settings;
