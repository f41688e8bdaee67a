// The entry of the page: which place the address names, light or dark, and the end of what was open before.
//
// `#table=ID&token=T` is a seat or a spectator's place, `#replay=ID` a replay, `#watch` an experiment, `#game=NAME` the
// lobby with a game chosen, nothing the lobby.
// Tokens stand behind the `#`, which no browser sends to a server or to another page. Invariant: one place is open at a
// time, and opening another one ends its streams and timers.

import { get } from './api.js';
import { el, failure, html, refill } from './dom.js';
import { openLobby } from './lobby.js';
import { openReplay } from './review.js';
import { openTable } from './table.js';
import { openWatch } from './watch.js';

const view = document.getElementById('view');
let close = () => {};
let visits = 0;

function placeOf(hash) {
  const words = new URLSearchParams(hash.replace(/^#/, ''));
  if (words.has('table')) return { name: 'table', id: words.get('table'), token: words.get('token') ?? '' };
  if (words.has('replay')) return { name: 'replay', id: words.get('replay') };
  if (words.has('watch')) return { name: 'watch' };
  return { name: 'lobby', game: words.get('game') };
}

async function go() {
  const visit = ++visits;
  close();
  close = () => {};
  const place = placeOf(location.hash);
  document.body.dataset.place = place.name;
  document.title = 'hyperplay';
  for (const name of ['lobby', 'watch']) {
    const link = document.getElementById(`to-${name}`);
    if (place.name === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const root = document.createElement('div');
  root.className = `place ${place.name}`;
  refill(view, root);
  const open = { table: openTable, replay: openReplay, watch: openWatch, lobby: openLobby }[place.name];
  try {
    const end = await open(root, place);
    if (visit === visits) close = end;
    else end();
  } catch (error) {
    const lobby = html`<p><a href="#" class="button">To the lobby</a></p>`;
    if (visit === visits) refill(root, el('h1', {}, 'This place cannot be opened'), failure(error), lobby);
  }
}

const THEMES = ['system', 'light', 'dark'];

function showTheme(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = document.getElementById('theme');
  button.setAttribute('aria-label', `Theme: ${theme}`);
  button.querySelector('span').textContent = `Theme: ${theme}`;
}

function storedTheme() {
  try {
    const stored = localStorage.getItem('theme');
    return THEMES.includes(stored) ? stored : 'system';
  } catch {
    return 'system';
  }
}

document.getElementById('theme').addEventListener('click', () => {
  const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? 'system') + 1) % THEMES.length];
  showTheme(theme);
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // A browser that stores nothing starts with the theme of the system.
  }
});

document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault();
  view.focus();
});

showTheme(storedTheme());
addEventListener('hashchange', go);
go();
get('/api/lobby').then(
  lobby => {
    document.getElementById('to-watch').hidden = !lobby.watch;
  },
  () => {},
);
