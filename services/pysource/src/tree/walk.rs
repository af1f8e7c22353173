//! Visiting a tree by reference, in the order of the text. Knows nothing about scopes.

use super::{Expr, ExprKind, Keyword, Params, Stmt, StmtKind};

/// Something that a walk passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node<'t> {
    Stmt(&'t Stmt),
    Expr(&'t Expr),
}

/// Passes `stmt` and everything below it for which `visit` says yes.
pub(crate) fn walk_stmt<'t>(stmt: &'t Stmt, visit: &mut dyn FnMut(Node<'t>) -> bool) {
    if visit(Node::Stmt(stmt)) {
        stmt.each_child(&mut |child| walk(child, visit));
    }
}

/// Passes `expr` and everything below it for which `visit` says yes.
pub(crate) fn walk_expr<'t>(expr: &'t Expr, visit: &mut dyn FnMut(Node<'t>) -> bool) {
    if visit(Node::Expr(expr)) {
        expr.each_child(&mut |child| walk(child, visit));
    }
}

fn walk<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>) -> bool) {
    match node {
        Node::Stmt(stmt) => walk_stmt(stmt, visit),
        Node::Expr(expr) => walk_expr(expr, visit),
    }
}

type Each<'a, 't> = &'a mut dyn FnMut(Node<'t>);

fn exprs<'t>(each: Each<'_, 't>, list: impl IntoIterator<Item = &'t Expr>) {
    for expr in list {
        each(Node::Expr(expr));
    }
}

fn block<'t>(each: Each<'_, 't>, list: &'t [Stmt]) {
    for stmt in list {
        each(Node::Stmt(stmt));
    }
}

impl Params {
    /// Annotations and defaults.
    pub(crate) fn each_expr<'t>(&'t self, each: &mut dyn FnMut(&'t Expr)) {
        for param in self.each() {
            param.annotation.iter().for_each(&mut *each);
            param.default.iter().for_each(&mut *each);
        }
    }
}

fn keyword_values(list: &[Keyword]) -> impl Iterator<Item = &Expr> {
    list.iter().map(|keyword| &keyword.value)
}

impl Stmt {
    /// The expressions and statements directly below.
    pub(crate) fn each_child<'t>(&'t self, each: &mut dyn FnMut(Node<'t>)) {
        match &self.kind {
            StmtKind::Function(def) => {
                exprs(each, &def.decorators);
                def.params.each_expr(&mut |expr| each(Node::Expr(expr)));
                exprs(each, &def.returns);
                block(each, &def.body);
            }
            StmtKind::Class(def) => {
                exprs(each, &def.decorators);
                exprs(each, &def.bases);
                exprs(each, keyword_values(&def.keywords));
                block(each, &def.body);
            }
            StmtKind::Return(value) => exprs(each, value),
            StmtKind::Delete(targets) => exprs(each, targets),
            StmtKind::Assign { targets, value } => {
                exprs(each, [value]);
                exprs(each, targets);
            }
            StmtKind::AugAssign { target, value } => exprs(each, [target, value]),
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
            } => {
                exprs(each, [annotation]);
                exprs(each, value);
                exprs(each, [target]);
            }
            StmtKind::TypeAlias { name, value } => exprs(each, [name, value]),
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                exprs(each, [iter, target]);
                block(each, body);
                block(each, orelse);
            }
            StmtKind::While { test, body, orelse } | StmtKind::If { test, body, orelse } => {
                exprs(each, [test]);
                block(each, body);
                block(each, orelse);
            }
            StmtKind::With { items, body } => {
                for item in items {
                    exprs(each, [&item.context]);
                    exprs(each, &item.target);
                }
                block(each, body);
            }
            StmtKind::Match { subject, cases } => {
                exprs(each, [subject]);
                for case in cases {
                    exprs(each, &case.exprs);
                    exprs(each, &case.guard);
                    block(each, &case.body);
                }
            }
            StmtKind::Raise { exc, cause } => exprs(each, exc.iter().chain(cause)),
            StmtKind::Try(parts) => {
                block(each, &parts.body);
                for handler in &parts.handlers {
                    exprs(each, &handler.kind);
                    block(each, &handler.body);
                }
                block(each, &parts.orelse);
                block(each, &parts.finalbody);
            }
            StmtKind::Assert { test, message } => {
                exprs(each, [test]);
                exprs(each, message);
            }
            StmtKind::Expr(value) => exprs(each, [value]),
            StmtKind::Import(_)
            | StmtKind::ImportFrom { .. }
            | StmtKind::Global(_)
            | StmtKind::Nonlocal(_)
            | StmtKind::Pass
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }
}

impl Expr {
    /// The expressions directly below.
    pub(crate) fn each_child<'t>(&'t self, each: &mut dyn FnMut(Node<'t>)) {
        match &self.kind {
            ExprKind::Attribute { value, .. } | ExprKind::Starred(value) => exprs(each, [&**value]),
            ExprKind::Call { func, args, keywords } => {
                exprs(each, [&**func]);
                exprs(each, args);
                exprs(each, keyword_values(keywords));
            }
            ExprKind::Lambda { params, body } => {
                params.each_expr(&mut |expr| each(Node::Expr(expr)));
                exprs(each, [&**body]);
            }
            ExprKind::Walrus { target, value } => exprs(each, [&**value, &**target]),
            ExprKind::Comprehension { elements, clauses } => {
                for clause in clauses {
                    exprs(each, [&clause.iter, &clause.target]);
                    exprs(each, &clause.conditions);
                }
                exprs(each, elements);
            }
            ExprKind::Sequence { items, .. } | ExprKind::Joined(items) | ExprKind::Other(items) => {
                exprs(each, items);
            }
            ExprKind::Dict(items) => {
                for (key, value) in items {
                    exprs(each, key);
                    exprs(each, [value]);
                }
            }
            ExprKind::Binary { left, right, .. } => exprs(each, [&**left, &**right]),
            ExprKind::Unary { operand, .. } => exprs(each, [&**operand]),
            ExprKind::Compare { left, comparators } => {
                exprs(each, [&**left]);
                exprs(each, comparators);
            }
            ExprKind::Conditional { test, body, orelse } => {
                exprs(each, [&**test, &**body, &**orelse]);
            }
            ExprKind::Subscript { value, index } => exprs(each, [&**value, &**index]),
            ExprKind::Name(_)
            | ExprKind::Str(_)
            | ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::None
            | ExprKind::Ellipsis
            | ExprKind::OtherConstant => {}
        }
    }
}
