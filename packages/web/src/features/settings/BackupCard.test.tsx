import { screen, within } from '@testing-library/react';
import type { LastBackup } from '@sallyport/sdk/contract';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openConsole } from '../../testing/openConsole.tsx';

const openCard = async (last: LastBackup | null) => {
  const { gateway, router } = await openConsole({ path: '/nodes' });
  gateway.world.setLastBackup(last);
  await router.navigate({ to: '/settings' });
  return within(await screen.findByRole('region', { name: 'Backup' }));
};
const HOUR_MS = 3_600_000;
const file = '/var/backups/sallyport/sallyport-2026-11-20T02-30-00Z.backup';
const command = { name: 'Command that makes a backup' };

it('says that there is no backup, how one is made, and where that is told', async () => {
  const card = await openCard(null);
  expect(await card.findByText(/^None yet/)).toBeDefined();
  expect(card.getByRole('region', command).textContent).toContain('sudo sallyport-gateway backup');
  expect(card.getByRole('link').getAttribute('href')).toBe('/docs/backup');
});

it('says how old the last backup is, when it was made, and where it is', async () => {
  vi.setSystemTime(new Date('2026-11-21T06:30:00Z'));
  onTestFinished(() => void vi.useRealTimers());
  const card = await openCard({ at: new Date(Date.now() - 28 * HOUR_MS).toISOString(), file, isOld: false });
  expect(await card.findByText('1 day ago')).toBeDefined();
  expect(card.getByText(/^11\/20\/2026, \d\d:30:00/)).toBeDefined();
  expect(card.getByText(file)).toBeDefined();
  expect(card.queryByRole('region', command)).toBeNull();
});

it('warns of one that is old, with the way to make another', async () => {
  const at = new Date(Date.now() - 100 * HOUR_MS).toISOString();
  const card = await openCard({ at, file: null, isOld: true });
  expect(await card.findByText('The last backup was made 4 days ago')).toBeDefined();
  expect(card.getByText('Standard output')).toBeDefined();
  expect(card.getByRole('region', command)).toBeDefined();
});
