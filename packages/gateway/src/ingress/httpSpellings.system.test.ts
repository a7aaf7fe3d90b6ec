import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { OTHER_PATHS, SPELLINGS } from '../testing/spellings.ts';

// A path with a list, and one without in front of the same backend: no spelling leads past the list.

let trial: ReconcileTrial;
let stop: () => Promise<void>;
let port: number;
const host = 'spelled.example.test';
let admin: number;

beforeAll(async () => {
  trial = await openReconcileTrial();
  ({ port, stop } = await startBackend((request, response) => response.end(request.url)));
  await expose(trial, host, port);
  admin = (await expose(trial, host, port, { pathLocation: '/team/Admin.1', blockedIps: ['127.0.0.1'] })).value.id;
  await expose(trial, host, port, { pathLocation: '/team/Admin.1/free' });
});
afterAll(async () => {
  await trial.close();
  await stop();
});

const statusOf = async (path: string): Promise<number> => (await visit(trial, host, { path })).status;

it.each(SPELLINGS)('%s is none that leads past it', async (path) => {
  expect([400, 403]).toContain(await statusOf(path));
});

it.each(OTHER_PATHS)('%s goes on as before', async (path) => {
  expect(await visit(trial, host, { path })).toMatchObject({ status: 200, body: path });
});

it('lets in, in each spelling, whom the list lets in, and follows the list', async () => {
  await save(trial, (tx) => tx.httpServices.update(admin, { blockedIps: ['192.0.2.1'], allowedIps: ['127.0.0.0/8'] }));
  expect([await statusOf('/team/Admin.1'), await statusOf('/TEAM/admin.1;x')]).toEqual([200, 200]);
  await save(trial, (tx) => tx.httpServices.update(admin, { blockedIps: null, allowedIps: ['192.0.2.1'] }));
  expect([await statusOf('/team/Admin.1'), await statusOf('/TEAM/admin.1;x')]).toEqual([403, 403]);
  await save(trial, (tx) => tx.httpServices.update(admin, { blockedIps: null, allowedIps: null }));
  expect([await statusOf('/team/Admin.1'), await statusOf('/open/..;/x')]).toEqual([200, 200]);
});

it('answers at the path itself as any that is closed, and lets nobody in by other spellings', async () => {
  const own = { pathLocation: '/Shut', blockedIps: ['192.0.2.1'], expiresAt: 'never' };
  const { value } = await expose(trial, host, port, own);
  expect([await statusOf('/Shut'), await statusOf('/SHUT')]).toEqual([404, 403]);
  await save(trial, (tx) =>
    tx.httpServices.update(value.id, { enabled: true, expiresAt: null, backendHost: 'none.test' }),
  );
  expect([await statusOf('/Shut'), await statusOf('/SHUT')]).toEqual([503, 403]);
});

it('takes paths of any length', async () => {
  const long = `/${'a/'.repeat(85)}Long.path-name_of~many`;
  const { rejected } = await expose(trial, host, port, { pathLocation: long, blockedIps: ['127.0.0.1'] });
  expect(rejected).toBeNull();
  expect([await statusOf(long), await statusOf(long.toUpperCase())]).toEqual([403, 403]);
  const { rejected: none } = await expose(trial, host, port, {
    pathLocation: `/${'k'.repeat(198)}`,
    blockedIps: ['127.0.0.1'],
  });
  expect([none, await statusOf(`/${'K'.repeat(198)};x`)]).toEqual([null, 403]);
  // A pattern that goes back would take longer than any visitor waits.
  await statusOf(`/${';%252f'.repeat(1200)}`);
  await statusOf(`/team${';x'.repeat(3000)}`);
});
