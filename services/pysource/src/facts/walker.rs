//! The one pass over a tree that gathers its facts: frames, guards, and statements in order.

use super::guards::{Guards, Test, read_test};
use super::scope::{self, Bound, Kind, Uses};
use super::targets::{Held, ModuleRef, Root, Target};
use super::{Binding, BindingKind, ExportList, Facts, Step, Texts, bodies, imports};
use crate::source::{Pos, Source, Span};
use crate::tree::{ClassDef, Expr, ExprKind, FunctionDef, Node, Stmt, StmtKind, Tree};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    Module,
    Class,
    /// Functions, lambdas and comprehensions.
    Function,
}

/// One scope that is being walked.
pub(super) struct Frame<'t> {
    pub(super) kind: FrameKind,
    pub(super) names: HashMap<&'t str, Vec<Bound<'t>>>,
    pub(super) globals: HashSet<&'t str>,
    pub(super) uses: Uses<'t>,
    /// First parameter of a method, and the class it belongs to.
    pub(super) owner: Option<(&'t str, usize)>,
}

impl<'t> Frame<'t> {
    pub(super) fn new(kind: FrameKind, bound: Vec<Bound<'t>>, body: &'t [Stmt]) -> Self {
        let mut names: HashMap<&str, Vec<Bound<'_>>> = HashMap::new();
        for bound in bound {
            names.entry(bound.name).or_default().push(bound);
        }
        let uses = match kind {
            FrameKind::Module | FrameKind::Function => Uses::of(body),
            FrameKind::Class => Uses::default(),
        };
        let declared = scope::declared(body);
        for name in declared.globals.iter().chain(&declared.nonlocals) {
            if kind != FrameKind::Module {
                names.remove(name);
            }
        }
        Self {
            kind,
            names,
            globals: declared.globals,
            uses,
            owner: None,
        }
    }
}

pub(super) struct Walker<'t, 's> {
    pub(super) source: &'s Source<'s>,
    /// Numbers that names of the module stand for.
    pub(super) numbers: HashMap<&'t str, f64>,
    pub(super) frames: Vec<Frame<'t>>,
    pub(super) guards: Guards,
    pub(super) facts: Facts,
    pub(super) class_index: HashMap<*const ClassDef, usize>,
    /// Names that say whether a package is there.
    flags: HashSet<&'t str>,
    pub(super) has_star: bool,
    /// Bound in ways that are not tied to a frame: inside lambdas, and as type parameters.
    pub(super) loose_names: HashSet<String>,
}

/// Gathers the facts of `tree`.
pub(super) fn walk(tree: &Tree, source: &Source<'_>) -> Facts {
    let bound = scope::bindings(&tree.body);
    let mut frame = Frame::new(FrameKind::Module, bound.clone(), &tree.body);
    let declared: Vec<(&str, Span)> = frame.uses.globals.iter().map(|(n, s)| (*n, *s)).collect();
    for (name, span) in declared {
        frame.names.entry(name).or_default().push(Bound {
            name,
            span,
            kind: Kind::Other,
            reach: scope::Reach::Import,
        });
    }
    let mut walker = Walker {
        source,
        numbers: super::metrics::module_numbers(&tree.body),
        frames: vec![frame],
        guards: Guards::default(),
        facts: Facts::default(),
        class_index: HashMap::new(),
        flags: scope::availability_flags(&tree.body),
        has_star: scope::has_star(&tree.body),
        loose_names: HashSet::new(),
    };
    walker.module_names(&bound);
    walker.facts.substance = bodies::substance(&tree.body);
    walker.facts.texts = Texts::of(tree, source);
    walker.block(&tree.body);
    walker.finish()
}

impl<'t> Walker<'t, '_> {
    pub(super) fn pos(&self, span: Span) -> Pos {
        self.source.pos(span.start as usize)
    }

    fn module_names(&mut self, bound: &[Bound<'t>]) {
        for bound in bound {
            let kind = match bound.kind {
                Kind::Module(_) | Kind::Member { .. } => {
                    import_target(bound.kind).map_or(BindingKind::Other, BindingKind::Import)
                }
                Kind::Function(def) => {
                    let function = self.function(def, bound.span);
                    self.facts.functions.push(function);
                    BindingKind::Function(self.facts.functions.len() - 1)
                }
                Kind::Class(def) => {
                    let target = Target::root(Root::Local(def.name.clone()));
                    BindingKind::Class(self.class(def, bound.span, target))
                }
                Kind::Result(func) => match func.as_dotted() {
                    Some(parts) => self.target(&parts).map_or(BindingKind::Other, BindingKind::Result),
                    None => BindingKind::Other,
                },
                Kind::Param(_) | Kind::Own | Kind::Other => BindingKind::Other,
            };
            self.facts
                .names
                .entry(bound.name.to_owned())
                .or_default()
                .push(Binding {
                    pos: self.source.pos(bound.span.start as usize),
                    kind,
                    reach: bound.reach,
                });
        }
        let globals: Vec<(&str, Span)> = match self.frames.first() {
            Some(frame) => frame.uses.globals.iter().map(|(n, s)| (*n, *s)).collect(),
            None => Vec::new(),
        };
        for (name, span) in globals {
            let pos = self.pos(span);
            let list = self.facts.names.entry(name.to_owned()).or_default();
            list.push(Binding {
                pos,
                kind: BindingKind::Other,
                reach: scope::Reach::Import,
            });
        }
    }

    fn finish(mut self) -> Facts {
        let names = &self.facts.names;
        self.facts.local_names.retain(|name, _| !names.contains_key(name));
        let loose = &self.loose_names;
        self.facts.unbound.retain(|used| !loose.contains(&used.name));
        self.facts
    }

    pub(super) fn block(&mut self, body: &'t [Stmt]) {
        for stmt in body {
            self.stmt(stmt);
        }
    }

    /// Walks `body` under other guards.
    fn guarded(&mut self, guards: Guards, body: &'t [Stmt]) {
        let outer = std::mem::replace(&mut self.guards, guards);
        self.block(body);
        self.guards = outer;
    }

    fn at_module(&self) -> bool {
        self.frames.len() == 1
    }

    fn import(&mut self, import: imports::Import) {
        self.facts.imports.push(import);
        if !self.guards.function && !self.guards.never_runs {
            self.facts.steps.push(Step::Import(self.facts.imports.len() - 1));
        }
    }

    fn stmt(&mut self, stmt: &'t Stmt) {
        let guards = self.guards;
        match &stmt.kind {
            StmtKind::Function(def) => self.enter_function(def, stmt.span),
            StmtKind::Class(def) => self.enter_class(def),
            StmtKind::Import(aliases) => {
                for import in imports::modules(self.source, aliases, guards) {
                    self.import(import);
                }
            }
            StmtKind::ImportFrom { module, names, level } => {
                let module = ModuleRef {
                    level: *level,
                    name: module.clone().unwrap_or_default(),
                };
                let start = stmt.span.start;
                self.import(imports::from(self.source, start, module, names, guards));
            }
            StmtKind::If { test, body, orelse } => {
                self.expr(test);
                let flags = &self.flags;
                let read = read_test(test, &|name| flags.contains(name));
                let branch = guards.in_condition();
                let (inside, outside) = match read {
                    Test::Never => (
                        Guards {
                            never_runs: true,
                            ..branch
                        },
                        guards,
                    ),
                    Test::Always => (
                        guards,
                        Guards {
                            never_runs: true,
                            ..branch
                        },
                    ),
                    Test::Environment => {
                        let guards = Guards {
                            environment: true,
                            ..branch
                        };
                        (guards, guards)
                    }
                    Test::Script | Test::Unknown => (branch, branch),
                };
                self.guarded(inside, body);
                self.guarded(outside, orelse);
            }
            StmtKind::Try(parts) => {
                self.guarded(guards.in_try(&parts.handlers), &parts.body);
                for handler in &parts.handlers {
                    handler.kind.iter().for_each(|kind| self.expr(kind));
                    self.guarded(guards.in_handler(handler), &handler.body);
                }
                let after = match parts.handlers.is_empty() {
                    true => guards,
                    false => guards.in_try(&parts.handlers),
                };
                self.guarded(
                    Guards {
                        type_error: guards.type_error,
                        ..after
                    },
                    &parts.orelse,
                );
                self.guarded(guards, &parts.finalbody);
            }
            StmtKind::With { items, body } => {
                let mut inside = guards;
                for item in items {
                    self.expr(&item.context);
                    item.target.iter().for_each(|target| self.store(target));
                    inside = inside.in_with(&item.context);
                }
                self.guarded(inside, body);
            }
            StmtKind::For {
                target,
                iter,
                body,
                orelse,
            } => {
                self.expr(iter);
                self.store(target);
                self.guarded(guards.in_condition(), body);
                self.guarded(guards.in_condition(), orelse);
            }
            StmtKind::While { test, body, orelse } => {
                self.expr(test);
                self.guarded(guards.in_condition(), body);
                self.guarded(guards.in_condition(), orelse);
            }
            StmtKind::Match { subject, cases } => {
                self.expr(subject);
                for case in cases {
                    case.exprs.iter().chain(&case.guard).for_each(|expr| self.expr(expr));
                    self.guarded(guards.in_condition(), &case.body);
                }
            }
            StmtKind::Assign { targets, value } => {
                self.expr(value);
                targets.iter().for_each(|target| self.store(target));
                if let [target] = targets.as_slice() {
                    let held = self.held_by(value);
                    self.hold(target, held);
                }
                if self.at_module() && targets.iter().any(|t| t.as_name() == Some("__all__")) {
                    self.facts.all = self.export_list(value);
                }
            }
            StmtKind::AugAssign { target, value } => {
                self.expr(value);
                self.store(target);
                if self.at_module() && target.as_name() == Some("__all__") {
                    self.extend_exports(value);
                }
            }
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
            } => {
                self.annotation(annotation);
                value.iter().for_each(|value| self.expr(value));
                self.store(target);
                let held = self.annotated(annotation).map_or(Held::Unclear, Held::Declared);
                self.hold(target, held);
                if self.at_module() && target.as_name() == Some("__all__") {
                    self.facts.all = match value {
                        Some(value) => self.export_list(value),
                        None => ExportList::Computed,
                    };
                }
            }
            StmtKind::Delete(targets) => targets.iter().for_each(|target| self.store(target)),
            // Evaluated when it is asked for, with type parameters of its own.
            StmtKind::TypeAlias { value, .. } => self.annotation(value),
            _ => stmt.each_child(&mut |child| match child {
                Node::Stmt(inner) => self.stmt(inner),
                Node::Expr(expr) => self.expr(expr),
            }),
        }
        if self.at_module() {
            for bound in scope::bindings(std::slice::from_ref(stmt)) {
                self.facts.steps.push(Step::Bind(bound.name.to_owned()));
            }
        }
    }

    fn export_list(&self, value: &Expr) -> ExportList {
        let ExprKind::Sequence { items, .. } = &value.kind else {
            return ExportList::Computed;
        };
        let names = items.iter().map(|item| {
            let name = item.as_str()?;
            Some((name.to_owned(), self.pos(item.span)))
        });
        names
            .collect::<Option<Vec<_>>>()
            .map_or(ExportList::Computed, ExportList::Names)
    }

    fn extend_exports(&mut self, value: &Expr) {
        let more = self.export_list(value);
        self.facts.all = match (std::mem::take(&mut self.facts.all), more) {
            (ExportList::Names(mut names), ExportList::Names(more)) => {
                names.extend(more);
                ExportList::Names(names)
            }
            _ => ExportList::Computed,
        };
    }

    fn enter_function(&mut self, def: &'t FunctionDef, span: Span) {
        self.type_parameters(&def.type_params);
        def.decorators.iter().for_each(|expr| self.expr(expr));
        for param in def.params.each() {
            param.annotation.iter().for_each(|expr| self.annotation(expr));
            param.default.iter().for_each(|expr| self.expr(expr));
        }
        def.returns.iter().for_each(|expr| self.annotation(expr));
        let owner = self.owner(def);
        let class = self.frames.last().filter(|frame| frame.kind == FrameKind::Class);
        self.body(def, span, class.and_then(|frame| frame.owner).map(|(_, class)| class));
        let mut bound = scope::parameters(&def.params);
        if let (Some((name, _)), false) = (owner, is_class_method(def)) {
            bound
                .iter_mut()
                .filter(|b| b.name == name)
                .for_each(|b| b.kind = Kind::Own);
        }
        let inner = scope::bindings(&def.body);
        for inner in &inner {
            let pos = self.pos(inner.span);
            self.facts.local_names.entry(inner.name.to_owned()).or_insert(pos);
        }
        bound.extend(inner);
        let mut frame = Frame::new(FrameKind::Function, bound, &def.body);
        for name in frame.uses.nonlocals.clone() {
            if let Some(list) = frame.names.get_mut(name) {
                let extra = Bound {
                    name,
                    span,
                    kind: Kind::Other,
                    reach: scope::Reach::Import,
                };
                list.push(extra);
            }
        }
        frame.owner = owner;
        self.frames.push(frame);
        let inside = self.guards.in_function().in_decorated(&def.name, &def.decorators);
        self.guarded(inside, &def.body);
        self.frames.pop();
    }

    /// The first parameter of a method, where it stands for the object or its class.
    fn owner(&self, def: &'t FunctionDef) -> Option<(&'t str, usize)> {
        let frame = self.frames.last()?;
        let (_, class) = frame.owner.filter(|_| frame.kind == FrameKind::Class)?;
        let is_static = def.decorators.iter().any(|d| d.as_name() == Some("staticmethod"));
        let first = def.params.posonly.iter().chain(&def.params.args).next()?;
        (!is_static).then_some((first.name.as_str(), class))
    }

    fn enter_class(&mut self, def: &'t ClassDef) {
        self.type_parameters(&def.type_params);
        def.decorators.iter().chain(&def.bases).for_each(|expr| self.expr(expr));
        if def
            .decorators
            .iter()
            .any(|expr| expr.last_part() == Some("global_enum"))
        {
            self.opaque("an enumeration puts its members among its names");
        }
        def.keywords.iter().for_each(|keyword| self.expr(&keyword.value));
        let mut frame = Frame::new(FrameKind::Class, scope::bindings(&def.body), &def.body);
        let index = self.class_index.get(&std::ptr::from_ref(def)).copied();
        frame.owner = index.map(|index| ("", index));
        self.frames.push(frame);
        self.guarded(self.guards.in_decorated(&def.name, &def.decorators), &def.body);
        self.frames.pop();
    }
}

pub(super) fn is_class_method(def: &FunctionDef) -> bool {
    let implicit = ["__new__", "__init_subclass__", "__class_getitem__"];
    implicit.contains(&def.name.as_str()) || def.decorators.iter().any(|d| d.last_part() == Some("classmethod"))
}

/// What an import statement binds a name to.
pub(super) fn import_target(kind: Kind<'_>) -> Option<Target> {
    match kind {
        Kind::Module(alias) => {
            let root = alias.name.split('.').next().unwrap_or(&alias.name);
            let name = if alias.asname.is_some() { &alias.name } else { root };
            Some(Target::root(Root::Module(ModuleRef::absolute(name))))
        }
        Kind::Member { level, module, name } => {
            let module = ModuleRef {
                level,
                name: module.to_owned(),
            };
            Some(Target::root(Root::Member(module, name.to_owned())))
        }
        Kind::Function(_) | Kind::Class(_) | Kind::Result(_) | Kind::Param(_) | Kind::Own | Kind::Other => None,
    }
}
