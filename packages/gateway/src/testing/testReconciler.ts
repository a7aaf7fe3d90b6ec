import { createIssuedCertificates } from '../certificates/renewal.ts';
import { createReconciler, type Reconciler, type ReconcilerParts } from '../ingress/reconcile.ts';
import { seed } from '../start/seed.ts';
import { systemClock } from '../start/system.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import { createFakeSystem, type FakeSystem } from './fakeSystem.ts';
import { noTunnel } from './fakeTunnel.ts';

/** A reconciler on a store and a system in memory. */
export type TestReconciler = {
  store: Store;
  system: FakeSystem;
  /** The one that runs; another one after `restart`. */
  reconciler: Reconciler;
  /** Writes and publishes as a handler does. */
  save<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Stops it, does what happens meanwhile, and starts the next one. */
  restart(meanwhile?: () => unknown): Promise<{ problem: string | null }>;
  close(): Promise<void>;
};

export async function startTestReconciler(
  now: () => Date = () => new Date(),
  parts: Partial<ReconcilerParts> = {},
): Promise<TestReconciler> {
  const store = openStore(':memory:', now);
  await seed(store, { listen: { host: '127.0.0.1', port: 3000 } });
  const system = createFakeSystem();
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const open = (): Reconciler =>
    createReconciler({
      ...system,
      ...noTunnel(),
      store,
      signInProblem: () => null,
      health: { watch: () => undefined },
      issued: createIssuedCertificates({ issuer: system.issuer, clock: systemClock, httpPort: 80, log }),
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
      log,
      now,
      ...parts,
    });
  const test: TestReconciler = {
    store,
    system,
    reconciler: open(),
    async save(work) {
      const { value, changes } = await store.write(work);
      await test.reconciler.publish(changes);
      return value;
    },
    async restart(meanwhile = () => undefined) {
      await test.reconciler.stop();
      await meanwhile();
      test.reconciler = open();
      return test.reconciler.start();
    },
    async close() {
      await test.reconciler.stop();
      await store.close();
    },
  };
  await test.reconciler.start();
  return test;
}
