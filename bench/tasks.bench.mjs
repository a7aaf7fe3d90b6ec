import { chromium } from '@playwright/test';
import { signIn } from '../e2e/support/console.ts';
import { allMeans, createHand, paceOf, windowOf } from '../e2e/support/tasks/hand.ts';
import { placeOf, startTaskScene } from '../e2e/support/tasks/scene.ts';
import { perform, tasks as allTasks } from '../e2e/support/tasks/tasks.ts';
import { CHROMIUM } from './support/browser.mjs';
import { atMost, notMeasured } from './support/figures.mjs';

const MARK_SECONDS = 10;
/** A folder for a film of each means. */
const FILMS = process.env['SALLYPORT_FILMS'];
/** Names are those of the gateway's own machine. */
const LOCAL = CHROMIUM.args.map((arg) =>
  arg.startsWith('--host-resolver') ? '--host-resolver-rules=MAP *.test 127.0.0.1' : arg,
);

/**
 * How long an administrator takes for what they do often, in a gateway with 300 services: the journey `tenTasks` with the
 * pauses of a person (`paceOf`), from the page that the console opens with until what was wanted is there to be seen. Next
 * to it stands what of it are those pauses.
 */
async function tasks() {
  const scene = await startTaskScene();
  const browser = await chromium.launch({ ...CHROMIUM, args: LOCAL });
  try {
    const figures = [];
    for (const means of allMeans) figures.push(...(await figuresOf(means, scene, browser)));
    return figures;
  } finally {
    await browser.close();
    await scene.close();
  }
}

async function figuresOf(means, scene, browser) {
  const film = FILMS && { recordVideo: { dir: FILMS, size: windowOf[means].viewport } };
  const context = await browser.newContext({ ...windowOf[means], ...film, ignoreHTTPSErrors: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  await signIn(page, scene.gateway);
  const figures = [];
  for (const task of allTasks) {
    await page.goto(scene.gateway.consoleUrl);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const hand = createHand(page, means, placeOf[means], paceOf[means]);
    const name = `task, 300 services, ${means}: ${task.name}`;
    try {
      const begin = performance.now();
      await perform(task, hand, scene);
      const value = (performance.now() - begin) / 1000;
      await task.outcome(hand, scene);
      figures.push(
        atMost(MARK_SECONDS, {
          name: `${name} (${hand.actions()} presses)`,
          unit: 's',
          value,
          against: hand.spent() / 1000,
        }),
      );
    } catch (error) {
      figures.push(notMeasured(MARK_SECONDS, { name, unit: 's', reason: String(error) }));
    }
  }
  await context.close();
  return figures;
}

export default { tasks };
