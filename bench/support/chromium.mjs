import { chromium } from '@playwright/test';

/** Debian's; its sandbox does not work for root, and it speaks to the gateway alone. */
const OPTIONS = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  ],
};

/** A browser with one page. */
export async function startChromium() {
  const browser = await chromium.launch(OPTIONS);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  return { page, stop: () => browser.close() };
}

/**
 * Watches the main thread of a page while `work` runs: the milliseconds of processor time of each task, and their sums
 * from one frame to the next. It is the thread's own clock, so what else the machine does meanwhile does not count.
 */
export async function traceMainThread(page, work) {
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
