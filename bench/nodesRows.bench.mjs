import { startChromium } from './support/chromium.mjs';
import { atMost, median } from './support/figures.mjs';
import { ADMIN, newHome, startGateway } from './support/gateway.mjs';
import { seedNodes } from './support/seed.mjs';

const NODES = 1000;
const WARM_UP = 1;
const TURNS = 7;
const MARK_MS = 600;

/** How long a signed-in administrator with an empty cache waits for the rows of the nodes list, many nodes in the database. */
export default async function measure() {
  const home = await newHome();
  /** @type {{ stop(): unknown }[]} */
  const opened = [];
  try {
    await seedNodes(home, NODES);
    opened.push(await startGateway(home));
    const browser = await startChromium();
    opened.push(browser);
    const { page } = browser;
    await signInByHand(page, home);
    const session = await page.context().newCDPSession(page);
    const times = [];
    for (let turn = 0; turn < WARM_UP + TURNS; turn += 1) {
      await session.send('Network.clearBrowserCache');
      // Nothing of the page before goes on.
      await page.goto('about:blank');
      times.push(await millisecondsToRows(page, home));
    }
    const name = `console: rows visible after opening /nodes, ${NODES} nodes, empty cache`;
    return [atMost(MARK_MS, { name, unit: 'ms', value: median(times.slice(WARM_UP)) })];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}

async function signInByHand(page, { url }) {
  await page.goto(`${url}/login`);
  await page.getByLabel(/^Username/).fill(ADMIN.username);
  await page.getByLabel(/^Password/).fill(ADMIN.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.waitForURL(`${url}/`);
}

/** By the page's own clock, from the address to the frame that shows the last row of the first page. */
async function millisecondsToRows(page, { url }) {
  await page.goto(`${url}/nodes`, { waitUntil: 'commit' });
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = () => {
          const rows = document.querySelectorAll('tbody tr a[href^="/nodes/"]');
          // What is in the document before a frame is on the screen after it.
          if (rows.length >= 10) requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}
