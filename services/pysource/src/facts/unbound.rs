//! Names that are read where nothing binds them. Tells only what the file's own text shows.

use super::guards::Guards;
use super::walker::Walker;
use super::words::entries;
use crate::source::{Pos, Span};

const PYTHON_NAMES: &str = include_str!("../../policy/python-names.txt");

/// A name that is read, and that neither a scope around it nor Python binds.
#[derive(Clone, Debug)]
pub(crate) struct UnboundUse {
    pub(crate) pos: Pos,
    pub(crate) name: String,
    pub(crate) guards: Guards,
}

impl Walker<'_, '_> {
    /// Notes the name if nothing binds it here.
    pub(super) fn note_unbound(&mut self, name: &str, span: Span) {
        if self.has_star || self.is_bound(name) || entries(PYTHON_NAMES).any(|known| known == name) {
            return;
        }
        self.facts.unbound.push(UnboundUse {
            pos: self.pos(span),
            name: name.to_owned(),
            guards: self.guards,
        });
    }

    /// Type parameters bind names in and around a definition; only their text says which.
    pub(super) fn type_parameters(&mut self, spans: &[Span]) {
        for span in spans {
            let text = self.source.slice(*span);
            let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            self.loose_names
                .extend(words.filter(|w| !w.is_empty()).map(str::to_owned));
        }
    }
}
