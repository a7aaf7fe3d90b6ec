import { afterEach, beforeEach, expect, it } from 'vitest';
import { createNameServers } from '../dns/nameServers.ts';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';
import { addressCandidates, readMachineNetwork } from './publicAddress.ts';

// The program itself, where no setting says by which address it is reached.

/** Three starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 180_000 };
const UNSAID = { SALLYPORT_VPN_HOST: undefined };

let trial: ProgramTrial;
beforeEach(async () => {
  trial = await openProgramTrial();
});
afterEach(() => trial.close());

const config = async () => (await trial.call('GET', '/api/config')).body;
const address = async () => (await trial.call('GET', '/api/public-address')).body;

it(
  'takes what the machine knows itself by where there is no terminal, says so once, and keeps it',
  STARTS,
  async () => {
    const [likely] = await addressCandidates(createNameServers(['127.0.0.1:1']), readMachineNetwork('sallyport0'));
    const first = await trial.start(UNSAID);
    await trial.signIn();
    const [told, kept] =
      likely === undefined
        ? ['', { source: 'machine' }]
        : [
            `Address   hosts and visitors are told ${likely.host} (${likely.what})`,
            { host: likely.host, source: 'setting' },
          ];
    expect(first.out).toContain(told);
    expect(await address()).toMatchObject({ ...kept, next: null, problem: null });
    expect(first.out).not.toContain('By which name or address');
    await first.end('SIGINT');
    expect((await trial.start(UNSAID)).out).not.toContain('Address ');
  },
);

it('asks on a terminal, once, and is told elsewhere from then on', STARTS, async () => {
  const first = await trial.start(UNSAID, { typed: 'http://x\ngw.example.com\n' });
  expect(first.out).toMatch(/By which name or address[^]*neither a number[^]*https:\/\/gw\.example\.com:\d+\//);
  await trial.signIn();
  expect(await config()).toMatchObject({ VPN_HOST: 'gw.example.com' });
  expect(await first.end('SIGINT')).toBe(0);
  const second = await trial.start(UNSAID, { typed: '' });
  expect(second.out).not.toContain('By which name or address');
  expect(second.out).toContain('https://gw.example.com:');
});

it('has another address from the next start on, which the environment overrules', STARTS, async () => {
  const first = await trial.start(UNSAID, { typed: 'gw.example.com\n' });
  await trial.signIn();
  const { body: node } = await trial.call('POST', '/api/nodes', { name: 'edge' });
  const site = { name: 'site', domain: 'site.example.test' };
  const services = `/api/services/${String(node['id'])}/http`;
  const { body: service } = await trial.call('POST', services, site);
  const { body: domains } = await trial.call('GET', '/api/domains');
  const [domain] = domains as unknown as { id: number; problem: string | null }[];
  const { body: changed } = await trial.call('PATCH', '/api/public-address', { host: 'site.example.test' });
  expect(changed).toMatchObject({ host: 'gw.example.com', next: 'site.example.test' });
  expect(await trial.call('GET', `/api/domains/${domain?.id}`)).toMatchObject({ body: { problem: null } });
  await first.end('SIGINT');

  const second = await trial.start(UNSAID);
  expect(second.out).toContain('https://site.example.test:');
  expect(await address()).toMatchObject({ host: 'site.example.test', source: 'setting', next: null });
  const { body: joinKey } = await trial.call('POST', '/api/join-keys', { name: 'racks' });
  expect(joinKey['command']).toContain('https://site.example.test:');
  // It is the gateway's own name, with all that this means: the console never comes to where a node had its website.
  expect(await trial.call('GET', `/api/domains/${domain?.id}`)).toMatchObject({
    body: { problem: expect.stringContaining('name of the gateway itself') },
  });
  await trial.call('DELETE', `${services}/${String(service['id'])}`);
  await second.end('SIGINT');

  await trial.start({ SALLYPORT_VPN_HOST: 'gw.example.test' });
  const { body: local } = await trial.call('GET', '/api/services/1/http');
  const [console] = local as unknown as { id: number }[];
  const moved = await trial.call('PATCH', `/api/services/1/http/${console?.id}`, { domain: 'site.example.test' });
  expect(JSON.stringify(moved.body)).toContain('A node had a website under this name');
  expect(await address()).toMatchObject({ host: 'gw.example.test', source: 'environment' });
  const refused = await trial.call('PATCH', '/api/public-address', { host: 'gw.example.com' });
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('SALLYPORT_VPN_HOST') } });
});
