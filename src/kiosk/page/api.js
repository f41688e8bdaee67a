// The requests of the page: answers as data, failures as sentences, and streams that come back after a lost connection.
//
// Invariant: every function that asks the server rejects with an `ApiError` alone, whose message a person can read.
// A stream tells its listener of every event in order; when the connection comes back, the server sends the whole scene
// again, so nothing has to be remembered here.

/** What the server refused or what failed on the way. `status` is 0 without an answer. */
export class ApiError extends Error {
  constructor(status, message, remedy) {
    super(message);
    this.status = status;
    this.remedy = remedy;
  }
}

const LOST = 'the server does not answer';
const START = 'see whether `hyperplay kiosk` still runs, then load this page again';

async function ask(path, request) {
  let response;
  try {
    response = await fetch(path, { credentials: 'omit', cache: 'no-store', ...request });
  } catch {
    throw new ApiError(0, LOST, START);
  }
  const text = await response.text().catch(() => '');
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch {
    // A failure without our own sentence is told by its number below.
  }
  if (!response.ok) {
    const message = data?.error ?? `the server refused the request (${response.status})`;
    throw new ApiError(response.status, message, data?.remedy ?? '');
  }
  if (text && data === null) throw new ApiError(response.status, 'the answer of the server cannot be read', START);
  return data;
}

/** Asks for something. */
export function get(path, query = {}) {
  const words = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  const asked = words.toString();
  return ask(asked ? `${path}?${asked}` : path, {});
}

/** Changes something. */
export function post(path, body) {
  return ask(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

/** The path of a table, a replay. */
export function place(kind, id, rest = '') {
  return `/api/${kind}/${encodeURIComponent(id)}${rest}`;
}

const connections = new Set();

function showConnection() {
  const shown = document.getElementById('connection');
  const states = [...connections].map(one => one.state);
  const text = states.includes('lost') ? 'The connection is lost; it is tried again.' : '';
  if (shown.textContent !== text) shown.textContent = text;
  shown.classList.toggle('lost', text !== '');
}

/**
 * Listens to a stream at `PATH/events`: `listener(data)` for each event of that name. Ends by the function that is returned.
 * After a break the stream is opened again, at first after half a second, then every ten at the latest; if the server
 * refuses PATH itself, `failed(error)` is told and the stream ends. So it does when it breaks after an event to which the
 * listener answered `true`: nothing more is expected.
 */
export function follow(path, query, name, listener, failed) {
  const state = { state: 'open' };
  connections.add(state);
  let source = null;
  let timer = 0;
  let wait = 500;
  let ended = false;
  let isLast = false;
  const connect = () => {
    if (ended) return;
    source = new EventSource(`${path}?${new URLSearchParams(query)}`);
    source.onopen = () => {
      wait = 500;
      state.state = 'open';
      showConnection();
    };
    source.addEventListener(name, event => {
      let data;
      try {
        data = JSON.parse(event.data);
      } catch {
        failed(new ApiError(0, 'an event of the server cannot be read', 'load this page again'));
        return;
      }
      isLast = listener(data) === true;
    });
    source.onerror = () => {
      source.close();
      if (ended) return;
      if (isLast) {
        end();
        return;
      }
      state.state = 'lost';
      showConnection();
      timer = setTimeout(again, wait);
      wait = Math.min(10000, wait * 2);
    };
  };
  // A stream does not tell why it failed. What it belongs to is asked for: if the server refuses that, it is gone for good.
  const again = () => {
    get(path.replace(/\/events$/, ''), query).then(connect, error => {
      if (ended) return;
      if (error.status < 400 || error.status === 429) {
        timer = setTimeout(again, wait);
        wait = Math.min(10000, wait * 2);
        return;
      }
      end();
      failed(error);
    });
  };
  const end = () => {
    ended = true;
    clearTimeout(timer);
    source.close();
    connections.delete(state);
    showConnection();
  };
  connect();
  return end;
}
