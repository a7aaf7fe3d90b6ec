import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import { type Served, listen, serve } from '../testing/serve.ts';
import { testHost } from '../testing/testHost.ts';

const CANARY = 'spn_canary0123456789abcdefghijkl';

let at: Awaited<ReturnType<typeof testHost>>;
let server: Served;
let machine: FakeMachine;
/** How far the gateway's clock is ahead. */
let aheadMs: number;
/** What the gateway last found of the host's backends, and what it finds when it asks; the one in memory has no tunnel to look through. */
let isBackendDown: { last: boolean; now: boolean };

beforeEach(async () => {
  at = await testHost();
  const { gateway } = at;
  ({ machine } = at);
  server = await serve(gateway.fetch);
  onTestFinished(server.close);
  aheadMs = 0;
  isBackendDown = { last: false, now: false };
  at.answer = async (request) => {
    const given = await gateway.fetch(request);
    const { pathname, searchParams } = new URL(request.url);
    const isDown = searchParams.has('fresh') ? isBackendDown.now : isBackendDown.last;
    const reply = pathname === '/api/cli/node' && given.ok ? await withBackends(given, isDown) : given;
    reply.headers.set('date', new Date(gateway.clock.now().getTime() + aheadMs).toUTCString());
    return reply;
  };
  expect((await at.login(['--url', server.url])).code).toBe(0);
});

async function withBackends(reply: Response, isDown: boolean): Promise<Response> {
  const node: { httpServices: object[] } = JSON.parse(await reply.text());
  const found = isDown
    ? { health: 'down', healthReason: 'it refuses connections' }
    : { health: 'up', healthReason: null };
  for (const service of node.httpServices) Object.assign(service, { problem: null, ...found });
  return Response.json(node);
}

/** What `doctor` found, by its steps, and how it ended. */
async function examined(...more: string[]) {
  const { code, out, err } = await at.run(['doctor', '--json', ...more]);
  const findings: { step: string; state: string; finding: string; fix: string | null }[] = JSON.parse(out).data;
  const of = (name: string) => findings.filter(({ step }) => step === name);
  const states = Object.fromEntries(findings.map(({ step, state }) => [step, state]));
  return { code, err, states, of };
}

describe('doctor on a host that is a node, where no one is signed in', () => {
  it('walks from the name of the gateway to the own services: all well', async () => {
    const { code, states, of } = await examined();
    const all = ['dns', 'port', 'certificate', 'gateway', 'clock', 'host token', 'host tunnel', 'host backend'];
    expect(states).toEqual(Object.fromEntries(all.map((step) => [step, 'ok'])));
    expect(code).toBe(0);
    expect(of('host tunnel')[0]?.finding).toBe('sallyport is up, the last handshake was 5 s ago');
    expect(of('host token')[0]?.finding).toContain('web-1');
  });

  it.each([
    [
      'a tunnel that is down',
      () => machine.up.clear(),
      'the interface sallyport is not there, though it should be up',
      'sudo sallyport connect',
    ],
    [
      'a gateway that does not answer through the tunnel',
      () => void (machine.answers = false),
      'sallyport is up, but the gateway has never answered',
      'let UDP to 198.51.100.7:51820 through the firewall, then sudo sallyport connect',
    ],
  ])('says what fixes %s: 3', async (_, spoil, finding, fix) => {
    spoil();
    const found = await examined();
    expect(found.of('host tunnel')).toEqual([{ step: 'host tunnel', state: 'failed', finding, fix }]);
    expect(found.code).toBe(3);
    expect(found.err).toContain('Not well: host tunnel.');
  });

  it('says what fixes a token that is refused: 4', async () => {
    await at.run(['config', '--url', server.url, '--token-stdin'], { input: CANARY });
    const { code, of, states } = await examined();
    expect(of('host token')[0]).toMatchObject({
      state: 'failed',
      finding: 'the gateway refuses it',
      fix: `sudo sallyport login --url ${server.url}`,
    });
    expect(states['host backend']).toBe('skipped');
    expect(code).toBe(4);
  });

  it('says what fixes a clock that is wrong', async () => {
    aheadMs = 90_000;
    expect((await examined()).of('clock')).toMatchObject([
      { state: 'warning', finding: 'the clocks are 90 s apart', fix: 'set the clock: timedatectl set-ntp true' },
    ]);
  });

  it('looks at the backend of each own service', async () => {
    const behind = await listen((_request, response) => response.end('here'));
    const expose = (name: string, port: number) =>
      at.run(['http', name, '--port', String(port), '--domain', `${name}.example.test`]);
    try {
      await expose('there', behind.port);
      await expose('gone', 1);
      await at.run(['http', 'hidden; reboot', '--port', '1', '--domain', 'hidden.example.test']);
      isBackendDown = { last: false, now: true };
      const { of, code } = await examined();
      const byName = of('host backend').toSorted((one, other) => one.finding.localeCompare(other.finding));
      expect(byName).toMatchObject([
        {
          state: 'failed',
          finding: 'gone: nothing answers at 127.0.0.1:1',
          fix: 'start what listens there, or: sallyport http gone --port PORT',
        },
        { fix: 'start what listens there, or: sallyport http NAME --port PORT' },
        { state: 'failed', finding: expect.stringContaining(`there: 127.0.0.1:${behind.port} answers here, but not`) },
      ]);
      expect(code).toBe(1);
    } finally {
      await behind.close();
    }
  });

  it('does not repeat what the gateway saw before the backend was started', async () => {
    await at.run(['http', 'web', '--port', '1', '--domain', 'web.example.test']);
    isBackendDown = { last: true, now: false };
    const { of, code } = await examined();
    expect(of('host backend')).toMatchObject([{ state: 'ok', finding: 'web has a backend' }]);
    expect(code).toBe(0);
  });

  it('has a configuration that is damaged as a finding', async () => {
    writeFileSync(at.hostFile, '{"version":1,');
    const { of, code } = await examined('--url', server.url);
    expect(of('host config')).toMatchObject([{ state: 'failed', finding: expect.stringContaining('is damaged') }]);
    expect(code).not.toBe(0);
  });
});

describe('doctor, on a host whose operator is signed in as well', () => {
  it('looks at a gateway that both share once', async () => {
    await at.login(['--operator', '--url', server.url]);
    const { of, states } = await examined();
    expect(of('dns')).toHaveLength(1);
    expect(states).toMatchObject({ token: 'ok', 'host token': 'ok' });
  });

  it('packs no token and no key, no matter who said them', async () => {
    await at.login(['--operator', '--url', server.url]);
    await at.run(['config', '--url', server.url, '--token-stdin'], { input: CANARY });
    const bundle = join(at.configDirectory, 'bundle.tar.gz');
    await examined('--bundle', bundle);
    const content = execFileSync('tar', ['-xzOf', bundle], { encoding: 'utf8' });
    expect(content).toContain('"host token"');
    expect(content).not.toContain('canary');
    expect(content).not.toMatch(/sp[snt]_|(?:private|preShared)Key": "(?!\[redacted\])/);
  });
});
