//! How long to wait before the next attempt. Decides nothing else; the loop is in `client.rs`.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, SystemTime};

use crate::config::ModelConfig;
use crate::error::ModelError;

/// The wait after the `attempt`-th exchange (from 1) failed with `error`.
///
/// # Errors
/// The server asks for more than the configuration allows.
pub(crate) fn wait(error: &ModelError, attempt: u32, config: &ModelConfig) -> Result<Duration, ModelError> {
    let allowed = config.max_retry_wait;
    if matches!(error, ModelError::NoJsonMode) {
        return Ok(Duration::ZERO);
    }
    match error.retry_after() {
        Some(asked) if asked > allowed => Err(ModelError::WaitTooLong { asked, allowed }),
        // Never earlier than asked, and not all callers at the same moment.
        Some(asked) => Ok(asked + config.retry_base.mul_f64(random())),
        None => Ok(backoff(attempt, config.retry_base, allowed, random())),
    }
}

/// Doubles with each attempt up to `most`; half of it is fixed, half is up to `random` in [0, 1).
fn backoff(attempt: u32, base: Duration, most: Duration, random: f64) -> Duration {
    let factor = 2_u32.saturating_pow(attempt.saturating_sub(1));
    let full = base.saturating_mul(factor).min(most);
    full / 2 + (full / 2).mul_f64(random)
}

/// In [0, 1), from the seed that the standard library draws for every hash map. Good enough to
/// spread callers, and no dependency.
fn random() -> f64 {
    let bits = RandomState::new().hash_one(0_u8) >> 11;
    bits as f64 / (1_u64 << 53) as f64
}

/// Reads a `Retry-After` header: seconds or an HTTP date. `None` if it is neither.
pub(crate) fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    // A date that has passed means "now".
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const BASE: Duration = Duration::from_millis(500);
    const MOST: Duration = Duration::from_secs(60);

    #[test]
    fn waits_double_up_to_the_bound() {
        let fixed: Vec<u128> = (1..=5).map(|n| backoff(n, BASE, MOST, 0.0).as_millis()).collect();
        assert_eq!(fixed, [250, 500, 1000, 2000, 4000]);
        assert_eq!(backoff(u32::MAX, BASE, MOST, 0.0), MOST / 2);
        assert!(backoff(u32::MAX, BASE, MOST, 0.999_999) <= MOST);
    }

    #[test]
    fn jitter_differs_between_calls_and_stays_in_range() {
        let draws: Vec<f64> = (0..100).map(|_| random()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        assert!(draws.iter().any(|draw| *draw < 0.5) && draws.iter().any(|draw| *draw > 0.5));
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let read = |value| retry_after(value, now);
        assert_eq!(read("7"), Some(Duration::from_secs(7)));
        assert_eq!(read(" 0 "), Some(Duration::ZERO));
        assert_eq!(read("Sun, 06 Nov 1994 08:50:07 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(read("Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        for neither in ["", "soon", "-1", "NaN", "inf", "1e300"] {
            assert_eq!(read(neither), None, "{neither}");
        }
    }

    #[test]
    fn the_servers_wish_is_a_lower_bound_and_has_an_upper_one() {
        let config = ModelConfig::new("http://h", "m");
        let limited = |seconds| ModelError::RateLimited {
            retry_after: Some(Duration::from_secs(seconds)),
        };
        let wished = wait(&limited(60), 1, &config).unwrap();
        assert!(wished >= Duration::from_secs(60) && wished < Duration::from_secs(61));
        assert!(matches!(
            wait(&limited(61), 1, &config),
            Err(ModelError::WaitTooLong { .. })
        ));
    }
}
