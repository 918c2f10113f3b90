//! Contestants run in turn, round after round, so that a busy machine slows all of them alike: the
//! ratios hold where the times do not.

use std::fmt::{Debug, Write};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long one contestant runs in one round.
const TURN: Duration = Duration::from_micros(800);

/// Contestants that answer the same question about the same items. The first one is ours.
pub struct Race<'a, I> {
    title: String,
    items: &'a [I],
    /// Where throughput is of interest: the bytes of an item.
    bytes: Option<usize>,
    contestants: Vec<Contestant<'a, I>>,
}

/// Answers this many items.
type Turn<'a, I> = Box<dyn FnMut(&[I], usize) + 'a>;

struct Contestant<'a, I> {
    name: &'static str,
    turn: Turn<'a, I>,
    calls: usize,
    nanoseconds: Vec<f64>,
}

impl<'a, I> Race<'a, I> {
    pub fn new(title: impl Into<String>, items: &'a [I]) -> Self {
        Self {
            title: title.into(),
            items,
            bytes: None,
            contestants: Vec::new(),
        }
    }

    /// Prints GB/s too, an item having this many bytes.
    #[allow(dead_code, reason = "each bench compiles its own copy of this module")]
    pub fn of_bytes(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// A contestant. It must answer different items differently, or it does not do the work.
    pub fn enter<T: PartialEq + Debug>(
        mut self,
        name: &'static str,
        mut call: impl FnMut(&I) -> T + 'a,
    ) -> Self {
        let first = call(&self.items[0]);
        assert!(
            self.items[1..].iter().any(|item| call(item) != first),
            "{name} answers every item with {first:?}"
        );
        self.contestants.push(Contestant {
            name,
            turn: Box::new(move |items, calls| {
                for item in items.iter().cycle().take(calls) {
                    black_box(call(black_box(item)));
                }
            }),
            calls: 1,
            nanoseconds: Vec::new(),
        });
        self
    }

    /// Runs all rounds and prints medians.
    pub fn run(mut self) {
        for contestant in &mut self.contestants {
            while contestant.time(self.items) < TURN {
                contestant.calls *= 2;
            }
        }
        for _ in 0..rounds() {
            for contestant in &mut self.contestants {
                let time = contestant.time(self.items).as_nanos() as f64;
                contestant.nanoseconds.push(time / contestant.calls as f64);
            }
        }
        print!("{}", self.table());
    }

    fn table(&self) -> String {
        let throughput = if self.bytes.is_some() { "GB/s" } else { "" };
        let mut table = format!(
            "\n{:44} {:>12} {:>12} {throughput:>8}\n",
            self.title, "ns a call", "times ours"
        );
        for contestant in &self.contestants {
            let time = median(contestant.nanoseconds.clone());
            let ours = &self.contestants[0].nanoseconds;
            let ratios = contestant.nanoseconds.iter().zip(ours);
            let ratio = median(ratios.map(|(theirs, ours)| theirs / ours).collect());
            let throughput = self
                .bytes
                .map(|bytes| format!("{:8.1}", bytes as f64 / time))
                .unwrap_or_default();
            let _ = writeln!(
                table,
                "  {:42} {time:12.1} {ratio:12.2} {throughput}",
                contestant.name
            );
        }
        table
    }
}

impl<I> Contestant<'_, I> {
    fn time(&mut self, items: &[I]) -> Duration {
        let start = Instant::now();
        (self.turn)(items, self.calls);
        start.elapsed()
    }
}

/// `cargo bench -- --quick` runs fewer rounds.
fn rounds() -> usize {
    if std::env::args().any(|argument| argument == "--quick") {
        7
    } else {
        51
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
