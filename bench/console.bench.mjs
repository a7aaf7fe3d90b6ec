import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { signIn } from '../e2e/support/console.ts';
import { accessLine, openAccessLog } from './support/accessLog.mjs';
import { CHROMIUM, openPlainBrowser } from './support/browser.mjs';
import { atLeast, atMost, median, percentile } from './support/figures.mjs';
import { visitService, withGateway } from './support/gateway.mjs';

const WEB = join(import.meta.dirname, '..', 'packages', 'web');
const LOGIN_MARK_KB = 135;
const LIST_MARK_KB = 175;
const FURTHER_MARK_KB = 60;
const CSS_MARK_KB = 15;

/**
 * How much compressed JavaScript the browser loads until the login screen shows, until the lists of nodes and of
 * services show their rows, and for the heaviest of everything that is loaded later: a screen, a dialog or a popup; and how much CSS for all.
 */
async function bundle() {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bundle-'));
  try {
    // The console as it is released, with a list of which file needs which next to it.
    await build({ root: WEB, logLevel: 'error', build: { outDir: folder, emptyOutDir: true, manifest: true } });
    const { parts, sources, styles, filesOf, sizeOf } = readBundle(folder);
    const login = filesOf(['']);
    const listOf = (file) => filesOf(['', ...parts.filter((part) => part.includes('_shell-') || part.includes(file))]);
    const [nodes, services] = [listOf('_nodes-'), listOf('/ServicesPage.tsx')];
    // What is there before: the page itself, and the lists that most others are opened from.
    const before = new Set([...login, ...nodes, ...services]);
    const further = sources.map((source) => sizeOf(filesOf([source]).filter((file) => !before.has(file))));
    const figure = (name, value, mark) => atMost(mark, { name: `console: ${name}, gzip`, unit: 'kB', value });
    return [
      figure('JavaScript until the login screen', sizeOf(login), LOGIN_MARK_KB),
      figure('JavaScript until the nodes list', sizeOf(nodes), LIST_MARK_KB),
      figure('JavaScript until the services list', sizeOf(services), LIST_MARK_KB),
      figure('JavaScript of the heaviest further screen or dialog', Math.max(...further), FURTHER_MARK_KB),
      figure('CSS of all screens', sizeOf(styles), CSS_MARK_KB),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The files of a build: which there are to be loaded later, what one needs with it, and how much that is. */
function readBundle(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/<script[^>]* src="\/([^"]+)"/g)].map(([, file = '']) => file);
  // The pages of the documentation are entries of their own, which the console does not load.
  const entries = Object.keys(manifest).filter((source) => manifest[source].isEntry && source.endsWith('.html'));
  return {
    // Whatever has a file of its own.
    parts: Object.keys(manifest),
    styles: [...new Set(Object.values(manifest).flatMap(({ css = [] }) => css))],
    sources: Object.keys(manifest).filter((source) => manifest[source].isDynamicEntry),
    /** The scripts that come with some sources, `''` being the page itself. */
    filesOf(sources) {
      const files = new Set(sources.includes('') ? scripts : []);
      const seen = new Set();
      const visit = (source) => {
        if (seen.has(source)) return;
        seen.add(source);
        files.add(manifest[source].file);
        (manifest[source].imports ?? []).forEach(visit);
      };
      sources.flatMap((source) => (source === '' ? entries : [source])).forEach(visit);
      return [...files].filter((file) => file.endsWith('.js'));
    },
    sizeOf(files) {
      const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(folder, file))).length, 0);
      return Math.round(bytes / 100) / 10;
    },
  };
}

const NODES = 1000;
const SERVICES = 20;
const WARM_UP = 1;
const TURNS = 7;
const TRACED = 3;
const REQUESTS_MARK = 12;
const PAINT_MARK_MS = 1000;
const SHIFT_MARK = 0.02;

/** A screen, by what is there once it can be used. */
const SCREENS = [
  { name: '/nodes', path: '/nodes', shows: 'tbody tr:nth-child(10) a[href^="/nodes/"]', mark: 450 },
  {
    name: 'the page of a node',
    path: '/nodes/1',
    shows: 'tbody tr:nth-child(5) [aria-label^="Actions of"]',
    mark: 450,
  },
  { name: 'the page of a service', path: '/nodes/1/http/2', shows: 'ol[aria-label="The way of a visitor"]', mark: 450 },
  { name: 'a log', path: '/domains/d0.example.test/logs', shows: '[data-line]', mark: 500 },
];

/**
 * How long a signed-in administrator with an empty cache waits for a screen over HTTPS, many nodes in the database, and
 * what the browser does for it.
 */
const screens = () =>
  withGateway({ nodes: NODES, services: SERVICES }, async ({ gateway, opened }) => {
    for (let visits = 0; visits < SERVICES; visits += 1) await visitService(gateway, visits, 1);
    const browser = await openPlainBrowser(gateway);
    opened.push(browser);
    const figures = [];
    for (const screen of SCREENS) figures.push(...(await screenFigures(gateway, browser, screen, `${NODES} nodes`)));
    return figures;
  });

async function screenFigures(gateway, browser, { name, path, shows, mark }, size) {
  const turns = [];
  for (let turn = 0; turn < WARM_UP + TURNS; turn += 1) {
    turns.push(await browser.open(`${gateway.consoleUrl}${path}`, shows));
  }
  const counted = turns.slice(WARM_UP);
  // Tracing takes time itself.
  const longest = [];
  for (let turn = 0; turn < TRACED; turn += 1) {
    const { tasks } = measured(await browser.trace(`${gateway.consoleUrl}${path}`, shows));
    longest.push(percentile(tasks, 1));
  }
  const where = `console: ${name} over HTTPS, ${size}, empty cache`;
  const figure = (most, what, unit, values) => atMost(most, { name: `${where}${what}`, unit, value: median(values) });
  const all = (key) => counted.map((turn) => turn[key]);
  return [
    figure(mark, '', 'ms', all('ms')),
    figure(REQUESTS_MARK, ': requests', '', all('requests')),
    figure(TASK_MARK_MS, ': longest task', 'ms', longest),
    figure(PAINT_MARK_MS, ': largest content painted', 'ms', all('paintMs')),
    figure(SHIFT_MARK, ': layout shift', '', all('shift')),
  ];
}

const MANY_SERVICES = { services: 2000, domains: 50 };
const LIST = {
  name: '/services',
  path: '/services',
  shows: 'tbody tr:nth-child(10) a[href^="/nodes/1/http/"]',
  mark: 600,
};
const KEY_MARK_MS = 50;
const TYPED = 'service 1999';
/** Slower than people type, so that no key waits for the one before. */
const KEY_EVERY_MS = 150;

/** The list of all services where there are many: until it is there, and how soon its search answers a key. */
const servicesList = () =>
  withGateway(MANY_SERVICES, async ({ gateway, opened }) => {
    const browser = await openPlainBrowser(gateway);
    opened.push(browser);
    const figures = await screenFigures(gateway, browser, LIST, `${MANY_SERVICES.services} services`);
    const page = await openConsole(gateway, opened);
    await page.goto(`${gateway.apiUrl}${LIST.path}`);
    const search = page.getByLabel('Search services');
    await search.focus();
    await page.evaluate(() => {
      const keys = [];
      Object.assign(window, { keys });
      // From the key until what it changed is on the screen (Event Timing).
      new PerformanceObserver((list) => {
        for (const { name, duration } of list.getEntries()) if (name === 'keydown') keys.push(duration);
      }).observe(/** @type {any} */ ({ type: 'event', durationThreshold: 16 }));
    });
    await search.pressSequentially(TYPED, { delay: KEY_EVERY_MS });
    await page.getByText(TYPED, { exact: true }).first().waitFor();
    // Faster ones are not told of.
    const slowest = Math.max(16, ...(await page.evaluate(() => /** @type {any} */ (window).keys)));
    const name = `console: a key in the search of ${MANY_SERVICES.services} services, slowest`;
    return [...figures, atMost(KEY_MARK_MS, { name, unit: 'ms', value: slowest })];
  });

const DOMAIN = 'app.example.test';
const PER_SECOND_MARK = 50_000;
/** A little more is written, so that a pause of this program does not count against the panel. */
const PER_SECOND = 52_000;
const FLOOD_WARM_UP_MS = 3000;
const MEASURE_MS = 10_000;
const WRITE_EVERY_MS = 5;
const FRAME_MARK_MS = 8;
const TASK_MARK_MS = 50;

/** What a flood of lines costs the page that shows them: from nginx's log through the gateway into Chromium. */
const logsPanel = () =>
  withGateway({}, async ({ gateway, client, backend, opened }) => {
    const body = { name: 'logged', domain: DOMAIN, backendHost: '127.0.0.1', backendPort: backend.port };
    const { id: service } = await client.httpService.create({ params: { nodeId: 1 }, body });
    const { data } = await client.domain.list({ query: { limit: 1 } });
    const log = openAccessLog(gateway.data);
    opened.push(log);
    const page = await openConsole(gateway, opened);
    await page.goto(`${gateway.apiUrl}/domains/${DOMAIN}/logs`);
    await page.getByText('Live', { exact: true }).waitFor();
    const figures = [];
    for (const view of ['Table', 'Lines']) {
      await page.getByRole('radio', { name: view }).check();
      figures.push(...(await floodFigures(page, log, { service, domain: data[0]?.id ?? 0 }, view)));
    }
    return figures;
  });

async function floodFigures(page, log, ids, view) {
  const { perSecond, frames, tasks } = await flood(page, log, ids);
  const name = `log lines sustained into the panel, ${view}`;
  return [
    atLeast(PER_SECOND_MARK, { name, unit: 'lines/s', value: perSecond }),
    atMost(FRAME_MARK_MS, {
      name: `${name}: main thread per frame, p95`,
      unit: 'ms',
      value: percentile(frames, 0.95),
    }),
    atMost(TASK_MARK_MS, { name: `${name}: longest task`, unit: 'ms', value: percentile(tasks, 1) }),
  ];
}

/** Writes lines for some time and looks at the page meanwhile; the time is over when the page shows the last one. */
async function flood(page, log, ids) {
  const writing = new AbortController();
  const written = write(log, ids, writing.signal);
  await delay(FLOOD_WARM_UP_MS);
  const begin = performance.now();
  const first = await shownNumber(page);
  const { frames, tasks } = await traceMainThread(page, () => delay(MEASURE_MS));
  const perSecond = ((await shownNumber(page)) - first) / ((performance.now() - begin) / 1000);
  writing.abort();
  const last = await written;
  // Whatever was written arrives, and soon.
  await page
    .getByText(new RegExp(`/n/${last - 1}(?: |$)`))
    .first()
    .waitFor({ timeout: 2000 });
  return { perSecond, frames, tasks };
}

async function write(log, ids, signal) {
  const begin = performance.now();
  let number = 0;
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - begin) / 1000) * PER_SECOND) - number;
    log.write(Array.from({ length: due }, (_, index) => accessLine(number + index, ids)));
    number += due;
    await delay(WRITE_EVERY_MS);
  }
  return number;
}

/** The number of the newest line in the panel. */
async function shownNumber(page) {
  // The cells of a table have nothing between them.
  const texts = await page
    .locator('[data-line]')
    .last()
    .evaluate(({ childNodes }) => [...childNodes].map((part) => part.textContent));
  return Number(/\/n\/(\d+)(?: |$)/.exec(texts.find((text) => text.includes('/n/')) ?? '')?.[1]);
}

/** A browser in which the administrator is signed in to the console, on the gateway's plain listener. */
async function openConsole(gateway, opened) {
  const browser = await chromium.launch(CHROMIUM);
  opened.push({ stop: () => browser.close() });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await signIn(page, { ...gateway, consoleUrl: gateway.apiUrl });
  return page;
}

/**
 * Watches the main thread of a page while `work` runs: the milliseconds of processor time of each task, and their sums
 * from one frame to the next. It is the thread's own clock, so what else the machine does meanwhile does not count.
 */
async function traceMainThread(page, work) {
  const session = await page.context().newCDPSession(page);
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', '__metadata'], excludedCategories: ['*'] },
  });
  await work();
  const complete = new Promise((resolve) => {
    session.once('Tracing.tracingComplete', resolve);
  });
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  return measured(events);
}

function measured(events) {
  // A browser keeps a spare page at hand; the one that is looked at draws frames.
  const drawn = events.find(({ name }) => name === 'FireAnimationFrame');
  const own = events
    .filter(({ pid, tid, ph }) => pid === drawn?.pid && tid === drawn?.tid && ph === 'X')
    .toSorted((a, b) => a.ts - b.ts);
  const tasks = [];
  const frames = [];
  for (const { name, dur, tdur } of own) {
    if (name === 'FireAnimationFrame') frames.push(0);
    if (name !== 'ThreadControllerImpl::RunTask') continue;
    // Microseconds. The shortest tasks have no time of their own.
    const ms = (tdur ?? dur) / 1000;
    tasks.push(ms);
    if (frames.length > 0) frames.push((frames.pop() ?? 0) + ms);
  }
  // The last frame is not over.
  return { tasks, frames: frames.slice(0, -1) };
}

export default { bundle, screens, servicesList, logsPanel };
