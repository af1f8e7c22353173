//! From a dotted name at a place to what it stands for there: scopes, shadowing and rebinding.
//! Says nothing where a name has more than one meaning.

use super::scope::{Bound, Kind, Reach};
use super::targets::{How, Instance, Root, Subject, Target};
use super::walker::{Frame, FrameKind, Walker, import_target};
use crate::tree::{Expr, ExprKind};

/// Longest chain of `x = y(…)`, `y = z(…)` that is followed.
const MAX_STEPS: u32 = 8;

impl<'t> Walker<'t, '_> {
    /// What `parts` stands for here, an instance included.
    pub(super) fn subject(&self, parts: &[&str]) -> Option<Subject> {
        self.subject_below(parts, self.frames.len(), MAX_STEPS)
    }

    /// What `parts` stands for here, where it is no instance.
    pub(super) fn target(&self, parts: &[&str]) -> Option<Target> {
        match self.subject(parts)? {
            Subject::Target(target) => Some(target),
            Subject::Instance(..) => None,
        }
    }

    /// The class that an annotation names, where it names one alone.
    pub(super) fn annotated(&self, annotation: &Expr) -> Option<Target> {
        self.annotated_below(annotation, self.frames.len(), MAX_STEPS)
    }

    fn annotated_below(&self, annotation: &Expr, frames: usize, steps: u32) -> Option<Target> {
        let quoted: Vec<&str>;
        let parts = match &annotation.kind {
            ExprKind::Str(text) => {
                quoted = text.split('.').collect();
                let plain = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
                if !quoted.iter().all(plain) {
                    return None;
                }
                quoted
            }
            _ => annotation.as_dotted()?,
        };
        match self.subject_below(&parts, frames, steps)? {
            Subject::Target(target) => Some(target),
            Subject::Instance(..) => None,
        }
    }

    /// The innermost of the first `frames` scopes that binds `name`, and how.
    fn find(&self, name: &str, frames: usize) -> Option<(usize, &Frame<'t>, &[Bound<'t>])> {
        let visible = self.frames.get(..frames)?;
        for (index, frame) in visible.iter().enumerate().rev() {
            if frame.kind == FrameKind::Class && index + 1 != visible.len() {
                continue;
            }
            if frame.kind != FrameKind::Module && frame.globals.contains(name) {
                let module = self.frames.first()?;
                return Some((0, module, module.names.get(name)?));
            }
            if let Some(bound) = frame.names.get(name) {
                return Some((index, frame, bound));
            }
        }
        None
    }

    /// Whether some scope around this place binds `name` when the program runs.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        let runs = |bound: &Bound<'_>| bound.reach != Reach::Typing;
        let found = self.find(name, self.frames.len());
        found.is_some_and(|(_, frame, bound)| frame.kind != FrameKind::Module || bound.iter().any(runs))
    }

    fn subject_below(&self, parts: &[&str], frames: usize, steps: u32) -> Option<Subject> {
        let (name, path) = parts.split_first()?;
        let steps = steps.checked_sub(1)?;
        let Some((index, frame, bound)) = self.find(name, frames) else {
            // With a star import, an unknown name may come from there.
            let root = match self.has_star {
                true => Root::Local((*name).to_owned()),
                false => Root::Builtin((*name).to_owned()),
            };
            return Some(Subject::Target(Target::root(root).with(path)));
        };
        if frame.kind == FrameKind::Class {
            return None;
        }
        let instance = |class: Option<Target>, how| {
            let known = !frame.uses.narrowed.contains(name);
            let instance = Instance {
                class: class.filter(|_| known)?,
                how,
                links: Vec::new(),
                escapes: frame.uses.bare.contains(name),
            };
            let path = path.iter().map(|part| (*part).to_owned()).collect();
            Some(Subject::Instance(instance, path))
        };
        let first = bound.first()?;
        if let [one] = bound {
            match one.kind {
                Kind::Result(func) => {
                    let callee = func.as_dotted()?;
                    return match self.subject_below(&callee, index + 1, steps)? {
                        Subject::Target(target) => instance(Some(target), How::Constructed),
                        Subject::Instance(maker, members) => match instance(Some(maker.class.clone()), maker.how)? {
                            Subject::Instance(made, path) => {
                                let links = maker.with_call(members)?;
                                Some(Subject::Instance(Instance { links, ..made }, path))
                            }
                            Subject::Target(_) => None,
                        },
                    };
                }
                Kind::Param(Some(annotation)) => {
                    let class = self.annotated_below(annotation, index, steps);
                    return instance(class, How::Annotated);
                }
                Kind::Own => {
                    let class = frame.owner.and_then(|(_, class)| self.facts.classes.get(class));
                    return instance(class.map(|class| class.target.clone()), How::Own);
                }
                Kind::Module(_)
                | Kind::Member { .. }
                | Kind::Function(_)
                | Kind::Class(_)
                | Kind::Param(None)
                | Kind::Other => {}
            }
        }
        let imported = import_target(first.kind).filter(|target| {
            let same = |bound: &Bound<'_>| import_target(bound.kind).as_ref() == Some(target);
            bound.iter().all(same)
        });
        let target = match imported {
            Some(target) => target,
            None if index == 0 => Target::root(Root::Local((*name).to_owned())),
            None => return None,
        };
        Some(Subject::Target(target.with(path)))
    }

    /// The class whose `self` or `cls` the name is here.
    pub(super) fn owner_of(&self, name: &str) -> Option<usize> {
        let (_, frame, bound) = self.find(name, self.frames.len())?;
        let (own, class) = frame.owner?;
        (own == name && bound.len() == 1).then_some(class)
    }
}
