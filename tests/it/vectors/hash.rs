use super::fields::{Fields, bytes_of, hex};
use pointsman::fingerprint;

pub fn row(call: &str, row: &mut Fields) {
    assert_eq!(call, "fingerprint", "{row}");
    let input = bytes_of(row.take("input"));
    let seed = row.seed();
    let expect = hex(&row.take::<String>("expect"));
    assert_eq!(fingerprint(&input, seed), expect, "{row}");
}
