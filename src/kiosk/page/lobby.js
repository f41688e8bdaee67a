// The lobby: the games, files of one's own, open tables, and the form that opens a table.
//
// A file that begins with a brace is a transcript, every other one a rulesheet; dropped together, the transcript is
// replayed by that rulesheet. The names and sentences are those of the server; nothing of the list of games is known here.

import { get, post } from './api.js';
import { copy, counted, el, failure, html, keepFocus, number, quiet, refill } from './dom.js';
import { checkRules } from './rulesheet.js';
import { spoken } from './scene.js';
import { TableForm } from './form.js';

// Milliseconds between two looks at the lengths of games, and how often they are looked at.
const REFRESH = 3000;
const REFRESHES = 20;

export async function openLobby(root, { game }) {
  const lobby = await get('/api/lobby');
  const page = new Lobby(root, lobby, game);
  const closing = new AbortController();
  const on = (name, listener) => addEventListener(name, listener, { signal: closing.signal });
  on('dragenter', event => event.preventDefault());
  on('dragover', event => {
    event.preventDefault();
    page.mark(true);
  });
  on('dragleave', event => event.relatedTarget || page.mark(false));
  on('drop', event => {
    event.preventDefault();
    page.mark(false);
    if (event.dataTransfer?.files.length) page.take([...event.dataTransfer.files]);
  });
  const timer = setInterval(() => page.refresh(), REFRESH);
  return () => {
    clearInterval(timer);
    closing.abort();
  };
}

class Lobby {
  constructor(root, lobby, wanted) {
    this.lobby = lobby;
    this.asked = 0;
    this.zone = this.dropZone();
    this.found = el('div', { id: 'found' });
    this.setup = el('div', { id: 'setup', class: 'setup' });
    this.rows = el('ul', { class: 'games', id: 'games', 'aria-label': 'games' });
    this.count = el('p', { class: 'quiet-text', id: 'games-count', role: 'status' });
    this.search = html`<input type="search" id="game-search" placeholder="Search games" aria-label="Search games"
      autocomplete="off" oninput=${() => this.list()}/>`;
    this.kind = html`
      <select id="game-kind" aria-label="Which games" onchange=${() => this.list()}>
        <option value="all">all games</option>
        <option value="hidden">something is hidden</option>
        <option value="open">nothing is hidden</option>
      </select>`;
    this.columns = html`
      <div class="lobby-columns">
        <section class="card" id="games-card" aria-labelledby="games-title">
          <div class="moves-head"><h2 id="games-title">Games</h2><span class="row">${this.search}${this.kind}</span></div>
          ${this.count}${this.rows}
        </section>
        <div class="aside">${this.setup}${this.openTables()}</div>
      </div>`;
    const welcome = html`
      <div class="welcome">
        <h1>Sit down and play</h1>
        <p>Choose a game, or bring your own rules. Whatever you cannot see is shown as what you may believe.</p>
      </div>`;
    refill(root, welcome, this.zone, this.found, this.columns);
    this.list();
    const named = name => lobby.games.find(game => game.name === name);
    const again = wanted ? named(wanted) : null;
    const preset = lobby.preset ? named(lobby.preset.game) : null;
    if (again) this.choose(again, wanted === lobby.preset?.game ? lobby.preset : null, true);
    else if (preset) this.choose(preset, lobby.preset);
    else if (lobby.preset?.rules) this.check(lobby.preset.name ?? 'my_game', lobby.preset.rules);
    else this.invite();
  }

  /** The lengths of games are measured while the kiosk runs already; asks again until all are known. */
  async refresh() {
    if (document.hidden || this.asked >= REFRESHES || this.lobby.games.every(({ steps }) => steps)) return;
    this.asked += 1;
    const lobby = await get('/api/lobby').catch(() => null);
    if (!lobby) return;
    this.lobby = lobby;
    keepFocus(this.rows, () => this.list());
  }

  invite() {
    const said = quiet('Choose a game of the list; then say who sits where.');
    refill(this.setup, html`<section class="card"><h2>Your table</h2>${said}</section>`);
  }

  list() {
    const words = this.search.value
      .toLowerCase()
      .split(/[\s_]+/)
      .filter(Boolean);
    const fits = game =>
      words.every(word => `${game.name} ${game.about ?? ''}`.toLowerCase().includes(word)) &&
      (this.kind.value === 'all' || game.hidden === (this.kind.value === 'hidden'));
    const games = this.lobby.games.filter(fits);
    this.count.textContent =
      games.length === this.lobby.games.length
        ? counted(games.length, 'game')
        : `${games.length} of ${counted(this.lobby.games.length, 'game')}`;
    // Clocks of the command line count for every game.
    const choose = game => this.choose(game, this.lobby.preset?.game ? null : this.lobby.preset, true);
    const row = game => html`
      <li>
        <button type="button" class="game" data-game=${game.name} aria-pressed=${String(this.chosen === game.name)}
          onclick=${() => choose(game)}>
          <span class="game-name">${spoken(game.name)}</span>
          ${this.facts(game)}
          ${game.about ? html`<span class="game-about">${game.about}</span>` : null}
        </button>
      </li>`;
    refill(this.rows, games.map(row));
  }

  facts(game) {
    const roles = game.roles.filter(role => !(game.random && role === 'random'));
    const mean = game.steps?.mean;
    const tag = (text, kind = 'tag') => el('span', { class: kind }, text);
    return html`
      <span class="game-facts">
        ${tag(counted(roles.length, 'role'))}
        ${game.hidden ? tag('hidden', 'tag hidden-tag') : tag('all seen')}
        ${game.random ? tag('chance') : null}
        ${mean === null || mean === undefined ? null : tag(`about ${number(Math.round(mean))} steps`)}
      </span>`;
  }

  choose(game, preset, isClicked) {
    this.chosen = game.name;
    for (const button of this.rows.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset.game === game.name));
    }
    const { about, roles, random: hasRandom } = game;
    this.openForm({ title: spoken(game.name), about, roles, hasRandom, body: { game: game.name }, preset }, isClicked);
  }

  openForm(what, isAsked) {
    const form = new TableForm(what, this.lobby.players ?? [], opened => this.opened(what, opened));
    refill(this.setup, form.element);
    this.columns.classList.add('chosen');
    if (!isAsked) return;
    form.heading.focus({ preventScroll: true });
    form.element.scrollIntoView({ block: 'nearest' });
  }

  /** A table is open: to the only seat at once, else the links. */
  opened(what, table) {
    if (table.links.length === 1) {
      location.hash = table.links[0].path.replace(/^[^#]*/, '');
      return;
    }
    const rows = table.links.map(link => {
      const address = new URL(link.path, location.href).href;
      const name =
        link.role !== null && link.role !== undefined
          ? spoken(link.role)
          : link.sees === 'truth'
            ? 'a spectator who sees everything'
            : `a spectator who sees what ${spoken(link.sees)} sees`;
      const field = el('input', { readonly: true, value: address, 'aria-label': `Link for ${name}`, class: 'address' });
      const button = el('button', { type: 'button', onclick: () => copy(field, button) }, 'Copy');
      const sit = html`
        <a class="button primary" href=${link.path} target="_blank" rel="noopener" data-role=${link.role ?? `sees ${link.sees}`}>
          ${link.role === null ? 'Watch' : 'Sit here'}
        </a>`;
      return html`
        <li data-role=${link.role ?? ''}><strong>${name}</strong><div class="row">${field}${button}${sit}</div></li>`;
    });
    const heading = el('h2', { tabindex: '-1' }, `The table of ${what.title} is open`);
    const links = html`
      <section class="card" id="links">
        ${heading}
        <p>Each link is one place. Whoever has it can play there, so send it to that person alone.</p>
        <ul class="links">${rows}</ul>
      </section>`;
    refill(this.setup, links);
    heading.focus();
  }

  openTables() {
    const tables = this.lobby.tables ?? [];
    if (!tables.length) return null;
    const row = ({ name, roles }) =>
      html`<li><strong>${spoken(name)}</strong> <span class="quiet-text">with ${roles.map(spoken).join(', ')}</span></li>`;
    return html`
      <section class="card" id="open-tables">
        <h2>Tables in play</h2>
        <ul class="open-tables">${tables.map(row)}</ul>
        ${quiet('Whoever opened a table has the links to its places.')}
      </section>`;
  }

  dropZone() {
    const take = () => {
      this.take([...file.files]);
      file.value = '';
    };
    const file = html`<input type="file" id="file" multiple class="unseen" onchange=${take}/>`;
    return html`
      <section class="drop" id="drop" aria-label="your own files">
        <p><strong>Drop a rulesheet</strong> to check and play it, or <strong>a transcript</strong> to replay it.</p>
        <span class="row">
          ${file}
          <label for="file" class="button">Choose files</label>
          <button type="button" id="write" onclick=${() => this.check('my_game', '')}>Write rules here</button>
        </span>
      </section>`;
  }

  mark(isOver) {
    this.zone.classList.toggle('over', isOver);
  }

  async take(files) {
    try {
      const texts = await Promise.all(files.map(async file => ({ name: file.name, text: await file.text() })));
      const transcript = texts.find(({ text }) => text.trimStart().startsWith('{'));
      const rules = texts.find(text => text !== transcript);
      if (transcript) await this.replay(transcript.text, rules?.text);
      else if (rules) await this.check(rules.name.replace(/\.[^.]*$/, ''), rules.text);
    } catch (error) {
      refill(this.found, failure(error));
    }
  }

  /** A transcript: one match a line. */
  async replay(text, rules) {
    const matches = text
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean);
    const open = async line => {
      try {
        const replay = await post('/api/replays', rules === undefined ? { transcript: line } : { transcript: line, rules });
        location.hash = `#replay=${encodeURIComponent(replay.replay)}`;
      } catch (error) {
        refill(this.found, failure(error));
      }
    };
    if (matches.length === 1) {
      await open(matches[0]);
      return;
    }
    const row = (line, at) =>
      html`<li><button type="button" class="link" onclick=${() => open(line)}>Match ${at + 1}</button></li>`;
    const found = html`
      <section class="card" id="matches">
        <h2>${counted(matches.length, 'match', 'matches')}</h2>
        <p>The file has several matches. Choose one to replay it.</p>
        <ol class="match-list">${matches.slice(0, 500).map(row)}</ol>
      </section>`;
    refill(this.found, found);
  }

  async check(name, text) {
    await checkRules(this.found, name, text, what => this.openForm({ ...what, title: spoken(what.title), preset: null }, true));
  }
}
