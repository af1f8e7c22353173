//! Whatever comes, in whatever order: the legal goes on, the illegal changes nothing, the end is the end.

use crate::chain::{next_control, next_record, opened, opened_control};
use crate::moves::{choices, one_of_each_kind};
use crate::samples::{digest, run_id};
use interlock_domain::state::{Event, Phase, Status, apply};
use interlock_domain::{Control, Opened, Record, RunId, RunState, Stage};
use proptest::prelude::*;

/// A run that chose its way by these numbers, and its records.
fn walk(ways: &[usize]) -> (Vec<Opened<Record>>, RunState) {
    let mut state = RunState::new(run_id());
    let mut records = Vec::new();
    for way in ways {
        let mut choices = choices(&state);
        if choices.is_empty() {
            break;
        }
        let payload = choices.swap_remove(way % choices.len());
        let record = opened(next_record(&state, payload));
        state = apply(state, Event::Record(&record)).unwrap();
        records.push(record);
    }
    (records, state)
}

/// Numbers that mostly choose the way straight on, so that runs come far.
fn ways() -> impl Strategy<Value = Vec<usize>> {
    proptest::collection::vec(prop_oneof![3 => Just(0usize), 2 => 0usize..12], 0..40)
}

fn shown(state: &RunState) -> String {
    format!("{state:?}")
}

fn controls(count: usize) -> Vec<Opened<Control>> {
    let mut state = RunState::new(run_id());
    let mut controls = Vec::new();
    for n in 0..count {
        let control = opened_control(next_control(&state, &format!("person {n}")));
        state = apply(state, Event::Control(&control)).unwrap();
        controls.push(control);
    }
    controls
}

/// Chain and lane as they come when the lane's controls fall between the chain's records at these places.
fn interleaved(records: &[Opened<Record>], controls: &[Opened<Control>], places: &[usize]) -> RunState {
    let mut state = RunState::new(run_id());
    let mut places: Vec<usize> = places.iter().map(|p| p % (records.len() + 1)).collect();
    places.sort_unstable();
    let mut lane = controls.iter().zip(places).peekable();
    for at in 0..=records.len() {
        while let Some((control, _)) = lane.next_if(|(_, place)| *place == at) {
            state = apply(state, Event::Control(control)).unwrap();
        }
        if let Some(record) = records.get(at) {
            state = apply(state, Event::Record(record)).unwrap();
        }
    }
    state
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn numbers_follow_and_the_end_is_the_end(ways in ways()) {
        let (records, end) = walk(&ways);
        let mut state = RunState::new(run_id());
        for (before, record) in records.iter().enumerate() {
            prop_assert_eq!(state.seq, before as u64);
            prop_assert_eq!(state.chain_actor(), Some(record.value.stage));
            prop_assert_ne!(&state.phase, &Phase::Finished);
            state = apply(state, Event::Record(record)).unwrap();
            prop_assert_eq!(state.head, Some(record.digest));
            prop_assert_eq!(state.chain_actor().is_none(), state.phase == Phase::Finished);
        }
        prop_assert_eq!(shown(&state), shown(&end), "reading the records again gives the same state");
        if end.phase == Phase::Finished {
            let is_ended = matches!(end.status(), Status::Ended(_));
            prop_assert!(is_ended);
            for payload in one_of_each_kind(&end) {
                let record = opened(next_record(&end, payload));
                prop_assert!(apply(end.clone(), Event::Record(&record)).is_err());
            }
        }
    }

    #[test]
    fn the_lane_and_the_chain_do_not_race(
        ways in ways(),
        count in 0usize..4,
        one in proptest::collection::vec(any::<usize>(), 4),
        other in proptest::collection::vec(any::<usize>(), 4),
    ) {
        let (records, alone) = walk(&ways);
        let controls = controls(count);
        let one = interleaved(&records, &controls, &one[..count]);
        let other = interleaved(&records, &controls, &other[..count]);
        prop_assert_eq!(shown(&one), shown(&other));
        prop_assert_eq!(one.is_cancelled(), count > 0 && alone.outcome.is_none());
        prop_assert_eq!(&one.phase, &alone.phase);
        let status = if one.is_cancelled() { Status::Cancelled } else { alone.status() };
        prop_assert_eq!(one.status(), status);
        prop_assert_eq!(one.cancel.map(|c| c.k), (count > 0).then_some(1));
    }

    #[test]
    fn what_is_out_of_place_changes_nothing(
        ways in ways(),
        at in any::<prop::sample::Index>(),
        stage in prop::sample::select(Stage::ALL.to_vec()),
        shift in prop_oneof![Just(-1i64), Just(1), Just(2), any::<i64>()],
        parent in prop_oneof![Just(None), any::<String>().prop_map(|text| Some(digest(&text)))],
    ) {
        let (records, end) = walk(&ways);
        // Duplicates, and records that come before their turn or after it, in a prefix of the chain.
        let reached = at.index(records.len() + 1);
        let mut state = RunState::new(run_id());
        for record in &records[..reached] {
            state = apply(state, Event::Record(record)).unwrap();
        }
        for (place, record) in records.iter().enumerate() {
            if place != reached {
                prop_assert!(apply(state.clone(), Event::Record(record)).is_err(), "record {} after {}", place, reached);
            }
        }
        // The right record with one thing about it changed.
        if let Some(good) = records.get(reached) {
            let changes: [fn(&mut Record, Stage, i64, Option<interlock_domain::Digest>); 4] = [
                |r, stage, _, _| r.stage = stage,
                |r, _, shift, _| r.seq = r.seq.wrapping_add_signed(shift),
                |r, _, _, parent| r.parent = parent,
                |r, _, shift, _| r.run = RunId::from_parts(shift.unsigned_abs() >> 20, 1),
            ];
            for change in changes {
                let mut record = good.value.clone();
                change(&mut record, stage, shift, parent);
                let changed = record != good.value;
                prop_assert_eq!(apply(state.clone(), Event::Record(&opened(record))).is_err(), changed);
            }
            // The time never decides anything.
            let mut record = good.value.clone();
            record.time_unix_ms = shift;
            prop_assert!(apply(state.clone(), Event::Record(&opened(record))).is_ok());
        }
        // After all that, the chain goes on to where it went.
        for record in &records[reached..] {
            state = apply(state, Event::Record(record)).unwrap();
        }
        prop_assert_eq!(shown(&state), shown(&end));
    }

    #[test]
    fn a_record_of_another_way_does_not_fit(one in ways(), other in ways()) {
        let ((_, end), (others, _)) = (walk(&one), walk(&other));
        for record in &others {
            let fits = record.value.seq == end.seq + 1 && record.value.parent == end.head;
            if !fits {
                prop_assert!(apply(end.clone(), Event::Record(record)).is_err());
            }
        }
    }

    #[test]
    fn any_kind_from_any_stage_is_legal_only_from_the_next_actor(ways in ways(), stage in prop::sample::select(Stage::ALL.to_vec())) {
        let (_, state) = walk(&ways);
        for payload in one_of_each_kind(&state) {
            let mut record = next_record(&state, payload);
            record.stage = stage;
            let writer = record.payload.writer();
            if let Ok(after) = apply(state.clone(), Event::Record(&opened(record))) {
                prop_assert_eq!(state.chain_actor(), Some(stage));
                prop_assert!(writer.is_none_or(|w| w == stage));
                prop_assert_eq!(after.seq, state.seq + 1);
            }
        }
    }
}
