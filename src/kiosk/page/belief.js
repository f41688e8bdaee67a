// The belief of a role: how much is open, which facts are how probable, and which states are the likeliest.
//
// Everything shown is what the server sent for the evidence of one role. Facts that are certain are on the board already;
// the bars are of those between. Only the first bars are drawn until the reader asks for all.

import { bar, counted, el, fold, number, percent, refill } from './dom.js';
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

function bars(facts, label) {
  const rows = facts.map(({ fact, probability }) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, el('code', {}, fact)),
      el('td', { class: 'bar-cell' }, bar(probability)),
      el('td', { class: 'value', 'data-fact': fact, 'data-probability': probability }, percent(probability)),
    ),
  );
  return el('table', { class: 'bars' }, el('caption', { class: 'unseen' }, label), el('tbody', {}, rows));
}

function sizes(belief) {
  const entries = [
    ['Histories', belief.histories],
    ['States', belief.states],
    ['Effective sample size', belief.ess === null || belief.ess === undefined ? null : number(belief.ess)],
    ['Method', belief.method],
  ];
  return el(
    'dl',
    { class: 'sizes' },
    entries
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  );
}

function likeliest(states, count) {
  const shown = states.slice(0, LIKELIEST);
  const rest = count - shown.length;
  return [
    el(
      'ol',
      { class: 'likeliest' },
      shown.map(({ probability, facts }) =>
        el(
          'li',
          {},
          el('span', { class: 'likely-share' }, percent(probability)),
          bar(probability, 'second'),
          el(
            'span',
            { class: 'likely-facts' },
            facts.length ? facts.map(fact => [el('code', {}, fact), ' ']) : 'nothing that is open holds',
          ),
        ),
      ),
    ),
    rest > 0 ? el('p', { class: 'quiet-text' }, `and ${counted(rest, 'other state')}`) : null,
  ];
}

/** The box of a belief, for a table or for a decision that is looked at afterwards. */
export function drawBelief(belief) {
  if (!belief || belief.source === 'none') {
    return el('p', { class: 'quiet-text' }, belief?.sentence ?? 'There is no belief: this place sees everything.');
  }
  const facts = openFacts(belief);
  const place = el('div', { class: 'belief', 'data-source': belief.source });
  const draw = () => {
    const shown = isWhole ? facts : facts.slice(0, FIRST);
    const rest = facts.length - shown.length;
    const whole = el(
      'button',
      {
        type: 'button',
        class: 'link',
        'aria-expanded': isWhole ? 'true' : 'false',
        onclick: () => {
          isWhole = !isWhole;
          draw();
        },
      },
      isWhole ? 'Show fewer' : `Show ${counted(rest, 'more fact')}`,
    );
    refill(
      place,
      el('p', { class: 'belief-sentence' }, `${belief.sentence}.`.replace(/\.\.$/, '.')),
      el('p', { class: 'quiet-text' }, SOURCES[belief.source] ?? ''),
      sizes(belief),
      facts.length
        ? el('h3', {}, 'Undetermined facts')
        : el('p', { class: 'quiet-text' }, 'Nothing is open: you know the state.'),
      facts.length ? bars(shown, 'undetermined facts and their probabilities') : null,
      facts.length > FIRST ? whole : null,
      belief.likeliest?.length > 1
        ? [el('h3', {}, 'Likeliest states, by what is open'), likeliest(belief.likeliest, belief.states)]
        : null,
    );
  };
  draw();
  return place;
}

/** The box of it beside a seat; closed where the rules hide nothing. */
export function beliefCard(belief, isHidden, title = 'What you believe') {
  return fold('belief', title, isHidden, drawBelief(belief));
}
