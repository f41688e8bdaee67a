// The diagram of an interaction: agents and chances on the left, their switches, and the operations that each setting selects.

import { el, fold, svg } from './dom.js';

const LINE = 26;
const GAP = 14;
const WIDTHS = [20, 200, 430];
const spoken = text => text.replaceAll('_', ' ');

function text(x, y, content, kind) {
  return svg('text', { x, y, class: kind }, content);
}

/** The picture of all branchings, in the order in which they are tried. */
export function drawDiagram(branchings) {
  const [left, middle, right] = WIDTHS;
  const parts = [];
  let y = LINE;
  let longest = 10;
  for (const { owner, selector, operations } of branchings) {
    const top = y;
    for (const [setting, operation] of operations) {
      parts.push(text(middle + 110, y, spoken(setting), 'diagram-setting'));
      parts.push(text(right, y, operation, 'diagram-operation'));
      longest = Math.max(longest, operation.length);
      y += LINE;
    }
    const centre = (top + y - LINE) / 2;
    operations.forEach((_, at) => {
      const to = top + at * LINE - 5;
      parts.push(svg('path', { d: `M ${middle + 60} ${centre - 5} C ${middle + 90} ${centre - 5} ${middle + 80} ${to} ${middle + 104} ${to}`, class: 'diagram-line' }));
    });
    parts.push(text(left, centre, spoken(owner ?? 'the engine'), 'diagram-owner'));
    parts.push(text(middle - 60, centre, selector === null ? 'every chronon' : spoken(selector), 'diagram-selector'));
    y += GAP;
  }
  const width = right + 9 * longest;
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${y}`, width, height: y, class: 'diagram', role: 'img', 'aria-label': 'the branchings of the interaction' },
    parts,
  );
}

/** A box with the diagram, closed at first. */
export function diagramCard(branchings) {
  return fold('diagram', 'How it works', false, el('div', { class: 'diagram-room', tabindex: '0' }, drawDiagram(branchings)));
}
