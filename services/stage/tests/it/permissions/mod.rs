//! Every act that a stage might try, tried with each stage's own credentials, and judged by its effect.
//!
//! The acts are rows of tables: `direct` and `reading` hold what a stage asks for outright, `listening` what
//! it subscribes to, `deputies` the ways to have the server do it. Who may is written out by hand
//! there, and not taken from the table that the broker's configuration is generated from.

mod act;
mod actor;
mod deputies;
mod direct;
mod listening;
mod reading;
mod weak;
mod world;

use act::Row;
use interlock_domain::Stage;
use std::fmt::Write as _;
use world::World;

#[tokio::test]
async fn a_stage_can_do_what_it_may_and_nothing_else() {
    let mut world = World::new().await;
    let mut report = Report::default();
    for row in rows() {
        report.line(&mut world, &row).await;
    }
    println!("{}", report.text);
    assert!(report.wrong.is_empty(), "{}\n{}", report.text, report.wrong.join("\n"));
    world.assert_nothing_lost_or_forged().await;
}

fn rows() -> impl Iterator<Item = Row> {
    let direct = direct::rows().into_iter().chain(reading::rows());
    direct.chain(listening::rows()).chain(deputies::rows())
}

#[derive(Default)]
struct Report {
    group: &'static str,
    text: String,
    wrong: Vec<String>,
}

impl Report {
    async fn line(&mut self, world: &mut World, row: &Row) {
        if self.group != row.group {
            self.group = row.group;
            let stages = Stage::ALL.map(|stage| format!("{:>10}", stage.name()));
            writeln!(self.text, "\n{:<64}{}", row.group.to_uppercase(), stages.concat()).unwrap();
        }
        write!(self.text, "{:<64}", row.what).unwrap();
        for stage in Stage::ALL {
            let may = row.may.contains(&stage);
            let seen = world.attempt(stage, row).await;
            let word = if seen.happened() { "allowed" } else { "refused" };
            write!(self.text, "{word:>10}").unwrap();
            if may != seen.happened() {
                self.wrong
                    .push(format!("{stage} tried to {}: {word}; {seen:?}", row.what));
            }
        }
        self.text.push('\n');
    }
}
