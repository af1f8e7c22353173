//! Records and controls: what is decoded is encoded to something that decodes to the same.

use interlock_domain::codec::{decode_control, decode_record, encode_control, encode_record};

pub(crate) fn record(data: &[u8]) {
    if let Ok(record) = decode_record(data) {
        let again = decode_record(&encode_record(&record));
        assert_eq!(
            again.ok().as_ref(),
            Some(&record),
            "a record changes when it is encoded"
        );
    }
    if let Ok(control) = decode_control(data) {
        let again = decode_control(&encode_control(&control));
        assert_eq!(
            again.ok().as_ref(),
            Some(&control),
            "a control changes when it is encoded"
        );
    }
}
