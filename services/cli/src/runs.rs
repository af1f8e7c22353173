//! Which run is meant: a whole id, an unambiguous beginning of one, or `latest`.

use crate::client::Gateway;
use crate::error::CliError;
use interlock_proto::v1::RunSummary;

/// Candidates that an error lists.
const LISTED: usize = 5;

/// Why it is not clear which run is meant.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum WhichRun {
    /// There is no run at all.
    #[error("there is no run on record yet; start one with `interlock run TASK`")]
    None,
    /// No run begins like this.
    #[error("no run begins with {0:?}; `interlock ps` lists them all")]
    Unknown(String),
    /// Several do.
    #[error("{given:?} could be any of {}; give more of the id", .could_be.join(", "))]
    Ambiguous {
        /// What was given.
        given: String,
        /// Some of those that fit.
        could_be: Vec<String>,
    },
}

/// The id of the run that `given` means.
pub async fn find(gateway: &Gateway, given: &str) -> Result<String, CliError> {
    Ok(choose(&gateway.list().await?, given)?)
}

/// As [`find`], among these runs.
pub fn choose(runs: &[RunSummary], given: &str) -> Result<String, WhichRun> {
    if runs.is_empty() {
        return Err(WhichRun::None);
    }
    if given == "latest" {
        let newest = runs.iter().max_by_key(|run| (run.started_unix_ms, &run.run_id));
        return newest.map(|run| run.run_id.clone()).ok_or(WhichRun::None);
    }
    // Ids are upper case; people type what is easier.
    let wanted = given.to_ascii_uppercase();
    let fits: Vec<&RunSummary> = runs.iter().filter(|run| run.run_id.starts_with(&wanted)).collect();
    match fits.as_slice() {
        _ if given.is_empty() => Err(WhichRun::Unknown(given.to_owned())),
        [] => Err(WhichRun::Unknown(given.to_owned())),
        [one] => Ok(one.run_id.clone()),
        several => Err(WhichRun::Ambiguous {
            given: given.to_owned(),
            could_be: several.iter().take(LISTED).map(|run| run.run_id.clone()).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs() -> Vec<RunSummary> {
        ["01AB2", "01AB1", "01CC1"]
            .into_iter()
            .zip([5, 9, 7])
            .map(|(id, started)| RunSummary {
                run_id: id.to_owned(),
                started_unix_ms: started,
                ..RunSummary::default()
            })
            .collect()
    }

    #[test]
    fn a_unique_beginning_is_enough() {
        assert_eq!(choose(&runs(), "01c").as_deref(), Ok("01CC1"));
        assert_eq!(choose(&runs(), "01AB2").as_deref(), Ok("01AB2"));
        assert_eq!(choose(&runs(), "latest").as_deref(), Ok("01AB1"));
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        assert_eq!(choose(&[], "latest"), Err(WhichRun::None));
        assert_eq!(choose(&runs(), "02"), Err(WhichRun::Unknown("02".into())));
        assert_eq!(choose(&runs(), ""), Err(WhichRun::Unknown(String::new())));
        let ambiguous = choose(&runs(), "01a").unwrap_err().to_string();
        assert_eq!(ambiguous, "\"01a\" could be any of 01AB2, 01AB1; give more of the id");
    }
}
