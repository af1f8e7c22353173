//! The rules' pages: what each refuses, what is right, and where it has no opinion. Made from `docs` by the build script.

const PAGES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Every rule's identity and its page, in Markdown, sorted by identity.
pub fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule_ids;

    #[test]
    fn every_rule_has_a_page_that_begins_with_its_name() {
        for rule in rule_ids() {
            let page = pages().find(|(id, _)| *id == rule).map(|(_, page)| page);
            assert!(
                page.is_some_and(|page| page.starts_with(&format!("# {rule}\n\n"))),
                "{rule}"
            );
        }
    }
}
