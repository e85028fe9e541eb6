// Debian's Chromium, driven by Playwright: pages that report everything a clean page does not do.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { chromium } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const kPatience = 50_000; // ms; a busy machine draws slowly, and the harness ends a test that hangs

export const looks = {
  light: { colorScheme: 'light', viewport: { width: 1200, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1200, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

export async function openBrowser() {
  assert.ok(executablePath, 'there is no Chromium: run scripts/setup');
  // Its sandbox refuses to work for root.
  const args = process.getuid() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, headless: true, args: [...args, '--disable-gpu', '--disable-dev-shm-usage'] });
}

/** A page that is logged in, in a context of its own. `complaints` collects what must not happen. Without `live` the page hears of
 *  nothing that happens after it was drawn, as on a slow line. */
export async function openPage(browser, demo, { look = 'light', loggedIn = true, javaScriptEnabled = true, live = true } = {}) {
  const context = await browser.newContext({ ...looks[look], reducedMotion: 'reduce', javaScriptEnabled });
  context.setDefaultTimeout(kPatience);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: demo.server.origin });
  const complaints = [];
  await context.route(url => url.origin !== demo.server.origin, route => {
    complaints.push(`asked for ${route.request().url()}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.on('console', message => { if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`); });
  page.on('pageerror', error => complaints.push(`script: ${error.message}`));
  page.on('dialog', dialog => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  if (javaScriptEnabled) {
    await page.addInitScript(() => addEventListener('securitypolicyviolation',
      event => console.error(`CSP: ${event.violatedDirective} ${event.blockedURI}`)));
  }
  if (!live) await page.addInitScript(() => { globalThis.EventSource = class extends EventTarget { close() {} }; });
  if (loggedIn) await page.goto(demo.server.login());
  const go = path => page.goto(demo.server.origin + path);
  return { page, context, complaints, go, close: () => context.close() };
}

/** Clicks what leads to another page, and waits for that page: a click alone may return while the old one is still shown. */
export async function follow(page, target) {
  await Promise.all([page.waitForEvent('load'), target.click()]);
}

/** Waits until `text` (a string, or a pattern) is in the clipboard, and returns what is there. */
export async function copied(page, text) {
  const pattern = typeof text === 'string' ? { whole: text } : { source: text.source };
  const found = await page.waitForFunction(async ({ whole, source }) => {
    const now = await navigator.clipboard.readText();
    return (source ? new RegExp(source).test(now) : now === whole) && now;
  }, pattern);
  return found.jsonValue();
}

/** Serious and critical findings of axe, as text. */
export async function accessibilityFindings(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, impact, nodes }) =>
    `${id} (${impact}): ${nodes.slice(0, 3).map(node => `${node.target} ${node.any[0]?.message ?? node.all[0]?.message ?? ''}`).join(' | ')}`);
}
