//! Ids of leases are any bytes, and stand beside each other in one field.

use super::calls::{call, outcome};
use tests::harness::server::{Kind, Server};

#[test]
fn an_id_that_reads_like_two_others_is_released_alone() {
    let server = Server::start(Kind::Redis7);
    let mut client = server.client();
    // All three expire at the same instant.
    let both: &[u8] = b"x\n1060000 y";
    let ids: [&[u8]; 3] = [b"x", b"y", both];
    for id in ids {
        let lease = call("lease 1000000 0 id 60000 fewest 5 a 1000").with(2, id);
        assert_eq!(outcome(&lease.run(&mut client)), "leased");
    }
    for id in [both, b"x", b"y"] {
        let release = call("lease_release 1000000 0 id").with(2, id);
        assert_eq!(outcome(&release.run(&mut client)), "released");
        assert_eq!(outcome(&release.run(&mut client)), "gone");
    }
}
