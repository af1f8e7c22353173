//! What a repair may not do to a file: make public definitions disappear, or leave only their names (faults F4).
//!
//! A definition that moved is fine as long as its name can still be imported from the file. It compares two texts, and
//! knows nothing of why one replaced the other.

use crate::facts::hollow;
use crate::finding::Finding;
use crate::source::{Pos, Source, Unreadable};
use crate::tree::{Expr, ExprKind, Stmt, StmtKind, with_tree};
use std::collections::{BTreeMap, BTreeSet};

/// Identity of this rule. It judges answers, not workspaces, and so is none of the rules of a verdict.
const RULE: &str = "repair/shape";

/// What a file offers, by dotted name.
#[derive(Debug, Default)]
struct Shape {
    /// Functions, classes and their methods.
    definitions: BTreeMap<String, Definition>,
    /// Names that are bound in any other way.
    bound: BTreeSet<String>,
    /// `from m import *`: what it binds is not in the text.
    star: bool,
}

#[derive(Clone, Copy, Debug)]
struct Definition {
    pos: Pos,
    hollow: bool,
    /// A class with base classes may get its methods from them.
    inherits: bool,
}

/// What the new text lacks that the old one had.
///
/// # Errors
/// One of the texts cannot be read.
pub fn shape_of_repair(path: &str, before: &str, after: &str) -> Result<Vec<Finding>, Unreadable> {
    let old = shape(before)?;
    let new = shape(after)?;
    let lost = old.definitions.iter().filter(|(name, _)| is_public(name));
    let findings = lost.filter_map(|(name, had)| {
        let (pos, what) = match new.definitions.get(name) {
            Some(has) if has.hollow && !had.hollow => (has.pos, "has lost its body; give it one again"),
            Some(_) => return None,
            None if new.still_binds(name) => return None,
            None => (
                Pos::default(),
                "has disappeared; define it again, or import it from where it went",
            ),
        };
        Some(Finding {
            file: path.to_owned(),
            line: pos.line,
            column: pos.column,
            rule: RULE,
            message: format!("`{name}`, which the version before defined, {what}"),
            other: None,
        })
    });
    Ok(findings.collect())
}

fn is_public(name: &str) -> bool {
    name.split('.').all(|part| !part.starts_with('_') || part == "__init__")
}

impl Shape {
    /// Whether a name can be had although it is not defined here.
    fn still_binds(&self, name: &str) -> bool {
        let (owner, is_member) = match name.split_once('.') {
            Some((owner, _)) => (owner, true),
            None => (name, false),
        };
        if self.star || self.bound.contains(owner) {
            return true;
        }
        // A missing method may be inherited; that its whole class is missing is one finding, not many.
        is_member && self.definitions.get(owner).is_none_or(|class| class.inherits)
    }

    fn block(&mut self, body: &[Stmt], prefix: &str, source: &Source<'_>) {
        for stmt in body {
            self.statement(stmt, prefix, source);
        }
    }

    fn statement(&mut self, stmt: &Stmt, prefix: &str, source: &Source<'_>) {
        let pos = source.pos(stmt.span.start as usize);
        match &stmt.kind {
            StmtKind::Function(def) => {
                self.define(
                    prefix,
                    &def.name,
                    Definition {
                        pos,
                        hollow: hollow(def, stmt.span, source).is_some(),
                        inherits: false,
                    },
                );
            }
            StmtKind::Class(def) => {
                self.define(
                    prefix,
                    &def.name,
                    Definition {
                        pos,
                        hollow: false,
                        inherits: !def.bases.is_empty(),
                    },
                );
                if prefix.is_empty() {
                    self.block(&def.body, &format!("{}.", def.name), source);
                }
            }
            StmtKind::Import(names) => {
                for alias in names {
                    let first = alias.name.split('.').next().unwrap_or(&alias.name);
                    self.bind(prefix, alias.asname.as_deref().unwrap_or(first));
                }
            }
            StmtKind::ImportFrom { names, .. } => {
                for alias in names {
                    self.star |= alias.name == "*";
                    self.bind(prefix, alias.asname.as_deref().unwrap_or(&alias.name));
                }
            }
            StmtKind::Assign { targets, .. } => targets.iter().for_each(|target| self.target(prefix, target)),
            StmtKind::AnnAssign { target, .. } | StmtKind::TypeAlias { name: target, .. } => {
                self.target(prefix, target);
            }
            StmtKind::If { body, orelse, .. } => {
                self.block(body, prefix, source);
                self.block(orelse, prefix, source);
            }
            StmtKind::Try(parts) => {
                self.block(&parts.body, prefix, source);
                parts
                    .handlers
                    .iter()
                    .for_each(|handler| self.block(&handler.body, prefix, source));
                self.block(&parts.orelse, prefix, source);
                self.block(&parts.finalbody, prefix, source);
            }
            StmtKind::With { body, .. } => self.block(body, prefix, source),
            StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Match { .. }
            | StmtKind::Return(_)
            | StmtKind::Delete(_)
            | StmtKind::AugAssign { .. }
            | StmtKind::Raise { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Global(_)
            | StmtKind::Nonlocal(_)
            | StmtKind::Expr(_)
            | StmtKind::Pass
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }

    /// Of two definitions of a name (one in each branch, say) the one with a body counts.
    fn define(&mut self, prefix: &str, name: &str, definition: Definition) {
        let known = self.definitions.entry(format!("{prefix}{name}")).or_insert(definition);
        if known.hollow {
            *known = definition;
        }
    }

    fn bind(&mut self, prefix: &str, name: &str) {
        self.bound.insert(format!("{prefix}{name}"));
    }

    fn target(&mut self, prefix: &str, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.bind(prefix, name),
            ExprKind::Sequence { items, .. } => items.iter().for_each(|item| self.target(prefix, item)),
            _ => {}
        }
    }
}

fn shape(text: &str) -> Result<Shape, Unreadable> {
    with_tree(text, |tree, source| {
        let mut shape = Shape::default();
        shape.block(&tree.body, "", source);
        shape
    })
}
