// Opens a report in headless Chromium and prints what was found as JSON.
// Arguments: the folder with node_modules, the report, and where they are wanted the folder for screenshots.
import { createRequire } from 'node:module';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const [modules, report, shots] = process.argv.slice(2);
const require = createRequire(join(modules, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const found = { errors: [], requests: [], violations: [], wide: [], foreign: [], sections: [], title: '', owned: false, tabs: 0, printed: 0, cut: [], unreached: [], bytes: 0, screens: 0, needs: [], failed: [] };
// Of what axe looks at only colours differ in the dark.
const colours = { runOnly: ['color-contrast'] };
const views = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 }, axe: {} },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 }, axe: colours },
  { name: 'tablet', colorScheme: 'light', viewport: { width: 768, height: 1024 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 }, axe: {} },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 }, axe: colours },
];
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

found.bytes = statSync(report).size;

/** What is shown and does not fit: beyond the window's edge, or in an element that cuts it. */
const cut = () => {
  const all = [];
  for (const one of document.querySelectorAll('body *')) {
    if (!one.checkVisibility() || one.closest('svg, thead, script')) continue;
    const box = one.getBoundingClientRect();
    const hides = ['hidden', 'clip'].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth;
    // A table that scrolls within itself is reached by keyboard and finger.
    if (hides || ((box.right > innerWidth + 1 || box.left < -1) && !one.closest('.scroll'))) all.push(one.outerHTML.slice(0, 120));
  }
  return all.slice(0, 5);
};

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: flags });
for (const view of views) {
  const context = await browser.newContext({ colorScheme: view.colorScheme, viewport: view.viewport });
  const page = await context.newPage();
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) found.errors.push(`${view.name}: ${message.text()}`); });
  page.on('pageerror', (error) => found.errors.push(`${view.name}: ${error.message}`));
  page.on('dialog', (dialog) => { found.owned = true; dialog.dismiss(); });
  page.on('request', (request) => { if (request.url() !== `file://${report}`) found.requests.push(request.url()); });
  await page.goto(`file://${report}`);
  if (shots) await page.screenshot({ path: join(shots, `${view.name}.png`) });
  if (view.name === 'phone') {
    const needs = await page.evaluate(() => ({
      end: document.querySelector('#needs').getBoundingClientRect().bottom + scrollY,
      texts: [...document.querySelectorAll('#needs li')].filter((one) => one.checkVisibility()).map((one) => one.textContent),
      failed: [...document.querySelectorAll('#left li.task')].filter((one) => one.checkVisibility()).map((one) => one.textContent),
    }));
    found.failed = needs.failed;
    found.screens = needs.end / view.viewport.height;
    found.needs = needs.texts;
  }
  await page.evaluate(() => document.querySelectorAll('details').forEach((one, at) => { one.open = at < 3; }));
  if (shots) {
    await page.screenshot({ path: join(shots, `${view.name}-whole.png`), fullPage: true });
    for (const part of ['acceptance', 'timeline', 'figures', 'left']) await page.locator(`#${part}`).screenshot({ path: join(shots, `${view.name}-${part}.png`) });
  }
  // Evaluated from outside, so that the page's own policy stays as strict as it is.
  if (view.axe) await page.evaluate(axe);
  const result = view.axe && await page.evaluate((options) => globalThis.axe.run(document, { ...options, resultTypes: ['violations'] }), view.axe);
  for (const one of result?.violations ?? []) found.violations.push(`${view.name}: ${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
  const seen = await page.evaluate(() => ({
    sections: [...document.querySelectorAll('main section')].map((one) => one.id),
    landmarks: ['header', 'nav', 'main'].filter((name) => document.querySelectorAll(`body > ${name}`).length !== 1),
    foreign: [...document.querySelectorAll('script:not(body > script:last-child, body > script#night[type="application/json"]), img, iframe, object, embed, link, base, form, video, audio, [onclick], [onerror], [onload]')].map((one) => one.outerHTML.slice(0, 100)),
    links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href')).filter((to) => !to.startsWith('#') && !to.startsWith('https://github.com/you/shop/')),
    wide: document.documentElement.scrollWidth - innerWidth,
    title: document.title,
    figures: document.querySelectorAll('#figures tbody tr').length,
    owned: 'owned' in globalThis,
  }));
  found.sections = seen.sections;
  found.title = seen.title;
  found.figures = seen.figures;
  found.owned ||= seen.owned;
  found.foreign.push(...seen.landmarks.map((name) => `landmark ${name}`), ...seen.foreign, ...seen.links);
  for (const one of await page.evaluate(cut)) found.cut.push(`${view.name}: ${one}`);
  if (seen.wide > 0) found.wide.push(`${view.name}: ${seen.wide} px`);
  if (view.name === 'light') {
    // By keyboard alone: so many stops are reached before the page is left.
    const wanted = await page.evaluate(() => {
      const all = [...document.querySelectorAll('a[href], button, summary, .scroll')].filter((one) => one.checkVisibility());
      all.forEach((one, at) => { one.dataset.stop = at; });
      return all.map((one) => one.outerHTML.slice(0, 80));
    });
    await page.evaluate(() => { document.activeElement.blur(); getSelection().removeAllRanges(); });
    const stops = new Set();
    for (let at = 0; at < wanted.length + 5 && stops.size < wanted.length; at += 1) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => document.activeElement.dataset.stop);
      if (stop !== undefined) stops.add(Number(stop));
    }
    found.tabs = stops.size;
    found.unreached.push(...wanted.filter((_, at) => !stops.has(at)).slice(0, 5));
    found.printed = (await page.pdf()).length;
  }
  await context.close();
}
await browser.close();
console.log(JSON.stringify(found));
