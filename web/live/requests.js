// SPDX-License-Identifier: Apache-2.0
// From what a pane is set to, to the request that asks for it, and from the answer to what is shown.

export const kRoutes = { translate: '/v1/translate', language: '/v1/generate', classify: '/v1/classify', masked: '/v1/fill' };

// settings: beam, draw, temperature, length, second
export function requestFor(model, text, settings) {
  const body = { model: model.name, attention: true };
  if (model.task === 'language') {
    return { ...body, prompt: text, length: settings.length, ...(settings.draw ? { temperature: settings.temperature } : { greedy: true }) };
  }
  body.text = text;
  if (model.task === 'translate') {
    if (settings.draw) Object.assign(body, { sample: true, temperature: settings.temperature });
    else body.beam = settings.beam;
  }
  if (model.second) body.second = settings.second;
  return body;
}

const percent = (share) => `${(100 * share).toFixed(1)}%`;

// {given, text, notes, trace}
export function answerOf(model, text, answer) {
  if (model.task === 'translate') {
    const [best] = answer.results[0].translations;
    return { text: best.text, notes: `log-probability ${best.log_probability.toFixed(2)}${best.finished ? '' : ', cut'}`, trace: best.trace };
  }
  if (model.task === 'language') return { given: text, text: answer.text, notes: `${answer.tokens} tokens`, trace: answer.trace };
  if (model.task === 'classify') {
    const { aspects, trace } = answer.results[0];
    const names = aspects.map(({ aspect, label, probability }) => `${aspects.length > 1 ? `${aspect}: ` : ''}${label} ${percent(probability)}`);
    return { text: names.join(', '), notes: '', trace };
  }
  const gaps = answer.gaps.map((guesses) => guesses.map(({ word, probability }) => `${word} ${percent(probability)}`).join(', '));
  return { text: gaps.join('\n'), notes: '', trace: answer.trace };
}

// The attention that people ask for first: from what was written to what was read.
export function firstSet(attentions) {
  for (const kind of ['cross', 'pooling', 'history', 'decoder self']) {
    const found = attentions.findIndex((set) => set.kind === kind);
    if (found >= 0) return found;
  }
  return 0;
}
