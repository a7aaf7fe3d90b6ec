import { expect, it } from 'vitest';
import { httpServiceDefaults } from '@sallyport/sdk/contract';
import { openStore } from '../store/store.ts';
import { aNode } from '../testing/storedRows.ts';
import { hostNamesOf, tellHostNames } from './hostNames.ts';

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
