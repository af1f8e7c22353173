//! Identity of a call: what is never paid for twice, and what a record says of it.

use interlock_domain::payload::ModelCall;
use interlock_domain::{Digest, RunId};

use crate::answer::{Answer, Prompt};

impl Prompt {
    /// Identity of the text as sent.
    pub fn digest(&self) -> Digest {
        Digest::of_parts([self.system.as_bytes(), self.user.as_bytes()])
    }

    /// Identity of the call that sends this for `purpose` in `run`. The model is no part of it: an
    /// answer that is stored stands, whatever is configured later.
    pub fn call_key(&self, run: RunId, purpose: &str) -> Digest {
        Digest::of_parts([
            run.to_string().as_bytes(),
            purpose.as_bytes(),
            self.system.as_bytes(),
            self.user.as_bytes(),
        ])
    }
}

impl Answer {
    /// What the record says of the call that gave this answer to `prompt`.
    pub fn call(&self, key: Digest, prompt: &Prompt) -> ModelCall {
        ModelCall {
            key,
            prompt: prompt.digest(),
            model: self.model.clone(),
            input_tokens: self.usage.input_tokens,
            output_tokens: self.usage.output_tokens,
            latency_ms: u64::try_from(self.latency.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Finish, Usage};
    use std::time::Duration;

    fn prompt(system: &str, user: &str) -> Prompt {
        Prompt {
            system: system.to_owned(),
            user: user.to_owned(),
            ..Prompt::default()
        }
    }

    #[test]
    fn keys_differ_by_every_part_and_only_by_those() {
        let (one, two) = (RunId::from_parts(1, 1), RunId::from_parts(1, 2));
        let key = prompt("ab", "c").call_key(one, "plan");
        assert_eq!(key, prompt("ab", "c").call_key(one, "plan"));
        for other in [
            prompt("a", "bc").call_key(one, "plan"),
            prompt("ab", "c").call_key(two, "plan"),
            prompt("ab", "c").call_key(one, "write x"),
            prompt("ab", "d").call_key(one, "plan"),
        ] {
            assert_ne!(key, other);
        }
    }

    #[test]
    fn an_answer_survives_being_stored() {
        let answer = Answer {
            text: "```\nx = 'é\\n'\n```".to_owned(),
            finish: Finish::Refused("no".to_owned()),
            usage: Usage {
                input_tokens: 3,
                output_tokens: 4,
                estimated: true,
            },
            model: "m".to_owned(),
            latency: Duration::from_micros(1_234_567),
            attempts: 2,
        };
        let stored = serde_json::to_vec(&answer).unwrap();
        let again: Answer = serde_json::from_slice(&stored).unwrap();
        assert_eq!(answer, again);
        let call = again.call(Digest::of(b"k"), &prompt("s", "u"));
        assert_eq!((call.latency_ms, call.output_tokens), (1_234, 4));
        assert_eq!(call.prompt, prompt("s", "u").digest());
    }
}
