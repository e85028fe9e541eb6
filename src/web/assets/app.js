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

// What a person has begun in a part: the focus is in one of its fields, or one holds what the server did not write.
function isInUse(part) {
  const held = document.activeElement;
  if (held && held !== part && part.contains(held) && held.matches('input, textarea, select')) return true;
  return [...part.querySelectorAll('input:not([type="hidden"]), textarea')].some(
    (field) => (field.matches('[type="checkbox"], [type="radio"]') ? field.checked !== field.defaultChecked : field.value !== field.defaultValue));
}

// An element as the server wrote it, without how long ago things were: a minute that passes is no news. Nor is what the script
// and the person unfolded and showed.
function asServed(element) {
  const copy = element.cloneNode(true);
  for (const time of copy.querySelectorAll('time')) time.textContent = '';
  for (const part of [copy, ...copy.querySelectorAll('details[open], [hidden]')]) {
    part.removeAttribute('open');
    part.removeAttribute('hidden');
  }
  return copy.outerHTML;
}

// What did not change stays what it is, so that focus, selections and open details in it survive. Elements with an id are
// matched by it, and looked into; others by what they hold. What somebody is at work in is left alone.
function takeOver(old, fresh) {
  const isTheirs = (name) => name === 'open' && old.matches('details');
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !isTheirs(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value && !isTheirs(name)) old.setAttribute(name, value);
  const known = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  const unnamed = [...old.children].filter((child) => !child.id).map((child) => [asServed(child), child]);
  const next = [...fresh.childNodes].map((child) => {
    const same = child.id && known.get(child.id);
    if (same) {
      if (!isUnit(same) || !isInUse(same)) renew(same, child);
      return same;
    }
    if (child.nodeType !== Node.ELEMENT_NODE || child.id) return document.importNode(child, true);
    const served = asServed(child);
    const at = unnamed.findIndex(([text]) => text === served);
    if (at === -1) return document.importNode(child, true);
    const [[, kept]] = unnamed.splice(at, 1);
    renewAges(kept, child);
    return kept;
  });
  arrange(old, next);
}

// Parts that are drawn as a whole: one change, one form.
const isUnit = (element) => element.matches('article, form');

function renew(old, fresh) {
  if (asServed(old) === asServed(fresh)) renewAges(old, fresh);
  else takeOver(old, fresh);
}

// Elements of the same shape: only their ages differ.
function renewAges(old, fresh) {
  const ages = fresh.querySelectorAll('time');
  for (const [index, time] of [...old.querySelectorAll('time')].entries()) {
    if (ages[index] && time.textContent !== ages[index].textContent) time.textContent = ages[index].textContent;
  }
}

// Puts the nodes in order without taking out those that stay: one that is taken out loses the focus. What somebody is at work in
// stays although the server no longer has it; sending it tells why.
function arrange(parent, nodes) {
  const stay = new Set(nodes);
  for (const child of [...parent.childNodes]) {
    if (!stay.has(child) && !(child.nodeType === Node.ELEMENT_NODE && isInUse(child))) child.remove();
  }
  let at = parent.firstChild;
  for (const node of nodes) {
    while (at && !stay.has(at)) at = at.nextSibling;
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
}

// Runs a change of the page and gives the focus back to what had it, when that was moved, or to a link that was drawn anew.
function keepingFocus(change) {
  const held = document.activeElement;
  const place = held && held.closest('[id]');
  const href = held && held.getAttribute('href');
  change();
  if (!held || held === document.body || held === document.activeElement) return;
  if (document.contains(held)) return held.focus({ preventScroll: true });
  if (!place || !href) return;
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

// The answer to a form stands where nothing can be asked for; it says where its parts come from.
const liveAddress = document.querySelector('[data-from]')?.dataset.from;
const livePartsFor = (session) => [...document.querySelectorAll('[data-live]')].filter(
  ({ dataset }) => dataset.live === '*' || !session || dataset.live === session);

async function update() {
  if (updating) return schedule();
  updating = true;
  updatedAt = Date.now();
  try {
    const fresh = await fetchPage(liveAddress ?? location.href);
    let changed = false;
    keepingFocus(() => {
      for (const part of document.querySelectorAll('[data-live]')) {
        const next = part.id && fresh.getElementById(part.id);
        if (!next) continue;
        changed ||= asServed(part) !== asServed(next);
        renew(part, next);
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

const places = { t: ['/', 'timeline'], s: ['/search', 'search'], r: ['/review', 'review'], e: ['/research', 'research'],
  n: ['/notices', 'notices'], o: ['/storage', 'storage'] };
const hasOwnKeys = () => document.querySelector('[data-own-keys]') !== null;

// Those that work on this page: one that shows something else than rows has keys of its own.
function keysHere() {
  const rows = hasOwnKeys() ? [] : [['j k', 'next and previous row'], ['Enter', 'open it']];
  const more = [...document.querySelectorAll('[data-keys]')].flatMap(({ dataset }) => JSON.parse(dataset.keys));
  return [['/', 'search'], ['?', 'this help'], ...Object.entries(places).map(([key, [, name]]) => [`g ${key}`, name]), ...rows, ...more,
    ['Esc', 'close, leave a field']];
}

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
    for (const [key, meaning] of keysHere()) {
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
  if (last === 'g' && Object.hasOwn(places, event.key)) {
    location.assign(places[event.key][0]);
  } else if (event.key === '/') {
    const box = document.querySelector('form[data-search] [data-find]') ?? document.querySelector('[data-find]');
    box?.focus();
    box?.select();
  } else if (event.key === '?') {
    showKeys();
  } else if (event.key === 'j' && !hasOwnKeys()) {
    step(1);
  } else if (event.key === 'k' && !hasOwnKeys()) {
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
