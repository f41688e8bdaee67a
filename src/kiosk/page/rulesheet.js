// A rulesheet that was dropped: its text with numbered lines, what was found beside it, and the way to a table.
//
// Invariant: the text that is played is the text that was checked last; a change of it asks for a new check first. Every
// finding is a button that shows its line; findings without a place stand first.

import { post } from './api.js';
import { counted, el, failure, html, quiet, refill, sentence } from './dom.js';

const LINES = 4000;
const SEVERITIES = ['error', 'fault', 'warning', 'note'];

/** Checks a text and shows it in `root`. `play(what)` opens the form of a table. */
export async function checkRules(root, name, text, play) {
  const sheet = new Sheet(root, name, play);
  if (text.trim()) await sheet.check(text);
  else sheet.edit('');
}

class Sheet {
  constructor(root, name, play) {
    Object.assign(this, { root, name, play, text: '', answer: null });
  }

  async check(text) {
    this.text = text;
    const title = el('h2', { id: 'rules-title', tabindex: '-1' }, this.name);
    refill(this.root, html`<section class="card">${title}<p role="status">The rules are being checked.</p></section>`);
    try {
      this.answer = await post('/api/check', { text, name: this.name });
    } catch (error) {
      this.edit(text, failure(error));
      return;
    }
    this.show();
  }

  show() {
    const { findings, playable } = this.answer;
    const counts = SEVERITIES.map(kind => [kind, findings.filter(({ severity }) => severity === kind).length]).filter(
      ([, count]) => count,
    );
    const said = counts.length ? counts.map(([kind, count]) => counted(count, kind)).join(', ') : 'nothing was found';
    const heading = el('h2', { id: 'rules-title', tabindex: '-1' }, this.name);
    const play = () => this.open();
    const playing = html`<button type="button" class="primary" id="play-rules" onclick=${play}>Play it</button>`;
    const sheet = html`
      <section class="card" id="rules" aria-labelledby="rules-title">
        <div class="moves-head">
          ${heading}
          <span class="row">
            ${playable ? playing : null}
            <button type="button" id="edit-rules" onclick=${() => this.edit(this.text)}>Edit</button>
            <button type="button" class="quiet" id="close-rules" onclick=${() => refill(this.root)}>Close</button>
          </span>
        </div>
        <p class=${playable ? 'verdict good' : 'verdict bad'} id="verdict" role="status">
          ${playable ? `The rules can be played: ${said}.` : `The rules cannot be played yet: ${said}.`}
        </p>
        <div class=${findings.length ? 'rules-columns' : 'rules-columns alone'}>
          ${this.lines(findings)}${this.findings(findings)}
        </div>
      </section>`;
    refill(this.root, sheet);
    heading.focus({ preventScroll: true });
    this.root.scrollIntoView({ block: 'start' });
  }

  open() {
    this.play({
      title: this.name,
      about: 'Your own rules.',
      roles: this.answer.roles,
      hasRandom: Boolean(this.answer.random),
      body: { rules: this.text, name: this.name },
    });
  }

  lines(findings) {
    const byLine = Map.groupBy(findings, ({ line }) => line);
    const all = this.text.split('\n');
    const rows = all.slice(0, LINES).map((text, at) => {
      const here = byLine.get(at + 1) ?? [];
      const worst = SEVERITIES.find(kind => here.some(({ severity }) => severity === kind));
      const code = el('code', {}, marked(text.replace(/\r$/, ''), here));
      return html`<li class=${worst ? `has-${worst}` : null} id="line-${at + 1}" data-line=${at + 1}>${code}</li>`;
    });
    return html`
      <div class="rules-text" tabindex="0" role="region" aria-label="the rules">
        <ol>${rows}</ol>
        ${all.length > LINES ? quiet(`${all.length - LINES} more lines are not shown.`) : null}
      </div>`;
  }

  findings(findings) {
    if (!findings.length) return null;
    const sorted = [...findings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
    const row = ({ severity, code, line, column, message, help }) => html`
      <li class="finding ${severity}" data-code=${code} data-line=${line}>
        <button type="button" class="finding-place" disabled=${!line} onclick=${() => this.jump(line)}>
          <span class="severity">${severity}</span> ${line ? `line ${line}, column ${column}` : 'the whole text'}
        </button>
        <p>${sentence(message)}</p>
        ${help ? quiet(sentence(help)) : null}
        <p class="code">${code}</p>
      </li>`;
    return html`<ol class="findings" id="findings" aria-label="what was found">${sorted.map(row)}</ol>`;
  }

  jump(line) {
    const row = document.getElementById(`line-${line}`);
    if (!row) return;
    this.root.querySelectorAll('.rules-text .looked-at').forEach(other => other.classList.remove('looked-at'));
    row.classList.add('looked-at');
    const box = row.closest('.rules-text');
    box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  }

  edit(text, problem) {
    const field = html`<textarea id="rules-field" rows="20" spellcheck="false" autocapitalize="off"
      aria-label="The rules" value=${text}></textarea>`;
    const name = html`<input id="rules-name" value=${this.name} aria-label="Name of the game" autocomplete="off"/>`;
    const check = () => {
      this.name = name.value.trim() || 'my_game';
      this.check(field.value);
    };
    const sheet = html`
      <section class="card" id="rules" aria-label="Edit the rules">
        <div class="moves-head">
          ${name}
          <span class="row">
            <button type="button" class="primary" id="check-rules" onclick=${check}>Check</button>
            <button type="button" class="quiet" onclick=${() => refill(this.root)}>Close</button>
          </span>
        </div>
        ${problem}${field}
      </section>`;
    refill(this.root, sheet);
    field.focus();
  }
}

/** A line with what findings name underlined. Columns count characters, from 1; the end is behind the last one. */
function marked(text, findings) {
  const letters = [...text];
  const cuts = new Set([0, letters.length]);
  const spans = findings.map(({ line, column, end_line: endLine, end_column: endColumn, severity }) => {
    const from = Math.max(0, (column ?? 1) - 1);
    const to = endLine === line && endColumn > column ? endColumn - 1 : letters.length;
    cuts.add(Math.min(from, letters.length)).add(Math.min(to, letters.length));
    return { from, to, severity };
  });
  const places = [...cuts].sort((a, b) => a - b);
  return places.slice(1).map((to, at) => {
    const part = letters.slice(places[at], to).join('');
    const over = spans.find(span => span.from <= places[at] && to <= span.to);
    return over ? el('span', { class: `found-${over.severity}` }, part) : part;
  });
}
