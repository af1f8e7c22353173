//! The word that every error answers with. It belongs to the domain; this is its one entry here.

pub use interlock_domain::Disposition;
