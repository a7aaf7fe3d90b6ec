import { httpServiceDefaults } from '@sallyport/sdk/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../start/system.ts';
import type { Published } from './writeBatch.ts';
import { createIssuedCertificates } from '../certificates/renewal.ts';
import { createReconciler, type Reconciler, type ReconcilerParts } from './reconcile.ts';
import { seed } from '../start/seed.ts';
import type { HttpServiceRow, NewRow } from '../store/rows.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { createFakeCertificateIssuer } from '../testing/fakeCertificateIssuer.ts';
import {
  chokesOn,
  createFakeConnections,
  createFakeIngress,
  type FakeIngress,
  refuses,
} from '../testing/fakeIngress.ts';
import { noTunnel } from '../testing/fakeTunnel.ts';
import { aDomain, aNode } from '../testing/storedRows.ts';

const LOCAL = 1;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let store: Store;
let ingress: FakeIngress;
let reconciler: Reconciler;
let addresses: Record<string, string[]>;
const issuing = { clock: systemClock, httpPort: 80, log: silent };

const partsOf = (rest: Partial<ReconcilerParts> = {}): ReconcilerParts => ({
  ...noTunnel(),
  store,
  ingress,
  openConnections: createFakeConnections(),
  health: { watch: () => undefined },
  issued: createIssuedCertificates({ issuer: createFakeCertificateIssuer(), ...issuing }),
  names: {
    resolve: async (name) => {
      const found = addresses[name];
      if (found === undefined) throw new Error('not found');
      return Promise.resolve(found);
    },
  },
  signInProblem: () => null,
  certificates: {
    ensureSelfSigned: ([name]) =>
      Promise.resolve({
        certificate: `/certs/${name}.pem`,
        key: `/certs/${name}.key`,
        fingerprint256: 'AB',
        keyPin: 'AB==',
        notAfter: new Date(0),
      }),
    keepOnly: () => Promise.resolve(),
  },
  options: {
    listen: ['127.0.0.1'],
    ports: { http: 80, https: 443, console: 9443 },
    publicHttpsPort: 443,
    trustedProxies: [],
    ownNames: ['gateway.test'],
    publicHost: 'gateway.test',
    hostNames: ['gateway.test'],
    wiredoorClients: false,
    tcpPorts: { from: 1, to: 65_535 },
  },
  log: silent,
  now: () => new Date(),
  ...rest,
});

beforeEach(async () => {
  store = openStore(':memory:', () => new Date());
  await seed(store, { listen: { host: '127.0.0.1', port: 3000 } });
  ingress = createFakeIngress();
  addresses = { localhost: ['127.0.0.1'] };
  reconciler = createReconciler(partsOf());
});
afterEach(async () => {
  vi.useRealTimers();
  await reconciler.stop();
  await store.close();
});

const row = (path: string, rest: Partial<NewRow<HttpServiceRow>> = {}): NewRow<HttpServiceRow> => ({
  ...httpServiceDefaults,
  nodeId: LOCAL,
  name: path,
  pathLocation: path,
  backendHost: '127.0.0.1',
  backendPort: 8080,
  enabled: true,
  expiresAt: null,
  closedAt: null,
  closedBy: null,
  builtin: false,
  ...rest,
});

/** Writes as a handler does, and publishes. */
async function save<T>(work: (tx: Transaction) => Promise<T>): Promise<Published & { value: T }> {
  const { value, changes } = await store.write(work);
  return { value, ...(await reconciler.publish(changes)) };
}
const create = (path: string, rest: Partial<NewRow<HttpServiceRow>> = {}) =>
  save((tx) => tx.httpServices.create(row(path, rest)));

const served = (): string => JSON.stringify(ingress.served()?.files ?? []);

describe('publish', () => {
  it('answers when the change is served', async () => {
    const { value, rejected } = await create('/app');
    expect(rejected).toBeNull();
    expect(served()).toContain(`location = /app`);
    expect(reconciler.problem('httpService', value.id)).toBeNull();
    expect(reconciler.state()).toEqual({ up: true, generation: 1, problem: null });
  });

  it('lets all who come meanwhile share the next generation', async () => {
    const apply = vi.spyOn(ingress, 'apply');
    const results = await Promise.all(Array.from({ length: 64 }, (_, index) => create(`/s${index}`)));
    expect(results.every(({ rejected }) => rejected === null)).toBe(true);
    for (let index = 0; index < 64; index += 1) expect(served()).toContain(`location /s${index} {`);
    expect(apply.mock.calls.length).toBeLessThan(16);
  });

  it('misses no one who comes in the very moment in which a generation is done', async () => {
    const first = await store.write((tx) => tx.httpServices.create(row('/first')));
    const published = reconciler.publish(first.changes).then(() => reconciler.publish([]));
    expect(await published).toEqual({ rejected: null });
  });

  it('makes no generation of a change that visitors cannot see', async () => {
    const { value } = await create('/app');
    await save((tx) => tx.httpServices.update(value.id, { name: 'another name' }));
    expect(reconciler.state().generation).toBe(1);
  });
});

describe('a change that nginx refuses', () => {
  it('is taken back, and its caller alone is told', async () => {
    await create('/old', { blockedIps: ['192.0.2.1'] });
    ingress.rejectWhen(refuses('999.1.1.1'));
    const [bad, good] = await Promise.all([create('/bad', { blockedIps: ['999.1.1.1'] }), create('/good')]);
    expect(bad.rejected).toContain('999.1.1.1');
    expect(good.rejected).toBeNull();
    expect(served()).toContain('location = /good {');
    expect((await store.httpServices.all({ pathLocation: '/bad' })).length).toBe(0);
  });

  it('leaves the row as it was before', async () => {
    const { value } = await create('/app', { blockedIps: ['192.0.2.1'] });
    ingress.rejectWhen(refuses('999.1.1.1'));
    const { rejected } = await save((tx) => tx.httpServices.update(value.id, { blockedIps: ['999.1.1.1'] }));
    expect(rejected).toContain('999.1.1.1');
    expect(await store.httpServices.get(value.id)).toEqual(value);
    expect(reconciler.problem('httpService', value.id)).toBeNull();
    expect(served()).toContain('deny 192.0.2.1');
  });

  it('serves what was before when its caller is told, also when another generation came upon it first', async () => {
    const { value } = await create('/app', { blockedIps: ['192.0.2.1'] });
    ingress.rejectWhen(refuses('999.1.1.1'));
    const { changes } = await store.write((tx) => tx.httpServices.update(value.id, { blockedIps: ['999.1.1.1'] }));
    await reconciler.publish([]);
    expect(served()).not.toContain('deny 192.0.2.1');
    const { rejected } = await reconciler.publish(changes);
    expect(rejected).toContain('999.1.1.1');
    expect(served()).toContain('deny 192.0.2.1');
  });

  it('cannot pass for the number of the generation', async () => {
    const { rejected } = await create(`/${ingress.layout.generationMark}`);
    expect(rejected).toMatch(/is not a valid path\.$/);
  });

  it('is refused also when it cannot be taken back: it stays, closed, and holds up no other', async () => {
    const restore: Store['restore'] = () => Promise.reject(new Error('the disk is full'));
    reconciler = createReconciler(partsOf({ store: { ...store, restore } }));
    ingress.rejectWhen(refuses('999.1.1.1'));
    const [bad, good] = await Promise.all([create('/bad', { blockedIps: ['999.1.1.1'] }), create('/good')]);
    expect(bad.rejected).toMatch(/999\.1\.1\.1.*could not be undone/);
    expect(good.rejected).toBeNull();
    expect(reconciler.problem('httpService', bad.value.id)).toContain('999.1.1.1');
    expect(reconciler.state()).toMatchObject({ up: true, problem: null });
    expect(served()).toContain('location = /good {');
    expect(served()).not.toContain('999.1.1.1');
  });

  it('is refused also when it cannot even be written down', async () => {
    const { rejected } = await create('/app', { blockedIps: ['1.1.1.1; return 200'] });
    expect(rejected).toBe('"1.1.1.1; return 200" is not a valid IP address or network.');
    expect((await store.httpServices.all({ pathLocation: '/app' })).length).toBe(0);
  });

  it('is refused also when only leaving it out helps', async () => {
    await create('/good');
    ingress.rejectWhen(chokesOn('/poison'));
    expect((await create('/poison')).rejected).toContain('something is wrong');
    expect(served()).toContain('location = /good {');
  });
});

describe('an object that is damaged without a caller', () => {
  const damage = async (id: number, blockedIps: string[]): Promise<void> => {
    await store.write((tx) => tx.httpServices.update(id, { blockedIps }));
  };

  it('is closed while all others are served, and says why', async () => {
    const { value: bad } = await create('/bad');
    await damage(bad.id, ['999.1.1.1']);
    ingress.rejectWhen(refuses('999.1.1.1'));
    const { rejected } = await create('/good');
    expect(rejected).toBeNull();
    expect(reconciler.problem('httpService', bad.id)).toContain('999.1.1.1');
    expect(served()).toContain('location = /good {');
    expect(served()).toMatch(/location = \/bad \{\\n[^}]*return 503/);
  });

  it('is found by halving when nginx does not say where it is, and left out when closing does not help', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => create(`/s${index}`)));
    const [poison] = await store.httpServices.all({ pathLocation: '/s13' });
    ingress.rejectWhen(chokesOn('/s13'));
    await reconciler.stop();
    reconciler = createReconciler(partsOf());
    expect(await reconciler.start()).toEqual({ problem: null });
    expect(reconciler.problem('httpService', poison?.id ?? 0)).toContain('something is wrong');
    expect(served()).toContain('location /s12/ {');
    expect(served()).not.toContain('/s13');
  });

  it('is found by its certificate, and its domain is closed under another one', async () => {
    const file = '/certs/app.example.test.pem';
    await save(async (tx) => {
      await tx.domains.create({ ...aDomain, allowedEmails: null });
      return tx.httpServices.create(row('/', { domain: 'app.example.test' }));
    });
    const repaired = ingress.rejectWhen((files) =>
      files.some(({ text }) => text.includes(file))
        ? { message: `cannot load certificate "${file}": PEM`, path: file }
        : null,
    );
    expect((await create('/other')).rejected).toBeNull();
    expect(reconciler.problem('domain', 1)).toMatch(/^Its certificate cannot be read\./);
    expect(served()).not.toContain(file);
    repaired();
    await save((tx) => tx.domains.update(1, { skipValidation: false }));
    expect(reconciler.problem('domain', 1)).toBeNull();
    expect(served()).toContain(file);
  });

  it('is tried again when its row changes', async () => {
    const { value: bad } = await create('/bad');
    await damage(bad.id, ['999.1.1.1']);
    const { rejected } = await create('/good');
    expect(rejected).toBeNull();
    ingress.rejectWhen(refuses('999.1.1.1'));
    await create('/more');
    expect(reconciler.problem('httpService', bad.id)).not.toBeNull();
    await save((tx) => tx.httpServices.update(bad.id, { blockedIps: null }));
    expect(reconciler.problem('httpService', bad.id)).toBeNull();
    expect(served()).toContain(`proxy_pass http://${bad.id}.http`);
  });
});

it('leaves a domain alone that a neighbour of the refused change uses by now', async () => {
  ingress.rejectWhen(refuses('999.1.1.1'));
  const bad = await store.write(async (tx) => {
    await tx.domains.create({ ...aDomain, allowedEmails: null });
    return tx.httpServices.create(row('/bad', { domain: 'app.example.test', blockedIps: ['999.1.1.1'] }));
  });
  const good = await store.write((tx) => tx.httpServices.create(row('/good', { domain: 'app.example.test' })));
  const [refused, published] = await Promise.all([reconciler.publish(bad.changes), reconciler.publish(good.changes)]);
  expect(refused.rejected).not.toBeNull();
  expect(published).toEqual({ rejected: null });
  expect(await store.httpServices.get(bad.value.id)).toBeNull();
  expect(served()).toContain('location = /good {');
  expect(reconciler.state().up).toBe(true);
});

describe('the ingress as a whole', () => {
  it('says at the start in a sentence that a port is taken, and heals when it is free', async () => {
    const free = ingress.rejectWhen(() => ({
      message: 'bind() to 127.0.0.1:443 failed (98: Address already in use)',
      address: '127.0.0.1:443',
    }));
    const { problem } = await reconciler.start();
    expect(problem).toBe(
      'nginx cannot listen on 127.0.0.1:443: address already in use. Free it, or choose another port with SALLYPORT_HTTPS_PORT.',
    );
    const { value, rejected } = await create('/app');
    expect(rejected).toBeNull();
    expect(await store.httpServices.get(value.id)).toEqual(value);
    expect(reconciler.state()).toMatchObject({ up: false, problem });
    // It is saved, but no one may believe that it is served.
    expect(reconciler.problem('httpService', value.id)).toBe(problem);
    free();
    await vi.waitFor(() => expect(reconciler.state()).toMatchObject({ up: true, problem: null }));
    expect(served()).toContain('location = /app {');
  });

  it('says so when it could not even be tried', async () => {
    const broken = vi.spyOn(store, 'desired').mockRejectedValueOnce(new Error('select failed'));
    const { value } = await create('/app');
    expect(reconciler.problem('httpService', value.id)).toMatch(/could not be brought up to date/);
    broken.mockRestore();
    await vi.waitFor(() => expect(reconciler.problem('httpService', value.id)).toBeNull());
  });

  it('is brought back within two seconds when nginx dies, and says so meanwhile', async () => {
    await reconciler.start();
    const seen: boolean[] = [];
    reconciler.onFindings(() => seen.push(reconciler.state().up));
    ingress.crash();
    await vi.waitFor(() => expect(ingress.served()).not.toBeNull());
    await vi.waitFor(() => expect(seen).toEqual([false, true]));
  });
});

describe('backends', () => {
  it.each([
    ['nginx itself', 443],
    ['the API, which the console alone may show', 3000],
  ])('closes a service that leads back to %s', async (_, backendPort) => {
    const { value } = await create('/app', { backendPort });
    expect(reconciler.problem('httpService', value.id)).toMatch(/leads back to the gateway itself/);
    expect(served()).not.toContain(`server 127.0.0.1:${backendPort}`);
  });

  it('closes a service whose name leads nowhere, and follows the name', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { value, rejected } = await create('/app', { backendHost: 'printer.lan' });
    expect(rejected).toBeNull();
    expect(reconciler.problem('httpService', value.id)).toMatch(/^The name printer\.lan cannot be resolved/);
    addresses['printer.lan'] = ['127.0.0.9', '127.0.0.8'];
    await vi.advanceTimersByTimeAsync(40_000);
    await vi.waitFor(() => expect(reconciler.problem('httpService', value.id)).toBeNull());
    expect(served()).toContain('server 127.0.0.8:8080');
    const { generation } = reconciler.state();
    addresses['printer.lan'] = ['127.0.0.8', '127.0.0.9'];
    await vi.advanceTimersByTimeAsync(40_000);
    expect(reconciler.state().generation).toBe(generation);
    addresses['printer.lan'] = ['127.0.0.7'];
    await vi.advanceTimersByTimeAsync(40_000);
    await vi.waitFor(() => expect(served()).toContain('server 127.0.0.7:8080'));
  });

  it('does not let a name service that is silent hold up others', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const answer = Promise.withResolvers<string[]>();
    const asked = Promise.withResolvers<void>();
    await reconciler.stop();
    const resolve = (): Promise<string[]> => {
      asked.resolve();
      return answer.promise;
    };
    reconciler = createReconciler(partsOf({ names: { resolve } }));
    const saving = Promise.all([create('/slow', { backendHost: 'slow.lan' }), create('/other')]);
    await asked.promise;
    await vi.advanceTimersByTimeAsync(2000);
    const [{ value: slow }] = await saving;
    expect(served()).toContain('location = /other {');
    expect(reconciler.problem('httpService', slow.id)).toContain('slow.lan');
    answer.resolve(['127.0.0.5']);
    await vi.waitFor(() => expect(served()).toContain('server 127.0.0.5:8080'));
  });

  it('sends nothing to a node behind the tunnel, which is off', async () => {
    const { value } = await save(async (tx) => {
      const node = await tx.nodes.create(aNode);
      return tx.httpServices.create(row('/far', { nodeId: node.id, backendHost: null }));
    });
    expect(reconciler.problem('httpService', value.id)).toContain('tunnel is off');
    expect(served()).not.toContain('10.88.0.2');
    expect(served()).toMatch(/location = \/far \{\\n[^}]*return 503/);
  });

  it('closes a service whose time is over, even before its row says so', async () => {
    await create('/brief', { expiresAt: new Date(Date.now() - 1000).toISOString() });
    expect(served()).toMatch(/location = \/brief \{\\n[^}]*return 404/);
  });
});
