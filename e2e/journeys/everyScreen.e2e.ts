import { test, type Page } from '@playwright/test';
import { expectGoodAppearance, SIZES } from '../support/appearance.ts';
import { signIn } from '../support/console.ts';
import { recordedScreens } from '../support/recordedScreens.ts';
import { screens } from '../support/screens.ts';
import { type ScreenScene, startScreenScene } from '../support/screenScene.ts';
import { settingsScreens } from '../support/settingsScreens.ts';

// Every screen and dialog of the console: axe finds nothing, nothing scrolls sideways, nothing leaves the window.
// `pnpm screens` keeps a picture of each in both themes and four widths, besides.

// Each worker takes the next screen, with a gateway of its own.
test.describe.configure({ mode: 'parallel' });

let scene: ScreenScene;
let guest: Page;
let administrator: Page;

test.beforeAll(async ({ browser }) => {
  scene = await startScreenScene();
  guest = await browser.newPage({ reducedMotion: 'reduce' });
  administrator = await browser.newPage({ reducedMotion: 'reduce' });
  await signIn(administrator, scene.gateway);
  // What one screen has the console remember, such as the column that stays open, is not there on the next.
  await administrator.addInitScript(() => localStorage.clear());
});

test.afterAll(async () => {
  await scene?.close();
});

for (const { name, signedOut, only, open } of [...screens, ...settingsScreens, ...recordedScreens]) {
  const sizes = SIZES[only ?? 'all'];
  test(`${name} reads well for everybody, light and dark, on a desk and on a phone`, async () => {
    const page = signedOut ? guest : administrator;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(sizes[0]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await open(page, scene);
    await expectGoodAppearance(page, name, sizes);
  });
}
