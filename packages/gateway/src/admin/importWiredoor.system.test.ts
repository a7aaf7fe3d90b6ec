import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { putCertbotPair } from '../testing/certbotDirectory.ts';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';
import { makeWiredoorDirectory, WIREDOOR_LOCAL, type WiredoorDirectory } from '../testing/wiredoorDirectory.ts';
import { servedFingerprint } from './servedFingerprint.ts';

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 240_000 };
const ISSUED = 'issued.example.test';
let trial: ProgramTrial;
let base: string;
let source: WiredoorDirectory;
/** A network that no machine reaches. */
const SUBNET = '198.18.200.0/24';
const NODE = '198.18.200.2';
const EDGE = 2;
const wg_interfaces = { subnet: SUBNET, address: '198.18.200.1/24' };
const settings = {
  SALLYPORT_VPN_HOST: 'gw.example.test',
  SALLYPORT_VPN_SUBNET: SUBNET,
  SALLYPORT_TUNNEL: 'on',
  SALLYPORT_HTTPS_PORT: '443',
  SALLYPORT_WIREDOOR_CLIENTS: 'on',
};
const run = (...more: string[]) => trial.start(settings, { args: ['import', 'wiredoor', source.path, ...more] });
const sourceBytes = () => ['db.sqlite', '.key'].map((name) => readFileSync(join(source.path, name), 'base64'));
const nextTo = () => readdirSync(join(trial.data, '..')).filter((name) => name.startsWith('data'));
const start = () => trial.start({ SALLYPORT_WIREDOOR_CLIENTS: 'on', SALLYPORT_VPN_SUBNET: SUBNET });

beforeEach(async () => {
  trial = await openProgramTrial();
  base = mkdtempSync(join(tmpdir(), 'sallyport-wiredoor-'));
  source = makeWiredoorDirectory(join(base, 'data'), {
    wg_interfaces,
    nodes: [{ name: 'edge', address: NODE }],
    domains: [{ domain: ISSUED, ssl: 'certbot' }],
    http_services: [
      { name: 'web', domain: ISSUED, nodeId: EDGE, backendPort: 8080 },
      { name: 'Wiredoor_APP', nodeId: WIREDOOR_LOCAL, allowedIps: ['127.0.0.0/8'] },
      { name: 'guarded', domain: 'guarded.example.test', nodeId: EDGE, requireAuth: 1 },
    ],
    tokens: [{ nodeId: EDGE }],
  });
});
afterEach(async () => {
  await trial.close();
  rmSync(base, { recursive: true });
});

it('changes nothing before it is told to, nor with settings that do not fit', STARTS, async () => {
  const planned = await run();
  expect(planned).toMatchObject({ code: 0, out: expect.stringContaining('new: node "edge" at 198.18.200.2') });
  expect(planned.out).toMatch(/^ {4}closed: it asks for a sign-in/m);
  expect(planned.out).toContain('Nothing was changed.');
  const { code, out } = await run('--json');
  expect([code, JSON.parse(out)]).toEqual([
    0,
    expect.objectContaining({ state: 'new', obstacles: [], directory: trial.data, plan: expect.any(Object) }),
  ]);
  const unfit = await trial.start({}, { args: ['import', 'wiredoor', source.path, '--apply'] });
  expect(unfit.code).toBe(1);
  expect(unfit.out).toContain('FIX  Set SALLYPORT_VPN_SUBNET=198.18.200.0/24');
  expect(nextTo()).toEqual([]);
});

it('makes a gateway with what the server had, once, and leaves the server as it is', STARTS, async () => {
  const fingerprint = putCertbotPair(join(source.path, 'letsencrypt'), ISSUED, ISSUED);
  const before = sourceBytes();
  expect(await run('--apply')).toMatchObject({ code: 0, out: expect.stringContaining('its certificate goes along') });
  expect(sourceBytes()).toEqual(before);
  expect(nextTo()).toEqual(['data']);
  // As one who reads the disk sees it: but for the file of the vault, nothing opens it.
  const stored = readFileSync(join(trial.data, 'sallyport.db'), 'latin1');
  const { privateKey, presharedKey } = source.keysOf(EDGE);
  const secrets = [source.server.privateKey, privateKey, presharedKey, readFileSync(join(source.path, '.key'), 'utf8')];
  for (const secret of secrets) expect(stored).not.toContain(secret);
  expect(statSync(join(trial.data, 'secrets', 'vault.key')).mode & 0o777).toBe(0o600);

  expect(await start()).toMatchObject({ code: null });
  expect(await servedFingerprint(trial.ports.https, ISSUED)).toBe(fingerprint);
  const { body: node } = await trial.call('GET', '/api/cli/node', undefined, source.token(1));
  expect(node).toMatchObject({ name: 'edge', address: NODE });
  const { body: parts } = await trial.call('GET', '/api/cli/wgconfig', undefined, source.token(1));
  expect(parts).toMatchObject({
    privateKey,
    peer: { publicKey: source.server.publicKey, preSharedKey: presharedKey },
  });
  await trial.signIn();
  expect((await trial.call('GET', '/api/services/http')).body).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ builtin: true, allowedIps: ['127.0.0.0/8'] }),
      expect.objectContaining({ domain: ISSUED, enabled: true }),
      expect.objectContaining({ domain: 'guarded.example.test', enabled: false, requireAuth: true }),
    ]),
  );
  // Where a node is called to send its token, on the names without a domain alone.
  const asked = await trial.visit('gw.example.test', '/api/cli/node');
  expect(JSON.parse(asked)).toMatchObject({ status: 'error' });
  expect(await trial.visit('gw.example.test', '/api/nodes')).toContain('Nothing here');

  const again = await run('--apply');
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed.') });
  expect(nextTo()).toEqual(['data']);
});

it('takes the place of a gateway that has nothing yet, which is kept, and of no other', STARTS, async () => {
  const fresh = await trial.start();
  expect(await run('--apply')).toMatchObject({ code: 1, err: expect.stringContaining('A gateway is using') });
  await fresh.end('SIGINT');
  expect(await run('--apply')).toMatchObject({ code: 0 });
  expect(nextTo()).toEqual(['data', expect.stringMatching(/^data\.before-/)]);
  source = makeWiredoorDirectory(join(base, 'other'), { wg_interfaces });
  const other = await run('--apply');
  expect(other).toMatchObject({ code: 1, out: expect.stringContaining('FIX  There is a gateway with services') });
});
