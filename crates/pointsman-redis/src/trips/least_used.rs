//! Trips for the least used: the list is brought in where it is missing, or older.

use super::*;

#[test]
fn counts_that_redis_has_lost_are_configured_once_and_asked_again() {
    let accounts = RedisLeastUsed::new("k", &[("a", 1)], 3);
    let unknown = || answer!("unknown", 1, NOW_MS, 0);
    let configured = || answer!("configured", 1, NOW_MS, 3, 1);
    let picked = answer!("picked", 1, NOW_MS, 3, ":a", 1, 0);
    let mut con = Scripted::new([unknown(), configured(), picked]);
    let pick = accounts.pick().id("r").query(&mut con);
    assert!(matches!(pick, Ok(Picked::Upstream { count: 1, .. })));
    let digest = |call: usize| con.sent[call][1].as_str();
    assert_eq!(digest(1), bundle::CONFIGURE_LEAST_USED.sha1);
    assert_eq!([digest(0), digest(2)], [bundle::PICK_LEAST_USED.sha1; 2]);
    assert_eq!([con.arguments(0), con.arguments(2)], [["r"]; 2]);
    // Somebody else was faster, with a newer list.
    let older = answer!("older", 1, NOW_MS, 4);
    let mut con = Scripted::new([unknown(), older, answer!("unknown_upstream", 1, NOW_MS, 4)]);
    let record = accounts.record("a", 5).query(&mut con);
    assert_eq!(record, Ok(Recorded::UnknownUpstream { version: 4 }));
    let mut con = Scripted::new([unknown(), configured(), unknown()]);
    assert_eq!(accounts.pick().query(&mut con), Ok(Picked::Unknown));
    let strange = answer!("configured", 1, NOW_MS, 3);
    let mut con = Scripted::new([unknown(), strange, unknown()]);
    let pick = accounts.pick().query(&mut con);
    assert!(pick.is_err_and(|error| error.is_unreadable()));
    let mut con = Scripted::new([unknown(), configured(), unknown()]);
    assert_eq!(
        accounts.record("a", 1).query(&mut con),
        Ok(Recorded::Unknown)
    );
}

#[test]
fn an_older_list_in_force_gives_its_answer_and_is_replaced_for_the_next_call() {
    let accounts = RedisLeastUsed::new("k", &[("a", 1)], 3);
    let picked = || answer!("picked", 1, NOW_MS, 2, ":b", 7, 0);
    let configured = answer!("configured", 1, NOW_MS, 3, 1);
    let mut con = Scripted::new([picked(), configured]);
    let expected = Picked::Upstream {
        upstream: "b".into(),
        count: 7,
        repeated: false,
        version: 2,
    };
    assert_eq!(accounts.pick().query(&mut con), Ok(expected));
    assert_eq!(con.sent[1][1], bundle::CONFIGURE_LEAST_USED.sha1);
    assert_eq!(con.sent.len(), 2);
    // Under a newer list there is nothing to do.
    let newer = answer!("recorded", 1, NOW_MS, 4, 9, 0);
    let mut con = Scripted::new([newer]);
    let recorded = accounts.record("a", 5).query(&mut con);
    assert!(matches!(
        recorded,
        Ok(Recorded::Recorded { version: 4, .. })
    ));
    // What cannot be read changes nothing.
    let mut con = Scripted::new([answer!("picked", 1, NOW_MS, 2, "b", 7, 0)]);
    assert!(
        accounts
            .pick()
            .query(&mut con)
            .is_err_and(|error| error.is_unreadable())
    );
}
