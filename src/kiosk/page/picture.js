// Pictures as data, before they are drawn: the keys of places, what has changed, and a picture without its probabilities.
//
// What has changed is told by the picture of what is certain: probabilities change with almost every step, and marking them
// all would mark nothing.

/** What is at least this probable is certain. */
export const CERTAIN = 1 - 1e-9;

/** The mark of what is open. */
export const OPEN = '?';

/** The key of a cell, by which moves name it. */
export function cellKey(panel, row, column) {
  return `${panel}|${row ?? ''}|${column ?? ''}`;
}

/** The key of a thing in a hand, by which moves name it. */
export function thingKey(relation, owner, text) {
  return `hand|${relation}|${owner}|${text}`;
}

/** The key of a value of a relation with one argument. */
export function lineKey(relation, text) {
  return `line|${relation}|${text}`;
}

/** Whether something may hold and may not. */
export function isOpen(thing) {
  return (thing.probability ?? 1) < CERTAIN;
}

/** Each cell of a picture with its key. */
function cellsOf(picture) {
  return (picture.panels ?? []).flatMap((panel, at) =>
    panel.rows.flatMap(row => row.cells.map((cell, column) => [cellKey(at, row.name, panel.columns?.[column]), cell])),
  );
}

/** The keys of the cells and things of a picture that have changed. */
export function changesOf(picture) {
  const hands = (picture.hands ?? []).flatMap(({ relation, owners }) =>
    owners.flatMap(({ name, things }) => things.map(thing => [thingKey(relation, name, thing.text), thing])),
  );
  const lines = (picture.lines ?? []).flatMap(({ name, values }) => values.map(value => [lineKey(name, value.text), value]));
  return new Set([...cellsOf(picture), ...hands, ...lines].filter(([, one]) => one.changed).map(([key]) => key));
}

/** Certain things, and one mark for all that are open. */
function concealed(things) {
  const sure = things.filter(thing => !isOpen(thing));
  return sure.length === things.length ? things : [...sure, { text: OPEN, probability: 1, changed: false }];
}

/** A picture of what is believed with a mark in place of everything that is open. */
export function conceal(picture) {
  const cell = content => {
    const sure = (content.signs ?? []).filter(sign => !isOpen(sign));
    const isSure = sure.length === (content.signs ?? []).length;
    return isSure ? content : { ...content, text: OPEN, signs: [...sure, { sign: OPEN, name: 'open', probability: 1 }] };
  };
  const panel = one => ({ ...one, rows: one.rows.map(row => ({ ...row, cells: row.cells.map(cell) })) });
  const owner = one => ({ ...one, things: concealed(one.things) });
  return {
    ...picture,
    panels: (picture.panels ?? []).map(panel),
    hands: (picture.hands ?? []).map(hand => ({ ...hand, owners: hand.owners.map(owner) })),
    lines: (picture.lines ?? []).map(line => ({ ...line, values: concealed(line.values) })),
  };
}
