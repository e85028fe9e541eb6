// What pages can do beyond HTML: live parts, search as you type, copying, keys. Every page works without this file.
'use strict';

const liveState = document.getElementById('live-state');
const say = (text) => { if (liveState) liveState.textContent = text; };

// --- Parts of a page -------------------------------------------------------------------------------------------------

// Pages are asked for as a whole and parsed without running anything; parts of the same id change places.
async function fetchPage(url, signal) {
  const answer = await fetch(url, { headers: { 'X-Fragment': '1' }, signal, redirect: 'error' });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), 'text/html');
}

// What did not change stays what it is, so that focus, selections and open details in it survive. Elements with an id are
// matched by it, and looked into.
function takeOver(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const known = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  const next = [...fresh.childNodes].map((child) => {
    const same = child.id && known.get(child.id);
    if (!same) return document.importNode(child, true);
    if (same.outerHTML !== child.outerHTML) takeOver(same, child);
    return same;
  });
  old.replaceChildren(...next);
}

// Runs a change of the page and gives the focus back to the link that had it, when that was drawn anew.
function keepingFocus(change) {
  const held = document.activeElement;
  const place = held && held.closest('[id]');
  const href = held && held.getAttribute('href');
  change();
  if (!held || held === document.body || document.contains(held) || !place || !href) return;
  const parent = document.getElementById(place.id);
  const again = parent && [...parent.querySelectorAll('a[href]')].find((link) => link.getAttribute('href') === href);
  if (again) again.focus({ preventScroll: true });
}

// --- Live parts ------------------------------------------------------------------------------------------------------

const kSettle = 150; // ms: several changes in a row are one update
const kPatience = 1000; // ms between two updates of a page that changes all the time
let waiting = 0;
let updating = false;
let updatedAt = 0;

const livePartsFor = (session) => [...document.querySelectorAll('[data-live]')].filter(
  ({ dataset }) => dataset.live === '*' || !session || dataset.live === session);

async function update() {
  if (updating) return schedule();
  updating = true;
  updatedAt = Date.now();
  try {
    const fresh = await fetchPage(location.href);
    let changed = false;
    keepingFocus(() => {
      for (const part of document.querySelectorAll('[data-live]')) {
        const next = part.id && fresh.getElementById(part.id);
        if (!next || next.outerHTML === part.outerHTML) continue;
        takeOver(part, next);
        changed = true;
      }
    });
    if (changed) {
      say('The page was updated.');
      enhance();
      document.dispatchEvent(new CustomEvent('holdfast:updated'));
    }
  } catch {
    say('The page could not be updated.');
  } finally {
    updating = false;
  }
}

function schedule() {
  clearTimeout(waiting);
  waiting = setTimeout(update, Math.max(kSettle, updatedAt + kPatience - Date.now()));
}

// Browsers allow six connections to a server, and a stream is one that never ends: so one tab of all has the stream and tells the
// others. Where tabs cannot talk to each other (no secure page), a tab that nobody sees gives its stream back.
function follow() {
  if (!document.querySelector('[data-live]')) return;
  let opened = false;
  const take = ({ type, session }) => {
    if (type === 'ready') {
      if (opened) schedule(); // after a pause nobody knows what was missed
      opened = true;
      document.documentElement.dataset.connected = '';
    } else if (type === 'session' && livePartsFor(session).length) {
      schedule();
    } else if (type === 'lost') {
      delete document.documentElement.dataset.connected;
    }
  };
  let events = null;
  let ready = false;
  const open = (tell) => {
    events ??= new EventSource('/events');
    events.addEventListener('ready', () => { ready = true; tell({ type: 'ready' }); });
    events.addEventListener('session', (event) => tell({ type: 'session', session: JSON.parse(event.data).session }));
    events.addEventListener('error', () => { ready = false; tell({ type: 'lost' }); });
  };
  const close = () => { events?.close(); events = null; ready = false; };
  addEventListener('pagehide', close);
  if (!navigator.locks || !window.BroadcastChannel) {
    const look = () => (document.hidden ? close() : events || open(take));
    document.addEventListener('visibilitychange', look);
    addEventListener('pageshow', look);
    look();
    return;
  }
  const others = new BroadcastChannel('holdfast-events');
  const tell = (news) => { take(news); others.postMessage(news); };
  others.addEventListener('message', ({ data }) => {
    if (data.type === 'anybody') { if (ready) others.postMessage({ type: 'ready' }); } else take(data);
  });
  others.postMessage({ type: 'anybody' });
  // Held until this tab goes; then the next one that waits has it.
  navigator.locks.request('holdfast-events', () => { open(tell); return new Promise(() => {}); });
  addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload(); });
}

// --- Search as you type ----------------------------------------------------------------------------------------------

const kTyping = 120; // ms without a key

function searchAsTyped() {
  const results = document.getElementById('results');
  const form = document.querySelector('form[data-search]');
  if (!results || !form) return;
  let timer = 0;
  let asked = null; // the request under way; a newer one makes it pointless
  const find = async () => {
    asked?.abort();
    asked = new AbortController();
    const { signal } = asked;
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    const typed = new URLSearchParams(query);
    typed.set('typing', '1');
    const url = `/search?${typed}`;
    results.setAttribute('aria-busy', 'true');
    try {
      const fresh = (await fetchPage(url, signal)).getElementById('results');
      if (signal.aborted || !fresh) return;
      results.replaceChildren(...[...fresh.childNodes].map((child) => document.importNode(child, true)));
      history.replaceState(null, '', url);
      enhance();
      const summary = results.querySelector('[data-summary]');
      say(summary ? summary.textContent : '');
    } catch (error) {
      if (error.name !== 'AbortError') say('The search could not be made.');
    } finally {
      if (asked?.signal === signal) results.removeAttribute('aria-busy');
    }
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(find, kTyping);
  };
  form.addEventListener('input', soon);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    find();
  });
}

// --- Small things ----------------------------------------------------------------------------------------------------

// Shows what only works with the script.
function enhance() {
  for (const button of document.querySelectorAll('[data-copy][hidden], [data-help][hidden]')) button.hidden = false;
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    say('Copied.');
    button.textContent = 'Copied';
  } catch {
    // Not a secure page, or not allowed: select it, so that the person can.
    const code = button.parentElement.querySelector('code');
    if (code) getSelection().selectAllChildren(code);
    say('Selected; copy it with your keyboard.');
    button.textContent = 'Selected';
  }
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
}

const keys = [
  ['/', 'search'], ['?', 'this help'], ['g t', 'timeline'], ['g r', 'review'], ['g n', 'notices'],
  ['j k', 'next and previous row'], ['Enter', 'open it'], ['Esc', 'close, leave a field'],
];

function showKeys() {
  let dialog = document.getElementById('keys');
  if (!dialog) {
    dialog = document.createElement('dialog');
    dialog.id = 'keys';
    dialog.setAttribute('aria-labelledby', 'keys-title');
    const title = document.createElement('h2');
    title.id = 'keys-title';
    title.textContent = 'Keys';
    const list = document.createElement('dl');
    const more = [...document.querySelectorAll('[data-keys]')].flatMap(({ dataset }) => JSON.parse(dataset.keys));
    for (const [key, meaning] of [...keys, ...more]) {
      const term = document.createElement('dt');
      const cap = document.createElement('kbd');
      cap.textContent = key;
      term.append(cap);
      const text = document.createElement('dd');
      text.textContent = meaning;
      list.append(term, text);
    }
    const close = document.createElement('button');
    close.textContent = 'Close';
    close.addEventListener('click', () => dialog.close());
    dialog.append(title, list, close);
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
}

function step(by) {
  const rows = [...document.querySelectorAll('.row-title')];
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, at === -1 ? 0 : at + by))].focus();
}

const isField = (element) => element.matches?.('input, textarea, select, [contenteditable]');
let before = ''; // the key pressed last: "g t" is two of them

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isField(event.target)) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const last = before;
  before = event.key;
  const go = { t: '/', s: '/search', r: '/review', e: '/research', n: '/notices', o: '/storage' };
  if (last === 'g' && go[event.key]) {
    location.assign(go[event.key]);
  } else if (event.key === '/') {
    const box = document.querySelector('form[data-search] [data-find]') ?? document.querySelector('[data-find]');
    box?.focus();
    box?.select();
  } else if (event.key === '?') {
    showKeys();
  } else if (event.key === 'j' && !document.querySelector('[data-own-keys]')) {
    step(1);
  } else if (event.key === 'k' && !document.querySelector('[data-own-keys]')) {
    step(-1);
  } else {
    return;
  }
  event.preventDefault();
}

document.addEventListener('keydown', onKey);
document.addEventListener('click', (event) => {
  const button = event.target.closest?.('[data-copy], [data-help]');
  if (!button) return;
  if ('copy' in button.dataset) copy(button);
  else showKeys();
});

enhance();
follow();
searchAsTyped();
