// A hint: the mix and the values of a player on the evidence of one's own role, and how a decision is drawn.

import { get, place, post } from './api.js';
import { barTable, el, failure, fold, html, number, percent, quiet, refill } from './dom.js';
import { drawMove } from './moves.js';

const FIRST = 8;
let players = null;

/** The players that the server knows, asked for once. */
async function knownPlayers() {
  players ??= (await get('/api/lobby')).players ?? [];
  return players;
}

/** The moves with the greatest shares; `entries` are `[move, share, text]`. */
function mixTable(entries, choice, caption) {
  const sorted = [...entries].sort(([, a], [, b]) => b - a);
  const rows = sorted.slice(0, FIRST).map(([move, share, text]) => {
    const isBest = move === choice;
    const name = el('span', { class: 'move-text' }, drawMove(move));
    return { name, share, text, isBest, kind: isBest ? '' : 'second' };
  });
  const rest = entries.length - rows.length;
  return [
    barTable(el('caption', {}, caption), rows),
    rest > 0 ? quiet(`${rest} more moves are below these.`) : null,
  ];
}

/** A decision: what was chosen, with which mix, at which values, and why. */
export function drawDecision({ choice, policy = [], values = [], explanation }) {
  const mix = policy.map(({ move, probability }) => [move, probability, percent(probability)]);
  const goals = values.map(({ move, value }) => [move, value / 100, number(value)]);
  const lines = explanation?.map(line => el('li', {}, line)) ?? [];
  const why = html`<details class="why"><summary>Why</summary><ul class="explanation">${lines}</ul></details>`;
  return html`
    <div class="decision">
      <p>Chooses <strong class="move-text">${drawMove(choice ?? 'nothing')}</strong>.</p>
      ${mix.length ? mixTable(mix, choice, 'Mix') : null}
      ${goals.length ? mixTable(goals, choice, 'Expected goal') : null}
      ${lines.length ? why : null}
    </div>`;
}

/** The box that asks a player for a hint. One belongs to one table; `show(scene)` is told each scene. */
export class HintCard {
  constructor(id, token) {
    this.id = id;
    this.token = token;
    this.step = null;
    this.answer = el('div', { class: 'hint-answer', id: 'hint-answer', 'aria-live': 'polite' });
    this.player = html`<input id="hint-player" list="hint-players" value="hyperplay" autocomplete="off" spellcheck="false"/>`;
    this.list = el('datalist', { id: 'hint-players' });
    this.button = el('button', { type: 'button', id: 'hint-ask', onclick: () => this.ask() }, 'Ask');
    this.always = el('input', { type: 'checkbox', id: 'hint-always', onchange: () => this.always.checked && this.ask() });
    const said = quiet('A player of your choice thinks on what you know, and on nothing else.');
    const fields = html`
      <div class="row"><label for="hint-player">Player</label>${this.player}${this.list}${this.button}</div>
      <label class="check">${this.always} Ask at each of my turns</label>`;
    this.element = fold('hint', 'Hint', false, said, fields, this.answer);
    this.element.addEventListener('toggle', () => this.fillPlayers(), { once: true });
  }

  fillPlayers() {
    const option = ({ spec, about }) => el('option', { value: spec }, about);
    knownPlayers().then(known => refill(this.list, known.map(option)), () => {});
  }

  show(scene) {
    const isTurn = scene.phase === 'play' && (scene.legal ?? []).length > 0 && scene.chosen === null;
    this.button.disabled = !isTurn;
    this.element.hidden = scene.phase === 'over';
    if (this.step === scene.step && isTurn) return;
    this.step = scene.step;
    refill(this.answer);
    if (isTurn && this.always.checked) this.ask();
  }

  async ask() {
    if (this.button.disabled) return;
    const step = this.step;
    this.button.disabled = true;
    refill(this.answer, quiet('The player thinks.'));
    try {
      const hint = await post(place('tables', this.id, '/hint'), { token: this.token, player: this.player.value.trim() });
      if (step === this.step) refill(this.answer, drawDecision(hint));
    } catch (error) {
      if (step === this.step) refill(this.answer, failure(error));
    } finally {
      if (step === this.step) this.button.disabled = false;
    }
  }
}
