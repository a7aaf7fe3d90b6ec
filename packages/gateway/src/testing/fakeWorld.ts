import type { LastBackup, TestedService, UnavailableFeature } from '@sallyport/sdk/contract';
import type { LocalRoute, NodeRuntime, TestResult, UsedAddress, World } from '../world.ts';
import { signInAvailability } from '../signin/provider.ts';
import { SILENT } from '../tunnel/monitor.ts';

/** What no part of the fake system decides; tests set it as they need it. */
export type FakeWorld = Pick<
  World,
  | 'nodeRuntime'
  | 'onNodeRuntime'
  | 'portIsFree'
  | 'certificateIssuer'
  | 'signIn'
  | 'unavailable'
  | 'test'
  | 'onFindings'
  | 'localRoutes'
  | 'usedAddresses'
  | 'publicAddress'
  | 'lastBackup'
> & {
  /** What the tunnel knows about a node from now on; a node that was never set is offline. */
  setNodeRuntime(nodeId: number, runtime: Partial<NodeRuntime>): void;
  /** Which ports no other process has; all unless it is said. */
  setPortIsFree(isFree: (proto: 'tcp' | 'udp', port: number) => boolean | Promise<boolean>): void;
  setCertificateIssuer(issuer: ReturnType<World['certificateIssuer']>): void;
  setSignIn(signIn: ReturnType<World['signIn']>): void;
  setUnavailable(unavailable: UnavailableFeature[]): void;
  /** What comes of asking the services of others; they answer unless it is said. */
  setTest(test: (service: TestedService) => Promise<TestResult>): void;
  /** Where the gateway's own machine sends packets by itself; nowhere unless it is said. */
  setLocalRoutes(routes: LocalRoute[] | (() => Promise<LocalRoute[]>)): void;
  /** What it knows of addresses; nothing unless it is said. */
  setPublicAddress(known: Partial<World['publicAddress']>): void;
  /** The backup that was made last; none unless it is said. */
  setLastBackup(last: LastBackup | null): void;
  /** What it cannot do without; nothing unless it is said. */
  setUsedAddresses(used: UsedAddress[]): void;
};

export function createFakeWorld(): FakeWorld {
  const runtimes = new Map<number, NodeRuntime>();
  const listeners = new Set<() => void>();
  const runtimeListeners = new Set<() => void>();
  let portIsFree = (_proto: 'tcp' | 'udp', _port: number): boolean | Promise<boolean> => true;
  let issuer: ReturnType<World['certificateIssuer']> = {
    available: false,
    reason: 'There is no certificate authority.',
  };
  let signIn = signInAvailability({ issuer: null, clientId: null, clientSecret: null });
  let unavailable: UnavailableFeature[] = [];
  let test = async (_service: TestedService): Promise<TestResult> => ({ works: true, text: 'It answers.' });
  let routes = async (): Promise<LocalRoute[]> => [];
  let used: UsedAddress[] = [];
  let address: World['publicAddress'] = {
    report: async () => ({ warnings: [], facts: [] }),
    candidates: async () => [],
  };
  let lastBackup: LastBackup | null = null;
  return {
    nodeRuntime: (nodeId) => runtimes.get(nodeId) ?? SILENT,
    onFindings(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onNodeRuntime(listener) {
      runtimeListeners.add(listener);
      return () => void runtimeListeners.delete(listener);
    },
    portIsFree: async (proto, port) => portIsFree(proto, port),
    certificateIssuer: () => issuer,
    signIn: () => signIn,
    unavailable: () => unavailable,
    test: (service) => test(service),
    localRoutes: () => routes(),
    usedAddresses: async () => used,
    publicAddress: { report: (chosen) => address.report(chosen), candidates: () => address.candidates() },
    lastBackup: () => lastBackup,
    setNodeRuntime(nodeId, runtime) {
      runtimes.set(nodeId, { ...(runtimes.get(nodeId) ?? SILENT), ...runtime });
      for (const listener of runtimeListeners) listener();
    },
    setPortIsFree: (next) => void (portIsFree = next),
    setCertificateIssuer: (next) => void (issuer = next),
    setSignIn: (next) => void (signIn = next),
    setUnavailable: (next) => void (unavailable = next),
    setTest: (next) => void (test = next),
    setLocalRoutes: (next) => void (routes = typeof next === 'function' ? next : async () => next),
    setPublicAddress: (known) => void (address = { ...address, ...known }),
    setLastBackup: (next) => void (lastBackup = next),
    setUsedAddresses: (next) => void (used = next),
  };
}
