import type { Hand } from './hand.ts';
import { TAGGED, tagOf, type TaskScene } from './scene.ts';

/** The dialog that is open. */
export const dialog = ({ page }: Hand) => page.getByRole('dialog').or(page.getByRole('alertdialog'));
/** A button by its name. */
export const button = ({ page }: Hand, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
/** What was copied last. */
export const clipboard = ({ page }: Hand): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** Goes to a screen by the navigation. */
export async function goTo(hand: Hand, screen: string): Promise<void> {
  if (hand.means === 'phone') await hand.point(button(hand, 'Open navigation'));
  await hand.point(hand.page.getByRole('link', { name: screen }).first());
}

/** Opens the palette and types what stands first in it then. */
export async function findInPalette(hand: Hand, text: string, first: string): Promise<void> {
  if (hand.means === 'keyboard') await hand.press('Control+k');
  else await hand.point(button(hand, 'Search or run a command'));
  await hand.sees(hand.page.getByRole('combobox', { name: 'Search or run a command' }));
  await hand.type(text);
  await hand.sees(hand.page.getByRole('option', { name: first }).and(hand.page.locator('[data-highlighted]')));
}

/** Opens the page of a service. */
export async function openService(hand: Hand, name: string): Promise<void> {
  await findInPalette(hand, name.toLowerCase(), name);
  await hand.press('Enter');
  await hand.sees(hand.page.getByRole('heading', { level: 1, name }));
}

/** Lists the services that have a tag, and no others. */
export async function listTagged(hand: Hand): Promise<void> {
  const tag = tagOf[hand.means];
  await findInPalette(hand, tag, `Services tagged ${tag}`);
  await hand.press('Enter');
  const { length } = TAGGED;
  await hand.sees(
    hand.page.locator(`tbody:not(:has(> tr:nth-child(${length + 1}))) > tr:nth-child(${length}) [type=checkbox]`),
  );
}
/** Selects all services that are listed; on a phone the way to it comes with the first one. */
export async function selectAll(hand: Hand): Promise<void> {
  const name = 'Select all services of this page';
  const all = hand.page.getByRole('checkbox', { name });
  if (hand.means === 'keyboard') {
    await hand.tabTo(all);
    await hand.press('Space');
  } else if (hand.means === 'phone') {
    await hand.point(hand.page.locator('tbody').getByRole('checkbox').first());
    await hand.point(button(hand, name));
  } else await hand.point(all);
}

/** A service as the gateway has it. */
export const serviceNamed = async ({ client }: TaskScene, name: string) => {
  const { data } = await client.service.list({ query: { search: name } });
  const service = data.find((each) => each.name === name);
  if (!service || service.type !== 'http') throw new Error(`There is no HTTP service ${name}.`);
  return service;
};
