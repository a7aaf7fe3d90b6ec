import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { domainRow, save, serviceRow } from '../testing/reconcileTrial.ts';
import { createScriptedBrowser, type ScriptedBrowser } from '../testing/scriptedBrowser.ts';
import { LONG_SPELLINGS, OTHER_PATHS, spelledAtLength, SPELLINGS } from '../testing/spellings.ts';
import { openSignInTrial, originOf, type SignInTrial } from '../testing/signInTrial.ts';

// A path where visitors sign in, and an open one in front of the same backend: no spelling leads past the sign-in.

const HOST = 'spelled.example.test';
const ORIGIN = originOf(HOST);

let scene: SignInTrial;
let admin: number;
let stranger: ScriptedBrowser;

beforeAll(async () => {
  scene = await openSignInTrial([HOST]);
  await scene.provide();
  await scene.addDomain(HOST);
  await scene.expose(HOST, { name: 'Open' });
  admin = await scene.expose(HOST, {
    name: 'Secret',
    pathLocation: '/team/Admin.1',
    requireAuth: true,
    skipAuthRoutes: '/team/Admin.1/public',
  });
  await scene.expose(HOST, { name: 'Free', pathLocation: '/team/Admin.1/free' });
  await scene.expose(HOST, { name: 'Team', pathLocation: '/Team' });
}, 60_000);
afterAll(() => scene?.close());
beforeEach(() => void (stranger = createScriptedBrowser()));

const statusOf = async (path: string, browser = stranger): Promise<number> => (await browser.ask(ORIGIN + path)).status;

it.each([...SPELLINGS, '/team/ADMIN.1/public'])('%s is none that leads past the sign-in', async (path) => {
  expect([302, 400]).toContain(await statusOf(path));
});

it.each(LONG_SPELLINGS)('%s%s…%s leads past it at no length', async (...parts) => {
  for (const path of spelledAtLength(parts)) expect([302, 400, 414]).toContain(await statusOf(path));
});

it.each([...OTHER_PATHS, '/team/Admin.1/public'])('%s goes on as before', async (path) => {
  const page = await stranger.ask(ORIGIN + path);
  expect([page.status, page.body === '' ? null : JSON.parse(page.body)]).toEqual([
    200,
    expect.objectContaining({ url: path }),
  ]);
});

it('opens a service’s own path as it is written, and no other that nginx takes for it', async () => {
  await scene.expose(HOST, { name: 'Own', pathLocation: '/own', requireAuth: true, skipAuthRoutes: '/own' });
  expect([await statusOf('/own'), await statusOf('/own?x'), await statusOf('/own/private')]).toEqual([200, 200, 302]);
  const others = [
    '/own/private/../../own',
    '/own/private/..%2f..%2fown',
    '/own/private/x/..%2f..%2f..%2fown',
    '//own',
    '/%6fwn/.',
  ];
  for (const path of others) expect([302, 400]).toContain(await statusOf(path));
});

it('leads who signed in to where the spelling led before', async () => {
  const page = await scene.signInAs(stranger, 'ann@example.test', `${ORIGIN}/TEAM/admin.1;x`);
  expect(page).toMatchObject({ status: 200, url: `${ORIGIN}/TEAM/admin.1;x` });
  const { url, headers } = JSON.parse(page.body) as { url: string; headers: Record<string, string> };
  expect([url, headers['x-auth-email']]).toEqual(['/TEAM/admin.1;x', 'ann@example.test']);
});

it('is not got around while the path is closed, disabled, or next to one that patterns open', async () => {
  const path = '/TEAM/admin.1;x';
  const edit = (service: number, change: object) => scene.trial.api(`PATCH /api/services/1/http/${service}`, change);
  expect((await scene.trial.api(`PATCH /api/services/1/http/${admin}/disable`)).status).toBe(200);
  expect([await statusOf('/team/Admin.1'), await statusOf(path)]).toEqual([404, 404]);
  expect((await scene.trial.api(`PATCH /api/services/1/http/${admin}/enable`)).status).toBe(200);
  const [open] = await scene.trial.store.httpServices.all({ domain: HOST, pathLocation: '/' });
  expect((await edit(open?.id ?? 0, { requireAuth: true, skipAuthRoutes: '^/.*$' })).status).toBe(200);
  expect([await statusOf('/x'), await statusOf(path)]).toEqual([200, 302]);
});

it('holds, too, where no one can sign in, and where nginx finds many services by a pattern', async () => {
  const host = 'many.example.test';
  await save(scene.trial, (tx) => tx.domains.create({ ...domainRow(host), allowedNodes: [] }));
  for (const name of 'abcdefgh') await scene.expose(host, { name: `Service ${name}`, pathLocation: `/${name}` });
  await scene.expose(host, { name: 'Root of many' });
  const secret = serviceRow(9, { name: 'Secret of many', domain: host, pathLocation: '/a/Secret', requireAuth: true });
  await save(scene.trial, async (tx) => {
    await tx.httpServices.create(secret);
    await tx.httpServices.create({ ...secret, pathLocation: '/Secret' });
  });
  const answers: [string, number][] = [
    ['/a/Secret', 503],
    ['/a/SECRET/x', 503],
    ['/a/..;/a/Secret', 400],
    ['/Secret', 503],
    ['/SECRET;x', 503],
    ['/a/x', 200],
    ['/x', 200],
  ];
  for (const [path, status] of answers) {
    expect([path, (await stranger.ask(originOf(host) + path)).status]).toEqual([path, status]);
  }
});
