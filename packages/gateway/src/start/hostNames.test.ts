import { expect, it } from 'vitest';
import { httpServiceDefaults } from '@sallyport/sdk/contract';
import { openStore } from '../store/store.ts';
import { aNode } from '../testing/storedRows.ts';
import { hostNamesOf, publicNameProblem, tellHostNames } from './hostNames.ts';

it('knows the gateway by the name of the settings, or by the machine’s where that is an address', () => {
  const machine = 'Box.example.test';
  const machineName = 'box.example.test';
  expect(hostNamesOf({ host: 'GW.example.test' }, [], machine)).toEqual({
    hostNames: ['gw.example.test'],
    machineName,
  });
  for (const host of ['192.0.2.1', '2001:db8::1']) {
    expect(hostNamesOf({ host }, [], machine)).toEqual({ hostNames: [machineName], machineName });
  }
});

it('knows the gateway by the further names of the settings', () => {
  const names = hostNamesOf({ host: 'gw.example.test' }, ['box.lan', 'gw.example.test'], 'box');
  expect(names).toEqual({ hostNames: ['gw.example.test', 'box.lan'], machineName: 'box' });
});

it('says once under which names services without a domain are reached, and again when they change', async () => {
  const store = openStore(':memory:', () => new Date());
  const said: object[] = [];
  const log = { warn: (facts: object) => void said.push(facts) };
  const tell = (...hostNames: string[]) => tellHostNames(store, { hostNames, machineName: 'box' }, log);
  await tell('new.test');
  // A new gateway has nothing that was reached otherwise.
  expect(said).toEqual([]);
  await store.write(async (tx) => {
    const { id: nodeId } = await tx.nodes.create(aNode);
    const closing = { expiresAt: null, closedAt: null, closedBy: null };
    const row = { ...httpServiceDefaults, ...closing, nodeId, name: 'wiki', enabled: true, builtin: false };
    await tx.httpServices.create({ ...row, domain: null, pathLocation: '/wiki' });
  });
  await tell('gw.test');
  await tell('gw.test');
  await tell('gw.test', 'box.lan');
  expect(said).toEqual([{ names: ['gw.test', 'box'] }, { names: ['gw.test', 'box.lan', 'box'] }]);
  await store.close();
});

const problemOf = (host: string, isHostGiven: boolean) =>
  publicNameProblem({ host, isHostGiven, interface: 'sallyport0' }, '192.0.2.7');

it('names the setting where hosts are told the bare name of the machine', () => {
  expect(problemOf('debian', false)).toEqual({
    feature: 'publicName',
    reason: 'Hosts are told to reach this gateway as "debian", a name that other machines may not know.',
    fix: 'Set SALLYPORT_VPN_HOST to the name or address by which they reach it (this machine has the address 192.0.2.7), then start the gateway again.',
  });
});

it.each(['127.0.0.1', '127.0.1.1', 'localhost', '::1', '0.0.0.0'])('refuses %s, also when it was given', (host) => {
  expect(problemOf(host, true)?.reason).toContain('which is their own machine');
});

it.each([
  ['gateway.example.test', false],
  ['203.0.113.7', true],
  ['2001:db8::7', true],
  // Chosen, as in a network of containers.
  ['gateway', true],
])('is content with %s', (host, isGiven) => {
  expect(problemOf(host, isGiven)).toBeNull();
});
