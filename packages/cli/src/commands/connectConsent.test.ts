import { writeFileSync } from 'node:fs';
import { wgConfig } from '@sallyport/sdk/contract';
import { beforeEach, expect, it } from 'vitest';
import type { FakeMachine } from '../testing/fakeMachine.ts';
import { LOCAL_URL, testHost } from '../testing/testHost.ts';

let at: Awaited<ReturnType<typeof testHost>>;
let machine: FakeMachine;
beforeEach(async () => {
  at = await testHost();
  ({ machine } = at);
});

/** Has the gateway name these networks for this host, next to what it says otherwise. */
const route = (allowedIPs: string) => {
  at.answer = async (request) => {
    const reply = await at.gateway.fetch(request);
    if (!request.url.endsWith('/api/cli/wgconfig')) return reply;
    const wg = wgConfig.parse(await reply.json());
    return Response.json({ ...wg, peer: { ...wg.peer, allowedIPs } });
  };
};

it('sends all traffic through the gateway only when this host has agreed, and remembers that', async () => {
  const { edgeId } = await at.gateway.seed();
  const input = await at.newToken(edgeId);
  await at.gateway.store.write((tx) => tx.nodes.update(edgeId, { allowInternet: true }));
  const argv = ['connect', '--url', LOCAL_URL, '--token-stdin'];
  const refused = await at.run(argv, { input });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('carry all internet traffic of this host, and this host has not agreed to that.');
  expect(refused.err).toContain('sudo sallyport connect --allow-internet');
  expect(machine.up.size).toBe(0);
  expect((await at.run([...argv, '--allow-internet'], { input })).code).toBe(0);
  expect(at.stored().allowInternet).toBe(true);
  await at.run(['disconnect']);
  expect((await at.run(['connect'])).code).toBe(0);
  expect(machine.up.get('sallyport')).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
});

it('asks at a terminal whether the gateway may carry all traffic', async () => {
  const { edgeId } = await at.gateway.seed();
  await at.gateway.store.write((tx) => tx.nodes.update(edgeId, { allowInternet: true }));
  const byToken = { SALLYPORT_TOKEN: await at.newToken(edgeId) };
  const argv = ['connect', '--url', LOCAL_URL];
  const no = [['all internet traffic of this host. Let it [y/N]: ', '\r']] as const;
  expect((await at.run(argv, { terminal: true, answers: no, env: byToken })).code).toBe(1);
  const yes = [['all internet traffic of this host. Let it [y/N]: ', 'y\r']] as const;
  expect((await at.run(argv, { terminal: true, answers: yes, env: byToken })).code).toBe(0);
  expect(at.stored().allowInternet).toBe(true);
});

it('carries another network only when this host has agreed to that, and remembers it', async () => {
  const { edgeId } = await at.gateway.seed();
  const argv = ['connect', '--url', LOCAL_URL, '--token-stdin'];
  expect((await at.run(argv, { input: await at.newToken(edgeId) })).code).toBe(0);
  expect(at.stored().allowNetworks).toEqual(['10.88.0.0/16']);
  const before = machine.up.get('sallyport');
  route('10.88.0.0/16, 10.60.0.0/17');
  const refused = await at.run(['connect']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("carry this host's traffic to 10.60.0.0/17 in addition to 10.88.0.0/16, and");
  expect(refused.err).toContain('`sudo sallyport connect --allow-networks 10.88.0.0/16,10.60.0.0/17`');
  expect(machine.up.get('sallyport')).toBe(before);
  expect((await at.run(['connect', '--allow-networks', '10.60.0.0/17'])).code).toBe(0);
  expect(at.stored().allowNetworks).toEqual(['10.88.0.0/16', '10.60.0.0/17']);
  await at.run(['disconnect']);
  expect((await at.run(['connect'])).code).toBe(0);
  expect(machine.up.get('sallyport')).toContain('AllowedIPs = 10.88.0.0/16, 10.60.0.0/17');
});

it('takes no agreement with one gateway for one with another', async () => {
  const { edgeId } = await at.gateway.seed();
  const token = await at.newToken(edgeId);
  expect((await at.run(['connect', '--url', LOCAL_URL, '--token-stdin'], { input: token })).code).toBe(0);
  await at.run(['config', '--url', 'http://127.0.0.1:2', '--token-stdin'], { input: token });
  expect(at.stored()).toMatchObject({ allowInternet: false, allowDns: false, allowNetworks: [] });
});

it('goes on with all traffic on a host that version 0.1.0 has joined so', async () => {
  expect((await at.login(['--allow-internet'])).code).toBe(0);
  const { allowInternet, allowDns, ...before } = at.stored();
  expect([allowInternet, allowDns]).toEqual([true, false]);
  writeFileSync(at.hostFile, JSON.stringify(before));
  expect(await at.run(['connect'])).toMatchObject({ code: 0, err: 'Node "web-1" is connected already.\n' });
  expect(at.stored().allowInternet).toBe(true);
  expect(machine.up.get('sallyport')).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
});
