// The belief of a role: how much is open, which facts are how probable, and which states are the likeliest.
//
// Everything shown is what the server sent for the evidence of one role. Facts that are certain are on the board already;
// the bars are of those between. Only the first bars are drawn until the reader asks for all.

import { barTable, bar, counted, el, fold, html, number, percent, quiet, refill } from './dom.js';
import { isOpen } from './picture.js';

const FIRST = 10;
const LIKELIEST = 5;
let isWhole = false;

const SOURCES = {
  enumerated: 'all histories are counted; the probabilities are exact',
  sampled: 'the histories are a sample; the probabilities are estimates',
};

/** The facts that are undetermined, the likeliest first. */
export function openFacts(belief) {
  const open = (belief?.facts ?? []).filter(fact => fact.probability > 0 && isOpen(fact));
  return open.sort((a, b) => b.probability - a.probability);
}

function bars(facts) {
  const rows = facts.map(({ fact, probability }) => {
    const data = { 'data-fact': fact, 'data-probability': probability };
    return { name: el('code', {}, fact), share: probability, text: percent(probability), data };
  });
  return barTable(html`<caption class="unseen">undetermined facts and their probabilities</caption>`, rows);
}

function sizes(belief) {
  const entries = [
    ['Histories', belief.histories],
    ['States', belief.states],
    ['Effective sample size', belief.ess === null || belief.ess === undefined ? null : number(belief.ess)],
    ['Method', belief.method],
  ];
  const known = entries.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const pair = ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="sizes">${known.map(pair)}</dl>`;
}

function likeliest(states, count) {
  const shown = states.slice(0, LIKELIEST);
  const rest = count - shown.length;
  const row = ({ probability, facts }) => html`
    <li>
      <span class="likely-share">${percent(probability)}</span>
      ${bar(probability, 'second')}
      <span class="likely-facts">
        ${facts.length ? facts.map(fact => html`<code>${fact}</code> `) : 'nothing that is open holds'}
      </span>
    </li>`;
  return html`
    <h3>Likeliest states, by what is open</h3>
    <ol class="likeliest">${shown.map(row)}</ol>
    ${rest > 0 ? quiet(`and ${counted(rest, 'other state')}`) : null}`;
}

/** The box of a belief, for a table or for a decision that is looked at afterwards. */
export function drawBelief(belief) {
  if (!belief || belief.source === 'none') {
    return quiet(belief?.sentence ?? 'There is no belief: this place sees everything.');
  }
  const facts = openFacts(belief);
  const place = el('div', { class: 'belief', 'data-source': belief.source });
  const draw = () => {
    const shown = isWhole ? facts : facts.slice(0, FIRST);
    const rest = facts.length - shown.length;
    const toggle = () => {
      isWhole = !isWhole;
      draw();
    };
    const whole = html`
      <button type="button" class="link" aria-expanded=${String(isWhole)} onclick=${toggle}>
        ${isWhole ? 'Show fewer' : `Show ${counted(rest, 'more fact')}`}
      </button>`;
    refill(
      place,
      el('p', { class: 'belief-sentence' }, `${belief.sentence}.`.replace(/\.\.$/, '.')),
      quiet(SOURCES[belief.source] ?? ''),
      sizes(belief),
      facts.length ? html`<h3>Undetermined facts</h3>${bars(shown)}` : quiet('Nothing is open: you know the state.'),
      facts.length > FIRST ? whole : null,
      belief.likeliest?.length > 1 ? likeliest(belief.likeliest, belief.states) : null,
    );
  };
  draw();
  return place;
}

/** The box of it beside a seat; closed where the rules hide nothing. */
export function beliefCard(belief, isHidden, title = 'What you believe') {
  return fold('belief', title, isHidden, drawBelief(belief));
}
