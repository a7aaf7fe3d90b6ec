import { join } from 'node:path';
import { ensureAdministrator, initialPassword } from './administrator.ts';
import { systemClock } from './clock.ts';
import type { Config } from '../config.ts';
import { createGateway, type Gateway } from './createGateway.ts';
import { createPasswords } from '../api/session/password.ts';
import { hostNamesOf, tellHostNames } from './hostNames.ts';
import { ingressPorts } from './ingressPorts.ts';
import { createKnownLogs } from '../logs/knownLogs.ts';
import { openListeners } from './listeners.ts';
import { createLog } from './log.ts';
import type { SignInState } from '../world.ts';
import { createBackendHealth } from '../health/backendHealth.ts';
import { createIssuedCertificates } from '../certificates/renewal.ts';
import { createReconciler } from '../ingress/reconcile.ts';
import { createTunnelFollower } from '../tunnel/reconcile.ts';
import { createTunnelWatch } from '../tunnel/monitor.ts';
import { firewallTable, renderFirewallRemoval, renderForwardingGuard } from '../tunnel/render/nftables.ts';
import { publicNameProblem } from './publicName.ts';
import { seed } from './seed.ts';
import { openKeys } from './keys.ts';
import { startMessage } from './startMessage.ts';
import type { Provider } from '../signin/provider.ts';
import { signInAvailability, signInProblem } from '../signin/signInAvailability.ts';
import { explainDatabaseError } from '../store/open.ts';
import { openStore } from '../store/store.ts';
import { createBackendProbe } from '../health/backendProbe.ts';
import { openDataDirectory } from '../machine/dataDirectory.ts';
import { createDiskReserve } from './diskReserve.ts';
import { gatewayFiles } from './gatewayFiles.ts';
import { listenProblem } from '../machine/listenPorts.ts';
import { StartError } from '../machine/startError.ts';
import { openSystem } from './system.ts';
import { watchWorkerDeaths } from '../ingress/nginx/workerDeaths.ts';
import { createFlows } from '../ingress/nginx/openConnections.ts';
import { localRoutes } from '../tunnel/wireguard/localRoutes.ts';
import { vpnNetwork } from './vpnNetwork.ts';
import { createWorld } from './createWorld.ts';

const DATABASE_FILE = 'sallyport.db';
const RESERVE_FILE = 'reserve';
/** How often it is looked whether there is plenty of room again. */
const RESERVE_MS = 60_000;
const KEY_FILE = 'vault.key';
const INITIAL_PASSWORD_FILE = 'initial-password';
const ANY_PORT = 0;
/** The status of a write that the disk did not take. */
const UNSAVED = 507;

type Terminal = { isTTY?: boolean; write(text: string): unknown };

/** A gateway that serves. */
export type RunningGateway = {
  /** @param options.everything end nginx and the tunnel as well, which else go on serving */
  stop(options: { everything: boolean }): Promise<void>;
};

/**
 * Starts the gateway on the real machine and says where it is.
 * @throws {StartError} or {DatabaseError}: one sentence that says what to do; nothing was overwritten
 */
export async function startGateway({
  config,
  consoleDirectory,
  terminal,
}: {
  config: Config;
  consoleDirectory: string | null;
  terminal: Terminal;
}): Promise<RunningGateway> {
  // What has been opened, to be closed in the opposite order, also when the start fails half-way.
  const closers: (() => unknown)[] = [];
  const closeAll = async (): Promise<unknown[]> => {
    const failures: unknown[] = [];
    for (const close of closers.splice(0).toReversed()) {
      try {
        await close();
      } catch (error) {
        // What is left must be closed all the same.
        failures.push(error);
      }
    }
    return failures;
  };
  try {
    const data = openDataDirectory(config.dataDirectory);
    closers.push(data.close);
    const log = createLog(config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info'));
    const reserve = createDiskReserve(join(data.path, RESERVE_FILE), data.path);
    reserve.releaseIfFull();
    const store = openStore(join(data.path, DATABASE_FILE), systemClock.now, {
      otherFiles: () => gatewayFiles(data.path),
      makeRoom: reserve.release,
    });
    closers.push(store.close);
    await seed(store, { listen: config.listen });
    // Before anything that outlives the gateway is looked at: without the key, all of it goes on as it is.
    const keys = await openKeys({
      store,
      keyFile: config.keyFile,
      usualKeyFile: join(data.secrets, KEY_FILE),
      forget: config.forgetKeys,
    });
    if (keys.notice !== null) log.warn({}, keys.notice);

    const knownLogs = await createKnownLogs(store);
    const { vpn } = config;
    const system = await openSystem(
      data,
      keys.vault,
      { historyBytes: config.logHistoryBytes, known: knownLogs, notices: log },
      config.acme,
      vpn.enabled
        ? {
            ...vpn,
            firewall: {
              table: firewallTable(vpn.interface),
              removal: renderFirewallRemoval(vpn.interface),
              guard: (devices) => renderForwardingGuard(vpn.interface, devices),
            },
            formerKey: keys.formerPublicKey,
          }
        : null,
    );
    // What nobody can join takes nothing from anybody.
    const routes = system.tunnel.status().available ? localRoutes(vpn.interface) : [];
    const network = vpnNetwork(vpn.subnet, routes);
    let leaveTunnel = system.tunnel.present();
    closers.push(system.tunnel.close, () => (leaveTunnel ? undefined : system.tunnel.remove()));
    // A start that fails leaves nginx as it found it: one that served already goes on serving.
    let leaveNginx = await system.ingress.running();
    closers.push(system.ingress.close, () => (leaveNginx ? undefined : system.ingress.stop()), system.logs.close);
    closers.push(
      watchWorkerDeaths(system.ingress.layout.errorLog, (death) =>
        log.warn(death, 'a worker of nginx ended unexpectedly; nginx has another one in its place'),
      ),
    );
    const ready = Promise.withResolvers<Gateway>();
    // Before nginx: a second gateway on the same address must not touch anything.
    const listeners = await openListeners({
      gateway: ready.promise,
      listen: config.listen,
      socket: system.ingress.layout.gatewaySocket,
      workerUser: data.workerUser,
    });
    closers.push(listeners.close);

    const ports = { ...(await ingressPorts(store, config.ports)), console: config.ports.console };
    const hostNames = hostNamesOf(vpn, config.hostNames);
    await tellHostNames(store, hostNames, log);
    const ownNames = [...new Set([config.vpn.host, ...config.hostNames, 'localhost', '127.0.0.1', '::1'])];
    const signIn = signInAvailability(config.oidc);
    const health = createBackendHealth({ probe: createBackendProbe(), clock: systemClock });
    closers.push(health.stop);
    const { issuer } = system;
    const issued = createIssuedCertificates({ issuer, clock: systemClock, httpPort: ports.http, log });
    closers.push(issued.stop);
    const nodes = createTunnelWatch({ tunnel: system.tunnel, store, log, rejoining: keys.rejoining });
    closers.push(nodes.stop);
    const tunnel = createTunnelFollower({
      tunnel: system.tunnel,
      vault: system.vault,
      endpoints: () => nodes.look().then(nodes.endpoints),
      log,
      settings: {
        ...network,
        ...keys.server,
        interface: vpn.interface,
        port: vpn.port,
        publicPorts: [...Object.values(ports), config.tcpPorts],
      },
    });
    closers.push(tunnel.stop);
    await nodes.start();
    const reconciler = createReconciler({
      store,
      tunnel,
      nodes,
      ingress: system.ingress,
      flows: createFlows(system.ingress.layout, network),
      health,
      issued,
      names: system.names,
      certificates: system.certificates,
      signInProblem: () => signInProblem(signIn),
      options: { listen: await wildcardAddresses(), ports, ownNames, ...hostNames },
      log,
      now: systemClock.now,
    });
    closers.push(reconciler.stop);
    // The socket is the gateway's own, in a directory that the next generation makes anew.
    const mend = (): Promise<void> => reconciler.publish([]).then(listeners.mendSocket);
    closers.push(
      system.ingress.onDamage(() => {
        mend().catch((error: unknown) => log.error({ err: error }, 'the socket for nginx could not be made anew'));
      }),
    );
    const { problem, isDiskFull } = await reconciler.start();
    if (problem !== null) {
      if (isDiskFull !== true) throw new StartError(problem);
      // To make room, an administrator has to sign in first.
      log.error({ problem }, 'what nginx served last is served, until there is room on the disk');
    }
    // Whoever asks first is told how the nodes are, not that nobody looked yet.
    await nodes.look();

    // Without a tunnel, no host is told how to reach it.
    const nameless = vpn.enabled ? publicNameProblem(vpn) : null;
    const passwords = createPasswords();
    const passwordFile = join(data.path, INITIAL_PASSWORD_FILE);
    const world = createWorld({
      system,
      reconciler,
      health,
      issued,
      tunnel,
      nodes,
      clock: systemClock,
      vpn: { ...config.vpn, publicKey: keys.server.publicKey, mtu: null },
      signIn,
      off: nameless === null ? [] : [nameless],
    });
    const gateway = await createGateway({
      store,
      clock: systemClock,
      world,
      publish: reconciler.publish,
      settings: {
        vpnHost: config.vpn.host,
        ...hostNames,
        isHostKnown: publicNameProblem(vpn) === null,
        httpsPort: ports.https,
        consolePort: ports.console,
        vpnSubnet: config.vpn.subnet,
        tcpPorts: config.tcpPorts,
        nodeLimits: config.nodeLimits,
      },
      passwords,
      provider: await openIdProvider(config.oidc, signIn),
      consoleDirectory,
      signedIn: () => initialPassword.remove(passwordFile),
      failed: (error, facts) => log.error({ ...facts, err: error }, 'an unexpected error'),
      // What could not be saved is no mistake of the caller's.
      refused: (facts) => log[facts.status === UNSAVED ? 'error' : 'info'](facts, 'a request was refused'),
    });
    closers.push(gateway.stop);

    if (config.admin.password !== null) initialPassword.remove(passwordFile);
    await ensureAdministrator({
      store,
      passwords,
      wanted: config.admin,
      tell(password) {
        if (terminal.isTTY) terminal.write(`\nThe administrator's password, shown this once: ${password.reveal()}\n`);
        else initialPassword.write(passwordFile, password);
      },
    });
    // Nobody is answered before there is somebody who may sign in.
    ready.resolve(gateway);
    const { fingerprint256 } = await system.certificates.ensureSelfSigned(ownNames);
    terminal.write(
      startMessage({
        config,
        dataDirectory: data.path,
        ports,
        fingerprint256,
        passwordFile,
        notice: keys.notice,
        off: world.off(),
      }),
    );
    leaveNginx = true;
    leaveTunnel = true;
    reserve.hold();
    const holding = setInterval(reserve.hold, RESERVE_MS).unref();
    closers.push(() => clearInterval(holding));

    return {
      async stop({ everything }) {
        log.info({ everything }, 'stopping');
        leaveNginx = !everything;
        leaveTunnel = !everything;
        const failures = await closeAll();
        for (const error of failures) log.error({ err: error }, 'something could not be closed');
        if (failures.length > 0) throw new AggregateError(failures, 'The gateway could not be closed in order.');
      },
    };
  } catch (error) {
    // The first failure is the reason; what fails after it only follows from it.
    await closeAll();
    throw explainDatabaseError(join(config.dataDirectory, DATABASE_FILE), error);
  }
}

async function openIdProvider(
  { issuer, clientId, clientSecret }: Config['oidc'],
  { available }: SignInState,
): Promise<Provider | null> {
  if (!available || issuer === null || clientId === null || clientSecret === null) return null;
  // Most gateways ask nobody to sign in; those do without the memory that the library takes.
  const { createOpenIdProvider } = await import('../signin/openIdProvider.ts');
  return createOpenIdProvider({ issuer, clientId, clientSecret }, systemClock.now);
}

/** All addresses of the machine, in both families where it has both. */
async function wildcardAddresses(): Promise<string[]> {
  return (await listenProblem('tcp', '::', ANY_PORT)) === null ? ['0.0.0.0', '[::]'] : ['0.0.0.0'];
}
