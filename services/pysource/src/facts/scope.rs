//! Which names a scope binds. Follows Python's rule: a name belongs to the scope whose body binds it anywhere.

use super::guards::{Guards, Test, read_test};
use crate::source::Span;
use crate::tree::{Alias, ClassDef, Expr, ExprKind, FunctionDef, Node, Params, Stmt, StmtKind, walk_expr, walk_stmt};
use std::collections::{HashMap, HashSet};

/// When a binding of the module takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// On import, or whenever the condition around it holds.
    Import,
    /// Never: under `if TYPE_CHECKING:`.
    Typing,
    /// Only where the file is run as a script.
    Script,
}

/// One statement that binds a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'t> {
    pub(super) name: &'t str,
    pub(super) span: Span,
    pub(super) kind: Kind<'t>,
    pub(super) reach: Reach,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'t> {
    Module(&'t Alias),
    Member {
        level: u32,
        module: &'t str,
        name: &'t str,
    },
    Function(&'t FunctionDef),
    Class(&'t ClassDef),
    /// `x = f(…)`: the callee.
    Result(&'t Expr),
    /// A parameter with this annotation.
    Param(Option<&'t Expr>),
    /// The first parameter of a method.
    Own,
    Other,
}

/// Collects what the statements of one scope bind, without entering nested scopes.
pub(super) fn bindings<'t>(body: &'t [Stmt]) -> Vec<Bound<'t>> {
    let mut collector = Collector { found: Vec::new() };
    collector.block(body, Reach::Import);
    collector.found
}

/// Binds each parameter.
pub(super) fn parameters(params: &Params) -> Vec<Bound<'_>> {
    params
        .each()
        .map(|param| Bound {
            name: &param.name,
            span: param.span,
            kind: Kind::Param(param.annotation.as_ref()),
            reach: Reach::Import,
        })
        .collect()
}

/// The names that a target of an assignment binds.
pub(super) fn target_names<'t>(target: &'t Expr, each: &mut dyn FnMut(&'t str, Span)) {
    match &target.kind {
        ExprKind::Name(name) => each(name, target.span),
        ExprKind::Starred(inner) => target_names(inner, each),
        ExprKind::Sequence { items, .. } => {
            for item in items {
                target_names(item, each);
            }
        }
        _ => {}
    }
}

struct Collector<'t> {
    found: Vec<Bound<'t>>,
}

impl<'t> Collector<'t> {
    fn add(&mut self, name: &'t str, span: Span, kind: Kind<'t>, reach: Reach) {
        self.found.push(Bound {
            name,
            span,
            kind,
            reach,
        });
    }

    fn targets(&mut self, target: &'t Expr, reach: Reach) {
        target_names(target, &mut |name, span| self.add(name, span, Kind::Other, reach));
    }

    fn block(&mut self, body: &'t [Stmt], reach: Reach) {
        for stmt in body {
            self.stmt(stmt, reach);
        }
    }

    fn stmt(&mut self, stmt: &'t Stmt, reach: Reach) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Function(def) => self.add(&def.name, span, Kind::Function(def), reach),
            StmtKind::Class(def) => self.add(&def.name, span, Kind::Class(def), reach),
            StmtKind::Assign { targets, value } => match (targets.as_slice(), &value.kind) {
                ([target], ExprKind::Call { func, .. }) if target.as_name().is_some() => {
                    let name = target.as_name().unwrap_or_default();
                    self.add(name, target.span, Kind::Result(func), reach);
                }
                _ => targets.iter().for_each(|target| self.targets(target, reach)),
            },
            StmtKind::AnnAssign { target, value, .. } => {
                let callee = value.as_ref().and_then(|value| match &value.kind {
                    ExprKind::Call { func, .. } => Some(&**func),
                    _ => None,
                });
                match (target.as_name(), callee) {
                    (Some(name), Some(func)) => {
                        self.add(name, target.span, Kind::Result(func), reach);
                    }
                    _ => self.targets(target, reach),
                }
            }
            StmtKind::AugAssign { target, .. } | StmtKind::TypeAlias { name: target, .. } => {
                self.targets(target, reach);
            }
            StmtKind::Delete(targets) => {
                targets.iter().for_each(|target| self.targets(target, reach));
            }
            StmtKind::For { target, .. } => self.targets(target, reach),
            StmtKind::With { items, .. } => {
                for target in items.iter().filter_map(|item| item.target.as_ref()) {
                    self.targets(target, reach);
                }
            }
            StmtKind::Import(aliases) => {
                for alias in aliases {
                    let root = alias.name.split('.').next().unwrap_or(&alias.name);
                    let name = alias.asname.as_deref().unwrap_or(root);
                    self.add(name, alias.span, Kind::Module(alias), reach);
                }
            }
            StmtKind::ImportFrom { module, names, level } => {
                for alias in names.iter().filter(|alias| alias.name != "*") {
                    let kind = Kind::Member {
                        level: *level,
                        module: module.as_deref().unwrap_or_default(),
                        name: &alias.name,
                    };
                    let name = alias.asname.as_deref().unwrap_or(&alias.name);
                    self.add(name, alias.span, kind, reach);
                }
            }
            StmtKind::Match { cases, .. } => {
                for name in cases.iter().flat_map(|case| &case.binds) {
                    self.add(name, span, Kind::Other, reach);
                }
            }
            StmtKind::Try(parts) => {
                for name in parts.handlers.iter().filter_map(|part| part.name.as_deref()) {
                    self.add(name, span, Kind::Other, reach);
                }
            }
            _ => {}
        }
        self.below(stmt, reach);
    }

    /// Blocks of the statement, and assignments inside its expressions.
    fn below(&mut self, stmt: &'t Stmt, reach: Reach) {
        if let StmtKind::If { test, body, orelse } = &stmt.kind {
            self.walrus(test, reach);
            let narrower = |inner| if reach == Reach::Import { inner } else { reach };
            let (inside, outside) = match read_test(test, &|_| false) {
                Test::Never => (narrower(Reach::Typing), reach),
                Test::Always => (reach, narrower(Reach::Typing)),
                Test::Script => (narrower(Reach::Script), reach),
                Test::Environment | Test::Unknown => (reach, reach),
            };
            self.block(body, inside);
            self.block(orelse, outside);
            return;
        }
        let nested = matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Class(_));
        stmt.each_child(&mut |child| match child {
            Node::Stmt(inner) if !nested => self.stmt(inner, reach),
            Node::Stmt(_) => {}
            Node::Expr(expr) => self.walrus(expr, reach),
        });
    }

    fn walrus(&mut self, expr: &'t Expr, reach: Reach) {
        walk_expr(expr, &mut |node| match node {
            Node::Expr(expr) => {
                if let ExprKind::Walrus { target, .. } = &expr.kind {
                    self.targets(target, reach);
                }
                !matches!(expr.kind, ExprKind::Lambda { .. })
            }
            Node::Stmt(_) => true,
        });
    }
}

/// How the variables of a scope are used anywhere inside it, nested scopes included.
#[derive(Debug, Default)]
pub(super) struct Uses<'t> {
    /// Asked for its class or attributes at run time: `isinstance(x, …)`, `hasattr(x, …)`, `x.__dict__`.
    pub(super) narrowed: HashSet<&'t str>,
    /// Used other than through an attribute.
    pub(super) bare: HashSet<&'t str>,
    /// Declared `global` in a function.
    pub(super) globals: HashMap<&'t str, Span>,
    /// Declared `nonlocal` in a function.
    pub(super) nonlocals: HashSet<&'t str>,
}

impl<'t> Uses<'t> {
    pub(super) fn of(body: &'t [Stmt]) -> Self {
        let mut uses = Self::default();
        for stmt in body {
            walk_stmt(stmt, &mut |node| match node {
                Node::Stmt(stmt) => uses.stmt(stmt),
                Node::Expr(expr) => uses.expr(expr),
            });
        }
        uses
    }

    fn stmt(&mut self, stmt: &'t Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Global(names) => {
                self.globals.extend(names.iter().map(|name| (name.as_str(), stmt.span)));
            }
            StmtKind::Nonlocal(names) => {
                self.nonlocals.extend(names.iter().map(String::as_str));
            }
            StmtKind::Match { subject, .. } => self.narrowed.extend(subject.as_name()),
            StmtKind::Assign { targets, value } => {
                if let [target] = targets.as_slice()
                    && target.as_name().is_some()
                {
                    walk_expr(value, &mut |node| match node {
                        Node::Expr(expr) => self.expr(expr),
                        Node::Stmt(_) => true,
                    });
                    return false;
                }
            }
            _ => {}
        }
        true
    }

    fn expr(&mut self, expr: &'t Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.bare.insert(name);
            }
            ExprKind::Attribute { value, attr } => {
                if let Some(name) = value.as_name() {
                    if matches!(attr.as_str(), "__dict__" | "__class__") {
                        self.narrowed.insert(name);
                    }
                    return false;
                }
            }
            ExprKind::Call { func, args, .. } => {
                let asks = matches!(
                    func.as_name(),
                    Some(
                        "isinstance"
                            | "issubclass"
                            | "hasattr"
                            | "getattr"
                            | "setattr"
                            | "delattr"
                            | "vars"
                            | "type"
                            | "callable"
                    )
                );
                if asks {
                    self.narrowed.extend(args.first().and_then(Expr::as_name));
                }
            }
            _ => {}
        }
        true
    }
}

/// Names that the statements of one scope declare as belonging to another.
#[derive(Debug, Default)]
pub(super) struct Declared<'t> {
    pub(super) globals: HashSet<&'t str>,
    pub(super) nonlocals: HashSet<&'t str>,
}

/// The `global` and `nonlocal` statements of one scope.
pub(super) fn declared(body: &[Stmt]) -> Declared<'_> {
    let mut declared = Declared::default();
    for stmt in body {
        walk_stmt(stmt, &mut |node| match node {
            Node::Stmt(stmt) => {
                match &stmt.kind {
                    StmtKind::Global(names) => {
                        declared.globals.extend(names.iter().map(String::as_str));
                    }
                    StmtKind::Nonlocal(names) => {
                        declared.nonlocals.extend(names.iter().map(String::as_str));
                    }
                    _ => {}
                }
                !matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Class(_))
            }
            Node::Expr(_) => false,
        });
    }
    declared
}

/// Names of the module that tell whether a package is there: bound beside a handled `ImportError`,
/// or from `find_spec`.
pub(super) fn availability_flags(body: &[Stmt]) -> HashSet<&str> {
    let mut flags = HashSet::new();
    for stmt in body {
        walk_stmt(stmt, &mut |node| match node {
            Node::Stmt(stmt) => {
                let tells = match &stmt.kind {
                    StmtKind::Try(parts) => Guards::default().in_try(&parts.handlers).import_error,
                    StmtKind::Assign { value, .. } => read_test(value, &|_| false) == Test::Environment,
                    _ => false,
                };
                if tells {
                    flags.extend(bindings(std::slice::from_ref(stmt)).iter().map(|b| b.name));
                }
                true
            }
            Node::Expr(_) => false,
        });
    }
    flags
}

/// Whether the file imports everything from somewhere.
pub(super) fn has_star(body: &[Stmt]) -> bool {
    let mut found = false;
    for stmt in body {
        walk_stmt(stmt, &mut |node| match node {
            Node::Stmt(stmt) => {
                if let StmtKind::ImportFrom { names, .. } = &stmt.kind {
                    found |= names.iter().any(|alias| alias.name == "*");
                }
                true
            }
            Node::Expr(_) => false,
        });
    }
    found
}
