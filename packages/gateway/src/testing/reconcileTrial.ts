import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { type Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { systemClock } from '../start/system.ts';
import type { Clock } from '../world.ts';
import { readConfig } from '../config.ts';
import { signInAvailability, type SignInState } from '../signin/provider.ts';
import { type LiveSettingsParts, openLiveSettings } from '../start/liveSettings.ts';
import { SERVICES_CERTIFICATE_NAME } from '../ingress/preparation.ts';
import type { Published } from '../ingress/writeBatch.ts';
import type { Reconciler } from '../ingress/reconcile.ts';
import { compose, type ComposedGateway } from '../start/compose.ts';
import { seed } from '../start/seed.ts';
import { ensureServerKeys } from '../start/keys.ts';
import type { DomainRow, HttpServiceRow, NewRow } from '../store/rows.ts';
import { openStore, type Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { CertificateIssuer } from '../certificates/certificateIssuer.ts';
import { createCertificates } from '../certificates/selfSigned.ts';
import { openDataDirectory } from '../machine/dataDirectory.ts';
import { createFakeBackends } from './fakeBackends.ts';
import { createFakeCertificateIssuer } from './fakeCertificateIssuer.ts';
import { createFakeSystem } from './fakeSystem.ts';
import { createOpenConnections } from '../ingress/nginx/openConnections.ts';
import type { Ingress } from '../ingress/nginx/ingress.ts';
import type { Names } from '../machine/names.ts';
import { createNginxIngress } from '../ingress/nginx/nginxIngress.ts';
import { freePorts, freeRange } from './freePorts.ts';
import { aDomain, aService, testVault } from './storedRows.ts';
import { testTunnelServer } from './fakeTunnel.ts';

const [http = 0, https = 0, console = 0] = await freePorts(3);
/** Where the trial's nginx listens. */
export const PORTS = { http, https, console };

/** A gateway with a real nginx and a real database, in a directory of its own; its tunnel and its backends are doubles. */
export type ReconcileTrial = {
  store: Store;
  ingress: Ingress;
  /** The gateway, whose API is closed. */
  composed: ComposedGateway;
  reconciler: Reconciler;
  databaseFile: string;
  /** Another public port that services may have; the API takes them from the other end. */
  tcpPort(): number;
  /** A new reconciler and store on the same files, as after a restart of the gateway. */
  restart(): Promise<{ problem: string | null }>;
  close(): Promise<void>;
};

export type ReconcileTrialOptions = {
  /** Where nginx listens, as its `listen` takes it. */
  listen?: readonly string[];
  /** How many connections each worker of nginx has room for. */
  connections?: number;
  /** Whose word on the visitor counts; by default no one's. */
  trustedProxies?: readonly string[];
  /** By which visitors reach HTTPS, where that is not the port that nginx listens on. */
  publicHttpsPort?: number;
  /** Looks up the names of backends; without it every name leads nowhere. */
  resolve?: Names['resolve'];
  /** Why visitors cannot be asked to sign in; by default they can. */
  signInProblem?: string | null;
  /** Makes the identity provider that is set in the console; without it `signInProblem` alone counts. */
  openProvider?: LiveSettingsParts['open'];
  /** Where certificates come from, also after a restart; without it an authority in memory. */
  openIssuer?(where: { directory: string; webroot: string }): CertificateIssuer;
  /** Whether remote nodes are reached, at the addresses of their rows, which are of loopback. */
  tunnel?: boolean;
  /** When certificates are asked for again. */
  clock?: Clock;
};

/** Remote nodes are programs of the same machine, and are asked from where they can answer. */
const ON_LOOPBACK = { subnet: '127.0.0.0/8', network: '127.0.0.0/8', gateway: '127.0.0.1' };

/** More than any test exposes. */
const TCP_PORTS = 100;

/** Opens one that serves. */
export async function openReconcileTrial({
  listen = ['127.0.0.1'],
  connections = 16_384,
  trustedProxies = [],
  publicHttpsPort = PORTS.https,
  resolve = () => Promise.reject(new Error('names are not looked up here')),
  signInProblem = null,
  openProvider,
  openIssuer = () => createFakeCertificateIssuer(),
  tunnel = false,
  clock = systemClock,
}: ReconcileTrialOptions = {}): Promise<ReconcileTrial> {
  const base = mkdtempSync(join(tmpdir(), 'sallyport-reconcile-'));
  chmodSync(base, 0o711);
  const data = openDataDirectory(join(base, 'data'));
  const ingress = await createNginxIngress({ data });
  const databaseFile = join(data.path, 'database.sqlite');
  const fake = createFakeSystem(systemClock.now, testVault);
  if (tunnel) fake.tunnel.setStatus({ available: true });
  const tcpPorts = await freeRange(TCP_PORTS);
  let lastPort = tcpPorts.to + 1;
  const open = async () => {
    const store = openStore(databaseFile, () => new Date());
    await seed(store, { listen: { host: '127.0.0.1', port: 3000 } });
    const live = await openLiveSettings({
      store,
      vault: fake.vault,
      config: readConfig({}),
      open: openProvider ?? (async () => null),
    });
    const signIn = (): SignInState =>
      signInProblem === null ? { available: true } : { available: false, reason: signInProblem };
    const composed = compose({
      store,
      system: {
        ...fake,
        // No one says which nodes are there, so none counts as never seen.
        tunnel: { ...fake.tunnel, read: () => Promise.resolve(null) },
        ingress,
        openConnections: createOpenConnections(ingress.layout, testTunnelServer),
        certificates: createCertificates(ingress.layout.certificates),
        issuer: openIssuer({ directory: join(data.secrets, 'issued'), webroot: ingress.layout.acme }),
        names: { resolve },
      },
      probe: createFakeBackends().probe,
      clock: systemClock,
      renewalClock: clock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      settings: {
        vpnHost: 'gateway.test',
        hostSource: 'environment',
        hostNames: ['gateway.test', 'alias.example.test'],
        machineName: 'machine.test',
        isHostKnown: true,
        httpsPort: publicHttpsPort,
        consolePort: PORTS.console,
        vpnSubnet: testTunnelServer.subnet,
        tcpPorts,
        nodeLimits: { services: 200, publicPorts: 50, listEntries: 1000 },
        shown: () => [],
        isPasswordSet: false,
      },
      ingress: {
        listen,
        connections,
        ownNames: ['gateway.test', '127.0.0.1'],
        httpPort: PORTS.http,
        httpsPort: PORTS.https,
        trustedProxies,
      },
      vpn: {
        ...testTunnelServer,
        ...(tunnel && ON_LOOPBACK),
        host: 'gateway.test',
        ...(await ensureServerKeys(store, fake.vault)),
      },
      live,
      test: () => Promise.resolve({ works: true, text: '' }),
      signIn: openProvider === undefined ? signIn : () => signInAvailability(live.provider()),
    });
    return { store, composed, reconciler: composed.reconciler };
  };
  const trial: ReconcileTrial = {
    tcpPort: () => (lastPort -= 1),
    ...(await open()),
    ingress,
    databaseFile,
    async restart() {
      await trial.composed.stop();
      await trial.store.close();
      Object.assign(trial, await open());
      return trial.reconciler.start();
    },
    async close() {
      await trial.composed.stop();
      await ingress.stop();
      ingress.close();
      await trial.store.close();
      await Promise.all([...running].map((stop) => stop()));
      data.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
  const { problem } = await trial.reconciler.start();
  if (problem !== null) throw new Error(problem);
  return trial;
}

/** Writes into its database as someone with a shell would. */
export function writeByHand({ databaseFile }: ReconcileTrial, sql: string, ...values: unknown[]): void {
  const database = new Database(databaseFile);
  database.pragma('foreign_keys = off');
  database.pragma('ignore_check_constraints = on');
  database.prepare(sql).run(...values);
  database.close();
}

/** The row of an HTTP service of the local node. */
export const serviceRow = (
  backendPort: number,
  rest: Partial<NewRow<HttpServiceRow>> = {},
): NewRow<HttpServiceRow> => ({
  ...aService,
  nodeId: 1,
  name: 'service',
  domain: null,
  backendHost: '127.0.0.1',
  backendPort,
  ...rest,
});

/** The row of a domain with a self-signed certificate, where no one signs in. */
export const domainRow = (domain: string): NewRow<DomainRow> => ({ ...aDomain, domain, allowedEmails: null });

/** Writes and publishes as a handler does. */
export async function save<T>(
  { store, reconciler }: ReconcileTrial,
  work: (tx: Transaction) => Promise<T>,
): Promise<Published & { value: T }> {
  const { value, changes } = await store.write(work);
  return { value, ...(await reconciler.publish(changes)) };
}

/** Adds a domain, and a service under it. */
export function expose(
  trial: ReconcileTrial,
  domain: string,
  backendPort: number,
  rest: Partial<NewRow<HttpServiceRow>> = {},
): Promise<Published & { value: HttpServiceRow }> {
  return save(trial, async (tx) => {
    const [known] = await tx.domains.all({ domain });
    if (known === undefined) await tx.domains.create(domainRow(domain));
    return tx.httpServices.create(serviceRow(backendPort, { domain, ...rest }));
  });
}

/** What tests have started for a trial to lead to. */
const running = new Set<() => Promise<void>>();

/** Has something end with the trial, unless it is ended before that. */
export function untilTrialEnds(end: () => Promise<void>): () => Promise<void> {
  const stop = async (): Promise<void> => {
    if (running.delete(stop)) await end();
  };
  running.add(stop);
  return stop;
}

/** A web server on loopback. */
export async function startBackend(
  listener: RequestListener,
  upgrade?: (request: IncomingMessage, socket: Duplex) => void,
  address = '127.0.0.1',
): Promise<{ port: number; server: Server; stop(): Promise<void> }> {
  const server = createServer(listener);
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  server.listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    server,
    stop: untilTrialEnds(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }),
  };
}

export type Visit = {
  path?: string;
  port?: number;
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: Readable;
  /** Keeps connections; by default each visit has its own. */
  agent?: Agent;
  /** Where the connection comes from. */
  localAddress?: string;
};
export type Visited = { status: number; headers: IncomingHttpHeaders; body: string };

/** Where the self-signed certificate is that a name has on a port: on the gateway's own name, the console has another one. */
export function certificateFile(trial: ReconcileTrial, host: string, port = PORTS.https): string {
  const name = host === 'gateway.test' && port !== PORTS.console ? SERVICES_CERTIFICATE_NAME : host;
  return join(trial.ingress.layout.certificates, name, 'pair.pem');
}

/** Sends a request over HTTPS; the certificate must be the one of that name, and be right for it. */
export async function openVisit(trial: ReconcileTrial, host: string, how: Visit = {}): Promise<IncomingMessage> {
  const { path = '/', port = PORTS.https, method = 'GET', headers = {}, body, agent = false, localAddress } = how;
  const ca = readFileSync(certificateFile(trial, host, port));
  const to = { host: '127.0.0.1', localAddress, port, servername: host, ca, agent } as const;
  const sent = request({ ...to, path, method, headers: { host: port === 443 ? host : `${host}:${port}`, ...headers } });
  (body ?? Readable.from([])).pipe(sent);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

export async function visit(trial: ReconcileTrial, host: string, how: Visit = {}): Promise<Visited> {
  const response = await openVisit(trial, host, how);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** All that nginx was told, by file. */
export function servedFiles({ ingress }: Pick<ReconcileTrial, 'ingress'>): { path: string; text: string }[] {
  const entries = readdirSync(ingress.layout.current, { recursive: true, withFileTypes: true });
  const paths = entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
  return paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}
