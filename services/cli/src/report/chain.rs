//! The record chain: every record with its digest, so that the page can be held against the chain itself.

use super::shown::Shown;
use crate::view::{Run, line};
use interlock_domain::{Digest, codec};
use interlock_proto::v1::control::Action;

/// The chain.
#[derive(Debug)]
pub struct Chain {
    /// Digest of the last record that could be applied.
    pub head: Shown,
    /// Every record.
    pub records: Vec<Link>,
    /// Human interventions in the lane beside it.
    pub controls: Vec<Shown>,
    /// What this build cannot read.
    pub unread: Vec<Shown>,
}

/// One record.
#[derive(Debug)]
pub struct Link {
    /// Its number.
    pub seq: u64,
    /// When it was written, as its stage's clock said.
    pub time: Shown,
    /// Who wrote it, and what it says.
    pub said: Shown,
    /// Digest of its body.
    pub digest: Shown,
}

/// The chain as the gateway handed it over.
pub fn chain(run: &Run) -> Chain {
    let head = run.state.as_ref().and_then(|state| state.head);
    let links = run.records.iter().map(|record| Link {
        seq: record.seq,
        time: Shown::line(&utc(record.time_unix_ms)),
        said: Shown::line(&line::line(record)),
        digest: Shown::of(Digest::of(&codec::encode_record(record))),
    });
    Chain {
        head: head.map(Shown::of).unwrap_or_default(),
        records: links.collect(),
        controls: run
            .view
            .controls
            .iter()
            .filter_map(|control| match control.action.as_ref()? {
                Action::Cancel(cancel) => Some(Shown::line(&format!(
                    "{}: cancelled by {}: {}",
                    utc(control.time_unix_ms),
                    cancel.by,
                    cancel.reason
                ))),
            })
            .collect(),
        unread: run.unread.iter().map(|why| Shown::line(why)).collect(),
    }
}

/// A time in the one form that sorts and needs no explanation, `2026-01-31 12:00:00 UTC`.
pub fn utc(unix_ms: i64) -> String {
    let seconds = unix_ms.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Year, month and day of a number of days since 1970, by the Gregorian calendar's cycles of 400 years that begin in
/// March, so that the leap day is the last day of its year.
fn date(days: i64) -> (i64, i64, i64) {
    let from_0000_03_01 = days + 719_468;
    let (cycle, day) = (from_0000_03_01.div_euclid(146_097), from_0000_03_01.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (cycle * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_off_the_calendar() {
        for (unix_ms, said) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_400_000, "2000-02-29 00:00:00 UTC"),
            (1_700_000_000_999, "2023-11-14 22:13:20 UTC"),
            (4_107_542_399_000, "2100-02-28 23:59:59 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(utc(unix_ms), said);
        }
        assert!(utc(i64::MAX).ends_with("UTC") && utc(i64::MIN).ends_with("UTC"));
    }
}
