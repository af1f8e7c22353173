//! What was found right before, by what it depended on: not checked again. Holds passes alone, in memory, and so
//! many of them at most; forgetting costs time and nothing else.

use interlock_domain::Digest;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Passes of one generation: some 100 bytes each.
const MOST: usize = 50_000;

/// The passes of one verifier.
#[derive(Debug, Default)]
pub struct Known {
    generations: Mutex<[HashMap<Digest, String>; 2]>,
    asked: AtomicU64,
    hits: AtomicU64,
}

impl Known {
    /// What was said about it when it passed.
    pub fn get(&self, key: &Digest) -> Option<String> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut generations = self.locked();
        let [young, old] = &mut *generations;
        let said = young.get(key).cloned().or_else(|| old.remove(key));
        let said = said?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        young.insert(*key, said.clone());
        Some(said)
    }

    /// Remembers a pass.
    pub fn learn(&self, key: Digest, said: String) {
        let mut generations = self.locked();
        let [young, old] = &mut *generations;
        if young.len() >= MOST {
            *old = std::mem::take(young);
        }
        young.insert(key, said);
    }

    /// How often it was asked since the start, and how often it knew.
    pub fn rate(&self) -> (u64, u64) {
        (self.asked.load(Ordering::Relaxed), self.hits.load(Ordering::Relaxed))
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, [HashMap<Digest, String>; 2]> {
        self.generations
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> Digest {
        Digest::of_parts([number.to_string().as_bytes()])
    }

    #[test]
    fn what_was_learnt_is_known_until_much_else_was() {
        let known = Known::default();
        assert_eq!(known.get(&key(0)), None);
        known.learn(key(0), "3.11".to_owned());
        assert_eq!(known.get(&key(0)).as_deref(), Some("3.11"));
        assert_eq!(known.rate(), (2, 1));
        for number in 1..=MOST {
            known.learn(key(number), String::new());
        }
        assert!(known.get(&key(0)).is_some(), "the older generation is still there");
        for number in 1..=3 * MOST {
            known.learn(key(number + MOST), String::new());
        }
        assert_eq!(known.get(&key(0)), None);
        let held: usize = known.locked().iter().map(HashMap::len).sum();
        assert!(held <= 2 * MOST);
    }
}
