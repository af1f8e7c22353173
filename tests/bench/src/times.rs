//! What is said about many measurements of one thing.

use std::time::Duration;

/// The middle one.
pub(crate) fn median(times: &[Duration]) -> Duration {
    at(times, 0.5)
}

/// Nine of ten are not longer.
pub(crate) fn p90(times: &[Duration]) -> Duration {
    at(times, 0.9)
}

fn at(times: &[Duration], share: f64) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    // Rounding down: of ten, the ninth is at 0.9 of the way.
    let index = (sorted.len().saturating_sub(1) as f64 * share) as usize;
    sorted.get(index).copied().unwrap_or_default()
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_slow_end() {
        let times: Vec<Duration> = (1..=11).rev().map(Duration::from_millis).collect();
        assert_eq!((millis(median(&times)), millis(p90(&times))), (6.0, 10.0));
        assert_eq!(median(&[]), Duration::ZERO);
    }
}
