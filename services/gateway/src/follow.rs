//! A running program as somebody follows it: its output and its signs of life, until its end is on record.
//!
//! Nothing is queued for anybody: whoever reads too slowly finds the newest, and the gap in the offsets.

use crate::live::{Lives, Told};
use crate::refusal::Refusal;
use crate::view::{Run, View};
use futures::stream::{self, BoxStream, StreamExt as _};
use interlock_domain::RunId;
use interlock_domain::state::Phase;
use interlock_proto::v1::LiveView;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tonic::Status;

/// How often somebody who follows is told.
const PAUSE: Duration = Duration::from_millis(200);

struct Follower {
    view: View,
    lives: Lives,
    run: RunId,
    ending: CancellationToken,
    told: Told,
    over: bool,
}

/// What a run's program does, from what was kept of it until its end.
pub(crate) fn follow(
    view: View,
    lives: Lives,
    run: RunId,
    ending: CancellationToken,
) -> Result<BoxStream<'static, Result<LiveView, Status>>, Refusal> {
    view.look(run, |_| ())?;
    let follower = Follower {
        view,
        lives,
        run,
        ending,
        told: Told::default(),
        over: false,
    };
    Ok(stream::unfold(follower, Follower::next).boxed())
}

impl Follower {
    async fn next(mut self) -> Option<(Result<LiveView, Status>, Self)> {
        while !self.over {
            // Asked before the news are taken: what came in between is told before it is over.
            let over = self.view.look(self.run, is_over);
            if let Some(news) = self.lives.news(self.run, &mut self.told) {
                return Some((Ok(news), self));
            }
            match over {
                Ok(true) => self.over = true,
                Ok(false) => tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    () = self.ending.cancelled() => {
                        self.over = true;
                        return Some((Err(Refusal::Ending.into()), self));
                    }
                },
                Err(refusal) => {
                    self.over = true;
                    return Some((Err(refusal.into()), self));
                }
            }
        }
        None
    }
}

/// Whether no program of the run is running or about to.
fn is_over(run: &Run) -> bool {
    let runs_or_will = match run.state.phase {
        Phase::Ready | Phase::Running => true,
        Phase::New
        | Phase::Planning
        | Phase::PlanGate
        | Phase::Writing { .. }
        | Phase::Repairing { .. }
        | Phase::Verifying { .. }
        | Phase::Guidance { .. }
        | Phase::Concluding { .. }
        | Phase::Finished => run.state.execution.is_none(),
    };
    run.ended() || !runs_or_will
}
