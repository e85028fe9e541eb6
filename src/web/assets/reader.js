// What the reader can do beyond HTML: windows that follow as one scrolls, keys, folding, new turns. It works without this file.
'use strict';

const turns = document.getElementById('turns');
const kPoll = 4000; // ms between two looks at a transcript that another program writes
const kLookBack = 20; // turns: calls that still run are among the last; one further up was given up

const linkIn = (id, rel) => document.querySelector(`#${id} a[rel="${rel}"]`);
let loading = false;

// A turn as the server wrote it: without what a person unfolded and where the focus was.
function asWritten(turn) {
  const copy = turn.cloneNode(true);
  copy.removeAttribute('tabindex');
  for (const part of copy.querySelectorAll('details[open]')) part.removeAttribute('open');
  return copy.outerHTML;
}

// What a fold is known by when its turn is written anew: what it is called, and which of that name it is.
function folds(turn) {
  const found = new Map();
  for (const part of turn.querySelectorAll('details')) {
    const summary = part.querySelector('summary');
    const name = [...summary.querySelectorAll('b, code')].map(({ textContent }) => textContent).join(' ') || summary.textContent;
    let key = name;
    for (let again = 1; found.has(key); ++again) key = `${name} ${again}`;
    found.set(key, part);
  }
  return found;
}

// A turn that has changed (its call was answered, more was said) takes over what is new; what was open stays open, a call that
// failed opens, and the focus stays.
function renewTurn(old, fresh) {
  if (asWritten(old) === asWritten(fresh)) return false;
  const before = folds(old);
  const held = old.contains(document.activeElement) ? document.activeElement : null;
  old.className = fresh.className;
  old.replaceChildren(...[...fresh.childNodes].map((child) => document.importNode(child, true)));
  const after = folds(old);
  for (const [key, part] of before) {
    const now = after.get(key);
    if (!now) continue;
    const failed = now.classList.contains('failed') && !part.classList.contains('failed');
    now.open = part.open || failed;
    if (held && held === part.querySelector('summary')) now.querySelector('summary').focus({ preventScroll: true });
  }
  if (held && held !== old && !old.contains(document.activeElement)) {
    old.tabIndex = -1;
    old.focus({ preventScroll: true });
  }
  return true;
}

// Fetches the window a link leads to and puts its turns where the link was.
async function load(link, above) {
  if (loading || !link) return false;
  loading = true;
  try {
    const answer = await fetch(link.href, { headers: { 'X-Fragment': '1' }, redirect: 'error' });
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = [];
    for (const turn of page.querySelectorAll('#turns > article')) {
      const known = document.getElementById(turn.id);
      if (!known) fresh.push(document.importNode(turn, true));
      else if (known.matches('#turns > article')) renewTurn(known, turn);
    }
    if (fresh.length) turns.querySelector(':scope > p')?.remove(); // "nothing here"
    const height = document.documentElement.scrollHeight;
    if (above) turns.prepend(...fresh); else turns.append(...fresh);
    if (above) scrollBy(0, document.documentElement.scrollHeight - height); // what one reads stays where it is
    const id = above ? 'earlier' : 'later';
    document.getElementById(id).replaceWith(document.importNode(page.getElementById(id), true));
    if (!above) tellOfOtherWay(page.getElementById('turns').dataset.branch);
    watch();
    return fresh.length > 0;
  } catch {
    return false; // the link is still there to be followed
  } finally {
    loading = false;
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) load(linkIn(entry.target.id, 'next'), false);
}, { rootMargin: '800px' });

function watch() {
  seen.disconnect();
  const later = document.getElementById('later');
  if (later && linkIn('later', 'next')) seen.observe(later);
}

// Somebody took a question back while this was read: what is shown has become another branch, and nothing new comes to it.
function tellOfOtherWay(branch) {
  if (turns.dataset.branch !== '' || branch === '') return;
  const note = document.createElement('p');
  note.className = 'notice';
  const link = document.createElement('a');
  link.href = `${location.pathname}?before=last`;
  link.textContent = 'Show it';
  note.append('The conversation went on another way. ', link);
  document.getElementById('later').append(note);
}

// The last turn, or the first of those before it with a call that waits for its answer.
function firstOpen() {
  const last = [...turns.querySelectorAll(':scope > article')].slice(-kLookBack);
  return last.find((turn) => turn.querySelector('details.waiting')) ?? last.at(-1);
}

// What was written since: the end of what is shown is asked for again. It may have grown itself.
async function lookForNews() {
  if (document.hidden || linkIn('later', 'next')) return;
  const link = document.createElement('a');
  const address = new URL(location.href);
  address.searchParams.delete('before');
  const turn = firstOpen();
  if (turn) address.searchParams.set('line', turn.id.slice(1));
  address.hash = '';
  link.href = address.href;
  await load(link, false);
}

function fold(open) {
  for (const part of turns.querySelectorAll('details')) part.open = open;
}

// The turn that one looks at: the last that begins above the upper third of the window.
function current(list) {
  const edge = innerHeight / 3;
  let at = -1;
  for (const [index, turn] of list.entries()) if (turn.getBoundingClientRect().top <= edge) at = index;
  return at;
}

function go(selector, by) {
  const list = [...turns.querySelectorAll(selector)];
  const focused = list.indexOf(document.activeElement);
  const at = (focused === -1 ? current(list) : focused) + by;
  if (at >= list.length) return load(linkIn('later', 'next'), false);
  const turn = list[Math.max(0, at)];
  if (!turn) return undefined;
  turn.tabIndex = -1;
  turn.focus({ preventScroll: true });
  turn.scrollIntoView({ block: 'start' });
  return undefined;
}

function onReaderKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.matches?.('input, textarea, select')) return;
  const way = {
    j: () => go('.prompt', 1), k: () => go('.prompt', -1), n: () => go('article', 1), p: () => go('article', -1),
    e: () => go('.error', 1), o: () => fold(!turns.querySelector('details[open]')),
  }[event.key];
  if (!way) return;
  way();
  event.preventDefault();
}

if (turns) {
  document.addEventListener('keydown', onReaderKey);
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-fold]');
    if (button) fold(button.dataset.fold === 'open');
    const earlier = event.target.closest?.('#earlier a[rel="prev"]');
    if (!earlier || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    load(earlier, true);
  });
  for (const button of document.querySelectorAll('[data-fold]')) button.hidden = false;
  document.addEventListener('holdfast:updated', lookForNews);
  if ('poll' in turns.dataset) setInterval(lookForNews, kPoll);
  watch();
}
