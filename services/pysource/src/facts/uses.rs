//! What expressions do: calls, attributes that are read or set, and whatever opens a namespace.

use super::guards::Guards;
use super::scope::{self, Bound, Kind, Reach};
use super::targets::{How, Instance, Root, Subject, Target};
use super::walker::{Frame, FrameKind, Walker};
use super::{ExportList, Step, imports};
use crate::source::{Pos, Span};
use crate::tree::{Clause, Expr, ExprKind, Keyword, Node};

/// A call of something with a dotted name.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) pos: Pos,
    pub(crate) subject: Subject,
    /// The callee as written.
    pub(crate) shown: String,
    pub(crate) positional: usize,
    pub(crate) keywords: Vec<String>,
    /// There is a `*list` among the arguments.
    pub(crate) star: bool,
    /// There is a `**mapping` among the arguments.
    pub(crate) double_star: bool,
    pub(crate) guards: Guards,
}

/// An attribute that is read, with everything after it.
#[derive(Clone, Debug)]
pub(crate) struct AttributeUse {
    pub(crate) pos: Pos,
    pub(crate) subject: Subject,
    pub(crate) guards: Guards,
}

/// Attributes that are set under a name which is not in the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opens {
    /// On these, which may be modules.
    pub(crate) targets: Vec<Target>,
    /// On some object.
    pub(crate) objects: bool,
}

impl<'t> Walker<'t, '_> {
    pub(super) fn annotation(&mut self, expr: &'t Expr) {
        let outer = self.guards;
        self.guards.annotation = true;
        self.expr(expr);
        self.guards = outer;
    }

    pub(super) fn expr(&mut self, expr: &'t Expr) {
        match &expr.kind {
            ExprKind::Attribute { value, .. } => match expr.as_dotted() {
                Some(parts) => self.chain(expr, &parts),
                None => {
                    self.expr(value);
                    if let Some(subject) = self.subject_on_call(expr) {
                        self.facts.attributes.push(AttributeUse {
                            pos: self.pos(expr.span),
                            subject,
                            guards: self.guards,
                        });
                    }
                }
            },
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Call { func, args, keywords } => self.call(func, args, keywords),
            ExprKind::Lambda { params, body } => {
                params.each_expr(&mut |expr| self.expr(expr));
                let bound = scope::parameters(params);
                self.frames.push(Frame::new(FrameKind::Function, bound, &[]));
                let outer = self.guards;
                self.guards = outer.in_lambda();
                self.expr(body);
                self.guards = outer;
                self.frames.pop();
            }
            ExprKind::Comprehension { elements, clauses } => self.comprehension(elements, clauses),
            ExprKind::Subscript { value, index } => {
                if value.as_dotted().as_deref() == Some(&["sys", "modules"]) && index.as_name() == Some("__name__") {
                    self.opaque("it changes itself through `sys.modules`");
                }
                self.expr(value);
                self.expr(index);
            }
            ExprKind::Walrus { target, value } => {
                self.expr(value);
                self.store(target);
                self.loose_names.extend(target.as_name().map(str::to_owned));
            }
            _ => expr.each_child(&mut |child| {
                if let Node::Expr(expr) = child {
                    self.expr(expr);
                }
            }),
        }
    }

    fn comprehension(&mut self, elements: &'t [Expr], clauses: &'t [Clause]) {
        if let Some(first) = clauses.first() {
            self.expr(&first.iter);
        }
        let mut bound = Vec::new();
        for clause in clauses {
            scope::target_names(&clause.target, &mut |name, span| {
                bound.push(Bound {
                    name,
                    span,
                    kind: Kind::Other,
                    reach: Reach::Import,
                });
            });
        }
        self.frames.push(Frame::new(FrameKind::Function, bound, &[]));
        for (index, clause) in clauses.iter().enumerate() {
            if index > 0 {
                self.expr(&clause.iter);
            }
            clause.conditions.iter().for_each(|expr| self.expr(expr));
        }
        elements.iter().for_each(|expr| self.expr(expr));
        self.frames.pop();
    }

    pub(super) fn opaque(&mut self, why: &'static str) {
        self.facts.opaque.get_or_insert(why);
    }

    fn name(&mut self, name: &str, span: Span) {
        self.note_unbound(name, span);
        match name {
            "globals" => self.opaque("it uses `globals()`"),
            "exec" => self.opaque("it uses `exec`"),
            _ => {}
        }
    }

    fn chain(&mut self, expr: &'t Expr, parts: &[&str]) {
        let Some((root, path)) = parts.split_first() else {
            return;
        };
        self.name(root, expr.span);
        if path.first() == Some(&"__dict__") {
            self.open(root, None);
        }
        let Some(subject) = self.subject(parts) else {
            return;
        };
        if let Subject::Target(target) = &subject {
            if matches!(target.root, Root::Builtin(_)) {
                return;
            }
            let now = !self.guards.function && !self.guards.conditional;
            if now && !self.guards.annotation {
                let step = Step::Use(target.clone(), self.pos(expr.span));
                self.facts.steps.push(step);
            }
        }
        self.facts.attributes.push(AttributeUse {
            pos: self.pos(expr.span),
            subject,
            guards: self.guards,
        });
    }

    fn call(&mut self, func: &'t Expr, args: &'t [Expr], keywords: &'t [Keyword]) {
        if self.is_import(func) {
            match imports::call(self.source, func, args, self.guards) {
                Some(import) => self.facts.imports.push(import),
                None => self.facts.imports_anything = true,
            }
        }
        match func.as_dotted() {
            Some(parts) => {
                self.special_call(&parts, args);
                self.record_call(func, &parts, args, keywords);
            }
            // `super().__setattr__(…)` and the like.
            None if func.last_part() == Some("__setattr__") => self.set_attribute(None, args),
            None => {
                if let Some((subject, shown)) = self.above(func).or_else(|| self.fresh(func)) {
                    self.push_call(func, subject, shown, args, keywords);
                } else if let Some(subject) = self.subject_on_call(func) {
                    let shown = func.last_part().unwrap_or_default().to_owned();
                    self.push_call(func, subject, shown, args, keywords);
                }
            }
        }
        self.expr(func);
        let outer = self.guards;
        self.guards = outer.in_expectation(func, args);
        args.iter().for_each(|arg| self.expr(arg));
        self.guards = outer;
        keywords.iter().for_each(|keyword| self.expr(&keyword.value));
    }

    /// Whether a callee is the interpreter's own way to import by name, and no function that is called like it.
    fn is_import(&self, func: &Expr) -> bool {
        let target = func.as_dotted().and_then(|parts| self.target(&parts));
        func.as_name() == Some("__import__")
            || target.is_some_and(|target| target.is_external("importlib", "import_module"))
    }

    /// `super().method` in a method of a class of the module.
    fn above(&self, func: &Expr) -> Option<(Subject, String)> {
        let ExprKind::Attribute { value, attr } = &func.kind else {
            return None;
        };
        let ExprKind::Call { func, args, .. } = &value.kind else {
            return None;
        };
        if func.as_name() != Some("super") || !args.is_empty() || self.target(&["super"])?.root != builtin("super") {
            return None;
        }
        let frame = self.frames.last()?;
        let (own, class) = frame.owner.filter(|_| frame.kind == FrameKind::Function)?;
        // In a class method `super()` is bound to the class.
        let [Bound { kind: Kind::Own, .. }] = frame.names.get(own)?.as_slice() else {
            return None;
        };
        let instance = Instance {
            class: self.facts.classes.get(class)?.target.clone(),
            how: How::Above,
            links: Vec::new(),
            escapes: false,
        };
        Some((
            Subject::Instance(instance, vec![attr.clone()]),
            format!("super().{attr}"),
        ))
    }

    /// `C(…).method`: a method of an object that was made on the spot.
    fn fresh(&self, func: &Expr) -> Option<(Subject, String)> {
        let ExprKind::Attribute { value, attr } = &func.kind else {
            return None;
        };
        let ExprKind::Call { func: maker, .. } = &value.kind else {
            return None;
        };
        let parts = maker.as_dotted()?;
        let instance = Instance {
            class: self.target(&parts)?,
            how: How::Constructed,
            escapes: false,
            links: Vec::new(),
        };
        Some((
            Subject::Instance(instance, vec![attr.clone()]),
            format!("{}(…).{attr}", parts.join(".")),
        ))
    }

    fn record_call(&mut self, func: &Expr, parts: &[&str], args: &[Expr], keywords: &[Keyword]) {
        if let Some(subject) = self.subject(parts) {
            self.push_call(func, subject, parts.join("."), args, keywords);
        }
    }

    fn push_call(&mut self, func: &Expr, subject: Subject, shown: String, args: &[Expr], keywords: &[Keyword]) {
        let mut call = Call {
            pos: self.pos(func.span),
            subject,
            shown,
            positional: args.len(),
            keywords: keywords.iter().filter_map(|k| k.name.clone()).collect(),
            star: args.iter().any(|arg| matches!(arg.kind, ExprKind::Starred(_))),
            double_star: keywords.iter().any(|keyword| keyword.name.is_none()),
            guards: self.guards,
        };
        call.positional -= args.iter().filter(|a| matches!(a.kind, ExprKind::Starred(_))).count();
        if is_partial(&call.subject)
            && let Some((callee, _)) = args.split_first()
            && let Some(parts) = callee.as_dotted()
            && let Some(subject) = self.subject(&parts)
        {
            // `partial(f, 1, x=2)`: what is missing comes later.
            call.subject = subject;
            call.shown = parts.join(".");
            call.positional = call.positional.saturating_sub(1);
            call.star = true;
            call.double_star = true;
        }
        let builtin = matches!(&call.subject, Subject::Target(target)
            if matches!(target.root, Root::Builtin(_)));
        if !builtin {
            self.facts.calls.push(call);
        }
    }

    /// Calls that change a namespace.
    fn special_call(&mut self, parts: &[&str], args: &'t [Expr]) {
        match parts {
            ["isinstance" | "issubclass" | "type" | "callable"] => self.narrowed(args),
            ["hasattr" | "getattr"] => {
                self.narrowed(args);
                let name = args.get(1).and_then(Expr::as_str);
                self.facts.asked_attributes.extend(name.map(str::to_owned));
            }
            ["setattr"] => self.set_attribute(args.first(), args.get(1..).unwrap_or(&[])),
            ["object", "__setattr__"] => {
                self.set_attribute(args.first(), args.get(1..).unwrap_or(&[]));
            }
            ["vars" | "locals"] if args.is_empty() && self.frames.len() == 1 => {
                self.opaque("it uses its own namespace as a mapping");
            }
            ["vars"] => {
                if let Some(name) = args.first().and_then(Expr::as_name) {
                    self.open(name, None);
                }
            }
            ["sys", "path", "append" | "insert" | "extend"] | ["site", "addsitedir"] => self.facts.changes_path = true,
            [.., "_convert_"] => self.opaque("it takes over the members of an enumeration"),
            ["__all__", "append" | "extend" | "remove"] => self.facts.all = ExportList::Computed,
            _ => {}
        }
    }

    /// `setattr(of, name, …)`; `None` for an object that has no name.
    fn set_attribute(&mut self, of: Option<&Expr>, rest: &[Expr]) {
        let name = rest.first().and_then(Expr::as_str);
        let Some(of) = of else {
            let owner = self.frames.iter().rev().find_map(|frame| frame.owner);
            match (name, owner.and_then(|(_, class)| self.facts.classes.get_mut(class))) {
                (Some(name), Some(class)) => Self::note_store(class, name),
                (None, Some(class)) => class.open = true,
                (_, None) => self.facts.opens.objects = true,
            }
            return;
        };
        match of.as_dotted().as_deref() {
            Some([root]) => self.open(root, name),
            Some(parts) => match (name, self.target(parts)) {
                (Some(name), _) => {
                    self.facts.stored_attributes.insert(name.to_owned());
                }
                (None, Some(target)) => self.facts.opens.targets.push(target),
                (None, None) => self.facts.opens.objects = true,
            },
            None => match name {
                Some(name) => {
                    self.facts.stored_attributes.insert(name.to_owned());
                }
                None => self.facts.opens.objects = true,
            },
        }
    }

    /// `root` gets the attribute `name`, or one whose name is not in the text.
    fn open(&mut self, root: &str, name: Option<&str>) {
        if let Some(class) = self.owner_of(root).and_then(|at| self.facts.classes.get_mut(at)) {
            match name {
                Some(name) => Self::note_store(class, name),
                None => class.open = true,
            }
            return;
        }
        match name {
            Some(name) => {
                self.facts.stored_attributes.insert(name.to_owned());
            }
            None => {
                self.facts.opens.objects = true;
                let target = self.target(&[root]);
                self.facts.opens.targets.extend(target);
            }
        }
    }

    /// Something is assigned to, or deleted.
    pub(super) fn store(&mut self, target: &'t Expr) {
        let place = match &target.kind {
            ExprKind::Subscript { value, .. } => value,
            _ => target,
        };
        self.facts.changes_path |= place.as_dotted().as_deref() == Some(&["sys", "path"]);
        match &target.kind {
            ExprKind::Name(_) => {}
            ExprKind::Starred(inner) => self.store(inner),
            ExprKind::Sequence { items, .. } => items.iter().for_each(|item| self.store(item)),
            ExprKind::Attribute { value, attr } => {
                let owner = value.as_name().and_then(|name| self.owner_of(name));
                match owner.and_then(|class| self.facts.classes.get_mut(class)) {
                    Some(class) => Self::note_store(class, attr),
                    None => {
                        self.facts.stored_attributes.insert(attr.clone());
                    }
                }
                self.expr(value);
            }
            _ => self.expr(target),
        }
    }
}

fn builtin(name: &str) -> Root {
    Root::Builtin(name.to_owned())
}

fn is_partial(subject: &Subject) -> bool {
    let Subject::Target(target) = subject else {
        return false;
    };
    match (&target.root, target.path.as_slice()) {
        (Root::Module(module), [name]) => module.name == "functools" && name == "partial",
        (Root::Member(module, name), []) => module.name == "functools" && name == "partial",
        _ => false,
    }
}
