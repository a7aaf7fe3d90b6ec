import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { createClient } from '@sallyport/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPiped } from './testing/process.ts';
import { type Served, serve } from './testing/serve.ts';

const IS_ROOT = process.getuid?.() === 0;
if (!IS_ROOT) process.stderr.write('skipped: only root changes what a host forwards\n');

let base: string;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let server: Served;
let file: string;

/** A host that is the seeded gateway node, whose tunnel nobody has brought up. */
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-own-'));
  gateway = await createTestGateway({ now: new Date() });
  const { siteId: id } = await gateway.seed();
  server = await serve(gateway.fetch);
  const guest = createClient({ baseUrl: server.url });
  const { token: session } = await guest.session.login({ body: TEST_ADMIN });
  const client = createClient({ baseUrl: server.url, token: session });
  const { token } = await client.token.create({ params: { id }, body: { name: 'own' } });
  file = join(base, 'config.json');
  const kept = { version: 1, url: server.url, token, pin: null, interface: 'spown', connected: false };
  writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
});
afterAll(async () => {
  await server.close();
  await gateway.stop();
  rmSync(base, { recursive: true });
});

const run = (...argv: string[]) => startPiped([...argv, '--json', '--quiet'], { SALLYPORT_CONFIG: file }).ended;

describe('a host, by the built command', () => {
  const limits = ['--allow', '203.0.113.0/24,2001:db8::/32', '--block', '203.0.113.9', '--ttl', '2h'];
  const limited = {
    enabled: true,
    allowedIps: ['203.0.113.0/24', '2001:db8::/32'],
    blockedIps: ['203.0.113.9'],
    expiresAt: expect.any(String) as string,
  };
  const inside = ['--port', '8443', '--backend-host', '192.0.2.20'];
  const behind = { backendPort: 8443, backendHost: '192.0.2.20' };

  it.each([
    [
      'a web server',
      ['http', 'shop', ...inside, '--domain', 'shop.example.test', '--path', '/buy', '--proto', 'https', ...limits],
      { ...behind, domain: 'shop.example.test', pathLocation: '/buy', backendProto: 'https', ...limited },
    ],
    [
      'a port with TLS',
      ['tcp', 'mail', ...inside, '--domain', 'mail.example.test', '--ssl', '--public-port', '20500', ...limits],
      { ...behind, domain: 'mail.example.test', proto: 'tcp', ssl: true, port: 20_500, ...limited },
    ],
    [
      'a port for datagrams',
      ['tcp', 'dns', ...inside, '--proto', 'udp'],
      { ...behind, proto: 'udp', ssl: false, enabled: true },
    ],
  ])('exposes %s with all that its flags say: 0', async (_, argv, service) => {
    const { code, out, err } = await run(...argv);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ version: 1, change: 'created', service });
  });

  it.runIf(IS_ROOT)('changes the subnet behind it: 0', async () => {
    const { code, out } = await run('gateway', '--interface', 'eth7', '--subnet', '192.0.2.0/25');
    expect(code).toBe(0);
    expect(out).toContain('"subnet": "192.0.2.0/25"');
  });

  it.each([
    ['that answers', () => undefined, { gatewayProblem: null, node: { name: 'site' } }],
    [
      'that is away',
      () => server.close(),
      { gatewayProblem: expect.stringContaining('cannot be reached'), node: null },
    ],
  ])('says in JSON that it is down, with a gateway %s: 3', async (_, before, wanted) => {
    await before();
    const { code, out, err } = await run('status');
    expect(JSON.parse(out)).toMatchObject({ version: 1, link: 'down', isConnected: false, ...wanted });
    expect({ code, err }).toEqual({
      code: 3,
      err: 'sallyport: This host is not connected. Connect with `sallyport connect`.\n',
    });
  });
});
