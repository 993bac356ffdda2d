// SPDX-License-Identifier: Apache-2.0
// The keyboard: [ ] head, comma and full stop layer, arrows move the cell, P pins, + - 0 zoom, ? lists them all.

const kOwnKeys = 'input, select, textarea, dialog'; // they have a use for these keys themselves

export function listenToKeys(root, canvas, actions) {
  const anywhere = {
    '[': () => actions.moveHead(-1),
    ']': () => actions.moveHead(1),
    ',': () => actions.moveLayer(-1),
    '.': () => actions.moveLayer(1),
    p: () => actions.pinCursor(),
    P: () => actions.pinCursor(),
    '+': () => actions.zoom(1.4),
    '=': () => actions.zoom(1.4),
    '-': () => actions.zoom(1 / 1.4),
    0: () => actions.fit(),
    '?': () => actions.help(),
    Escape: () => actions.unpin(),
  };
  const arrows = {
    ArrowLeft: () => actions.moveCell(0, -1),
    ArrowRight: () => actions.moveCell(0, 1),
    ArrowUp: () => actions.moveCell(-1, 0),
    ArrowDown: () => actions.moveCell(1, 0),
  };
  root.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest(kOwnKeys)) return;
    const onMatrix = event.target === canvas || event.target === root.body;
    const action = (Object.hasOwn(anywhere, event.key) && anywhere[event.key]) || (onMatrix && arrows[event.key]);
    if (!action) return;
    event.preventDefault();
    action();
  });
}
