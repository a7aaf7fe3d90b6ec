import type { BrowserContextOptions, Locator, Page } from '@playwright/test';

/** By what a task is done. */
export type Means = 'mouse' | 'keyboard' | 'phone';
export const allMeans = ['mouse', 'keyboard', 'phone'] as const satisfies readonly Means[];

/** The window of each. */
export const windowOf: Record<Means, BrowserContextOptions> = {
  mouse: { viewport: { width: 1440, height: 900 } },
  keyboard: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** How long a person takes for each of what they do, in milliseconds. */
export type Pace = { key: number; point: number; home: number; think: number };

/** As fast as the browser is. */
const AT_ONCE: Pace = { key: 0, point: 0, home: 0, think: 0 };

// The keystroke-level model of Card, Moran and Newell for a person who knows the way: a key 0.2 s, pointing at something and
// pressing it 1.1 s, a hand from the mouse to the keys or back 0.4 s, and thinking 1.35 s, once a task.
const AT_A_DESK: Pace = { key: 200, point: 1100, home: 400, think: 1350 };
/** The pace of a person. On a phone, a finger is sooner there and later at each letter (the fingerstroke-level model). */
export const paceOf: Record<Means, Pace> = {
  mouse: AT_A_DESK,
  keyboard: AT_A_DESK,
  phone: { key: 310, point: 740, home: 0, think: 1350 },
};

/** More than anyone would press to get to something. */
const TABS_MAX = 25;

/** More than half a minute has. */
const FRAMES_MAX = 2000;

/** A person at a console, with one means. */
export type Hand = ReturnType<typeof createHand>;

/** @param place the word that the names of the means' own objects have in them */
export function createHand(page: Page, means: Means, place: string, pace: Pace = AT_ONCE) {
  let actions = 0;
  let isAtKeys = means === 'keyboard';
  let spent = 0;
  const wait = async (milliseconds: number): Promise<void> => {
    spent += milliseconds;
    if (milliseconds > 0) await page.waitForTimeout(milliseconds);
  };
  const home = async (toKeys: boolean): Promise<void> => {
    if (means === 'mouse' && isAtKeys !== toKeys) await wait(pace.home);
    isAtKeys = toKeys;
  };
  // At each frame: what Playwright waits for it asks for less and less often, up to half a second late.
  const sees = async (locator: Locator): Promise<void> => {
    for (let frames = 0; frames < FRAMES_MAX; frames += 1) {
      if (await locator.first().isVisible()) return;
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    throw new Error(`${locator.toString()} is not to be seen.`);
  };
  const point = async (locator: Locator): Promise<void> => {
    if (means === 'keyboard') throw new Error('A keyboard does not point.');
    await sees(locator);
    await home(false);
    await wait(pace.point);
    actions += 1;
    await (means === 'phone' ? locator.tap() : locator.click());
  };
  const press = async (...keys: string[]): Promise<void> => {
    await home(true);
    for (const key of keys) {
      await wait(pace.key);
      actions += 1;
      await page.keyboard.press(key);
    }
  };
  return {
    page,
    means,
    place,
    /** Keys and presses so far. */
    actions: (): number => actions,
    /** What the person took of the time, in milliseconds. */
    spent: (): number => spent,
    /** Reads what is there, and thinks of what is next. */
    think: (): Promise<void> => wait(pace.think),
    /** Waits for something, without doing anything. */
    sees,
    /** Clicks or taps something. */
    point,
    press,
    /** Types a text to where the focus is. */
    type: (text: string): Promise<void> => press(...Array.from(text)),
    /** Chooses from a list that the browser or the phone draws itself, and that no page sees. */
    async choose(list: Locator, option: string): Promise<void> {
      await point(list);
      await wait(pace.point);
      actions += 1;
      await list.selectOption(option);
    },
    /** Presses Tab, or Shift and Tab, until something has the focus. */
    async tabTo(locator: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
      await sees(locator);
      const isThere = (): Promise<boolean> => locator.evaluate((element) => element === document.activeElement);
      for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
        await press(key);
        if (await isThere()) return;
      }
      throw new Error(`${locator.toString()} is further than ${TABS_MAX} presses of ${key} away.`);
    },
  };
}
