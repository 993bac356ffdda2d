// SPDX-License-Identifier: Apache-2.0
// The steps of a decoder: a slider that shows the output so far, and a button that plays it token by token.

const kPause = 700; // milliseconds a token

export function createSteps({ section, slider, play, note, actions }) {
  let scene = null;
  let timer = null;

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = 'Play';
  }

  play.addEventListener('click', () => {
    if (timer !== null) return stop();
    const count = scene.view.rows.length;
    actions.step(scene.step === 0 || scene.step >= count ? 1 : scene.step + 1);
    play.textContent = 'Pause';
    timer = setInterval(() => {
      if (scene.step === 0 || scene.step >= scene.view.rows.length) stop();
      else actions.step(scene.step + 1);
    }, kPause);
  });
  slider.addEventListener('input', () => {
    stop();
    actions.step(Number(slider.value));
  });

  return {
    update(next, changed) {
      scene = next;
      section.hidden = !scene.set.stepwise || scene.view.rows.length < 2;
      if (section.hidden && timer !== null) stop();
      if (changed.has('source') && timer !== null) stop();
      const count = scene.view.rows.length;
      slider.max = String(count);
      slider.value = String(scene.step);
      const text = scene.step === 0 ? `all ${count}` : `${scene.step} of ${count}: “${scene.view.rows[scene.step - 1].label}”`;
      note.textContent = text;
      slider.setAttribute('aria-valuetext', text);
    },
  };
}
