import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';
import { openWiredoorServer, type WiredoorServer } from '../testing/wiredoorServer.ts';

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 240_000 };
const [LOCAL, EDGE, SITE] = [1, 2, 3];
const service = { backendHost: null, backendPort: 8080, backendProto: 'http', enabled: true, requireAuth: false };
const web = (more: object) => ({ ...service, pathLocation: '/', allowedIps: null, blockedIps: null, ...more });

let trial: ProgramTrial;
let base: string;
let server: WiredoorServer;
beforeEach(async () => {
  trial = await openProgramTrial();
  base = mkdtempSync(join(tmpdir(), 'sallyport-wiredoor-'));
  const node = { enabled: true, isGateway: false, isLocal: false, keepalive: 25, dns: null, allowInternet: false };
  server = await openWiredoorServer(base, {
    '/api/nodes': [
      { ...node, id: LOCAL, name: 'Wiredoor_Local', address: 'localhost', isLocal: true },
      { ...node, id: EDGE, name: 'edge', address: '10.0.0.2' },
      {
        ...node,
        id: SITE,
        name: 'site\u001b[2J',
        address: '10.0.0.3',
        isGateway: true,
        gatewayNetworks: [{ interface: 'eth0', subnet: '198.18.7.0/24' }],
      },
    ],
    '/api/domains': [
      { id: 1, domain: 'app.example.test', ssl: 'self-signed', skipValidation: true, authentication: false },
      {
        id: 2,
        domain: 'guarded.example.test',
        ssl: 'certbot',
        skipValidation: false,
        authentication: true,
        allowedEmails: ['a@example.test'],
      },
      { id: 3, domain: '../../etc', ssl: 'self-signed', skipValidation: true },
    ],
    '/api/services/http': [
      web({ id: 1, name: 'Wiredoor_APP', nodeId: LOCAL, backendHost: '127.0.0.1', allowedIps: ['127.0.0.0/8'] }),
      web({ id: 2, name: 'app', domain: 'app.example.test', nodeId: EDGE, allowedIps: ['203.0.113.0/24'] }),
      web({ id: 3, name: 'nas', domain: 'guarded.example.test', nodeId: SITE, backendHost: 'nas', requireAuth: true }),
      web({ id: 4, name: 'open?', domain: 'app.example.test', pathLocation: '/x', nodeId: EDGE, requireAuth: true }),
      web({ id: 5, name: 'odd', domain: 'app.example.test', pathLocation: '/y', nodeId: EDGE, allowedIps: 'all' }),
    ],
    '/api/services/tcp': [
      { ...service, id: 1, name: 'ssh', proto: 'tcp', nodeId: EDGE, backendPort: 22, port: 20_001, ssl: false },
    ],
  });
  writeFileSync(join(base, 'password'), `${server.password}\n`);
  writeFileSync(join(base, 'token'), `${server.token}\n`);
});
afterEach(async () => {
  await trial.close();
  server.close();
  rmSync(base, { recursive: true });
});

const run = (...more: string[]) =>
  trial.start({ NODE_EXTRA_CA_CERTS: server.caFile }, { args: ['import', 'wiredoor', server.url, ...more] });

it('makes a gateway of what its API tells, once, and says what it does not tell', STARTS, async () => {
  const login = ['--username', server.username, '--password-file', join(base, 'password')];
  const planned = await run(...login);
  expect(planned.code).toBe(0);
  expect(planned.out).toContain(
    'new: node "edge" at 10.88.0.2, access tokens: 0\n    it has new keys: its host has to join again',
  );
  expect(planned.out).toContain('not taken in: keys of the server and its nodes, access tokens, certificates');
  expect(planned.out).not.toMatch(/[^\P{Cc}\n]/u);
  expect(existsSync(join(trial.data, 'sallyport.db'))).toBe(false);

  const applied = await run('--token-file', join(base, 'token'), '--apply');
  expect(applied).toMatchObject({ code: 0, out: expect.stringContaining('Start the gateway, let each host join') });
  expect(await trial.start()).toMatchObject({ code: null });
  await trial.signIn();
  const { body: nodes } = await trial.call('GET', '/api/nodes');
  expect(nodes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'edge', address: '10.88.0.2', isGateway: false }),
      expect.objectContaining({ address: '10.88.0.3', isGateway: true }),
    ]),
  );
  // Each has keys of its own, with which its host can join.
  const edge = (nodes as unknown as { id: number; name: string }[]).find(({ name }) => name === 'edge');
  expect((await trial.call('GET', `/api/nodes/${edge?.id}/config`)).status).toBe(200);
  const { body: services } = await trial.call('GET', '/api/services/http');
  expect(services).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ builtin: true, allowedIps: ['127.0.0.0/8'] }),
      expect.objectContaining({ name: 'app', enabled: true, allowedIps: ['203.0.113.0/24'] }),
      expect.objectContaining({ name: 'nas', enabled: true, requireAuth: true }),
      expect.objectContaining({ name: 'open?', enabled: false }),
      expect.objectContaining({ name: 'odd', enabled: false, blockedIps: ['0.0.0.0/0', '::/0'] }),
    ]),
  );
  expect((await trial.call('GET', '/api/services/tcp')).body).toMatchObject([{ port: 20_001, enabled: true }]);
  expect((await trial.call('GET', '/api/domains')).body).toMatchObject([
    { domain: 'app.example.test' },
    { domain: 'guarded.example.test', authentication: true, allowedEmails: ['a@example.test'] },
  ]);

  const again = await run('--token-file', join(base, 'token'), '--apply');
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed.') });
});

it('says which flags are missing or do not belong together, and sends nothing then', STARTS, async () => {
  expect(await run()).toMatchObject({
    code: 2,
    err: expect.stringContaining('Name the administrator with --username'),
  });
  expect(await run('--username', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('--password-file') });
  expect(await run('--certificates', base)).toMatchObject({ code: 2, err: expect.stringContaining('for the files') });
  const files = await trial.start({}, { args: ['import', 'wiredoor', base, '--pin', 'x'] });
  expect(files).toMatchObject({ code: 2, err: expect.stringContaining('are for https://HOST') });
  const untrusted = await trial.start(
    {},
    { args: ['import', 'wiredoor', server.url, '--token-file', join(base, 'token')] },
  );
  expect(untrusted).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was sent: the certificate of') });
  expect(server.asked).toEqual([]);
});
