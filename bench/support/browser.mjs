import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { signIn } from '../../e2e/support/console.ts';

/** Debian's; its sandbox does not work for root, and it speaks to the gateway alone. */
export const CHROMIUM = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--ignore-certificate-errors',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
  ],
};

/**
 * A browser in which the administrator is signed in, as a user has it: Playwright watches the scripts of its pages for
 * errors, and Chromium reads all of them two more times for that.
 */
export async function openPlainBrowser(gateway) {
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-browser-'));
  const context = await chromium.launchPersistentContext(profile, CHROMIUM);
  await signIn(await context.newPage(), gateway);
  await context.close();
  const child = spawn(
    CHROMIUM.executablePath,
    [
      ...CHROMIUM.args,
      '--headless=new',
      '--window-size=1440,900',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const devtools = await connect(await addressOf(child));
  return {
    /** Opens an address with an empty cache, and waits until the selector finds something that is on the screen. */
    open: (url, selector) => open(devtools, url, selector),
    /** Does the same and returns what the browser did meanwhile, as events of its trace. */
    async trace(url, selector) {
      const events = [];
      const keep = ({ value }) => events.push(...value);
      devtools.events.on('Tracing.dataCollected', keep);
      await devtools.send('Tracing.start', {
        transferMode: 'ReportEvents',
        traceConfig: { includedCategories: ['toplevel', 'devtools.timeline', '__metadata'], excludedCategories: ['*'] },
      });
      await open(devtools, url, selector);
      const complete = once(devtools.events, 'Tracing.tracingComplete');
      await devtools.send('Tracing.end');
      await complete;
      devtools.events.off('Tracing.dataCollected', keep);
      return events;
    },
    async stop() {
      const ended = once(child, 'exit');
      await devtools.send('Browser.close');
      await ended;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function open(devtools, url, selector) {
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method, params) => devtools.send(method, params, sessionId);
  await send('Page.enable');
  await send('Network.enable');
  await send('Network.clearBrowserCache');
  const source = `window.shown = (${String(untilShown)})(${JSON.stringify(selector)});(${String(watchVitals)})()`;
  await send('Page.addScriptToEvaluateOnNewDocument', { source });
  let requests = 0;
  const count = () => {
    requests += 1;
  };
  devtools.events.on('Network.requestWillBeSent', count);
  await send('Page.navigate', { url });
  const { result } = await send('Runtime.evaluate', { expression: 'shown', awaitPromise: true });
  devtools.events.off('Network.requestWillBeSent', count);
  // What comes later, such as the state of backends, may still shift what is there.
  await delay(SETTLE_MS);
  const vitals = await send('Runtime.evaluate', { expression: 'vitals', returnByValue: true });
  await devtools.send('Target.closeTarget', { targetId });
  return { ms: result.value, requests, ...vitals.result.value };
}

const SETTLE_MS = 500;

/**
 * Runs in the page: `paintMs`, when the largest content was painted, and `shift`, how far things moved by themselves (LCP and CLS
 * of the Core Web Vitals).
 */
const watchVitals = () => {
  const vitals = { paintMs: 0, shift: 0 };
  Object.assign(window, { vitals });
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) vitals.paintMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of /** @type {any[]} */ (list.getEntries()))
      if (!hadRecentInput) vitals.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
};

/** Runs in the page, by whose clock the time is. */
const untilShown = (selector) =>
  new Promise((resolve) => {
    const look = () => {
      // What is in the document before a frame is on the screen after it.
      if (document.querySelector(selector) !== null) {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      } else requestAnimationFrame(look);
    };
    look();
  });

async function addressOf(child) {
  for await (const line of createInterface({ input: child.stderr })) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      child.stderr.resume();
      return address;
    }
  }
  throw new Error('Chromium has ended.');
}

/** Chromium's protocol: `send` asks, and what it tells comes as events. */
async function connect(address) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const events = new EventEmitter();
  let number = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, error, result, method, params } = JSON.parse(data);
    if (method === undefined) events.emit(`answer ${id}`, error, result);
    else events.emit(method, params);
  });
  return {
    events,
    async send(method, params = {}, sessionId) {
      number += 1;
      const answer = once(events, `answer ${number}`);
      socket.send(JSON.stringify({ id: number, method, params, sessionId }));
      const [error, result] = await answer;
      if (error !== undefined) throw new Error(error.message);
      return result;
    },
  };
}
