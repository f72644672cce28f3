// Opens a report in headless Chromium and prints what was found as JSON.
// Arguments: the folder with node_modules, the report, the folder for screenshots, an empty profile.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [modules, report, shots, profile] = process.argv.slice(2);
const require = createRequire(join(modules, 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const found = { errors: [], requests: [], violations: [], wide: [], foreign: [], sections: [], title: '', owned: false, tabs: 0, printed: 0 };
const views = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

for (const view of views) {
  const context = await chromium.launchPersistentContext(join(profile, view.name), {
    executablePath: '/usr/bin/chromium', headless: true, args: flags, colorScheme: view.colorScheme, viewport: view.viewport,
  });
  const page = await context.newPage();
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) found.errors.push(`${view.name}: ${message.text()}`); });
  page.on('pageerror', (error) => found.errors.push(`${view.name}: ${error.message}`));
  page.on('dialog', (dialog) => { found.owned = true; dialog.dismiss(); });
  page.on('request', (request) => { if (request.url() !== `file://${report}`) found.requests.push(request.url()); });
  await page.goto(`file://${report}`);
  await page.screenshot({ path: join(shots, `${view.name}.png`) });
  await page.evaluate(() => document.querySelectorAll('details').forEach((one, at) => { one.open = at < 3; }));
  await page.screenshot({ path: join(shots, `${view.name}-whole.png`), fullPage: true });
  for (const part of ['acceptance', 'timeline', 'figures', 'left']) await page.locator(`#${part}`).screenshot({ path: join(shots, `${view.name}-${part}.png`) });
  // Evaluated from outside, so that the page's own policy stays as strict as it is.
  await page.evaluate(axe);
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  for (const one of result.violations) found.violations.push(`${view.name}: ${one.id}: ${one.nodes[0].html.slice(0, 200)}`);
  const seen = await page.evaluate(() => ({
    sections: [...document.querySelectorAll('main section')].map((one) => one.id),
    landmarks: ['header', 'nav', 'main'].filter((name) => document.querySelectorAll(`body > ${name}`).length !== 1),
    foreign: [...document.querySelectorAll('script:not(body > script:last-child), img, iframe, object, embed, link, base, form, video, audio, [onclick], [onerror], [onload]')].map((one) => one.outerHTML.slice(0, 100)),
    links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href')).filter((to) => !to.startsWith('#')),
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
  if (seen.wide > 0) found.wide.push(`${view.name}: ${seen.wide} px`);
  if (view.name === 'light') {
    // By keyboard alone: so many stops are reached before the page is left.
    const stops = new Set();
    for (let at = 0; at < 40; at += 1) {
      await page.keyboard.press('Tab');
      stops.add(await page.evaluate(() => { const one = document.activeElement; return one === document.body ? '' : `${one.tagName} ${one.textContent.slice(0, 40)}`; }));
    }
    found.tabs = stops.size;
    found.printed = (await page.pdf({ path: join(shots, 'print.pdf') })).length;
  }
  await context.close();
}
console.log(JSON.stringify(found));
