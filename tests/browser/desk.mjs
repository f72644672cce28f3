// Opens the desk's page in headless Chromium, walks through it by keyboard and prints what was found as JSON.
// Arguments: the folder with node_modules, the address with its token, an empty profile, and where they are wanted
// the folder for screenshots.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [modules, address, profile, shots] = process.argv.slice(2);
const require = createRequire(join(modules, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const origin = new URL(address).origin;
const found = { errors: [], foreign: [], violations: [], wide: [], owned: false, hash: '', cookies: '', markup: 0, hunk: '', read: '', again: '', other: '', rebound: '', lines: 0, replayed: 0, stale: 0, bare: 0, strangers: [] };

const context = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium', headless: true, viewport: { width: 390, height: 844 },
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP *.example 127.0.0.1'],
});
const page = await context.newPage();
page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) found.errors.push(message.text()); });
page.on('pageerror', (error) => found.errors.push(error.message));
page.on('dialog', (dialog) => { found.owned = true; dialog.dismiss(); });
const wishes = [];
page.on('request', (request) => { if (request.url() === `${origin}/wish`) wishes.push(request.postData()); });
page.on('request', (request) => { if (new URL(request.url()).origin !== origin) found.foreign.push(request.url()); });

/** Presses Tab until what has the focus reads like this. */
async function reach(text) {
  for (let at = 0; at < 200; at += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((wanted) => document.activeElement.textContent === wanted, text)) return;
  }
  throw new Error(`the keyboard does not reach ${text}`);
}

await page.goto(address);
await page.waitForSelector('#desk li');
found.hash = await page.evaluate(() => location.href);
found.cookies = await page.evaluate(() => document.cookie);
if (shots) await page.screenshot({ path: join(shots, 'desk-390.png') });
await reach('Read the change');
await page.keyboard.press('Enter');
await page.waitForSelector('#change pre span');
for (let at = 0; at < 20 && !(await page.textContent('#change h2')).includes('evil'); at += 1) {
  const before = await page.textContent('#change h2');
  await page.keyboard.press('n');
  await page.waitForFunction((old) => document.querySelector('#change h2').textContent !== old, before);
}
found.hunk = await page.textContent('#change pre');
found.lines = await page.evaluate(() => document.querySelectorAll('#change pre span').length);
await page.keyboard.press('a');
await page.waitForFunction(() => document.querySelector('#desk').textContent.includes('1 of 2 hunks are not read'));
found.read = await page.textContent('#desk');
for (const [scheme, width] of [['light', 390], ['dark', 390], ['light', 768], ['dark', 1280]]) {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: 844 });
  if (shots) await page.screenshot({ path: join(shots, `desk-${width}-${scheme}.png`) });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (wide > 0) found.wide.push(`${width}: ${wide} px`);
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  for (const one of result.violations) found.violations.push(`${scheme} ${width}: ${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
}
found.markup = await page.evaluate(() => document.querySelectorAll('img, iframe, svg, #change script, #desk script, [onclick], [onerror], [onload]').length);
found.owned ||= await page.evaluate(() => 'owned' in globalThis);
// By the page itself: what was sent once counts no second time, and a hunk that is no longer so not at all.
const post = (body) => page.evaluate(async (sent) => {
  const headers = { 'X-Desk-Key': sessionStorage.getItem('overnight-desk-key'), 'Content-Type': 'application/json' };
  const { once } = await fetch('/desk', { headers }).then((answer) => answer.json());
  const body = sent || JSON.stringify({ once, hunks: ['00'], wish: { do: 'read' } });
  return (await fetch('/wish', { method: 'POST', headers, body })).status;
}, body);
found.replayed = await post(wishes[0]);
found.stale = await post('');
// It loads anew with what the page keeps; the address does not let in twice; a page elsewhere reads nothing.
await page.reload();
await page.waitForSelector('#desk li');
const strange = await (await context.browser()?.newContext?.() ?? context).newPage();
await strange.goto(address);
await strange.waitForFunction(() => !document.querySelector('#note').textContent.startsWith('Loading'));
found.again = await strange.textContent('#note');
const bare = await context.newPage();
const [desk] = await Promise.all([bare.waitForResponse(`${origin}/desk`), bare.goto(origin)]);
found.bare = desk.status();
// A page of somebody else's, at an origin of its own.
const server = createServer((_, answer) => answer.end('<p>elsewhere')).listen(0, '127.0.0.1');
await new Promise((ready) => (server.listening ? ready() : server.once('listening', ready)));
for (const to of [`${origin}/wish`, `${origin}/session`]) {
  // One for each: the answer comes before its page, which would break off the next one's.
  const foreign = await context.newPage();
  await foreign.goto(`http://foreign.example:${server.address().port}/`);
  const sent = foreign.evaluate(([action, name]) => {
    const form = Object.assign(document.createElement('form'), { method: 'POST', enctype: 'text/plain', action });
    form.append(Object.assign(document.createElement('input'), { name }));
    document.body.append(form);
    form.submit();
  }, [to, wishes[0]]);
  const [answer] = await Promise.all([foreign.waitForResponse(to), sent]);
  found.strangers.push(answer.status());
}
server.close();
const other = await context.newPage();
await other.goto('data:text/html,<p>elsewhere</p>');
found.other = await other.evaluate(async (to) => {
  const reads = await fetch(`${to}/desk`, { credentials: 'include' }).then(() => 'read', () => 'refused');
  const writes = await fetch(`${to}/wish`, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }).then((answer) => answer.type, () => 'refused');
  return `${reads} ${writes}`;
}, origin);
const rebound = await other.goto(address.replace('127.0.0.1', 'rebound.example')).catch(() => null);
found.rebound = rebound ? String(rebound.status()) : 'no answer';
await context.close();
console.log(JSON.stringify(found));
