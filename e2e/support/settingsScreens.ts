import { expect } from '@playwright/test';
import { openDialog } from './console.ts';
import {
  after,
  at,
  chosen,
  heading,
  named,
  pressed,
  saved,
  type Screen,
  sees,
  settings,
  settingsGroup,
} from './screens.ts';

/** The groups of settings, and the dialogs of API tokens. */
export const settingsScreens: readonly Screen[] = [
  {
    name: 'settings',
    open: after(at('/settings', heading('Settings')), (page) =>
      // On small screens it is the list alone.
      expect(page.getByRole('link', { name: 'Certificates' })).toBeVisible(),
    ),
  },
  { name: 'settings-gateway', open: settingsGroup('gateway', 'Ports of TCP and UDP services') },
  { name: 'settings-features', open: settingsGroup('features', 'Off by choice') },
  { name: 'settings-certificates', open: settingsGroup('certificates', 'Directory of the authority') },
  {
    name: 'settings-sign-in',
    open: after(settingsGroup('sign-in', 'Client secret'), async (page) => {
      await page.getByRole('button', { name: 'Test the provider' }).click();
      await sees(page, 'Not set up');
    }),
  },
  {
    name: 'settings-limits',
    open: after(settingsGroup('limits', 'Data directory'), (page) => page.getByText('How to change').first().click()),
  },
  { name: 'settings-sessions', open: settings },
  { name: 'settings-appearance', open: settingsGroup('appearance', 'Wide sidebar') },
  { name: 'settings-about', open: settingsGroup('about', 'Sponsor the project') },
  {
    name: 'api-token-form',
    open: after(pressed(settings, 'Add Token'), (page) => sees(page, 'Choose a date')),
  },
  {
    name: 'api-token-form-refused',
    open: after(pressed(settings, 'Add Token'), async (page) => {
      await saved(page);
      await sees(page, 'Choose at least one right.');
    }),
  },
  {
    name: 'api-token-result',
    open: after(pressed(settings, 'Add Token'), async (page) => {
      await openDialog(page).getByLabel('Services').selectOption('read');
      await named(page, 'laptop');
      await expect(page.getByRole('dialog', { name: 'New API Token' })).toBeVisible();
    }),
  },
  { name: 'api-token-delete', open: chosen(settings, 'ci', 'Delete') },
];
