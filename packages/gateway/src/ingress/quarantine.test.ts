import { httpServiceDefaults, tcpServiceDefaults } from '@sallyport/sdk/contract';
import { expect, it } from 'vitest';
import { bisect, findOwners, forgetChanged, isolate, type Quarantine, withoutQuarantined } from './quarantine.ts';
import type { DesiredState } from './render/desiredState.ts';
import type { TcpServiceRow } from '../store/rows.ts';
import type { Desired } from '../store/store.ts';

const common = {
  name: 'x',
  enabled: true,
  addresses: ['127.0.0.1'],
  sourceAddress: null,
  remoteNode: null,
  closed: false,
};
const tcp = (id: number) => ({ ...tcpServiceDefaults, ...common, id, nodeId: 1, port: 20_000 + id });
const state: DesiredState = {
  domains: [],
  httpServices: [{ ...httpServiceDefaults, ...common, id: 1, builtin: false }],
  tcpServices: [tcp(1), tcp(2), tcp(3)],
};
const row = (id: number, version: number): TcpServiceRow => ({
  ...tcpServiceDefaults,
  id,
  version,
  createdAt: '',
  updatedAt: '',
  nodeId: 1,
  name: 'x',
  port: 20_000 + id,
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
});
const desiredWith = (version: number): Desired => ({
  nodes: [],
  domains: [],
  httpServices: [],
  tcpServices: [1, 2, 3].map((id) => row(id, version)),
});

it('leaves a TCP service out at once, as its port is closed by not listening on it', () => {
  const quarantine: Quarantine = new Map();
  isolate(quarantine, { kind: 'tcpService', id: 2, reason: 'Taken.' }, desiredWith(1));
  const { httpServices, tcpServices } = withoutQuarantined(state, quarantine);
  expect(tcpServices.map(({ id }) => id)).toEqual([1, 3]);
  expect(httpServices).toHaveLength(1);
  forgetChanged(quarantine, desiredWith(1));
  expect(quarantine.size).toBe(1);
  forgetChanged(quarantine, desiredWith(2));
  expect(quarantine.size).toBe(0);
});

it('says of a port that is taken what to do, and leaves the gateway’s own ports to others', () => {
  const owners = [{ kind: 'tcpService', id: 2, address: '[::]:20002' } as const];
  const fault = (address: string, error: string) => [{ message: `bind() to ${address} failed (${error})`, address }];
  expect(findOwners(owners, fault('[::]:20002', '98: Address already in use'))).toEqual([
    {
      kind: 'tcpService',
      id: 2,
      reason: 'Port 20002 is in use by another process. Free it or choose another port.',
    },
  ]);
  expect(findOwners(owners, fault('[::]:20002', '13: Permission denied'))[0]?.reason).toContain('may not listen');
  expect(findOwners(owners, fault('[::]:443', '98: Address already in use'))).toEqual([]);
});

it('finds the TCP service at fault where nginx names no place', async () => {
  const ids = (part: DesiredState) => part.tcpServices.map(({ id }) => id).join();
  const culprit = await bisect(
    state,
    (part) => [{ path: 'nginx.conf', text: ids(part) }],
    ([file]) => Promise.resolve(file?.text.includes('2') === true ? [{ message: 'something' }] : []),
  );
  expect(culprit).toEqual({ kind: 'tcpService', id: 2, reason: 'nginx refuses it: something.' });
});

it('blames a node before the gateway where only their services together are refused, and the newest change first', async () => {
  const http = (id: number, remoteNode: number | null) => Object.assign({}, state.httpServices[0], { id, remoteNode });
  // In the order of rows, the gateway's own service would be the one that is too much.
  const together = { ...state, httpServices: [http(1, 7), http(2, 7), http(3, 7), http(4, null)], tcpServices: [] };
  const culpritOf = (changed: number) =>
    bisect(
      together,
      ({ httpServices }) => [{ path: 'nginx.conf', text: 'x'.repeat(httpServices.length) }],
      ([file]) => Promise.resolve((file?.text.length ?? 0) > 3 ? [{ message: 'too many' }] : []),
      (_, id) => id === changed,
    );
  expect(await culpritOf(4)).toMatchObject({ kind: 'httpService', id: 3 });
  expect(await culpritOf(1)).toMatchObject({ kind: 'httpService', id: 1 });
});
