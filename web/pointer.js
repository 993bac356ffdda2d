// SPDX-License-Identifier: Apache-2.0
// Mouse and fingers on the matrix: resting points at a cell, a click pins it, dragging pans, the wheel zooms.

const kDrag = 4; // pixels that make a click a drag

export function listenToPointer(canvas, { ready, cellAt, panBy, zoomBy, hover, pin }) {
  let drag = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!ready()) return;
    if (drag && (drag.moved || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > kDrag)) {
      panBy(drag.x - event.clientX, drag.y - event.clientY);
      drag = { x: event.clientX, y: event.clientY, moved: true };
      return;
    }
    hover(cellAt(event), { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener('pointerup', (event) => {
    const cell = drag && !drag.moved ? cellAt(event) : null;
    drag = null;
    if (cell) pin(cell);
  });
  canvas.addEventListener('pointercancel', () => (drag = null));
  canvas.addEventListener('pointerleave', () => !drag && hover(null));
  // A wheel over the page scrolls it; over a focused matrix, or with Control (a pinch, too), it zooms.
  canvas.addEventListener(
    'wheel',
    (event) => {
      if (!ready() || (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas)) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      zoomBy(Math.exp(-event.deltaY * 0.0016), { x: event.clientX - box.left, y: event.clientY - box.top });
    },
    { passive: false },
  );
}
