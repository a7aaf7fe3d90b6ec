import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccessLog, openAccessLog } from '../logs/accessLog.ts';
import { everyLog, pathsIn, readLog } from '../testing/logTrial.ts';
import { domainRow, save, serviceRow, startBackend } from '../testing/reconcileTrial.ts';
import { createScriptedBrowser } from '../testing/scriptedBrowser.ts';
import { openSignInTrial, originOf, type SignInTrial } from '../testing/signInTrial.ts';
import { aNode } from '../testing/storedRows.ts';
import { createNodeKeys } from '../vault/keyVault.ts';

// A list or a sign-in counts for other spellings of its path, but what a node says about its paths changes nothing for
// the services of other nodes: they are neither opened nor closed by it, and their requests are not in its log.

const MEMBERS = 'members.example.test';
const OPEN = 'open.example.test';
const ALONE = 'alone.example.test';
const LATER = { timeout: 20_000 };

let scene: SignInTrial;
let log: AccessLog;
/** Two remote nodes: what the one publishes is attacked by the other. */
let victim: { nodeId: number; backendPort: number };
let other: { nodeId: number; backendPort: number };
let ids: { victims: number; others: number };

beforeAll(async () => {
  scene = await openSignInTrial([MEMBERS], { tunnel: true });
  await scene.provide();
  const backend = async (name: string, address: string): Promise<number> => {
    return (await startBackend((_request, response) => void response.end(name), undefined, address)).port;
  };
  const node = async (name: string, address: string) => {
    const row = { ...aNode, name, address, publicKey: createNodeKeys().publicKey };
    const { id } = (await save(scene.trial, (tx) => tx.nodes.create(row))).value;
    return { nodeId: id, backendPort: await backend(name, address) };
  };
  victim = await node('victim', '127.0.0.2');
  other = await node('other', '127.0.0.3');
  const local = { nodeId: 1, backendPort: await backend('local', '127.0.0.1') };
  const rows = [
    [MEMBERS, victim, '/', { requireAuth: true, skipAuthRoutes: '^/public' }],
    [MEMBERS, other, '/ADMIN', { requireAuth: true, skipAuthRoutes: '^/' }],
    [MEMBERS, other, '/Public', { requireAuth: true }],
    [MEMBERS, other, '/PUBLIC/shut', { requireAuth: true, enabled: false }],
    [MEMBERS, local, '/Public/team', { requireAuth: true, skipAuthRoutes: '^/' }],
    [OPEN, victim, '/app', {}],
    [OPEN, other, '/APP/login', { blockedIps: ['0.0.0.0/0'] }],
    [ALONE, victim, '/', {}],
    [OPEN, other, '/app/Gone', { blockedIps: ['192.0.2.1'], enabled: false }],
  ] as const;
  const { value } = await save(scene.trial, async (tx) => {
    await tx.domains.create({ ...domainRow(MEMBERS), authentication: true });
    for (const domain of [OPEN, ALONE]) await tx.domains.create(domainRow(domain));
    const made = new Map<string, number>();
    for (const [domain, { nodeId, backendPort }, pathLocation, more] of rows) {
      const row = { domain, nodeId, pathLocation, name: `${domain} ${pathLocation}`, ...more };
      made.set(pathLocation, (await tx.httpServices.create(serviceRow(backendPort, row as object))).id);
    }
    return made;
  });
  ids = { victims: value.get('/app') ?? 0, others: value.get('/APP/login') ?? 0 };
  log = openAccessLog({
    path: scene.trial.ingress.layout.accessLog,
    directory: join(dirname(scene.trial.databaseFile), 'logs'),
    historyBytes: 1_000_000,
    known: everyLog(),
    reopenLogs: scene.trial.ingress.reopenLogs,
    notices: { info: () => undefined, warn: () => undefined },
  });
}, 60_000);
afterAll(async () => {
  await log?.close();
  await scene?.close();
});

async function visit(domain: string, path: string): Promise<string> {
  const { status, body } = await createScriptedBrowser().ask(originOf(domain) + path);
  return status === 200 ? body : String(status);
}

it.each([
  ['/admin', '302'],
  ['/Admin/x', '302'],
  ['/admin;x', '302'],
  ['/ADMIN', 'other'],
])('a pattern of one node opens no other’s path: %s', async (path, answer) => {
  expect(await visit(MEMBERS, path)).toBe(answer);
});

it.each(['/public', '/public/x', '/public/shut', '/public/SHUT/x'])(
  'a sign-in of one node closes no other’s path: %s',
  async (path) => {
    expect(await visit(MEMBERS, path)).toBe('victim');
  },
);

it.each(['/PUBLIC/team', '/public/TEAM/x', '/public/team'])(
  'what an administrator protects on this machine is asked for by every spelling, whatever patterns say: %s',
  async (path) => {
    expect(await visit(MEMBERS, path)).toBe('302');
  },
);

it.each(['/app/login', '/app/LOGIN/x', '/app/gone', '/app/a%252fb'])(
  'a list of one node refuses none of another’s visitors: %s',
  async (path) => {
    expect(await visit(OPEN, path)).toBe('victim');
  },
);

// nginx would find /APP/login, the browser sends the cookies of /app with it; or it would find /app, and its backend reads
// a path that is not published.
it.each([
  '/app/..%2fAPP/login',
  '/app%2f..%2fAPP/login',
  '/secret/..%2fapp/x',
  '/app/..;/secret',
  '/app/..%5csecret',
  '/app/%2e.%5csecret',
  '/app/%252e%252e/secret',
  '/app/..%25252fsecret',
])('a path leads neither out of a service nor into one from elsewhere: %s', async (path) => {
  expect(await visit(OPEN, path)).toBe('400');
});

it.each(['/x/..%2fy', '/a/..;/b', '/app/x%252fy'])(
  'a service that has its domain alone gets every path: %s',
  async (path) => {
    expect(await visit(ALONE, path)).toBe('victim');
  },
);

it.each(['/app/./x', '/app/.%2fx', '/app/x..%2fy', '/app/..x', '/app/.well%2f.x', '/app/x;y/z', '/app/x?/../y'])(
  'a name with dots is none of these: %s',
  async (path) => {
    expect(await visit(OPEN, path)).toBe('victim');
  },
);

it('whose log a request is in is told by who answered', async () => {
  const ofVictim = await readLog(log, { kind: 'http', id: ids.victims });
  const ofOther = await readLog(log, { kind: 'http', id: ids.others });
  const paths = ['/app/login?1', '/app/LOGIN?2', '/app/gone?3'];
  for (const path of paths) await visit(OPEN, path);
  await visit(OPEN, '/APP/login?4');
  await expect.poll(() => pathsIn(ofVictim.texts()), LATER).toEqual(expect.arrayContaining(paths));
  await expect.poll(() => pathsIn(ofOther.texts()), LATER).toEqual(['/APP/login?4']);
  ofVictim.stop();
  ofOther.stop();
});
