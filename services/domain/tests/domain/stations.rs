//! A chain that has come to a given station of the way that every run hopes to go.

use crate::chain::Chain;
use crate::moves::{self, TASK};
use interlock_domain::payload::{Decision, Payload};

/// The stations in their order.
pub(crate) const ALL: [&str; 11] = [
    "new",
    "planning",
    "plan gate",
    "writing 1",
    "verifying 1",
    "writing 2",
    "verifying 2",
    "ready",
    "running",
    "concluding",
    "finished",
];

pub(crate) fn at(station: &str) -> Chain {
    at_with(TASK, station)
}

/// The same with another task.
pub(crate) fn at_with(task: &str, station: &str) -> Chain {
    let wanted = ALL.iter().position(|name| *name == station).expect(station);
    let mut chain = Chain::new();
    for step in 0..wanted {
        let state = &chain.state;
        let payload = match step {
            0 => moves::request(task),
            1 => Payload::PlanProposal(moves::proposal(state)),
            2 => Payload::Answer(moves::answer(state, Decision::Approve)),
            3 | 5 => Payload::Candidate(moves::expected_candidate(state)),
            4 | 6 => Payload::Verdict(moves::pass(state)),
            7 => Payload::ExecutionStarted(moves::started(state)),
            8 => Payload::Execution(moves::accepted(state)),
            _ => Payload::Outcome(moves::outcome(state)),
        };
        chain.push(payload);
    }
    chain
}
