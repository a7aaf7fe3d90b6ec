import { type ApiParts, compose, type GatewayParts } from './start/compose.ts';
import { createPasswords } from './api/session/password.ts';
import type { Connection } from './api/http/request.ts';
import { seed } from './start/seed.ts';
import { ensureServerKeys } from './start/keys.ts';
import { openStore, type Store } from './store/store.ts';
import { createFakeBackends, type FakeBackends } from './testing/fakeBackends.ts';
import { createFakeSystem, type FakeSystem } from './testing/fakeSystem.ts';
import { createFakeWorld, type FakeWorld } from './testing/fakeWorld.ts';
import type { KeyVault } from './vault/keyVault.ts';
import type { Secret } from './vault/secret.ts';
import { createWiredoorTokens } from './start/wiredoorTokens.ts';
import { readConfig } from './config.ts';
import { openLiveSettings } from './start/liveSettings.ts';
import { shownSettings } from './start/shownSettings.ts';
import { createTestClock, type TestClock } from './testing/testClock.ts';
import { testTunnelServer } from './testing/fakeTunnel.ts';

/** Signs in to a test gateway. */
export const TEST_ADMIN = { username: 'admin', password: 'correct horse battery' } as const;
/** The address of a test gateway; any other leads to it as well. */
export const TEST_URL = 'http://gateway.test';

const TEST_PASSWORD_COST_LOG2 = 4;
const TEST_TIME = '2026-11-21T12:00:00.000Z';

/** What the environment says unless a test says otherwise. */
const TEST_ENVIRONMENT = {
  SALLYPORT_OIDC_CLIENT_SECRET: 'the-secret-of-the-provider',
  SALLYPORT_VPN_PORT: '51821',
};
/** What settings came to be at the start. */
const TEST_START = {
  address: { host: testTunnelServer.host, source: 'setting' },
  dataDirectory: '/var/lib/sallyport',
  ports: { http: 80, https: 443 },
  logLevel: 'info',
} as const;

export type TestGatewayOptions = {
  /** Where its clock stands; it is moved with `clock.advance`. */
  now?: Date;
  /** The file of its database; in memory unless given. One that was used before must come with the vault of then. */
  database?: string;
  vault?: KeyVault;
  /** The built console; none unless given. */
  consoleDirectory?: string;
  /** The packages of the command; none unless given. */
  packageDirectory?: string;
  /** Where visitors sign in; nowhere unless given. */
  provider?: NonNullable<ApiParts['provider']>;
  streams?: NonNullable<ApiParts['streams']>;
  /** Is told of each request that is refused. */
  refused?: NonNullable<ApiParts['refused']>;
  /** How much a node's token may take; the defaults of the settings unless given. */
  nodeLimits?: GatewayParts['settings']['nodeLimits'];
  /** Whether other machines find it by its name; they do unless given. */
  isHostKnown?: boolean;
  /** Who decided on its name; the first start unless given. */
  hostSource?: GatewayParts['settings']['hostSource'];
  /** With which a Wiredoor server signed access tokens; there was none unless given. */
  wiredoorTokenKey?: Secret;
  /** The settings that the environment says; some of them unless given. */
  environment?: Record<string, string>;
  /** Whether the settings say the password; they do not unless given. */
  isPasswordSet?: boolean;
};

/** A whole gateway in this process: nothing of it touches a file, a port or another program. */
export type TestGateway = {
  /** What a client takes as its `fetch`. */
  fetch(input: Request, connection?: Connection): Promise<Response>;
  fetch(input: string, init?: RequestInit): Promise<Response>;
  store: Store;
  clock: TestClock;
  /** The world outside, as the test wants it. */
  world: FakeWorld;
  /** nginx (what it would serve, what it is to refuse), log lines (`logs.push`) and backend names (`names.set`). */
  system: FakeSystem;
  /** Which backends answer: all unless it is said. */
  backends: FakeBackends;
  /** How many event streams are being read. */
  watchers(): number;
  /** What the gateway would have written to its own log as an error. */
  errors: unknown[];
  /** Signs the administrator in; fulfilled with the token. */
  signIn(): Promise<string>;
  /** Two nodes next to the local one (`edge`, and `site`, a gateway), a domain and two services; with their ids. */
  seed(): Promise<{ edgeId: number; siteId: number; domainId: number; appId: number; wikiId: number }>;
  stop(): Promise<void>;
};

export async function createTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const clock = createTestClock(options.now ?? new Date(TEST_TIME));
  const store = openStore(options.database ?? ':memory:', clock.now);
  await seed(store, { listen: { host: '127.0.0.1', port: 3000 } });
  const passwords = createPasswords(TEST_PASSWORD_COST_LOG2);
  if ((await store.admin.get()) === null) {
    const passwordHash = await passwords.hash(TEST_ADMIN.password);
    await store.write((tx) => tx.admin.set({ username: TEST_ADMIN.username, passwordHash }));
  }
  const errors: unknown[] = [];
  const fake = createFakeWorld();
  const system = createFakeSystem(clock.now, options.vault);
  const backends = createFakeBackends();
  const config = readConfig(options.environment ?? TEST_ENVIRONMENT);
  const live = await openLiveSettings({ store, vault: system.vault, config, open: async () => null });
  const composed = compose({
    store,
    system,
    probe: backends.probe,
    clock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    settings: {
      vpnHost: testTunnelServer.host,
      hostSource: options.hostSource ?? 'setting',
      hostNames: [testTunnelServer.host],
      machineName: 'machine.example.test',
      isHostKnown: options.isHostKnown ?? true,
      httpsPort: 443,
      consolePort: 9443,
      vpnSubnet: testTunnelServer.subnet,
      tcpPorts: { from: 20_000, to: 20_999 },
      nodeLimits: options.nodeLimits ?? { services: 200, publicPorts: 50, listEntries: 1000 },
      shown: () =>
        shownSettings(
          { ...config, oidc: live.provider(), acme: live.authority() },
          { ...TEST_START, authority: live.authority().authority ?? 'https://acme.example.test/directory' },
        ),
      isPasswordSet: options.isPasswordSet ?? false,
    },
    ingress: { listen: ['0.0.0.0'], ownNames: [testTunnelServer.host], httpPort: 80 },
    vpn: { ...testTunnelServer, ...(await ensureServerKeys(store, system.vault)) },
    live,
    signIn: fake.signIn,
    test: fake.test,
    ...(options.wiredoorTokenKey !== undefined && {
      wiredoorTokenId: createWiredoorTokens(options.wiredoorTokenKey),
    }),
  });
  await composed.reconciler.start();
  const gateway = await composed.open({
    world: {
      ...composed.world,
      ...fake,
      onFindings(listener) {
        const stops = [composed.world, fake].map((each) => each.onFindings(listener));
        return () => stops.forEach((stop) => stop());
      },
    },
    passwords,
    provider: options.provider ?? null,
    consoleDirectory: options.consoleDirectory ?? null,
    packageDirectory: options.packageDirectory ?? null,
    failed: (error) => errors.push(error),
    ...(options.streams !== undefined && { streams: options.streams }),
    ...(options.refused !== undefined && { refused: options.refused }),
  });

  const fetch: TestGateway['fetch'] = (input: Request | string, more?: RequestInit | Connection) =>
    typeof input === 'string'
      ? gateway.fetch(new Request(new URL(input, TEST_URL), more as RequestInit))
      : gateway.fetch(input, more as Connection | undefined);
  const call = async <T>(token: string, method: string, path: string, body: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const signIn = async (): Promise<string> => {
    const { token } = await call<{ token: string }>('none', 'POST', '/api/auth/login', TEST_ADMIN);
    return token;
  };
  return {
    fetch,
    store,
    clock,
    world: fake,
    system,
    backends,
    watchers: gateway.watchers,
    errors,
    signIn,
    async seed() {
      const token = await signIn();
      const create = async (path: string, body: object) => (await call<{ id: number }>(token, 'POST', path, body)).id;
      const edgeId = await create('/api/nodes', { name: 'edge' });
      const siteId = await create('/api/nodes', { name: 'site', isGateway: true, gatewayNetwork: '192.0.2.0/24' });
      const domainId = await create('/api/domains', { domain: 'app.example.test', skipValidation: true });
      const appId = await create('/api/services/1/http', {
        name: 'App',
        domain: 'app.example.test',
        backendHost: '127.0.0.1',
        backendPort: 8080,
      });
      const wikiId = await create(`/api/services/${edgeId}/http`, { name: 'Wiki', pathLocation: '/wiki' });
      return { edgeId, siteId, domainId, appId, wikiId };
    },
    async stop() {
      await composed.stop();
      await store.close();
    },
  };
}
