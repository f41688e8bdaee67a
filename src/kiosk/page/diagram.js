// The diagram of an interaction: agents and chances on the left, their switches, and the operations that each setting selects.

import { el, fold, svg } from './dom.js';

const LINE = 24;
const GAP = 18;
// Where the names of owners and selectors, the settings and the operations begin.
const [OWNER, SETTING, OPERATION] = [0, 140, 220];
const LETTER = 8;
const spoken = text => text.replaceAll('_', ' ');

function text(x, y, content, kind) {
  return svg('text', { x, y, class: kind }, content);
}

/** The picture of all branchings, in the order in which they are tried. */
export function drawDiagram(branchings) {
  const parts = [];
  let y = LINE;
  let longest = 10;
  for (const { owner, selector, operations } of branchings) {
    const top = y;
    for (const [setting, operation] of operations) {
      parts.push(text(SETTING, y, spoken(setting), 'diagram-setting'));
      parts.push(text(OPERATION, y, operation, 'diagram-operation'));
      longest = Math.max(longest, operation.length);
      y += LINE;
    }
    // The names take two lines, also beside a single operation.
    y = Math.max(y, top + 2 * LINE - 8);
    const centre = (top + top + (operations.length - 1) * LINE) / 2;
    operations.forEach((_, at) => {
      const to = top + at * LINE - 5;
      const d = `M 104 ${centre - 5} C 124 ${centre - 5} 114 ${to} 134 ${to}`;
      parts.push(svg('path', { d, class: 'diagram-line' }));
    });
    parts.push(text(OWNER, centre, spoken(owner ?? 'the engine'), 'diagram-owner'));
    parts.push(text(OWNER, centre + 16, selector === null ? 'every chronon' : spoken(selector), 'diagram-selector'));
    y += GAP;
  }
  const width = OPERATION + LETTER * longest;
  const label = 'the branchings of the interaction';
  return svg('svg', { viewBox: `0 0 ${width} ${y}`, width, height: y, class: 'diagram', role: 'img', 'aria-label': label }, parts);
}

/** A box with the diagram, closed at first. */
export function diagramCard(branchings) {
  return fold('diagram', 'How it works', false, el('div', { class: 'diagram-room', tabindex: '0' }, drawDiagram(branchings)));
}
