import { expect, it } from 'vitest';
import { hostNamesOf } from './hostNames.ts';

it('knows the gateway by the name of the settings, or by the machine’s where that is an address', () => {
  const machine = 'Box.example.test';
  const machineName = 'box.example.test';
  expect(hostNamesOf({ host: 'GW.example.test' }, machine)).toEqual({ hostNames: ['gw.example.test'], machineName });
  for (const host of ['192.0.2.1', '2001:db8::1']) {
    expect(hostNamesOf({ host }, machine)).toEqual({ hostNames: [machineName], machineName });
  }
});
