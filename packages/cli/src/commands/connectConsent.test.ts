import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { wgConfig } from '@sallyport/sdk/contract';
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { type FakeMachine, createFakeMachine } from '../testing/fakeMachine.ts';
import { type RunOptions, createShell } from '../testing/shell.ts';

// By plain HTTP to loopback no certificate is asked for.
const LOCAL_URL = 'http://127.0.0.1:1';

let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let shell: ReturnType<typeof createShell>;
let machine: FakeMachine;
/** What answers: the gateway, unless a test says otherwise. */
let answer: (request: Request) => Promise<Response>;

beforeEach(async () => {
  gateway = await createTestGateway();
  machine = createFakeMachine(gateway.clock.now);
  answer = gateway.fetch;
  shell = createShell((request) => answer(request), gateway.clock.now, machine);
  return () => gateway.stop();
});

const later = (argv: string[], options: RunOptions = {}) => shell.run(argv, options);
const stored = () => JSON.parse(readFileSync(shell.hostFile, 'utf8'));

/** A token for a node, as the console's administrator gets it. */
async function newToken(nodeId: number): Promise<string> {
  const reply = await gateway.fetch(`/api/nodes/${nodeId}/pats`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await gateway.signIn()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'test' }),
  });
  return ((await reply.json()) as { token: string }).token;
}

/** Has the gateway name these networks for this host, besides what it says else. */
const route = (allowedIPs: string) => {
  answer = async (request) => {
    const reply = await gateway.fetch(request);
    if (!request.url.endsWith('/api/cli/wgconfig')) return reply;
    const wg = wgConfig.parse(await reply.json());
    return Response.json({ ...wg, peer: { ...wg.peer, allowedIPs } });
  };
};

it('sends all traffic through the gateway only when this host has agreed, and remembers that', async () => {
  const { edgeId } = await gateway.seed();
  const input = await newToken(edgeId);
  await gateway.store.write((tx) => tx.nodes.update(edgeId, { allowInternet: true }));
  const argv = ['connect', '--url', LOCAL_URL, '--token-stdin'];
  const refused = await later(argv, { input });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(
    'wants to carry all internet traffic of this host, and this host has not agreed to that.',
  );
  expect(refused.err).toContain('sudo sallyport connect --allow-internet');
  expect(machine.up.size).toBe(0);
  expect((await later([...argv, '--allow-internet'], { input })).code).toBe(0);
  expect(stored().allowInternet).toBe(true);
  await later(['disconnect']);
  expect((await later(['connect'])).code).toBe(0);
  expect(machine.up.get('sallyport')).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
});

it('asks at a terminal whether the gateway may carry all traffic', async () => {
  const { edgeId } = await gateway.seed();
  await gateway.store.write((tx) => tx.nodes.update(edgeId, { allowInternet: true }));
  const byToken = { SALLYPORT_TOKEN: await newToken(edgeId) };
  const argv = ['connect', '--url', LOCAL_URL];
  const no = [['all internet traffic of this host. Let it [y/N]: ', '\r']] as const;
  expect((await later(argv, { terminal: true, answers: no, env: byToken })).code).toBe(1);
  const yes = [['all internet traffic of this host. Let it [y/N]: ', 'y\r']] as const;
  expect((await later(argv, { terminal: true, answers: yes, env: byToken })).code).toBe(0);
  expect(stored().allowInternet).toBe(true);
});

it('carries another network only when this host has agreed to that, and remembers it', async () => {
  const { edgeId } = await gateway.seed();
  const argv = ['connect', '--url', LOCAL_URL, '--token-stdin'];
  expect((await later(argv, { input: await newToken(edgeId) })).code).toBe(0);
  expect(stored().allowNetworks).toEqual(['10.88.0.0/16']);
  const before = machine.up.get('sallyport');
  route('10.88.0.0/16, 10.60.0.0/17');
  const refused = await later(['connect']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("carry this host's traffic to 10.60.0.0/17 in addition to 10.88.0.0/16, and");
  expect(refused.err).toContain('`sudo sallyport connect --allow-networks 10.88.0.0/16,10.60.0.0/17`');
  expect(machine.up.get('sallyport')).toBe(before);
  expect((await later(['connect', '--allow-networks', '10.60.0.0/17'])).code).toBe(0);
  expect(stored().allowNetworks).toEqual(['10.88.0.0/16', '10.60.0.0/17']);
  await later(['disconnect']);
  expect((await later(['connect'])).code).toBe(0);
  expect(machine.up.get('sallyport')).toContain('AllowedIPs = 10.88.0.0/16, 10.60.0.0/17');
});

it('asks at a terminal whether the gateway may carry a network that this host uses', async () => {
  const { edgeId } = await gateway.seed();
  machine.used.push({ network: '10.0.0.0/8', use: 'a network that it reaches by eth0' });
  const byToken = { SALLYPORT_TOKEN: await newToken(edgeId) };
  const question =
    "The gateway wants to carry this host's traffic to 10.88.0.0/16, which overlaps 10.0.0.0/8, a network that it reaches by eth0. Let it [y/N]: ";
  const argv = ['connect', '--url', LOCAL_URL];
  expect((await later(argv, { terminal: true, answers: [[question, '\r']], env: byToken })).code).toBe(1);
  expect(machine.up.size).toBe(0);
  expect((await later(argv, { terminal: true, answers: [[question, 'y\r']], env: byToken })).code).toBe(0);
  expect(stored().allowNetworks).toEqual(['10.88.0.0/16']);
  expect((await later(['connect'])).code).toBe(0);
});

it('takes no agreement with one gateway for one with another', async () => {
  const { edgeId } = await gateway.seed();
  const token = await newToken(edgeId);
  expect((await later(['connect', '--url', LOCAL_URL, '--token-stdin'], { input: token })).code).toBe(0);
  await later(['config', '--url', 'http://127.0.0.1:2', '--token-stdin'], { input: token });
  expect(stored()).toMatchObject({ allowInternet: false, allowDns: false, allowNetworks: [] });
});

it('goes on with all traffic on a host that version 0.1.0 has joined so', async () => {
  const env = {
    SALLYPORT_URL: LOCAL_URL,
    SALLYPORT_USERNAME: TEST_ADMIN.username,
    SALLYPORT_PASSWORD: TEST_ADMIN.password,
  };
  expect((await later(['login', '--allow-internet'], { env })).code).toBe(0);
  const { allowInternet, allowDns, ...before } = stored();
  expect([allowInternet, allowDns]).toEqual([true, false]);
  writeFileSync(shell.hostFile, JSON.stringify(before));
  expect(await later(['connect'])).toMatchObject({ code: 0, err: 'Node "web-1" is connected already.\n' });
  expect(stored().allowInternet).toBe(true);
  expect(machine.up.get('sallyport')).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
});
