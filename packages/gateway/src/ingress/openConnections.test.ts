import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BackendTarget } from '../health/backendHealth.ts';
import type { HttpServiceRow, NewRow } from '../store/rows.ts';
import { serviceRow } from '../testing/reconcileTrial.ts';
import { aDomain, aNode } from '../testing/storedRows.ts';
import { tcpServiceRow } from '../testing/tcpTrial.ts';
import { startTestReconciler, type TestReconciler } from '../testing/testReconciler.ts';

let test: TestReconciler;
let system: TestReconciler['system'];
let store: TestReconciler['store'];
let save: TestReconciler['save'];
let watched: readonly BackendTarget[];
let now: Date;

beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00.000Z');
  watched = [];
  const health = { watch: (targets: readonly BackendTarget[]) => void (watched = targets) };
  test = await startTestReconciler(() => now, { health });
  ({ system, store, save } = test);
});
afterEach(async () => {
  vi.useRealTimers();
  await test.close();
});

const http = (rest: Partial<NewRow<HttpServiceRow>> = {}): NewRow<HttpServiceRow> =>
  serviceRow(8080, { backendHost: '127.0.0.5', pathLocation: '/app', ...rest });
const tcp = tcpServiceRow(5432, { backendHost: '127.0.0.5', port: 20_001 });
const toBackend = { kind: 'backend', protocol: 'tcp', address: '127.0.0.5', port: 8080, through: 'machine' };

it('ends the connections of a service that is disabled, when nginx has let go of it', async () => {
  const { id } = await save((tx) => tx.httpServices.create(http()));
  expect(system.openConnections.cuts).toEqual([]);
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
});

it('ends those of a service that is deleted or whose node is disconnected', async () => {
  const tcpId = (await save((tx) => tx.tcpServices.create(tcp))).id;
  await save((tx) => tx.httpServices.create(http()));
  await save((tx) => tx.tcpServices.remove(tcpId));
  await save((tx) => tx.nodes.update(1, { enabled: false }));
  expect(system.openConnections.cuts).toEqual([[{ kind: 'public', port: 20_001 }], [toBackend]]);
});

it('does so also when the backend’s name led nowhere in the meantime', async () => {
  system.names.set('app.lan', ['127.0.0.5']);
  const { id } = await save((tx) => tx.httpServices.create(http({ backendHost: 'app.lan' })));
  system.names.set('app.lan', []);
  await save((tx) => tx.httpServices.update(id, { backendHost: 'gone.lan' }));
  expect(test.reconciler.problem('httpService', id)).toContain('gone.lan');
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
});

it('ends at the start what was closed while the gateway was down', async () => {
  await save((tx) => tx.tcpServices.create({ ...tcp, expiresAt: '2026-11-21T13:00:00.000Z' }));
  await save((tx) => tx.httpServices.create(http({ expiresAt: '2026-11-21T13:00:00.000Z' })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/other', backendPort: 9090 })));
  await test.restart(() => (now = new Date('2026-11-21T14:00:00.000Z')));
  expect(system.openConnections.cuts.flat()).toEqual([toBackend, { kind: 'public', port: 20_001 }]);
});

it('ends at the start what went while the gateway was down, wherever it led', async () => {
  system.names.set('app.lan', ['127.0.0.5']);
  const named = await save((tx) => tx.httpServices.create(http({ backendHost: 'app.lan' })));
  const far = await save((tx) => tx.tcpServices.create({ ...tcp, proto: 'udp', backendHost: '127.0.0.6' }));
  await test.restart(async () => {
    await store.write((tx) => tx.httpServices.update(named.id, { enabled: false }));
    await store.write((tx) => tx.tcpServices.remove(far.id));
  });
  expect(system.openConnections.cuts.flat()).toEqual([
    toBackend,
    { ...toBackend, protocol: 'udp', address: '127.0.0.6', port: 5432 },
  ]);
});

it('ends at the start what a pattern let in that was taken back while the gateway was down', async () => {
  await save((tx) => tx.domains.create({ ...aDomain, authentication: true, allowedEmails: null }));
  const rest = { domain: aDomain.domain, requireAuth: true, skipAuthRoutes: '/app/open' };
  const { id } = await save((tx) => tx.httpServices.create(http(rest)));
  await test.restart();
  expect(system.openConnections.cuts).toEqual([]);
  await test.restart(() => store.write((tx) => tx.httpServices.update(id, { skipAuthRoutes: null })));
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
});

it('does so also when another service’s row was damaged', async () => {
  const { id } = await save((tx) => tx.httpServices.create(http()));
  const damaged = await save((tx) => tx.httpServices.create(http({ pathLocation: '/damaged', backendPort: 9090 })));
  await store.write((tx) => tx.httpServices.update(damaged.id, { backendPort: 'eighty' as never }));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/more', backendPort: 7070 })));
  expect(test.reconciler.problem('httpService', damaged.id)).toContain('eighty');
  await test.restart(() => store.write((tx) => tx.httpServices.remove(id)));
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
});

it('ends at the start what an earlier gateway was about to end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { id } = await save((tx) => tx.httpServices.create(http()));
  const same = await save((tx) => tx.httpServices.create(http({ pathLocation: '/same' })));
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  // A further change, which closes nothing, does not make it forgotten.
  await save((tx) => tx.httpServices.update(same.id, { name: 'renamed' }));
  await test.restart(async () => {
    await vi.advanceTimersByTimeAsync(1000);
    expect(system.openConnections.cuts).toEqual([]);
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(system.openConnections.cuts[0]).toEqual([toBackend]);
});

it.each(['', '{', '{}', '[{"kind":"httpService"}]', '[null]'])(
  'takes a record that was damaged for none: %j',
  async (text) => {
    await save((tx) => tx.httpServices.create(http()));
    expect(await test.restart(() => system.openConnections.record(text))).toEqual({ problem: null });
    expect(system.openConnections.cuts).toEqual([]);
    const { id } = await save((tx) => tx.httpServices.create(http({ pathLocation: '/more', backendPort: 9090 })));
    await save((tx) => tx.httpServices.update(id, { enabled: false }));
    expect(system.openConnections.cuts).toEqual([[{ ...toBackend, port: 9090 }]]);
  },
);

it('leaves a backend alone at the start to which an open service leads as well', async () => {
  await save((tx) => tx.httpServices.create(http({ enabled: false })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/same' })));
  await test.restart();
  expect(system.openConnections.cuts).toEqual([]);
});

it('looks again, in the same workers, for visitors who connected before and ask only now', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const cut = vi.spyOn(system.openConnections, 'cut');
  const { id } = await save((tx) => tx.httpServices.create(http()));
  await save((tx) => tx.httpServices.update(id, { blockedIps: ['192.0.2.7'] }));
  await vi.advanceTimersByTimeAsync(90_000);
  expect(cut.mock.calls.length).toBeGreaterThan(30);
  for (const [targets, among] of cut.mock.calls) {
    expect(targets).toEqual([toBackend]);
    expect(among).toEqual(cut.mock.calls[0]?.[1]);
  }
  const times = cut.mock.calls.length;
  await vi.advanceTimersByTimeAsync(90_000);
  expect(cut.mock.calls.length).toBe(times);
});

it('says when the machine does not end connections, and answers the change all the same', async () => {
  const { id } = await save((tx) => tx.httpServices.create(http()));
  expect(test.reconciler.endsConnections()).toBe(true);
  system.openConnections.refuse(true);
  await save((tx) => tx.httpServices.update(id, { enabled: false }));
  expect(test.reconciler.endsConnections()).toBe(false);
  expect(test.reconciler.state().problem).toBeNull();
});

it('has the backends of open services asked, and no other', async () => {
  await save((tx) => tx.httpServices.create(http({ backendProto: 'https' })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/off', enabled: false })));
  await save((tx) => tx.httpServices.create(http({ pathLocation: '/lost', backendHost: 'gone.lan' })));
  await save(async (tx) => {
    const node = await tx.nodes.create(aNode);
    return tx.tcpServices.create({ ...tcp, nodeId: node.id, backendHost: null });
  });
  expect(watched.map(({ proto, addresses, unreachable }) => ({ proto, addresses, unreachable }))).toEqual([
    { proto: 'https', addresses: ['127.0.0.5'], unreachable: null },
    { proto: 'http', addresses: [], unreachable: expect.stringContaining('gone.lan') },
    { proto: 'tcp', addresses: [], unreachable: expect.stringContaining('tunnel is off') },
  ]);
});

it('begins a new generation with who may sign in, as only old workers can be told from those that know it', async () => {
  const { id } = await save((tx) => tx.domains.create({ ...aDomain, authentication: true, allowedEmails: null }));
  const { generation } = test.reconciler.state();
  await save((tx) => tx.domains.update(id, { allowedEmails: ['ann@example.test'] }));
  expect(test.reconciler.state().generation).toBe(generation + 1);
});

it('makes files again that were deleted under nginx', async () => {
  const { generation } = test.reconciler.state();
  system.ingress.damage();
  await test.reconciler.publish([]);
  expect(test.reconciler.state()).toEqual({ up: true, generation: generation + 1, problem: null });
  expect(await system.ingress.intact()).toBe(true);
});

it('looks at nothing again once it was stopped, not even for the generation that was under way', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { id } = await save((tx) => tx.httpServices.create(http()));
  const { changes } = await store.write((tx) => tx.httpServices.update(id, { enabled: false }));
  const published = test.reconciler.publish(changes);
  await test.reconciler.stop();
  await published;
  expect(system.openConnections.cuts).toEqual([[toBackend]]);
  expect(vi.getTimerCount()).toBe(0);
});
