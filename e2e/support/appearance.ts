import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { openDialog } from './console.ts';

// `pnpm screens` keeps a picture of each screen in both themes and four widths, and looks at each of these.
const PICTURES = process.env['SALLYPORT_PICTURES'];
const HEIGHT = 900;
const DESK = { width: 1440, height: HEIGHT };
const TABLET = { width: 768, height: HEIGHT };
const PHONE = { width: 390, height: HEIGHT };
const SMALLEST = { width: 320, height: HEIGHT };

/** The sizes of a window that a screen is looked at in, the widest first: all, those with a column next to the page, and those without. */
export const SIZES = { all: [DESK, TABLET, PHONE, SMALLEST], wide: [DESK], narrow: [TABLET, PHONE, SMALLEST] } as const;
type Sizes = (typeof SIZES)[keyof typeof SIZES];

const THEMES = ['light', 'dark'] as const;
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Looks at what a page shows, light and dark, on a desk and on a phone: axe finds nothing, nothing scrolls sideways,
 * nothing leaves the window. Keeps pictures where they are asked for.
 * @param name of the pictures
 * @param sizes those in which there is such a screen
 */
export async function expectGoodAppearance(page: Page, name: string, sizes: Sizes = SIZES.all): Promise<void> {
  // What was pressed last would look as it does under the pointer; nothing is in the corner.
  await page.mouse.move(0, 0);
  if (PICTURES === undefined) {
    await look(page, 'light', sizes[0]);
    await look(page, 'dark', sizes.find((size) => size === PHONE) ?? sizes[0]);
    await page.setViewportSize(sizes.at(-1) ?? sizes[0]);
    await expectToFit(page);
    return;
  }
  await mkdir(PICTURES, { recursive: true });
  // A theme after the other: a browser that is told of a theme and a size at once may name colours of the last one.
  for (const colorScheme of THEMES) {
    for (const size of sizes) {
      await look(page, colorScheme, size);
      const file = `${name}-${colorScheme}-${size.width}.png`;
      await page.screenshot({ path: path.join(PICTURES, file), animations: 'disabled' });
    }
  }
}

async function look(page: Page, colorScheme: 'light' | 'dark', size: typeof DESK): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(size);
  await expectToFit(page);
  // Colours that fade over are the old ones until they have been painted.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  // What is well is not written down in full.
  const axe = new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .withTags(RULES)
    .setLegacyMode();
  // The screen behind a dialog has a test of its own, and no one reaches it meanwhile.
  if ((await openDialog(page).count()) > 0) axe.include('[role=dialog], [role=alertdialog], dialog[open]');
  const { violations } = await axe.analyze();
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${JSON.stringify(any[0]?.data)}`),
  );
  expect.soft(found, `axe, ${colorScheme}, ${size.width} px`).toEqual([]);
}

/** Nothing scrolls sideways, and no dialog or menu reaches out of the window. */
async function expectToFit(page: Page): Promise<void> {
  const outside = () =>
    page.evaluate(() => ({
      sideways: document.documentElement.scrollWidth - innerWidth,
      popups: [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')].filter((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
      }).length,
    }));
  // A popup moves when the window has changed.
  await expect.poll(outside, `fits into ${page.viewportSize()?.width} px`).toEqual({ sideways: 0, popups: 0 });
}
