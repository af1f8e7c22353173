//! Classes of a module: bases, members, fields, and what makes them open to attributes that the text does not show.

use super::scope::{self, Kind};
use super::signature::{Decorator, Function, Param, Params};
use super::targets::{Held, Root, Target};
use super::walker::Walker;
use crate::source::{Pos, Span};
use crate::tree::{self, ClassDef, Expr, ExprKind, FunctionDef, Keyword, Stmt, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// A class of the module, or a class inside one.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    pub(crate) pos: Pos,
    /// The class itself, as this file names it.
    pub(crate) target: Target,
    /// `None` for a base that is no dotted name.
    pub(crate) bases: Vec<Option<Target>>,
    /// `metaclass=…`; the inner `None` where it is no dotted name.
    pub(crate) metaclass: Option<Option<Target>>,
    /// There are keywords other than `metaclass`.
    pub(crate) keywords: bool,
    pub(crate) decorators: Vec<Decorator>,
    pub(crate) members: BTreeMap<String, Vec<Member>>,
    /// Annotated names in order: the fields, should this be a dataclass.
    pub(crate) fields: Vec<Field>,
    /// Set on `self` or `cls` by the class's own methods.
    pub(crate) own_attributes: BTreeSet<String>,
    /// What the attributes of its objects hold: those set on `self` or annotated in the body.
    pub(crate) held: BTreeMap<String, Held>,
    /// How often each attribute is set by the class's own methods.
    pub(crate) stores: BTreeMap<String, u32>,
    /// May get attributes that the text does not name.
    pub(crate) open: bool,
    /// Parts of the body may or may not run.
    pub(crate) conditional: bool,
    /// The body is nothing but `pass`, `...` or a docstring.
    pub(crate) hollow: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) pos: Pos,
    pub(crate) kind: MemberKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemberKind {
    /// Index into `Facts::functions`.
    Method(usize),
    /// Index into `Facts::classes`.
    Class(usize),
    Other,
}

/// `name: annotation = value` in a class body.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) has_default: bool,
    /// `ClassVar`: no field after all.
    pub(crate) class_variable: bool,
    /// `_: KW_ONLY`: all that follow are keyword-only.
    pub(crate) keyword_marker: bool,
    /// `field(init=…)`.
    pub(crate) init: Option<bool>,
    /// `field(kw_only=…)`.
    pub(crate) kw_only: Option<bool>,
    /// `field(…)` with arguments that are not literal.
    pub(crate) unclear: bool,
}

impl<'t> Walker<'t, '_> {
    /// Adds the class and everything in it to the facts; returns its index.
    pub(super) fn class(&mut self, def: &'t ClassDef, span: Span, target: Target) -> usize {
        let base = |walker: &Self, expr: &Expr| {
            let expr = match &expr.kind {
                ExprKind::Subscript { value, .. } => value,
                _ => expr,
            };
            walker.target(&expr.as_dotted()?)
        };
        let metaclass = def.keywords.iter().find(|k| k.name.as_deref() == Some("metaclass"));
        let class = Class {
            name: def.name.clone(),
            pos: self.pos(span),
            target: target.clone(),
            bases: def.bases.iter().map(|expr| base(self, expr)).collect(),
            metaclass: metaclass.map(|keyword| base(self, &keyword.value)),
            keywords: def.keywords.len() > usize::from(metaclass.is_some()),
            decorators: def.decorators.iter().map(|expr| self.decorator(expr)).collect(),
            members: BTreeMap::new(),
            fields: Vec::new(),
            own_attributes: BTreeSet::new(),
            held: BTreeMap::new(),
            stores: BTreeMap::new(),
            open: false,
            conditional: def.body.iter().any(is_compound),
            hollow: def.body.iter().all(is_empty),
        };
        let index = self.facts.classes.len();
        self.facts.classes.push(class);
        self.class_index.insert(std::ptr::from_ref(def), index);
        let members = self.members(def, &target);
        let fields = self.fields(&def.body);
        let held = self.annotated_members(&def.body);
        if let Some(class) = self.facts.classes.get_mut(index) {
            class.members = members;
            class.fields = fields;
            class.held = held;
            class.own_attributes.extend(slots(&def.body));
        }
        index
    }

    fn members(&mut self, def: &'t ClassDef, target: &Target) -> BTreeMap<String, Vec<Member>> {
        let mut members: BTreeMap<String, Vec<Member>> = BTreeMap::new();
        for bound in scope::bindings(&def.body) {
            let kind = match bound.kind {
                Kind::Function(def) => {
                    let function = self.function(def, bound.span);
                    self.facts.functions.push(function);
                    MemberKind::Method(self.facts.functions.len() - 1)
                }
                Kind::Class(inner) => {
                    let target = target.clone().with(&[&inner.name]);
                    MemberKind::Class(self.class(inner, bound.span, target))
                }
                Kind::Module(_) | Kind::Member { .. } | Kind::Result(_) | Kind::Param(_) | Kind::Own | Kind::Other => {
                    MemberKind::Other
                }
            };
            let pos = self.pos(bound.span);
            let list = members.entry(bound.name.to_owned()).or_default();
            list.push(Member { pos, kind });
        }
        members
    }

    fn fields(&self, body: &[Stmt]) -> Vec<Field> {
        let mut fields = Vec::new();
        for stmt in body {
            if let StmtKind::AnnAssign {
                target,
                annotation,
                value,
            } = &stmt.kind
                && let Some(name) = target.as_name()
            {
                let mut field = Field {
                    name: name.to_owned(),
                    has_default: value.is_some(),
                    class_variable: annotated_as(annotation, "ClassVar"),
                    keyword_marker: annotated_as(annotation, "KW_ONLY"),
                    init: None,
                    kw_only: None,
                    unclear: false,
                };
                if let Some(ExprKind::Call { func, keywords, .. }) = value.as_ref().map(|v| &v.kind) {
                    self.field_call(func, keywords, &mut field);
                }
                fields.push(field);
            }
        }
        fields
    }

    fn field_call(&self, func: &Expr, keywords: &[Keyword], field: &mut Field) {
        let target = func.as_dotted().and_then(|parts| self.target(&parts));
        if !target.is_some_and(|target| target.is_external("dataclasses", "field")) {
            return;
        }
        field.has_default = false;
        for keyword in keywords {
            let literal = match keyword.value.kind {
                ExprKind::Bool(value) => Some(value),
                _ => None,
            };
            match (keyword.name.as_deref(), literal) {
                (Some("default" | "default_factory"), _) => field.has_default = true,
                (Some("init"), Some(value)) => field.init = Some(value),
                (Some("kw_only"), Some(value)) => field.kw_only = Some(value),
                (Some("init" | "kw_only") | None, _) => field.unclear = true,
                (Some(_), _) => {}
            }
        }
    }

    pub(super) fn decorator(&self, expr: &Expr) -> Decorator {
        let (callee, args, keywords): (_, &[Expr], &[Keyword]) = match &expr.kind {
            ExprKind::Call { func, args, keywords } => (&**func, args, keywords),
            _ => (expr, &[], &[]),
        };
        let mut switches = Vec::new();
        for keyword in keywords {
            if let (Some(name), ExprKind::Bool(value)) = (&keyword.name, &keyword.value.kind) {
                switches.push((name.clone(), *value));
            }
        }
        Decorator {
            target: callee.as_dotted().and_then(|parts| self.target(&parts)),
            called: matches!(expr.kind, ExprKind::Call { .. }),
            other_arguments: args.len() + keywords.len() > switches.len(),
            switches,
        }
    }

    pub(super) fn function(&self, def: &FunctionDef, span: Span) -> Function {
        let list = |params: &[tree::Param]| {
            let one = |param: &tree::Param| Param {
                name: param.name.clone(),
                has_default: param.default.is_some(),
            };
            params.iter().map(one).collect()
        };
        let returns = def.returns.as_ref().filter(|_| !def.is_async);
        Function {
            name: def.name.clone(),
            pos: self.pos(span),
            params: Params {
                posonly: list(&def.params.posonly),
                args: list(&def.params.args),
                vararg: def.params.vararg.is_some(),
                kwonly: list(&def.params.kwonly),
                kwarg: def.params.kwarg.is_some(),
            },
            decorators: def.decorators.iter().map(|expr| self.decorator(expr)).collect(),
            returns: returns.and_then(|annotation| self.annotated(annotation)),
            wrapping: super::wrapping::wrapping(def),
            shown: shown(def),
        }
    }
}

impl Target {
    /// Whether this is `module.name`, however it was imported.
    pub(super) fn is_external(&self, module: &str, name: &str) -> bool {
        match (&self.root, self.path.as_slice()) {
            (Root::Module(root), [attr]) => root.name == module && attr == name,
            (Root::Member(root, member), []) => root.level == 0 && root.name == module && member == name,
            _ => false,
        }
    }
}

/// Part of a class body that may or may not run: what it defines cannot be told.
fn is_compound(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::If { .. }
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::Try(_)
            | StmtKind::With { .. }
            | StmtKind::Match { .. }
    )
}

fn is_empty(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Pass => true,
        StmtKind::Expr(value) => matches!(value.kind, ExprKind::Str(_) | ExprKind::Ellipsis),
        _ => false,
    }
}

/// Whether an annotation is `name`, `module.name`, `name[…]`, or one of these in quotes.
fn annotated_as(annotation: &Expr, name: &str) -> bool {
    match &annotation.kind {
        ExprKind::Subscript { value, .. } => value.last_part() == Some(name),
        ExprKind::Str(text) => {
            let head = text.split('[').next().unwrap_or(text);
            head.rsplit('.').next().map(str::trim) == Some(name)
        }
        _ => annotation.last_part() == Some(name),
    }
}

/// The names in a literal `__slots__`.
fn slots(body: &[Stmt]) -> Vec<String> {
    let mut names = Vec::new();
    for stmt in body {
        if let StmtKind::Assign { targets, value } = &stmt.kind
            && targets.iter().any(|target| target.as_name() == Some("__slots__"))
        {
            let items: Vec<&Expr> = match &value.kind {
                ExprKind::Sequence { items, .. } => items.iter().collect(),
                // The keys are the names, the values their documentation.
                ExprKind::Dict(pairs) => pairs.iter().filter_map(|(key, _)| key.as_ref()).collect(),
                _ => vec![value],
            };
            names.extend(items.into_iter().filter_map(Expr::as_str).map(str::to_owned));
        }
    }
    names
}

/// The signature on one line; defaults are shown as `…`.
fn shown(def: &FunctionDef) -> String {
    let params = &def.params;
    let one = |param: &tree::Param| match param.default {
        Some(_) => format!("{}=…", param.name),
        None => param.name.clone(),
    };
    let mut parts: Vec<String> = params.posonly.iter().map(one).collect();
    if !params.posonly.is_empty() {
        parts.push("/".to_owned());
    }
    parts.extend(params.args.iter().map(one));
    match &params.vararg {
        Some(param) => parts.push(format!("*{}", param.name)),
        None if !params.kwonly.is_empty() => parts.push("*".to_owned()),
        None => {}
    }
    parts.extend(params.kwonly.iter().map(one));
    parts.extend(params.kwarg.iter().map(|param| format!("**{}", param.name)));
    format!("{}({})", def.name, parts.join(", "))
}
