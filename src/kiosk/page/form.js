// The form that opens a table: who sits where, clocks, seed, spectators.

import { post } from './api.js';
import { el, failure, html, quiet, refill } from './dom.js';
import { spoken } from './scene.js';

const OTHER = '…';

export class TableForm {
  /** `what`: `title`, `about`, `roles`, `hasRandom`, `body` (the game or its rules), `preset`. `done(table)` gets the answer. */
  constructor(what, players, done) {
    this.what = what;
    this.done = done;
    const preset = what.preset ?? {};
    this.roles = what.roles.filter(role => !(what.hasRandom && role === 'random'));
    this.seats = new Map();
    const rows = this.roles.map((role, at) => this.seat(role, at, players, preset.seats?.[role]));
    this.heading = el('h2', { id: 'form-title', tabindex: '-1' }, what.title);
    this.start = this.seconds('startclock', preset.startclock ?? 10);
    this.play = this.seconds('playclock', preset.playclock ?? '');
    this.play.placeholder = 'no limit';
    this.seed = html`<input id="seed" type="number" min="0" step="1" placeholder="new each time"
      value=${String(preset.seed ?? '')} inputmode="numeric"/>`;
    const watched = [
      ['none', 'nobody'],
      ['truth', 'who sees everything'],
      ...this.roles.map(role => [role, `who sees what ${spoken(role)} sees`]),
    ];
    const option = ([value, text]) => el('option', { value }, text);
    this.spectators = el('select', { id: 'spectators' }, watched.map(option));
    if (watched.some(([value]) => value === preset.spectators)) this.spectators.value = preset.spectators;
    this.said = el('div', { id: 'form-said' });
    this.submit = el('button', { type: 'submit', class: 'primary large', id: 'open-table' }, 'Open the table');
    const labelled = (field, text, note) =>
      html`<div class="field"><label for=${field.id}>${text}</label>${field}${note ? el('small', {}, note) : null}</div>`;
    this.element = html`
      <form class="card table-form" id="table-form" aria-labelledby="form-title" novalidate onsubmit=${event => this.send(event)}>
        ${this.heading}
        ${what.about ? quiet(what.about) : null}
        <fieldset><legend>Seats</legend>${rows}${what.hasRandom ? quiet('Chance moves by itself.') : null}</fieldset>
        <details class="more">
          <summary>Clocks, seed, spectators</summary>
          <div class="fields">
            ${labelled(this.start, 'Seconds before the first move')}
            ${labelled(this.play, 'Seconds for each move')}
            ${labelled(this.seed, 'Seed', 'The same seed gives the same chance moves.')}
            ${labelled(this.spectators, 'Spectators')}
          </div>
        </details>
        ${this.said}${this.submit}
      </form>`;
  }

  seconds(id, value) {
    return el('input', { id, type: 'number', min: 0, step: 'any', value: String(value ?? ''), inputmode: 'decimal' });
  }

  seat(role, at, players, preset) {
    const specs = ['person', ...players.map(({ spec }) => spec).filter(spec => spec !== 'person')];
    const about = new Map(players.map(({ spec, about: text }) => [spec, text]));
    const wanted = preset ?? (at === 0 ? 'person' : specs.includes('hyperplay') ? 'hyperplay' : (specs[1] ?? 'person'));
    const id = `seat-${at}`;
    const options = specs.map(spec => el('option', { value: spec }, spec === 'person' ? 'a person' : spec));
    const select = el('select', { id, 'data-role': role }, options, el('option', { value: OTHER }, 'another player …'));
    const other = html`<input id="${id}-spec" aria-label="Player of ${spoken(role)}" placeholder="hyperplay:particles=200"
      spellcheck="false" autocomplete="off"/>`;
    const note = el('small', {});
    const show = () => {
      other.hidden = select.value !== OTHER;
      note.textContent =
        select.value === OTHER ? 'A player with its options, as on the command line.' : (about.get(select.value) ?? '');
    };
    select.value = specs.includes(wanted) ? wanted : OTHER;
    if (select.value === OTHER) other.value = wanted;
    select.addEventListener('change', () => {
      show();
      if (select.value === OTHER) other.focus();
    });
    show();
    this.seats.set(role, () => (select.value === OTHER ? other.value.trim() : select.value));
    return html`<div class="field"><label for=${id}>${spoken(role)}</label>${select}${other}${note}</div>`;
  }

  async send(event) {
    event.preventDefault();
    const seats = Object.fromEntries([...this.seats].map(([role, value]) => [role, value()]));
    const numberOf = field => (field.value.trim() === '' ? null : Number(field.value));
    const body = {
      ...this.what.body,
      seats,
      startclock: numberOf(this.start) ?? 10,
      playclock: numberOf(this.play),
      seed: numberOf(this.seed),
      spectators: this.spectators.value,
    };
    this.submit.disabled = true;
    refill(this.said, el('p', { class: 'quiet-text', role: 'status' }, 'The table is being set.'));
    try {
      const table = await post('/api/tables', body);
      refill(this.said);
      this.done(table);
    } catch (error) {
      refill(this.said, failure(error));
    } finally {
      this.submit.disabled = false;
    }
  }
}
