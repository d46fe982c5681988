// The editor of the stand-in: every paragraph is a text that can be changed.
import { showPlugins } from './plugin-frames.js';

const at = (id) => document.getElementById(id);
const POLL_MS = 1000;
const TYPING_MS = 300;
let session;
let revision = -1;
let texts = [];
let lastFocused;
let polling;
let isClosed = false;
const typing = new Map();

const tell = (event, data) => window.parent.postMessage({ event, data }, '*');
const say = (text) => {
  at('state').textContent = text;
};

async function post(path, body = {}) {
  const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json().catch(() => ({})) };
}

const act = (action, body) => post(`/stand-in/sessions/${session}/${action}`, body);

async function open(config) {
  const { status, body } = await post('/stand-in/open', config);
  if (status !== 200) {
    say(`Not opened: ${body.message} (${body.code})`);
    tell(body.message === 'updateversion' ? 'onOutdatedVersion' : 'onError', {
      ...{ errorCode: body.code, errorDescription: body.message },
    });
    return;
  }
  session = body.session;
  at('title').textContent = body.title;
  at('save').disabled = !body.isEditing;
  at('close').disabled = false;
  show(body);
  tell('onAppReady');
  tell('onDocumentReady');
  polling = window.setInterval(poll, POLL_MS);
  await showPlugins(at('plugins'), body.plugins, insert);
}

function show(state) {
  at('who').textContent = state.editors.join(', ');
  say(state.isEditing ? (state.isSaved ? 'Saved' : 'Editing') : 'Viewing');
  if (state.revision === revision) return;
  revision = state.revision;
  texts = [...state.texts];
  for (const [index, text] of texts.entries()) {
    const shown = at('page').children[index] ?? paragraph(index, state.isEditing);
    if (shown !== document.activeElement && !typing.has(index)) shown.textContent = text;
  }
}

function paragraph(index, isEditing) {
  const made = document.createElement('p');
  if (isEditing) made.contentEditable = 'plaintext-only';
  made.addEventListener('focus', () => {
    lastFocused = index;
  });
  made.addEventListener('input', () => {
    window.clearTimeout(typing.get(index));
    typing.set(
      index,
      window.setTimeout(() => send(index), TYPING_MS),
    );
    tell('onDocumentStateChange', true);
  });
  at('page').append(made);
  return made;
}

async function send(index) {
  window.clearTimeout(typing.get(index));
  typing.delete(index);
  const { textContent } = at('page').children[index];
  if (textContent === texts[index]) return;
  texts[index] = textContent;
  const { body } = await act('change', { index, text: textContent });
  if (typing.size === 0) show(body);
}

const sendAll = () => Promise.all([...typing.keys()].map(send));

/** What a plugin pastes goes to the end of the paragraph that had the cursor last. */
async function insert(text) {
  const index = lastFocused ?? 0;
  const target = at('page').children[index];
  target.textContent += text;
  await send(index);
}

async function poll() {
  const answer = await fetch(`/stand-in/sessions/${session}/state`);
  if (isClosed) return;
  if (answer.ok) show(await answer.json());
  else say(answer.status === 410 ? 'You were disconnected.' : 'The session has ended.');
}

at('save').addEventListener('click', async () => {
  await sendAll();
  say('Saving…');
  const { body } = await act('save');
  say(body.isSaved ? 'Saved' : 'Not saved: the platform did not accept the document.');
  tell('onDocumentStateChange', !body.isSaved);
});

at('close').addEventListener('click', async () => {
  await sendAll();
  isClosed = true;
  window.clearInterval(polling);
  await act('leave');
  const closed = document.createElement('p');
  closed.id = 'closed';
  closed.textContent = 'Closed. What was changed is saved in a few seconds.';
  document.body.replaceChildren(closed);
  tell('onRequestClose');
});

window.addEventListener('pagehide', () => {
  if (session) navigator.sendBeacon(`/stand-in/sessions/${session}/leave`);
});

window.addEventListener('message', ({ source, data }) => {
  if (source === window.parent && data?.command === 'init' && !session) void open(data.config);
});
tell('ready');
