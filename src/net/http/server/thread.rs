//! A server on a thread of its own, for whoever is not asynchronous.

use std::net::{SocketAddr, ToSocketAddrs};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use tokio::sync::oneshot;

use super::{ServerLimits, serve_router};

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct ServerThread {
    /// Where it listens.
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ServerThread {
    /// Serves the routes of a router at an address; port 0 takes a free one.
    ///
    /// # Errors
    /// That of the operating system, if the port is taken for example.
    pub fn listen(at: impl ToSocketAddrs, limits: ServerLimits, router: Router) -> std::io::Result<Self> {
        let listener = std::net::TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let _ = serve_router(listener, limits, router, async { drop(stopped.await) }).await;
            });
            runtime.shutdown_timeout(Duration::from_millis(100));
        });
        Ok(ServerThread { address, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for ServerThread {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
