// SPDX-License-Identifier: Apache-2.0
// The state of the page: one value that components read, changed in one place, kept in the link's fragment.

const whole = (least) => ({
  parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined),
});
const number = (least, most) => ({
  parse: (text) => {
    const value = text.trim() === '' ? NaN : Number(text);
    return value >= least && value <= most ? value : undefined;
  },
});
const one = (...names) => ({ parse: (text) => (names.includes(text) ? text : undefined) });
const flag = {
  parse: (text) => (text === '1' ? true : text === '0' ? false : undefined),
  write: (value) => (value ? '1' : '0'),
};
// Query and key by token number, so that a pin stays when pieces are merged: "3.7".
const cell = {
  parse: (text) => {
    const match = /^(\d{1,9})\.(\d{1,9})$/.exec(text);
    return match ? { query: Number(match[1]), key: Number(match[2]) } : undefined;
  },
  write: (pin) => `${pin.query}.${pin.key}`,
};

// What a link can hold, with what holds when it does not.
const kFields = {
  example: { ...whole(0), start: 0 },
  set: { ...whole(0), start: 0 },
  layer: { ...whole(0), start: 0 },
  head: { ...whole(0), start: 0 },
  aggregate: { ...one('head', 'mean', 'max', 'mean-all', 'max-all'), start: 'head' },
  normalise: { ...one('none', 'row', 'column'), start: 'none' },
  gamma: { ...number(0.2, 2), start: 1 },
  threshold: { ...number(0, 1), start: 0 },
  special: { ...flag, start: true },
  merge: { ...flag, start: false },
  gold: { ...flag, start: true },
  theme: { ...one('auto', 'light', 'dark'), start: 'auto' },
  colours: { ...one('blue', 'cividis', 'gray'), start: 'blue' },
  chips: { ...one('background', 'underline'), start: 'background' },
  mass: { ...number(5, 100), start: 80 },
  step: { ...whole(0), start: 0 }, // 0: all
  pin: { ...cell, start: null },
};

export function startState() {
  return Object.fromEntries(Object.entries(kFields).map(([name, field]) => [name, field.start]));
}

// "#layer=2&head=1" -> {layer: 2, head: 1}; what is unknown or out of range is left out.
export function parseFragment(fragment) {
  const values = {};
  for (const [name, text] of new URLSearchParams(fragment.replace(/^#/, ''))) {
    const value = Object.hasOwn(kFields, name) ? kFields[name].parse(text) : undefined;
    if (value !== undefined) values[name] = value;
  }
  // A link to a head shows that head.
  if (values.head !== undefined) values.aggregate ??= 'head';
  return values;
}

// Only what differs from the start: the page's own, which depends on what it shows.
export function toFragment(values, start = startState()) {
  const parts = new URLSearchParams();
  for (const [name, field] of Object.entries(kFields)) {
    const value = values[name];
    const text = (v) => (v === null ? '' : (field.write ?? String)(v));
    if (text(value) !== text(start[name])) parts.set(name, text(value));
  }
  return parts.toString() === '' ? '' : `#${parts}`;
}

// `changed` gets the values and the set of changed names once per frame, however often they were set.
export function createState(values, changed, schedule = requestAnimationFrame) {
  let pending = null;
  return {
    values,
    set(patch) {
      for (const [name, value] of Object.entries(patch)) {
        if (Object.is(values[name], value)) continue;
        values[name] = value;
        if (pending === null) {
          pending = new Set();
          schedule(() => {
            const names = pending;
            pending = null;
            changed(values, names);
          });
        }
        pending.add(name);
      }
    },
  };
}
