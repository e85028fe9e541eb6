// What the reader can do beyond HTML: windows that follow as one scrolls, keys, folding, new turns. It works without this file.
'use strict';

const turns = document.getElementById('turns');
const kPoll = 4000; // ms between two looks at a transcript that another program writes

const linkIn = (id, rel) => document.querySelector(`#${id} a[rel="${rel}"]`);
let loading = false;

// Fetches the window a link leads to and puts its turns where the link was.
async function load(link, above) {
  if (loading || !link) return false;
  loading = true;
  try {
    const answer = await fetch(link.href, { headers: { 'X-Fragment': '1' }, redirect: 'error' });
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = [...page.querySelectorAll('#turns > article')].filter(({ id }) => !document.getElementById(id))
      .map((turn) => document.importNode(turn, true));
    const height = document.documentElement.scrollHeight;
    if (above) turns.prepend(...fresh); else turns.append(...fresh);
    if (above) scrollBy(0, document.documentElement.scrollHeight - height); // what one reads stays where it is
    const id = above ? 'earlier' : 'later';
    document.getElementById(id).replaceWith(document.importNode(page.getElementById(id), true));
    if (!above) turns.dataset.last = page.getElementById('turns').dataset.last;
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

// What was written since: the end of the session is asked for again.
async function lookForNews() {
  if (document.hidden || linkIn('later', 'next')) return;
  const link = document.createElement('a');
  const address = new URL(location.href);
  address.searchParams.delete('before');
  address.searchParams.set('line', String(Number(turns.dataset.last) + 1));
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
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.('input, textarea, select')) return;
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
