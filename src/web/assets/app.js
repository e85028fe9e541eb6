// What pages can do beyond HTML. Every page works without this file.
'use strict';

const status = document.getElementById('live-state');
const say = (text) => { if (status) status.textContent = text; };

// --- Fetching a part of a page ---------------------------------------------------------------------------------------

// Pages are asked for as a whole and parsed without running anything; parts of the same id change places.
async function fetchPage(url, signal) {
  const answer = await fetch(url, { headers: { 'X-Fragment': '1' }, signal, redirect: 'error' });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

// Children that have an id and did not change stay what they are: focus, open details and selections in them survive.
function replaceChildrenOf(old, fresh) {
  const known = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  const next = [...fresh.childNodes].map((child) => {
    const same = child.id && known.get(child.id);
    return same && same.outerHTML === child.outerHTML ? same : document.importNode(child, true);
  });
  old.replaceChildren(...next);
}

// --- Live parts ------------------------------------------------------------------------------------------------------

const kSettle = 150; // ms: several changes in a row are one update
let pending = 0;
let updating = false;

function partsFor(session) {
  return [...document.querySelectorAll('[data-live]')].filter(
    ({ dataset }) => dataset.live === '*' || !session || dataset.live === session);
}

async function update() {
  if (updating) return void schedule();
  updating = true;
  try {
    const fresh = await fetchPage(location.href);
    let changed = false;
    for (const part of document.querySelectorAll('[data-live]')) {
      const next = part.id && fresh.getElementById(part.id);
      if (!next || next.innerHTML === part.innerHTML) continue;
      replaceChildrenOf(part, next);
      changed = true;
    }
    if (changed) {
      say('Updated.');
      document.dispatchEvent(new CustomEvent('holdfast:updated'));
    }
  } catch {
    say('The page could not be updated.');
  } finally {
    updating = false;
  }
}

function schedule() {
  clearTimeout(pending);
  pending = setTimeout(update, kSettle);
}

function follow() {
  if (!document.querySelector('[data-live]')) return;
  const events = new EventSource('/events');
  let opened = false;
  events.addEventListener('ready', () => {
    if (opened) schedule(); // after a pause nobody knows what was missed
    opened = true;
    document.documentElement.dataset.connected = '';
  });
  events.addEventListener('session', (event) => {
    if (partsFor(JSON.parse(event.data).session).length) schedule();
  });
  events.addEventListener('error', () => delete document.documentElement.dataset.connected);
  addEventListener('pagehide', () => events.close());
}

follow();
