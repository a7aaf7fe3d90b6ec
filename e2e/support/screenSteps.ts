import { expect, type Locator, type Page } from '@playwright/test';
import type { ScreenScene } from './screenScene.ts';

/** A screen, or a dialog on one: its name and how to get there from anywhere in the signed-in console. */
export type Screen = {
  name: string;
  /** What it is without a session. */
  signedOut?: true;
  /** The only windows in which there is such a thing. */
  only?: 'wide' | 'narrow';
  open: (page: Page, scene: ScreenScene) => Promise<void>;
};

/** The dialog that is open. */
export const openDialog = (page: Page): Locator => page.getByRole('dialog').or(page.getByRole('alertdialog'));

/** Goes to a path of the console and waits for what is to be seen there. */
export const at = (path: string, ready: (page: Page) => Locator) => async (page: Page, scene: ScreenScene) => {
  await page.goto(`${scene.gateway.consoleUrl}${path}`);
  await expect(ready(page).first()).toBeVisible();
};
export const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, level: 1 });

export const nodes = at('/nodes', (page) => page.getByRole('link', { name: 'web-1' }));
export const domains = at('/domains', (page) => page.getByRole('button', { name: 'Actions of app.example.test' }));
export const local = at('/nodes/1', (page) => page.getByRole('button', { name: 'Actions of Shop' }));
export const remote = async (page: Page, scene: ScreenScene) =>
  at(`/nodes/${scene.nodeId}`, () => page.getByText('old laptop'))(page, scene);

/** Opens a row's menu. */
export const menu = async (page: Page, row: string) => {
  await page
    .getByRole('button', { name: `Actions of ${row}`, exact: true })
    .first()
    .click();
  await expect(page.getByRole('menu')).toBeVisible();
};
/** After a screen, an action of a row. */
export const chosen =
  (from: Screen['open'], row: string, action: string): Screen['open'] =>
  async (page, scene) => {
    await from(page, scene);
    await menu(page, row);
    await page.getByRole('menuitem', { name: action }).click();
    await expect(openDialog(page)).toBeVisible();
  };
/** After a screen, a press of a button. */
export const pressed =
  (from: Screen['open'], button: string): Screen['open'] =>
  async (page, scene) => {
    await from(page, scene);
    await page.getByRole('button', { name: button }).first().click();
    await expect(openDialog(page)).toBeVisible();
  };
/** After a dialog, an attempt to save it. */
export const saved = async (page: Page) => openDialog(page).getByRole('button', { name: 'Save' }).click();
