import { expect, type Page, test } from '@playwright/test';
import { signIn } from '../support/console.ts';
import { allMeans, createHand, windowOf } from '../support/tasks/hand.ts';
import { placeOf, startTaskScene, type TaskScene } from '../support/tasks/scene.ts';
import { perform, tasks } from '../support/tasks/tasks.ts';

// What an administrator does often, in a gateway with 300 services: with a mouse, with a keyboard and on a phone. How long it
// takes is a row of `pnpm bench tasks`.

let scene: TaskScene;

test.beforeAll(async () => {
  scene = await startTaskScene();
});
test.afterAll(() => scene?.close());

for (const means of allMeans) {
  test.describe(means, () => {
    let page: Page;
    test.beforeAll(async ({ browser }) => {
      const context = await browser.newContext({ ...windowOf[means], ignoreHTTPSErrors: true });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      page = await context.newPage();
      await signIn(page, scene.gateway);
    });
    test.afterAll(() => page.context().close());

    for (const task of tasks) {
      test(`${task.name}, ${means}`, async () => {
        await page.goto(scene.gateway.consoleUrl);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        const hand = createHand(page, means, placeOf[means]);
        await perform(task, hand, scene);
        await task.outcome(hand, scene);
      });
    }
  });
}
