//! The book of connections: how many there are, and which of them have not said all yet.
//!
//! When there is no room, the oldest connection whose request is not whole is closed. So thousands of idle connections
//! never keep out one that has something to say. Where all are being answered, a new one is closed at once.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use tokio::task::JoinHandle;

/// One connection in the book.
struct Entry {
    task: JoinHandle<()>,
    is_answering: bool,
}

#[derive(Default)]
struct Pages {
    /// By the order in which they came.
    entries: BTreeMap<u64, Entry>,
    next: u64,
}

/// All connections of a server.
pub(super) struct ConnectionBook {
    most: usize,
    pages: Mutex<Pages>,
}

impl ConnectionBook {
    /// A book with room for `most` connections.
    pub(super) fn new(most: usize) -> ConnectionBook {
        ConnectionBook { most, pages: Mutex::default() }
    }

    /// Makes room and begins a connection. Nothing is begun where there is no room.
    pub(super) fn admit(&self, begin: impl FnOnce(u64) -> JoinHandle<()>) {
        let mut pages = self.pages.lock();
        if pages.entries.len() >= self.most {
            let idle = pages.entries.iter().find(|(_, entry)| !entry.is_answering).map(|(&place, _)| place);
            let Some(entry) = idle.and_then(|place| pages.entries.remove(&place)) else {
                tracing::warn!(
                    connections = self.most,
                    "all connections are being answered; a new one is closed"
                );
                return;
            };
            entry.task.abort();
        }
        let place = pages.next;
        pages.next += 1;
        // The task may run before it stands in the book, but not past the lock.
        pages.entries.insert(place, Entry { task: begin(place), is_answering: false });
    }

    /// Notes that a request is whole.
    pub(super) fn is_answering(&self, place: u64) {
        if let Some(entry) = self.pages.lock().entries.get_mut(&place) {
            entry.is_answering = true;
        }
    }

    /// Notes that a connection has ended.
    pub(super) fn leave(&self, place: u64) {
        self.pages.lock().entries.remove(&place);
    }

    /// How many are being answered.
    pub(super) fn answering(&self) -> usize {
        self.pages.lock().entries.values().filter(|entry| entry.is_answering).count()
    }

    /// Ends all connections.
    pub(super) fn close(&self) {
        let entries = std::mem::take(&mut self.pages.lock().entries);
        entries.into_values().for_each(|entry| entry.task.abort());
    }
}
