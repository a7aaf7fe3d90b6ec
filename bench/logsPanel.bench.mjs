import { setTimeout as delay } from 'node:timers/promises';
import { accessLine, openAccessLog } from './support/accessLog.mjs';
import { startChromium, traceMainThread } from './support/chromium.mjs';
import { atLeast, atMost, percentile } from './support/figures.mjs';
import { ADMIN, newHome, signIn, startGateway } from './support/gateway.mjs';

const DOMAIN = 'app.example.test';
const PER_SECOND_MARK = 50_000;
/** A little more is written, so that a pause of this program does not count against the panel. */
const PER_SECOND = 52_000;
const WARM_UP_MS = 3000;
const MEASURE_MS = 10_000;
const WRITE_EVERY_MS = 5;
const FRAME_MARK_MS = 8;
const TASK_MARK_MS = 50;

/** What a flood of lines costs the page that shows them: from nginx's log through the gateway into Chromium. */
export default async function measure() {
  const home = await newHome();
  /** @type {{ stop(): unknown }[]} */
  const opened = [];
  try {
    opened.push(await startGateway(home));
    const { client } = await signIn(home);
    const body = { name: 'logged', domain: DOMAIN, backendHost: '127.0.0.1', backendPort: 1 };
    const { id: service } = await client.httpService.create({ params: { nodeId: 1 }, body });
    const { data } = await client.domain.list({ query: { limit: 1 } });
    const log = openAccessLog(home);
    opened.push(log);
    const browser = await startChromium();
    opened.push(browser);
    await openLogs(browser.page, home);
    const { perSecond, frames, tasks } = await flood(browser.page, log, { service, domain: data[0]?.id ?? 0 });
    const name = 'log lines sustained into the panel';
    return [
      atLeast(PER_SECOND_MARK, { name, unit: 'lines/s', value: perSecond }),
      atMost(FRAME_MARK_MS, {
        name: `${name}: main thread per frame, p95`,
        unit: 'ms',
        value: percentile(frames, 0.95),
      }),
      atMost(TASK_MARK_MS, { name: `${name}: longest task`, unit: 'ms', value: percentile(tasks, 1) }),
    ];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}

async function openLogs(page, { url }) {
  await page.goto(`${url}/domains/${DOMAIN}/logs`);
  await page.getByLabel(/^Username/).fill(ADMIN.username);
  await page.getByLabel(/^Password/).fill(ADMIN.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByText('Live', { exact: true }).waitFor();
}

/** Writes lines for some time and looks at the page meanwhile; the time is over when the page shows the last one. */
async function flood(page, log, ids) {
  const writing = new AbortController();
  const written = write(log, ids, writing.signal);
  await delay(WARM_UP_MS);
  const begin = performance.now();
  const first = await shownNumber(page);
  const { frames, tasks } = await traceMainThread(page, () => delay(MEASURE_MS));
  const perSecond = ((await shownNumber(page)) - first) / ((performance.now() - begin) / 1000);
  writing.abort();
  const last = await written;
  // Whatever was written arrives, and soon.
  await page.getByText(`/n/${last - 1} `).waitFor({ timeout: 2000 });
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
  const text = await page.locator('[data-line]').last().textContent();
  return Number(/ \/n\/(\d+) /.exec(text ?? '')?.[1]);
}
