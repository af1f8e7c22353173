//! The pages that say what each rule is for. Real files: the rules' own in `pysource`, the checks' in `docs` beside this crate.

use interlock_pysource::pages;
use std::collections::BTreeMap;

/// The pages of checks that are no static rules.
const CHECKS: [(&str, &str); 11] = [
    ("custom", include_str!("../../docs/custom.md")),
    // What executors find. It stands here because this is where users ask what a rule is.
    ("evidence", include_str!("../../docs/evidence.md")),
    ("files", include_str!("../../docs/files.md")),
    ("formats", include_str!("../../docs/formats.md")),
    ("import", include_str!("../../docs/import.md")),
    ("lint", include_str!("../../docs/lint.md")),
    ("ownership", include_str!("../../docs/ownership.md")),
    ("plan", include_str!("../../docs/plan.md")),
    ("syntax", include_str!("../../docs/syntax.md")),
    ("tests", include_str!("../../docs/tests.md")),
    ("types", include_str!("../../docs/types.md")),
];

/// A rule that nobody knows.
#[derive(Debug, thiserror::Error)]
#[error("there is no rule {rule}; the rules are {known}")]
pub struct NoSuchRule {
    rule: String,
    known: String,
}

/// The page of a rule, in Markdown; without a rule the list of all, each with its first sentence.
///
/// # Errors
/// There is no such rule.
pub fn explain(rule: Option<&str>) -> Result<String, NoSuchRule> {
    let all = all();
    let Some(rule) = rule else {
        let lines = all
            .iter()
            .map(|(rule, page)| format!("{rule:24} {}\n", first_sentence(page)));
        return Ok(lines.collect());
    };
    page(rule).map(str::to_owned).ok_or_else(|| NoSuchRule {
        rule: rule.to_owned(),
        known: all.into_keys().collect::<Vec<_>>().join(", "),
    })
}

/// The page of a rule; of its group where it has none of its own.
pub(super) fn page(rule: &str) -> Option<&'static str> {
    let all = all();
    let group = rule.split('/').next().unwrap_or(rule);
    all.get(rule).or_else(|| all.get(group)).copied()
}

/// What a page says first: what the rule refuses.
pub(super) fn first_sentence(page: &str) -> &str {
    let paragraph = page
        .lines()
        .skip(1)
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let end = paragraph.find(". ").map_or(paragraph.len(), |end| end + 1);
    paragraph.get(..end).unwrap_or(paragraph)
}

fn all() -> BTreeMap<&'static str, &'static str> {
    pages().chain(CHECKS).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_page_can_be_read_and_unknown_rules_are_named() {
        let list = explain(None).unwrap();
        for (rule, page) in all() {
            assert!(page.starts_with(&format!("# {rule}\n\n")), "{rule}");
            assert_eq!(explain(Some(rule)).unwrap(), page);
            assert!(
                list.contains(rule) && first_sentence(page).ends_with('.'),
                "{rule}: {}",
                first_sentence(page)
            );
        }
        assert!(
            explain(Some("plan/owner")).unwrap().starts_with("# plan\n"),
            "a group's page stands for its rules"
        );
        let unknown = explain(Some("imports/none")).unwrap_err().to_string();
        assert!(
            unknown.contains("imports/none") && unknown.contains("imports/relative"),
            "{unknown}"
        );
    }
}
