import packageJson from '../../package.json' with { type: 'json' };
import type { UnavailableFeature } from '@sallyport/sdk/contract';
import { createHttp, type HttpOptions } from '../api/http/createHttp.ts';
import type { Connection } from '../api/http/request.ts';
import { createPublicPorts, publicUrl } from '../api/service/publicAddress.ts';
import { createLoginAttempts, type Passwords } from '../api/session/password.ts';
import type { Settings } from '../api/settings.ts';
import { createWriter } from '../api/writer.ts';
import { createIssuedCertificates, type IssuedCertificates } from '../certificates/renewal.ts';
import { createDomainDns } from '../dns/domainDns.ts';
import { startExpiry, startKeyExpiry } from '../expiry/expiry.ts';
import { createBackendHealth } from '../health/backendHealth.ts';
import type { BackendProbe } from '../health/backendProbe.ts';
import { createReconciler, type Reconciler, type ReconcilerParts } from '../ingress/reconcile.ts';
import { ASKING_DOMAIN } from '../ingress/render/proxyHeaders.ts';
import { page } from '../ingress/render/pages.ts';
import { type Provider, signInProblem, type SignInState } from '../signin/provider.ts';
import { createSignIn } from '../signin/signIn.ts';
import type { Store } from '../store/store.ts';
import { createTunnelWatch, type TunnelWatch } from '../tunnel/monitor.ts';
import type { TunnelSettings } from '../tunnel/plan.ts';
import { createTunnelFollower } from '../tunnel/reconcile.ts';
import type { TunnelServer } from '../tunnel/render/wireguardClient.ts';
import type { Clock, World } from '../world.ts';
import { createWorld } from './createWorld.ts';
import { leaveFormerProvider } from './formerSettings.ts';
import type { LiveSettings } from './liveSettings.ts';
import type { System } from './system.ts';

/** What a gateway is composed of: the parts of a real machine, doubles of them, or some of each. */
export type GatewayParts = {
  store: Store;
  system: System & Pick<ReconcilerParts, 'openConnections'>;
  probe: BackendProbe;
  clock: Clock;
  /** When certificates are asked for again, if not by `clock`. */
  renewalClock?: Clock;
  log: ReconcilerParts['log'];
  settings: Settings;
  /** Where visitors arrive, next to the ports of the settings. */
  ingress: Pick<ReconcilerParts['options'], 'listen' | 'ownNames' | 'connections'> & {
    httpPort: number;
    /** The port of HTTPS that nginx listens on, where visitors reach it by another one. */
    httpsPort?: number;
    /** Whose word on the visitor counts; left out: no one's. */
    trustedProxies?: readonly string[];
  };
  /** The gateway's own end of the tunnel. */
  vpn: TunnelServer & Omit<TunnelSettings, 'publicPorts' | 'visitedPort'>;
  /** Whether nodes go on with Wiredoor's programs. */
  wiredoorClients?: boolean;
  /** As in `World`; without it there are no such tokens. */
  wiredoorTokenId?: World['wiredoorTokenId'];
  /** The public keys of nodes whose keys were replaced. */
  rejoining?: ReadonlySet<string>;
  /** The services of others, as an administrator sets them. */
  live: LiveSettings;
  signIn(): SignInState;
  test: World['test'];
  /** What the start found to be missing. */
  unavailable?: readonly UnavailableFeature[];
};

/** What its API is opened with. */
export type ApiParts = {
  passwords: Passwords;
  /** Where visitors sign in, whatever is set; null or none: where it is set. */
  provider?: Provider | null;
  /** The built console; null: none. */
  consoleDirectory: string | null;
  /** The packages of the command, for hosts that join; null or none: there are none. */
  packageDirectory?: string | null;
  /** What handlers are told instead of what the parts say. */
  world?: World;
  /** Called after each successful sign-in. */
  signedIn?: () => void;
  /** Notes an error that no reply may carry. */
  failed(error: unknown, facts?: object): void;
  /** Notes a request that was refused. */
  refused?: HttpOptions['refused'];
  streams?: HttpOptions['streams'];
};

/** The API of a gateway, without any transport. */
export type Gateway = {
  fetch(request: Request, connection?: Connection): Promise<Response>;
  /** How many event streams are being read. */
  watchers(): number;
  /** Ends streams and alarms. */
  stop(): void;
};

/** A gateway whose parts know each other. It begins with `reconciler.start`; the API is opened after that. */
export type ComposedGateway = {
  reconciler: Reconciler;
  issued: IssuedCertificates;
  nodes: TunnelWatch;
  world: World;
  /** Services whose time ended while nothing ran are closed when it is fulfilled. */
  open(api: ApiParts): Promise<Gateway>;
  /** Ends everything in the opposite order, the API first. The store and the system stay open. */
  stop(): Promise<void>;
};

/** A caller within this process. */
const IN_PROCESS: Connection = { address: '127.0.0.1', trusted: false };

/** Puts a gateway together. */
export function compose(parts: GatewayParts): ComposedGateway {
  const { store, system, clock, log, settings, vpn, wiredoorClients = false } = parts;
  const opened = new AsyncDisposableStack();
  const { httpPort, httpsPort = settings.httpsPort, trustedProxies = [] } = parts.ingress;
  const ports = { http: httpPort, https: httpsPort, console: settings.consolePort };

  const health = createBackendHealth({ probe: parts.probe, clock });
  opened.defer(health.stop);
  const issued = createIssuedCertificates({
    issuer: system.issuer,
    clock: parts.renewalClock ?? clock,
    httpPort: ports.http,
    log,
  });
  opened.defer(issued.stop);
  const nodes = createTunnelWatch({
    tunnel: system.tunnel,
    store,
    log,
    ...(parts.rejoining !== undefined && { rejoining: parts.rejoining }),
  });
  opened.defer(nodes.stop);
  const tunnel = createTunnelFollower({
    tunnel: system.tunnel,
    vault: system.vault,
    endpoints: () => nodes.look().then(nodes.endpoints),
    log,
    settings: {
      ...vpn,
      publicPorts: [...Object.values(ports), settings.tcpPorts],
      visitedPort: wiredoorClients ? ports.https : null,
    },
  });
  opened.defer(tunnel.stop);
  const reconciler = createReconciler({
    ...system,
    store,
    tunnel,
    nodes,
    health,
    issued,
    signInProblem: () => signInProblem(parts.signIn()),
    options: {
      ...parts.ingress,
      ports,
      publicHttpsPort: settings.httpsPort,
      trustedProxies,
      publicHost: settings.vpnHost,
      hostNames: settings.hostNames,
      machineName: settings.machineName,
      tcpPorts: settings.tcpPorts,
      wiredoorClients,
    },
    log,
    now: clock.now,
  });
  opened.defer(reconciler.stop);
  const { unavailable = [] } = parts;
  const world = createWorld({
    system,
    reconciler,
    health,
    issued,
    // The host of the tunnel is also the name or address by which visitors reach the gateway.
    dns: createDomainDns({ ...system, publicHost: () => vpn.host, proxies: trustedProxies, now: clock.now }),
    tunnel,
    nodes,
    clock,
    vpn,
    signIn: parts.signIn,
    test: parts.test,
    liveSettings: {
      ...parts.live,
      async apply() {
        await parts.live.load();
        // Only now: else one who is signing in there could have a session of it still.
        await store.write((tx) => leaveFormerProvider(tx, parts.live.provider()));
        issued.forget();
        await reconciler.publish([]);
      },
    },
    ownNames: parts.ingress.ownNames,
    wiredoorTokenId: parts.wiredoorTokenId ?? (async () => null),
    unavailable,
  });

  return {
    reconciler,
    issued,
    nodes,
    world,
    async open(api) {
      const gateway = await openApi(parts, { world, ...api }, reconciler);
      opened.defer(gateway.stop);
      return gateway;
    },
    stop: () => opened.disposeAsync(),
  };
}

async function openApi(
  { store, clock, settings, live }: GatewayParts,
  api: ApiParts & { world: World },
  { publish }: Reconciler,
): Promise<Gateway> {
  const { world, passwords, failed } = api;
  const write = createWriter(store, publish, world);
  const expiry = startExpiry({ store, serve: () => publish([]), clock, failed });
  await expiry.ready;
  const http = createHttp({
    parts: {
      store,
      write,
      world,
      settings,
      version: packageJson.version,
      passwords,
      loginAttempts: createLoginAttempts(clock.now),
      publicPorts: createPublicPorts(),
      signedIn: api.signedIn ?? (() => undefined),
      failed,
    },
    clock,
    onSessionEnd: store.onSessionEnd,
    consoleDirectory: api.consoleDirectory,
    packageDirectory: api.packageDirectory ?? null,
    refused: api.refused ?? (() => undefined),
    ...(api.streams !== undefined && { streams: api.streams }),
  });
  const stopKeyExpiry = startKeyExpiry({ store, clock, failed });
  const signIn = createSignIn({
    store,
    provider: () => api.provider ?? live.openId(),
    now: clock.now,
    originOf: (domain) => publicUrl({ domain, pathLocation: '', builtin: false }, settings),
    page,
    failed: (error) => failed(error, { part: 'sign-in' }),
  });
  return {
    fetch(request, connection = IN_PROCESS) {
      // nginx alone can say so: it takes the header away from whatever else it passes on.
      const domainId = connection.trusted ? request.headers.get(ASKING_DOMAIN) : null;
      return domainId === null ? http.fetch(request, connection) : signIn.fetch(request, Number(domainId));
    },
    watchers: http.watchers,
    stop() {
      expiry.stop();
      stopKeyExpiry();
      http.stop();
    },
  };
}
