// A hint: the mix and the values of a player on the evidence of one's own role, and how a decision is drawn.

import { get, place, post } from './api.js';
import { bar, el, failure, fold, number, percent, refill } from './dom.js';
import { drawMove } from './moves.js';

const FIRST = 8;
let players = null;

/** The players that the server knows, asked for once. */
function knownPlayers() {
  players ??= get('/api/lobby').then(
    lobby => lobby.players ?? [],
    error => {
      players = null;
      throw error;
    },
  );
  return players;
}

function mixTable(entries, valueOf, shareOf, caption) {
  const rows = entries
    .slice(0, FIRST)
    .map(entry =>
      el(
        'tr',
        { class: entry.isChosen ? 'best' : null },
        el('th', { scope: 'row' }, el('span', { class: 'move-text' }, drawMove(entry.move))),
        el('td', { class: 'bar-cell' }, bar(shareOf(entry), entry.isChosen ? '' : 'second')),
        el('td', { class: 'value' }, valueOf(entry)),
      ),
    );
  const rest = entries.length - rows.length;
  return [
    el('table', { class: 'bars' }, el('caption', {}, caption), el('tbody', {}, rows)),
    rest > 0 ? el('p', { class: 'quiet-text' }, `${rest} more moves are below these.`) : null,
  ];
}

/** A decision: what was chosen, with which mix, at which values, and why. */
export function drawDecision(decision) {
  const mark = entry => ({ ...entry, isChosen: entry.move === decision.choice });
  const policy = (decision.policy ?? []).map(mark).sort((a, b) => b.probability - a.probability);
  const values = (decision.values ?? []).map(mark).sort((a, b) => b.value - a.value);
  return el(
    'div',
    { class: 'decision' },
    el('p', {}, 'Chooses ', el('strong', { class: 'move-text' }, drawMove(decision.choice ?? 'nothing')), '.'),
    policy.length
      ? mixTable(
          policy,
          entry => percent(entry.probability),
          entry => entry.probability,
          'Mix',
        )
      : null,
    values.length
      ? mixTable(
          values,
          entry => number(entry.value),
          entry => entry.value / 100,
          'Expected goal',
        )
      : null,
    decision.explanation?.length
      ? el(
          'details',
          { class: 'why' },
          el('summary', {}, 'Why'),
          el(
            'ul',
            { class: 'explanation' },
            decision.explanation.map(line => el('li', {}, line)),
          ),
        )
      : null,
  );
}

/** The box that asks a player for a hint. One belongs to one table; `show(scene)` is told each scene. */
export class HintCard {
  constructor(id, token) {
    this.id = id;
    this.token = token;
    this.step = null;
    this.answer = el('div', { class: 'hint-answer', id: 'hint-answer', 'aria-live': 'polite' });
    this.player = el('input', {
      id: 'hint-player',
      list: 'hint-players',
      value: 'hyperplay',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    this.list = el('datalist', { id: 'hint-players' });
    this.button = el('button', { type: 'button', id: 'hint-ask', onclick: () => this.ask() }, 'Ask');
    this.always = el('input', {
      type: 'checkbox',
      id: 'hint-always',
      onchange: () => {
        if (this.always.checked) this.ask();
      },
    });
    this.element = fold(
      'hint',
      'Hint',
      false,
      el('p', { class: 'quiet-text' }, 'A player of your choice thinks on what you know, and on nothing else.'),
      el('div', { class: 'row' }, el('label', { for: 'hint-player' }, 'Player'), this.player, this.list, this.button),
      el('label', { class: 'check' }, this.always, ' Ask at each of my turns'),
      this.answer,
    );
    this.element.addEventListener('toggle', () => this.fillPlayers(), { once: true });
  }

  fillPlayers() {
    knownPlayers().then(
      known =>
        refill(
          this.list,
          known.map(({ spec, about }) => el('option', { value: spec }, about)),
        ),
      () => {},
    );
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
    refill(this.answer, el('p', { class: 'quiet-text' }, 'The player thinks.'));
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
