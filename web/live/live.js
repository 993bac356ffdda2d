// SPDX-License-Identifier: Apache-2.0
// The live page: what is typed goes to one model or two, and each shows its answer and where it looked.
import { needsPicture, needsText, withKinds } from './kinds.js';
import { createPane } from './pane.js';
import { createPicture } from './picture.js';

const kPause = 40; // ms without a key until the text is sent: shorter than the gap of a fast typist, unseen by a slow one

const find = (id) => document.getElementById(id);
const text = find('text');
let panes = [];
let models = [];
let explainers = [];
let timer = null;

const say = (message) => (find('message').textContent = message);

async function ask(path, body, signal) {
  const headers = {};
  if (body) headers['Content-Type'] = 'application/json';
  if (find('token').value) headers.Authorization = `Bearer ${find('token').value}`;
  const response = await fetch(path, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body), signal });
  const answer = await response.json();
  if (response.status === 401) find('token-label').hidden = false;
  if (!response.ok) throw new Error(answer.error.message);
  say('');
  return answer;
}

function update() {
  clearTimeout(timer);
  timer = setTimeout(() => panes.forEach((pane) => pane.update(text.value, picture.bytes())), kPause);
}

const picture = createPicture({ area: find('picture-area'), input: find('picture'), name: find('picture-name'), say, changed: update });

function tryExample(example) {
  text.value = example.text;
  panes.forEach((pane) => pane.setSecond(example.second ?? ''));
  update();
}

// What the models of the panes are given: a text, a picture, or both.
function showInputs() {
  const kinds = panes.map((pane) => pane.model().kind);
  picture.show(kinds.some(needsPicture));
  text.hidden = !kinds.some(needsText);
}

// What the first pane's model can be tried with: texts of its own kind or, without any, a word on what to type.
function showExamples() {
  const { examples, kind } = panes[0].model();
  text.placeholder = kind.placeholder;
  find('examples').hidden = examples.length === 0;
  find('examples').replaceChildren(
    ...examples.map((example) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.dir = 'auto';
      button.textContent = [example.text, example.second].filter(Boolean).join(' | ');
      button.addEventListener('click', () => tryExample(example));
      return button;
    }),
  );
}

function addPane() {
  const chosen = models[Math.min(panes.length, models.length - 1)].id;
  const changed = () => {
    showInputs();
    showExamples();
    update();
  };
  const pane = createPane({ template: find('pane'), models, explainers, chosen, ask, say, changed });
  panes.push(pane);
  find('panes').append(pane.element);
  showInputs();
  showExamples();
}

async function start() {
  try {
    const answer = await ask('/v1/models');
    models = await withKinds(answer.data);
    ({ explainers } = await ask('/v1/explainers'));
  } catch (error) {
    say(error.message);
    return;
  }
  if (models.length === 0) {
    say('The models of this server are not for typing; /openapi.json says how to ask them.');
    return;
  }
  if (panes.length === 0) addPane();
  update();
}

const system = window.matchMedia('(prefers-color-scheme: dark)');
function setTheme() {
  document.documentElement.dataset.theme = system.matches ? 'dark' : 'light';
  panes.forEach((pane) => pane.redraw());
}

text.addEventListener('input', () => {
  performance.mark('heed-typed');
  update();
});
find('token').addEventListener('change', start);
find('compare').addEventListener('click', () => {
  const two = panes.length === 1;
  if (two) addPane();
  else panes.splice(1).forEach((pane) => (pane.stop(), pane.element.remove()));
  showInputs();
  find('compare').setAttribute('aria-pressed', String(two));
  update();
});
system.addEventListener('change', setTheme);
setTheme();
start();
