import { expect, it } from 'vitest';
import { publicNameProblem } from './publicName.ts';

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
