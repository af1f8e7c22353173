//! What a running program does, in a few words. What the program itself says of its progress is marked as such.

use super::text;
use interlock_domain::state::Phase;
use interlock_proto::v1::{LiveView, Liveness, SelfReport};

/// Width of the bar, in characters.
const BAR: usize = 12;
/// Longest note of the program's that is shown.
const NOTE: usize = 40;
/// Silence that is worth mentioning, in milliseconds.
const QUIET: u64 = 10_000;

/// What goes on in a run whose program runs; `None` where nothing is known or no program runs.
pub fn doing(phase: &Phase, view: Option<&LiveView>) -> Option<Vec<String>> {
    let view = view.filter(|_| *phase == Phase::Running)?;
    let live = view.live.as_ref()?;
    let mut parts = Vec::new();
    match view.liveness() {
        Liveness::Alive => {}
        Liveness::Dead => return Some(vec!["it has ended, the record follows".to_owned()]),
        Liveness::Unknown => parts.push(format!(
            "no sign of life for {}: whether it still runs is unknown",
            text::span(view.silent_ms)
        )),
    }
    if let Some(report) = &live.self_report {
        let elapsed = live.usage.as_ref().map_or(0, |usage| usage.elapsed_ms);
        parts.push(bar(report, elapsed));
    }
    if let Some(usage) = &live.usage {
        parts.push(text::span(usage.elapsed_ms));
        parts.push(format!("cpu {}", text::span(usage.cpu_ms)));
        parts.push(text::size(usage.memory_bytes));
        parts.push(text::count(usage.processes as usize, "process"));
        if usage.output_bytes > 0 {
            parts.push(format!("{} of output", text::size(usage.output_bytes)));
        }
        if usage.disk_bytes > 0 {
            parts.push(format!("{} on disk", text::size(usage.disk_bytes)));
        }
        if usage.quiet_ms >= QUIET {
            parts.push(format!("quiet for {}", text::span(usage.quiet_ms)));
        }
    }
    Some(parts)
}

/// How far the program says that it is, and how long the rest would take at the same pace.
fn bar(report: &SelfReport, elapsed_ms: u64) -> String {
    let share = (report.done / report.total).clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a small number, and times far below 2^52"
    )]
    let (full, percent, left) = (
        (share * BAR as f64).round() as usize,
        (share * 100.0).floor() as u64,
        (elapsed_ms as f64 * (1.0 - share) / share.max(f64::MIN_POSITIVE)) as u64,
    );
    let mut words = format!("[{}{}] {percent} %", "#".repeat(full), "-".repeat(BAR - full));
    if share > 0.0 && share < 1.0 {
        words.push_str(&format!(", about {} left", text::span(left)));
    }
    if !report.note.is_empty() {
        words.push_str(&format!(" ({})", text::clipped(&report.note, NOTE)));
    }
    words
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use interlock_proto::v1::{Live, Usage};

    fn view(liveness: Liveness, report: Option<SelfReport>) -> LiveView {
        LiveView {
            liveness: liveness.into(),
            silent_ms: 14_000,
            live: Some(Live {
                usage: Some(Usage {
                    elapsed_ms: 90_000,
                    cpu_ms: 80_000,
                    memory_bytes: 300 << 20,
                    processes: 3,
                    quiet_ms: 12_000,
                    ..Usage::default()
                }),
                self_report: report,
                ..Live::default()
            }),
        }
    }

    fn said(view: &LiveView) -> String {
        doing(&Phase::Running, Some(view)).unwrap().join(" · ")
    }

    #[test]
    fn a_running_program_is_seen_and_guessed_at() {
        let report = SelfReport {
            done: 3.0,
            total: 12.0,
            note: "epoch\x1b[2J 3".to_owned(),
        };
        let said = said(&view(Liveness::Alive, Some(report)));
        assert!(
            said.starts_with("[###---------] 25 %, about 4 min 30 s left (epoch"),
            "{said}"
        );
        assert!(!said.contains('\x1b'), "{said}");
        assert!(said.ends_with("300 MiB · 3 processes · quiet for 12.0 s"), "{said}");
    }

    #[test]
    fn the_beginning_has_no_end_in_sight() {
        let report = |done| SelfReport {
            done,
            total: 10.0,
            note: String::new(),
        };
        let at = |done| said(&view(Liveness::Alive, Some(report(done))));
        assert!(at(0.0).starts_with("[------------] 0 % ·"), "{}", at(0.0));
        assert!(at(10.0).starts_with("[############] 100 % ·"), "{}", at(10.0));
        assert!(at(1e-300).contains("left"), "{}", at(1e-300));
    }

    #[test]
    fn unknown_is_neither_alive_nor_dead() {
        let said_of = |liveness| said(&view(liveness, None));
        assert!(said_of(Liveness::Unknown).starts_with("no sign of life for 14.0 s: whether it still runs is unknown"));
        assert_eq!(said_of(Liveness::Dead), "it has ended, the record follows");
        assert_eq!(doing(&Phase::Ready, Some(&view(Liveness::Alive, None))), None);
        assert_eq!(doing(&Phase::Running, None), None);
    }
}
