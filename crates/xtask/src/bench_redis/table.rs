//! The table, and whether it is good enough.

use super::rows::Bounds;
use crate::command::Outcome;

/// What was measured of one row.
pub struct Line {
    pub name: String,
    pub bounds: Option<Bounds>,
    /// Commands that its scripts call, and how often in one round of its calls.
    pub inside: Vec<(String, f64)>,
    /// Its cost beside `return 1`, one a round.
    pub ratios: Vec<f64>,
    /// What `return 1` cost, in microseconds, one a round.
    pub floor_us: Vec<f64>,
}

/// Prints the table. Fails where a ratio is far beyond its gate.
pub fn print(lines: &[Line]) -> Outcome<()> {
    let header = [
        "cost of `return 1` = 1",
        "ratio",
        "target",
        "gate",
        "commands inside",
    ];
    let [name, ratio, target, gate, inside] = header;
    println!("{name:<38} {ratio:>6} {target:>7} {gate:>6}  {inside}");
    let mut beyond = Vec::new();
    for line in lines {
        let ratio = median(&line.ratios);
        let (target, gate) = match line.bounds {
            Some(bounds) => (bounds.target.to_string(), bounds.gate.to_string()),
            None => ("–".into(), "–".into()),
        };
        let inside = inside_of(line);
        println!(
            "{:<38} {ratio:>6.2} {target:>7} {gate:>6}  {inside}",
            line.name
        );
        if let Some(bounds) = line.bounds.filter(|bounds| ratio > bounds.gate) {
            println!("{:<38} {:>6} beyond its gate", "", "");
            if ratio > bounds.most {
                beyond.push(format!(
                    "{}: {ratio:.2}, at most {}",
                    line.name, bounds.most
                ));
            }
        }
    }
    print_noise(lines);
    match beyond.is_empty() {
        true => Ok(()),
        false => Err(format!("too dear: {}", beyond.join("; "))),
    }
}

/// Prints how long one call took.
pub fn print_worst(name: &str, times_us: &[f64], floor_us: f64) {
    let middle = median(times_us);
    let times = middle / floor_us;
    println!("{name:<52} {middle:>7.0} µs {times:>7.0} x `return 1`");
}

/// What `return 1` cost, in microseconds.
pub fn floor_us(lines: &[Line]) -> f64 {
    let all: Vec<f64> = lines
        .iter()
        .flat_map(|line| line.floor_us.clone())
        .collect();
    median(&all)
}

fn inside_of(line: &Line) -> String {
    let often = |(name, often): &(String, f64)| match (often * 100.0).round() {
        100.0 => name.clone(),
        hundredths => format!("{} {name}", hundredths / 100.0),
    };
    line.inside.iter().map(often).collect::<Vec<_>>().join(", ")
}

fn print_noise(lines: &[Line]) {
    let floors: Vec<f64> = lines
        .iter()
        .flat_map(|line| line.floor_us.clone())
        .collect();
    let spreads: Vec<f64> = lines.iter().map(|line| spread(&line.ratios)).collect();
    println!(
        "`return 1` cost {:.2} µs of the server's processor, give or take {:.0} %; half of the \
         rounds lie within {:.0} % of a row's median",
        median(&floors),
        100.0 * spread(&floors),
        100.0 * median(&spreads),
    );
}

/// Half of the values lie within this share of the median.
fn spread(values: &[f64]) -> f64 {
    let middle = median(values);
    let away: Vec<f64> = (values.iter().map(|value| (value - middle).abs())).collect();
    median(&away) / middle
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
