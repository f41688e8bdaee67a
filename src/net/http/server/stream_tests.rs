//! Answers that last: they end with the client, and one that takes nothing is given up.

use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::get;
use futures_util::stream::unfold;

use super::{ServerLimits, serve_router};

/// Counts the streams that are open.
struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A route that sends `bytes` bytes after every `pause`, for ever.
fn dripping(open: &Arc<AtomicUsize>, bytes: usize, pause: Duration) -> Router {
    let open = Arc::clone(open);
    Router::new().route(
        "/",
        get(move || async move {
            open.fetch_add(1, Ordering::SeqCst);
            Body::from_stream(unfold(Open(open), move |open| async move {
                tokio::time::sleep(pause).await;
                Some((Ok::<_, Infallible>(Bytes::from(vec![b'x'; bytes])), open))
            }))
        }),
    )
}

/// Serves while `client` runs.
fn serving(limits: ServerLimits, router: Router, client: impl FnOnce(std::net::SocketAddr) + Send + 'static) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let client = tokio::task::spawn_blocking(move || client(address));
        let (done, ended) = tokio::sync::oneshot::channel::<()>();
        let serving = tokio::spawn(serve_router(listener, limits, router, async {
            let _ = ended.await;
        }));
        client.await.unwrap();
        done.send(()).unwrap();
        serving.await.unwrap().unwrap();
    });
}

fn asking(address: std::net::SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    stream
}

/// Waits until `wanted` streams are open.
fn until(open: &AtomicUsize, wanted: usize) {
    let begun = Instant::now();
    while open.load(Ordering::SeqCst) != wanted {
        assert!(begun.elapsed() < Duration::from_secs(300), "{} are open", open.load(Ordering::SeqCst));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_stream_ends_when_its_client_leaves_and_not_before() {
    let open = Arc::new(AtomicUsize::new(0));
    let limits = ServerLimits { connections: 8, hears_hangup: true, ..ServerLimits::default() };
    // So rarely that it would not notice by writing.
    let router = dripping(&open, 1, Duration::from_secs(9999));
    serving(limits, router, move |address| {
        let streams: Vec<TcpStream> = (0..4).map(|_| asking(address)).collect();
        until(&open, 4);
        // Connections that say nothing give way before any stream does.
        let idle: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(address).unwrap()).collect();
        let last = asking(address);
        until(&open, 5);
        let mut first = &streams[0];
        let mut head = [0_u8; 15];
        first.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 200 OK");
        drop(streams);
        until(&open, 1);
        drop((idle, last));
        until(&open, 0);
    });
}

#[test]
fn a_client_that_takes_no_byte_of_an_answer_is_given_up() {
    let open = Arc::new(AtomicUsize::new(0));
    let limits = ServerLimits { stall: Duration::from_millis(300), ..ServerLimits::default() };
    let router = dripping(&open, 1 << 20, Duration::from_millis(1));
    serving(limits, router, move |address| {
        let stream = asking(address);
        until(&open, 1);
        until(&open, 0);
        drop(stream);
    });
}
