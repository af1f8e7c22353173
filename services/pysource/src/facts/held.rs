//! What the attributes of objects hold: which class an attribute's value is of, where the text says so once.
//! Stays silent where an attribute is set in more than one place.

use super::classes::Class;
use super::scope::Kind;
use super::targets::{Held, How, Instance, Link, Subject, Target};
use super::walker::{FrameKind, Walker};
use crate::tree::{Expr, ExprKind, Stmt, StmtKind};
use std::collections::BTreeMap;

/// Longest chain of calls on the results of calls that is followed.
const MAX_CALLS: u32 = 8;

impl Instance {
    /// The links to what `self.a.b.method(…)` gives, for the members `a`, `b`, `method`.
    pub(super) fn with_call(&self, members: Vec<String>) -> Option<Vec<Link>> {
        let (method, before) = members.split_last()?;
        let mut links = self.links.clone();
        links.extend(before.iter().cloned().map(Link::Attribute));
        links.push(Link::Method(method.clone()));
        Some(links)
    }
}

impl<'t> Walker<'t, '_> {
    /// The object that a call gives.
    fn object(&self, expr: &Expr, steps: u32) -> Option<Instance> {
        let steps = steps.checked_sub(1)?;
        let ExprKind::Call { func, .. } = &expr.kind else {
            return None;
        };
        let (maker, members) = match func.as_dotted() {
            Some(parts) => match self.subject(&parts)? {
                Subject::Instance(maker, members) => (maker, members),
                Subject::Target(class) => {
                    return Some(Instance {
                        class,
                        how: How::Constructed,
                        links: Vec::new(),
                        escapes: true,
                    });
                }
            },
            None => self.asked_of_call(func, steps)?,
        };
        let links = maker.with_call(members)?;
        Some(Instance {
            links,
            escapes: true,
            ..maker
        })
    }

    /// `f(…).a.b`: the object that the call gives, and the attributes that are asked of it.
    fn asked_of_call(&self, expr: &Expr, steps: u32) -> Option<(Instance, Vec<String>)> {
        let mut members = Vec::new();
        let mut at = expr;
        while let ExprKind::Attribute { value, attr } = &at.kind {
            members.push(attr.clone());
            at = value;
        }
        members.reverse();
        Some((self.object(at, steps)?, members))
    }

    /// What a chain of attributes on a call stands for.
    pub(super) fn subject_on_call(&self, expr: &Expr) -> Option<Subject> {
        let (instance, members) = self.asked_of_call(expr, MAX_CALLS)?;
        (!members.is_empty()).then_some(Subject::Instance(instance, members))
    }

    /// `name: Class` in the body of a class.
    pub(super) fn annotated_members(&self, body: &[Stmt]) -> BTreeMap<String, Held> {
        let mut held = BTreeMap::new();
        for stmt in body {
            if let StmtKind::AnnAssign { target, annotation, .. } = &stmt.kind
                && let Some(name) = target.as_name()
            {
                let says = self.annotated(annotation).map_or(Held::Unclear, Held::Declared);
                held.insert(name.to_owned(), says);
            }
        }
        held
    }

    /// What an expression gives, where it is a plain call or an annotated parameter.
    pub(super) fn held_by(&self, value: &Expr) -> Held {
        match &value.kind {
            ExprKind::Call { func, .. } => self.plain_target(func).map_or(Held::Unclear, Held::Result),
            ExprKind::Name(name) => self.parameter(name).map_or(Held::Unclear, Held::Annotated),
            _ => Held::Unclear,
        }
    }

    fn plain_target(&self, func: &Expr) -> Option<Target> {
        self.target(&func.as_dotted()?)
    }

    /// The class in the annotation of a parameter of the innermost function that is bound nowhere else.
    fn parameter(&self, name: &str) -> Option<Target> {
        let frame = self.frames.last().filter(|frame| frame.kind == FrameKind::Function)?;
        let [bound] = frame.names.get(name)?.as_slice() else {
            return None;
        };
        match (bound.kind, self.subject(&[name])?) {
            (Kind::Param(Some(_)), Subject::Instance(instance, _)) => Some(instance.class),
            _ => None,
        }
    }

    /// Notes what `self.name = …` puts there.
    pub(super) fn hold(&mut self, target: &Expr, says: Held) {
        let ExprKind::Attribute { value, attr } = &target.kind else {
            return;
        };
        let owner = value.as_name().and_then(|name| self.owner_of(name));
        let Some(class) = owner.and_then(|at| self.facts.classes.get_mut(at)) else {
            return;
        };
        if !matches!(class.held.get(attr), Some(Held::Declared(_))) {
            class.held.insert(attr.clone(), says);
        }
    }

    /// An attribute of an object of the class is set by the class itself.
    pub(super) fn note_store(class: &mut Class, attr: &str) {
        class.own_attributes.insert(attr.to_owned());
        *class.stores.entry(attr.to_owned()).or_default() += 1;
    }

    /// `isinstance(x.name, …)` and the like: what the attribute holds is asked at run time.
    pub(super) fn narrowed(&mut self, args: &[Expr]) {
        if let Some(ExprKind::Attribute { attr, .. }) = args.first().map(|first| &first.kind) {
            self.facts.narrowed_attributes.insert(attr.clone());
        }
    }
}
