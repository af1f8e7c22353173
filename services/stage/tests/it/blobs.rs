//! Content by digest: whole or not at all.

use crate::server::Server;
use interlock_domain::blob::{BlobRef, CHUNK_BYTES, MAX_BLOB_BYTES};
use interlock_domain::{Disposition, Stage};
use interlock_stage::BusError;

fn content(size: usize) -> Vec<u8> {
    (0..size).map(|n| (n % 251) as u8).collect()
}

#[tokio::test]
async fn what_is_stored_is_what_is_read() {
    let server = Server::ready().await;
    let writer = server.stage(Stage::Generator).await.bus;
    let reader = server.stage(Stage::Verifier).await.bus;
    for (size, chunks) in [
        (0, 0),
        (1, 1),
        (CHUNK_BYTES - 1, 1),
        (CHUNK_BYTES, 1),
        (CHUNK_BYTES + 1, 2),
        (9 * CHUNK_BYTES + 77, 10),
    ] {
        let written = content(size);
        let blob = writer.put_blob(&written).await.unwrap();
        assert_eq!((blob.size, blob.chunks), (size as u64, chunks));
        assert!(reader.get_blob(&blob).await.unwrap() == written, "{size} bytes");
        let head = reader.peek_blob(&blob).await.unwrap();
        assert!(written.starts_with(&head) && head.len() == size.min(CHUNK_BYTES));
    }
}

#[tokio::test]
async fn storing_again_stores_nothing() {
    let server = Server::ready().await;
    let bus = server.stage(Stage::Executor).await.bus;
    let written = content(3 * CHUNK_BYTES);
    let once = bus.put_blob(&written).await.unwrap();
    let twice = bus.put_blob(&written).await.unwrap();
    assert_eq!(once, twice);
    assert_eq!(server.stored("BLOB_EXECUTOR").await.len(), 3);
}

#[tokio::test]
async fn sealed_truth_goes_to_the_executor_alone() {
    let server = Server::ready().await;
    let gateway = server.stage(Stage::Gateway).await.bus;
    let blob = gateway.put_sealed(b"id,label\n1,7\n").await.unwrap();
    assert!(blob.sealed && server.stored("BLOB_GATEWAY").await.is_empty());
    let executor = server.stage(Stage::Executor).await.bus;
    assert_eq!(executor.get_blob(&blob).await.unwrap(), b"id,label\n1,7\n".as_slice());
    let verifier = server.stage(Stage::Verifier).await.bus;
    assert!(verifier.get_blob(&blob).await.is_err());
    assert!(verifier.fatal().await.contains("sealed"));
}

/// Each of these is stored by somebody who may, under a name that promises something else.
#[tokio::test]
async fn what_is_not_what_its_name_says_is_damaged() {
    let server = Server::ready().await;
    let admin = server.admin().await;
    let reader = server.stage(Stage::Verifier).await.bus;
    let store = async |blob: &BlobRef, chunks: &[&[u8]]| {
        for (n, chunk) in chunks.iter().enumerate() {
            let subject = format!("blob.generator.{}.{n}", blob.digest);
            let stored = admin.publish(subject, chunk.to_vec().into()).await.unwrap();
            stored.await.unwrap();
        }
    };
    let big = content(2 * CHUNK_BYTES);
    let (first, second) = big.split_at(CHUNK_BYTES);
    let mut flipped = second.to_vec();
    flipped[17] ^= 1;
    let named = |bytes: &[u8]| BlobRef::of(bytes, Stage::Generator, false);
    let cases: [(&str, BlobRef, Vec<&[u8]>); 6] = [
        ("one bit", named(&big), vec![first, &flipped]),
        ("order", named(&content(2 * CHUNK_BYTES - 1)), vec![&second[1..], first]),
        ("missing", named(&content(2 * CHUNK_BYTES + 1)), vec![first]),
        ("nothing", named(b"never stored"), vec![]),
        ("longer", named(b"short"), vec![b"short and more"]),
        ("empty", named(b"x"), vec![b""]),
    ];
    for (what, blob, chunks) in &cases {
        store(blob, chunks).await;
        let error = reader.get_blob(blob).await.unwrap_err();
        assert!(matches!(error, BusError::Damaged(_)), "{what}: {error}");
        assert_eq!(error.disposition(), Disposition::Escalate);
        assert!(error.to_string().contains(&blob.digest.to_string()), "{error}");
    }
    // The right bytes with a wrong size on record.
    let mut blob = named(b"right");
    store(&blob, &[b"right"]).await;
    assert_eq!(reader.get_blob(&blob).await.unwrap(), b"right".as_slice());
    for size in [4, 6, u64::MAX] {
        blob.size = size;
        assert!(
            matches!(reader.get_blob(&blob).await, Err(BusError::Damaged(_))),
            "{size}"
        );
    }
}

#[tokio::test]
async fn more_than_fits_is_refused_at_once() {
    let server = Server::ready().await;
    let bus = server.stage(Stage::Gateway).await.bus;
    let error = bus
        .put_blob(&vec![0; usize::try_from(MAX_BLOB_BYTES).unwrap() + 1])
        .await
        .unwrap_err();
    assert!(matches!(error, BusError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("at most 268435456"), "{error}");
    assert!(server.stored("BLOB_GATEWAY").await.is_empty());
}
