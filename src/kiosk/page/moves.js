// The choice of a move: which moves name what was clicked or typed, and the list of buttons.
//
// A choice is a selection of places (cells or things in hands, in the order of the clicks) and a search text. The candidates
// are the legal moves that fit both. Places are taken in order first, so that the first click is where a move begins and
// the second where it ends; if no move begins there, any move that names all the places fits. A move is sent only by a
// button, or when it is the only candidate and was confirmed: by Enter, by a second click on a place that is selected, or
// by the click that names its last place.

import { counted, el, html, quiet, refill, rove } from './dom.js';
import { cellKey, thingKey } from './picture.js';

const SHOWN = 240;

/** The words of a search or of a move, in small letters and without parentheses. */
function wordsOf(text) {
  return text.toLowerCase().split(/[\s()]+/).filter(Boolean);
}

/** The keys of a thing in hands: in one's own, else in anybody's. */
function thingsNamed([relation, text], scene) {
  const hands = (scene.picture?.hands ?? []).filter(hand => hand.relation === relation);
  const owners = hands.flatMap(hand => hand.owners).filter(owner => owner.things.some(thing => thing.text === text));
  const own = owners.filter(owner => owner.name === scene.sees);
  return (own.length ? own : owners).map(owner => thingKey(relation, owner.name, text));
}

/** The places that a move names: for each, the keys of the cells or things that stand for it. */
function placesOf(move, scene) {
  return (move.targets ?? []).map(target => {
    if (target.hand) return thingsNamed(target.hand, scene);
    const panel = scene.picture?.panels?.[target.panel];
    const rows = target.row ?? null;
    const columns = target.column ?? null;
    if ((rows !== null && columns !== null) || !panel) return [cellKey(target.panel, rows, columns)];
    const keys = panel.rows.flatMap(row => row.cells.map((_, at) => [row.name ?? '', panel.columns?.[at] ?? '']));
    return keys
      .filter(([row, column]) => (rows === null || row === rows) && (columns === null || column === columns))
      .map(([row, column]) => cellKey(target.panel, row, column));
  });
}

/** Whether the words of a move begin with these words, in their order, with others between. */
function followsInOrder(text, words) {
  let at = 0;
  for (const word of wordsOf(text)) {
    if (at < words.length && word.startsWith(words[at])) at += 1;
  }
  return at === words.length;
}

export class Choice {
  constructor(scene) {
    this.moves = (scene.legal ?? []).map(move => {
      const places = placesOf(move, scene).filter(keys => keys.length);
      return { text: move.text, places };
    });
    this.selection = [];
    this.query = '';
  }

  /** The moves that fit a selection. */
  fitting(selection) {
    if (!selection.length) return this.moves;
    const inOrder = this.moves.filter(({ places }) => selection.every((key, at) => places[at]?.includes(key)));
    if (inOrder.length) return inOrder;
    return this.moves.filter(({ places }) => selection.every(key => places.some(keys => keys.includes(key))));
  }

  candidates() {
    const words = wordsOf(this.query);
    const fitting = this.fitting(this.selection);
    if (!words.length) return fitting;
    const inOrder = fitting.filter(({ text }) => followsInOrder(text, words));
    if (inOrder.length) return inOrder;
    return fitting.filter(({ text }) => words.every(word => text.toLowerCase().includes(word)));
  }

  /** The keys of the places that can be chosen next. */
  open() {
    const chosen = new Set(this.selection);
    const places = this.selection.length
      ? this.fitting(this.selection).flatMap(({ places: all }) => all.filter(keys => !keys.some(key => chosen.has(key))))
      : this.moves.flatMap(({ places: all }) => all);
    return new Set(places.flat());
  }

  /** A click on a place: the move to play, `null` if more is needed, or `'none'` if no legal move names it. */
  pick(key) {
    const before = this.fitting(this.selection);
    if (this.selection.includes(key)) {
      if (before.length === 1) return before[0].text;
      this.selection = this.selection.filter(other => other !== key);
      return null;
    }
    let next = [...this.selection, key];
    if (!this.fitting(next).length) next = [key];
    const fitting = this.fitting(next);
    if (!fitting.length) return 'none';
    this.selection = next;
    return fitting.length === 1 && next.length > 1 ? fitting[0].text : null;
  }
}

/** A move for readers: its name, and its arguments one by one. */
export function drawMove(text) {
  const inner = /^\(([^()]*)\)$/.exec(text);
  if (!inner) return [el('span', { class: 'move-name' }, text.startsWith('(') ? text : text.replaceAll('_', ' '))];
  const [name, ...rest] = inner[1].trim().split(/\s+/);
  return [
    el('span', { class: 'move-name' }, name.replaceAll('_', ' ')),
    rest.map(word => [' ', el('span', { class: 'move-word' }, word)]),
  ];
}

/** The list of moves. `play(text)` sends one; `changed()` draws the board again. */
export class MoveList {
  constructor(play, changed) {
    this.play = play;
    this.changed = changed;
    this.choice = null;
    this.search = html`<input type="search" id="move-search" placeholder="Search moves" autocomplete="off"
      spellcheck="false" aria-label="Search the legal moves; Enter plays the only one left"
      oninput=${() => this.searched()} onkeydown=${event => this.keyInSearch(event)}/>`;
    this.title = el('h2', { id: 'moves-title', tabindex: '-1' }, 'Your moves');
    this.said = el('p', { class: 'quiet-text', id: 'moves-said', 'aria-live': 'polite' });
    const onkey = event => this.keyInList(event);
    this.list = html`<ul class="moves" id="moves" aria-labelledby="moves-title" onkeydown=${onkey}></ul>`;
    this.element = html`
      <section class="card" aria-labelledby="moves-title" id="moves-card">
        <div class="moves-head">${this.title}${this.search}</div>
        ${this.said}${this.list}
        <p class="quiet-text keys-note">Keys: arrows and Enter choose, / searches, Esc shows all moves.</p>
      </section>`;
  }

  show(choice, chosen, isPlaying) {
    this.choice = choice;
    const isTurn = Boolean(choice?.moves.length) && chosen === null;
    this.element.hidden = !isPlaying;
    this.search.hidden = !isTurn || choice.moves.length < 6;
    this.element.classList.toggle('yours', isTurn);
    if (!isTurn) {
      this.title.textContent = chosen === null ? 'Waiting' : 'Move sent';
      refill(this.list);
      const sent = () =>
        html`You chose <strong>${drawMove(chosen)}</strong>; the match goes on when everyone has answered.`;
      refill(this.said, chosen === null ? 'It is not your turn.' : sent());
      return;
    }
    this.title.textContent = 'Your moves';
    if (this.search.value !== choice.query) this.search.value = choice.query;
    this.draw();
  }

  draw() {
    const all = this.choice.candidates();
    const total = this.choice.moves.length;
    const isPending = all.length === 1 && total > 1;
    const count = all.length === total ? counted(total, 'legal move') : `${all.length} of ${counted(total, 'legal move')}`;
    const more = isPending ? 'Press Enter, click again or use the button to play it.' : '';
    const clear = () => this.clear();
    const whole = html`<button type="button" class="link" id="clear-selection" onclick=${clear}>Show all moves</button>`;
    refill(this.said, `${count}. `, more, this.choice.selection.length ? whole : null);
    const row = ({ text }, at) => html`
      <li>
        <button type="button" class=${isPending ? 'move pending' : 'move'} data-move=${text} title=${text}
          tabindex=${at === 0 ? 0 : -1} onclick=${() => this.play(text)}>${drawMove(text)}</button>
      </li>`;
    refill(this.list, all.slice(0, SHOWN).map(row));
    const note = text => this.list.append(el('li', { class: 'quiet-text' }, text));
    if (all.length > SHOWN) note(`${all.length - SHOWN} more; the search makes the list shorter.`);
    if (!all.length) note('No legal move has these words.');
  }

  clear() {
    this.choice.selection = [];
    this.choice.query = '';
    this.search.value = '';
    this.draw();
    this.changed();
  }

  searched() {
    this.choice.query = this.search.value;
    this.draw();
  }

  keyInSearch(event) {
    if (event.key === 'Enter') {
      const all = this.choice.candidates();
      if (all.length === 1) this.play(all[0].text);
      else this.list.querySelector('button')?.focus();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      this.list.querySelector('button')?.focus();
    } else if (event.key === 'Escape') {
      this.clear();
    }
  }

  keyInList(event) {
    const buttons = [...this.list.querySelectorAll('button')];
    const at = buttons.indexOf(event.target);
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    let next = null;
    if (steps[event.key])
      next = buttons[at + steps[event.key]] ?? (event.key === 'ArrowUp' && !this.search.hidden ? this.search : null);
    else if (event.key === 'Home') next = buttons[0];
    else if (event.key === 'End') next = buttons.at(-1);
    else return;
    event.preventDefault();
    if (next) rove(buttons, next);
  }
}
