//! The order in which a class asks its bases, as Python computes it.

use super::{Entity, Workspace};
use crate::facts::Class;

/// A class of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClassId {
    pub(crate) file: String,
    /// Index into the classes of that file's facts.
    pub(crate) index: usize,
}

/// One entry of a resolution order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Class(ClassId),
    /// Dotted name of a class outside the workspace.
    External(String),
    Unknown,
}

/// The classes that are asked for an attribute, in order, the class itself first.
pub(crate) type Mro = Vec<Base>;

/// Deepest hierarchy that is followed.
const MAX_DEPTH: u32 = 64;

impl Workspace {
    pub(crate) fn class(&self, id: &ClassId) -> Option<&Class> {
        self.facts(&id.file)?.classes.get(id.index)
    }

    /// The resolution order of a class; contains [`Base::Unknown`] where it cannot be told.
    pub(crate) fn mro(&self, id: &ClassId) -> Mro {
        self.mro_below(id, MAX_DEPTH)
    }

    fn mro_below(&self, id: &ClassId, depth: u32) -> Mro {
        let own = Base::Class(id.clone());
        let (Some(class), Some(depth)) = (self.class(id), depth.checked_sub(1)) else {
            return vec![own, Base::Unknown];
        };
        let bases: Vec<Base> = class
            .bases
            .iter()
            .map(|base| match base.as_ref().map(|base| self.resolve(&id.file, base)) {
                Some(Entity::Class(base)) => Base::Class(base),
                Some(Entity::External(name)) => Base::External(name),
                Some(Entity::Module(_) | Entity::Function(_) | Entity::Instance(_) | Entity::Unknown) | None => {
                    Base::Unknown
                }
            })
            .collect();
        let mut lists: Vec<Vec<Base>> = bases
            .iter()
            .map(|base| match base {
                Base::Class(base) => self.mro_below(base, depth),
                Base::External(_) | Base::Unknown => vec![base.clone()],
            })
            .collect();
        lists.push(bases);
        let mut order = vec![own];
        match merge(lists) {
            Some(rest) => order.extend(rest),
            None => order.push(Base::Unknown),
        }
        order
    }
}

/// The merge of C3 linearisation; `None` where no order is consistent.
fn merge(mut lists: Vec<Vec<Base>>) -> Option<Vec<Base>> {
    let mut order = Vec::new();
    loop {
        lists.retain(|list| !list.is_empty());
        if lists.is_empty() {
            return Some(order);
        }
        let in_tail = |head: &Base| lists.iter().any(|list| list.iter().skip(1).any(|b| b == head));
        let head = lists
            .iter()
            .filter_map(|list| list.first())
            .find(|head| **head == Base::Unknown || !in_tail(head))?
            .clone();
        for list in &mut lists {
            if list.first() == Some(&head) {
                list.remove(0);
            }
        }
        order.push(head);
    }
}
