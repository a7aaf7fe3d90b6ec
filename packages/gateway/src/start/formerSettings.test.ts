import { httpServiceDefaults } from '@sallyport/sdk/contract';
import { expect, it } from 'vitest';
import { leaveFormerSettings } from './formerSettings.ts';
import { openStore } from '../store/store.ts';
import { aDomain, aNode } from '../testing/storedRows.ts';

const before = {
  listen: { host: '127.0.0.1', port: 3000 },
  ports: { console: 9443, https: 443 },
  hostNames: ['gw.example.test'],
  machineName: 'box',
  provider: { issuer: 'https://id.example.test', clientId: 'sallyport' },
};

it.each([
  ['the console’s port', { ports: { console: 9444, https: 443 } }],
  ['the port of visitors', { ports: { console: 9443, https: 8443 } }],
  ['the gateway’s names', { hostNames: ['gw.example.test', 'console.example.test'] }],
  ['the plain listener', { listen: { host: '127.0.0.1', port: 3001 } }],
])('signs browsers out when %s changed since the last start, and programs never', async (_, change) => {
  const store = openStore(':memory:', () => new Date());
  const session = { expiresAt: '2999-01-01T00:00:00.000Z' };
  await store.write(async (tx) => {
    await tx.sessions.create({ ...session, tokenHash: 'browser', keyThumbprint: 'key' });
    await tx.sessions.create({ ...session, tokenHash: 'program' });
  });
  const ended = async () =>
    [(await store.sessions.find('browser'))?.ended, (await store.sessions.find('program'))?.ended] as const;
  await leaveFormerSettings(store, before);
  await leaveFormerSettings(store, before);
  expect(await ended()).toEqual([null, null]);
  await leaveFormerSettings(store, { ...before, ...change });
  expect(await ended()).toEqual(['address-changed', null]);
  await store.close();
});

it.each([null, 'gw.example.test'])(
  'keeps the names by which a node’s service on %s is reached from the console',
  async (domain) => {
    const store = openStore(':memory:', () => new Date());
    const isOfNodes = async (name: string): Promise<boolean> => {
      let has = false;
      await store.write(async (tx) => void (has = await tx.formerNames.has({ name, usedBy: 'node' })));
      return has;
    };
    await leaveFormerSettings(store, before);
    expect(await isOfNodes('box')).toBe(false);
    await store.write(async (tx) => {
      const { id: nodeId } = await tx.nodes.create(aNode);
      if (domain !== null) await tx.domains.create({ ...aDomain, domain, allowedEmails: null });
      const closing = { expiresAt: null, closedAt: null, closedBy: null };
      const row = { ...httpServiceDefaults, ...closing, nodeId, name: 'wiki', enabled: true, builtin: false };
      await tx.httpServices.create({ ...row, domain, pathLocation: '/wiki' });
    });
    await leaveFormerSettings(store, before);
    expect([await isOfNodes('box'), await isOfNodes('gw.example.test')]).toEqual([true, true]);
    await store.close();
  },
);

it.each([
  { issuer: 'https://other.example.test', clientId: 'sallyport' },
  { issuer: null, clientId: null },
])('signs visitors out when they sign in elsewhere: %o', async (provider) => {
  const store = openStore(':memory:', () => new Date());
  await store.write(async (tx) => {
    const { id: domainId } = await tx.domains.create({ ...aDomain, allowedEmails: null });
    const session = { email: 'ann@a.test', subject: 'ann', expiresAt: '2999-01-01T00:00:00.000Z' };
    await tx.visitorSessions.create({ ...session, tokenHash: 'visitor', domainId });
  });
  const isSignedIn = async () => (await store.visitorSessions.find('visitor')) !== null;
  await leaveFormerSettings(store, before);
  await leaveFormerSettings(store, before);
  expect(await isSignedIn()).toBe(true);
  await leaveFormerSettings(store, { ...before, provider });
  expect(await isSignedIn()).toBe(false);
  await store.close();
});

it('takes the console off a domain that has become a name of the gateway, where pages of nodes are by then', async () => {
  const store = openStore(':memory:', () => new Date());
  await store.write(async (tx) => {
    const { id: nodeId } = await tx.nodes.create({ ...aNode, isLocal: true });
    await tx.domains.create({ ...aDomain, domain: 'console.example.test', allowedEmails: null });
    const closing = { expiresAt: null, closedAt: null, closedBy: null };
    const row = { ...httpServiceDefaults, ...closing, nodeId, name: 'console', enabled: true, builtin: true };
    await tx.httpServices.create({ ...row, domain: 'console.example.test', pathLocation: '/' });
  });
  const domainOfConsole = async () => (await store.httpServices.all({ builtin: true }))[0]?.domain;
  await leaveFormerSettings(store, before);
  expect(await domainOfConsole()).toBe('console.example.test');
  await leaveFormerSettings(store, { ...before, hostNames: ['console.example.test'] });
  expect(await domainOfConsole()).toBeNull();
  await store.close();
});

it('signs visitors out of a domain that has become a name of the gateway, whose TLS ports would be sent their session', async () => {
  const store = openStore(':memory:', () => new Date());
  await store.write(async (tx) => {
    for (const name of ['gw.example.test', 'app.example.test']) {
      const { id: domainId } = await tx.domains.create({ ...aDomain, domain: name, allowedEmails: null });
      const session = { email: 'ann@a.test', subject: 'ann', expiresAt: '2999-01-01T00:00:00.000Z' };
      await tx.visitorSessions.create({ ...session, tokenHash: name, domainId });
    }
  });
  await leaveFormerSettings(store, before);
  expect(await store.visitorSessions.find('gw.example.test')).toBeNull();
  expect(await store.visitorSessions.find('app.example.test')).not.toBeNull();
  await store.close();
});
