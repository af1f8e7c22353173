//! A run as it changes: the newest view whenever somebody is ready to take it.
//!
//! Nothing is queued. A slow client misses views in between, and never the last one.

use crate::live::{Lives, Told};
use crate::refusal::Refusal;
use crate::view::View;
use futures::stream::{self, BoxStream, StreamExt as _};
use interlock_domain::RunId;
use interlock_proto::v1::RunView;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::Status;

/// How often it is looked whether the program gave a sign of life.
const BEAT: std::time::Duration = std::time::Duration::from_millis(500);

/// Somebody who watches.
struct Watcher {
    view: View,
    lives: Lives,
    told: Told,
    run: RunId,
    changed: watch::Receiver<u64>,
    ending: CancellationToken,
    step: Step,
}

enum Step {
    /// The view as it is, at once.
    Now,
    /// The view after the next change.
    Next,
    /// Nothing more.
    Over,
}

/// The views of a run until it has ended, or this service does.
pub(crate) fn watch(
    view: View,
    lives: Lives,
    run: RunId,
    ending: CancellationToken,
) -> Result<BoxStream<'static, Result<RunView, Status>>, Refusal> {
    let watcher = Watcher {
        changed: view.subscribe(run)?,
        view,
        lives,
        told: Told::default(),
        run,
        ending,
        step: Step::Now,
    };
    Ok(stream::unfold(watcher, Watcher::next).boxed())
}

impl Watcher {
    async fn next(mut self) -> Option<(Result<RunView, Status>, Self)> {
        match self.step {
            Step::Over => return None,
            Step::Now => {}
            Step::Next => tokio::select! {
                changed = self.changed.changed() => changed.ok()?,
                () = beat(&self.lives, self.run, &mut self.told) => {}
                () = self.ending.cancelled() => {
                    self.step = Step::Over;
                    return Some((Err(Refusal::Ending.into()), self));
                }
            },
        }
        // Marked as seen before it is read: a change in between is then seen once more, not never.
        self.changed.mark_unchanged();
        let shown = self.view.show_and_ended(self.run);
        self.step = match shown {
            Ok((_, false)) => Step::Next,
            Ok((_, true)) | Err(_) => Step::Over,
        };
        let live = self.lives.view(self.run);
        let shown = shown.map(|(view, _)| RunView { live, ..view });
        Some((shown.map_err(Status::from), self))
    }
}

/// Until there is a new sign of life of the run's program, or none has come for too long.
async fn beat(lives: &Lives, run: RunId, told: &mut Told) {
    while lives.news(run, told).is_none() {
        tokio::time::sleep(BEAT).await;
    }
}
