import { join } from 'node:path';
import { ensureAdministrator, initialPassword } from './administrator.ts';
import { createLog, openSystem, systemClock } from './system.ts';
import type { Config } from '../config.ts';
import { compose, type Gateway } from './compose.ts';
import { createPasswords } from '../api/session/password.ts';
import { type AskAddress, chooseAddress } from './chooseAddress.ts';
import { hostNamesOf, tellHostNames } from './hostNames.ts';
import { addressCandidates, publicNameProblem, readMachineNetwork } from './publicAddress.ts';
import { leaveFormerSettings } from './formerSettings.ts';
import { ingressPorts, unusualPorts } from './ingressPorts.ts';
import { createNameServers } from '../dns/nameServers.ts';
import { createKnownLogs } from '../logs/accessLog.ts';
import { createWitness, leaveOtherDatabase } from './restoredDatabase.ts';
import { openListeners } from './listeners.ts';
import { removeFormerTunnel } from '../tunnel/wireguard/wireguardTunnel.ts';
import { firewallTable, renderFirewallRemoval, renderForwardingGuard } from '../tunnel/render/nftables.ts';
import { seed } from './seed.ts';
import { openLiveSettings } from './liveSettings.ts';
import { shownSettings } from './shownSettings.ts';
import { openKeys } from './keys.ts';
import { createWiredoorTokens } from './wiredoorTokens.ts';
import { type Notice, noticeOfClock, startMessage } from './startMessage.ts';
import { noteStart } from './startNote.ts';
import { type Provider, signInAvailability } from '../signin/provider.ts';
import { testProvider } from '../signin/testProvider.ts';
import { testAuthority } from '../certificates/testAuthority.ts';
import { explainDatabaseError } from '../store/open.ts';
import { openStore } from '../store/store.ts';
import { createBackendProbe } from '../health/backendProbe.ts';
import { openDataDirectory } from '../machine/dataDirectory.ts';
import {
  createDiskReserve,
  DATABASE_FILE,
  gatewayFiles,
  INITIAL_PASSWORD_FILE,
  WITNESS_DIRECTORY,
} from './dataFiles.ts';
import { listenProblem } from '../machine/listenPorts.ts';
import { releaseMemory } from '../machine/releaseMemory.ts';
import { StartError } from '../machine/startError.ts';
import { watchWorkerDeaths } from '../ingress/nginx/logFiles.ts';
import { accessLogOf } from '../ingress/nginx/ingress.ts';
import { createOpenConnections } from '../ingress/nginx/openConnections.ts';
import { devicesWith } from '../tunnel/wireguard/device.ts';
import { localRoutes, vpnNetwork } from '../tunnel/wireguard/localNetworks.ts';

const RESERVE_FILE = 'reserve';
/** How often it is looked whether there is plenty of room again. */
const RESERVE_MS = 60_000;
const KEY_FILE = 'vault.key';
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
  given,
  consoleDirectory,
  packageDirectory,
  terminal,
  askAddress,
}: {
  config: Config;
  /** The settings as they were given, of which a note is left. */
  given: Record<string, string>;
  consoleDirectory: string | null;
  packageDirectory: string | null;
  terminal: Terminal;
  askAddress: AskAddress;
}): Promise<RunningGateway> {
  // Closed in the opposite order, also when the start fails half-way.
  const opened = new AsyncDisposableStack();
  try {
    const data = openDataDirectory(config.dataDirectory);
    opened.defer(data.close);
    noteStart(data.path, given);
    const logLevel = config.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info');
    const log = createLog(logLevel);
    // The start message says them; where the start fails, it is the log that does.
    const notices: Notice[] = [];
    opened.defer(() => notices.forEach(({ label, text }) => log.warn({}, `${label}: ${text}`)));
    const reserve = createDiskReserve(join(data.path, RESERVE_FILE), data.path, accessLogOf(data));
    reserve.makeRoomIfFull();
    const store = openStore(join(data.path, DATABASE_FILE), systemClock.now, {
      otherFiles: () => gatewayFiles(data.path),
      makeRoom: reserve.makeRoom,
    });
    opened.defer(store.close);
    opened.defer(releaseMemory(store.onChange));
    const clock = noticeOfClock(systemClock.now());
    if (clock !== null) notices.push({ label: 'Clock', text: clock });
    const history = await store.history();
    await seed(store, { listen: config.listen });
    // Before anything that outlives the gateway is looked at: without the key, all of it goes on as it is.
    const keys = await openKeys({
      store,
      keyFile: config.keyFile,
      usualKeyFile: join(data.secrets, KEY_FILE),
      forget: config.forgetKeys,
    });
    if (keys.notice !== null) notices.push({ label: 'Keys', text: keys.notice });

    const knownLogs = await createKnownLogs(store);
    const machine = readMachineNetwork(config.vpn.interface);
    const address = await chooseAddress(store, config.vpn, {
      candidates: () => addressCandidates(createNameServers(config.dnsServers), machine),
      ask: askAddress,
    });
    const live = await openLiveSettings({ store, vault: keys.vault, config, open: openIdProvider });
    const vpn = { ...config.vpn, host: address.host };
    const system = await openSystem(
      data,
      keys.vault,
      { historyBytes: config.logHistoryBytes, known: knownLogs, notices: log },
      live.authority,
      config.dnsServers,
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
    let leaveTunnel = system.tunnel.present();
    opened.defer(system.tunnel.close);
    opened.defer(() => (leaveTunnel ? undefined : system.tunnel.remove()));
    // A start that fails leaves nginx as it found it: one that served already goes on serving.
    let leaveNginx = await system.ingress.running();
    opened.defer(system.ingress.close);
    opened.defer(() => (leaveNginx ? undefined : system.ingress.stop()));
    opened.defer(system.logs.close);
    opened.defer(
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
    opened.defer(listeners.close);
    const witness = createWitness(join(data.path, WITNESS_DIRECTORY));
    await leaveOtherDatabase({ ingress: system.ingress, witness, store, known: history, log });

    const ownKeys = [keys.server.publicKey, keys.formerPublicKey].filter((key) => key !== null);
    const former = (await devicesWith(ownKeys)).filter((name) => !vpn.enabled || name !== vpn.interface);
    // What no one can join takes nothing from anybody.
    const routes = system.tunnel.status().available ? localRoutes(vpn.interface) : [];
    const network = vpnNetwork(
      vpn.subnet,
      routes.filter(({ device }) => !former.includes(device)),
    );
    for (const name of former) {
      await removeFormerTunnel(name, vpn.port, renderFirewallRemoval(name)).then(
        () => log.warn({ interface: name }, 'a tunnel that this gateway had with other settings was taken away'),
        (error: unknown) =>
          log.error({ interface: name, err: error }, 'a tunnel of other settings could not be taken away; delete it'),
      );
    }

    const ports = { ...(await ingressPorts(store, config.ports)), console: config.ports.console };
    const hostNames = hostNamesOf(vpn, config.hostNames);
    await tellHostNames(store, hostNames, log);
    await leaveFormerSettings(store, { listen: config.listen, ports, ...hostNames, provider: live.provider() });
    const ownNames = [...new Set([vpn.host, ...config.hostNames, 'localhost', '127.0.0.1', '::1'])];
    // Without a tunnel, no host is told how to reach it.
    const nameless = publicNameProblem(address, machine);
    const composed = compose({
      store,
      system: { ...system, openConnections: createOpenConnections(system.ingress.layout, network) },
      probe: createBackendProbe(),
      clock: systemClock,
      log,
      settings: {
        vpnHost: address.host,
        hostSource: address.source,
        ...hostNames,
        isHostKnown: nameless === null,
        httpsPort: config.publicHttpsPort ?? ports.https,
        consolePort: ports.console,
        vpnSubnet: vpn.subnet,
        tcpPorts: config.tcpPorts,
        nodeLimits: config.nodeLimits,
        shown: () =>
          shownSettings(
            { ...config, oidc: live.provider(), acme: live.authority() },
            { address, dataDirectory: data.path, ports, authority: system.issuer.authority, logLevel },
          ),
        isPasswordSet: config.admin.password !== null,
      },
      ingress: {
        listen: await wildcardAddresses(),
        ownNames,
        httpPort: ports.http,
        httpsPort: ports.https,
        trustedProxies: config.trustedProxies,
      },
      vpn: { ...vpn, ...network, ...keys.server, mtu: null },
      wiredoorClients: config.wiredoorClients,
      ...(keys.wiredoorTokenKey !== null && { wiredoorTokenId: createWiredoorTokens(keys.wiredoorTokenKey) }),
      rejoining: keys.rejoining,
      live,
      signIn: () => signInAvailability(live.provider()),
      test: (service) =>
        service === 'identityProvider' ? testProvider(live.provider()) : testAuthority(system.issuer),
      unavailable: vpn.enabled && nameless !== null ? [nameless] : [],
    });
    opened.defer(composed.stop);
    const { reconciler, nodes, world } = composed;
    await nodes.start();
    // The socket is the gateway's own, in a directory that the next generation makes again.
    const fix = (): Promise<void> => reconciler.publish([]).then(listeners.repairSocket);
    opened.defer(
      system.ingress.onDamage(() => {
        fix().catch((error: unknown) => log.error({ err: error }, 'the socket for nginx could not be made again'));
      }),
    );
    const { problem, isDiskFull } = await reconciler.start();
    if (problem !== null) {
      if (isDiskFull !== true) throw new StartError(problem);
      // To make room, an administrator has to sign in first.
      log.error({ problem }, 'what nginx served last is served, until there is space on the disk');
    }
    // Anyone who asks first is told how the nodes are, not that no one looked yet.
    await nodes.look();

    const passwords = createPasswords();
    const passwordFile = join(data.path, INITIAL_PASSWORD_FILE);
    const gateway = await composed.open({
      passwords,
      consoleDirectory,
      packageDirectory,
      signedIn: () => initialPassword.remove(passwordFile),
      failed: (error, facts) => log.error({ ...facts, err: error }, 'an unexpected error'),
      // What could not be saved is no mistake of the caller's.
      refused: (facts) => log[facts.status === UNSAVED ? 'error' : 'info'](facts, 'a request was refused'),
    });

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
    // No one is answered before there is someone who may sign in.
    ready.resolve(gateway);
    const { fingerprint256 } = await system.certificates.ensureSelfSigned(ownNames);
    terminal.write(
      startMessage({
        config,
        host: address.host,
        addressNotice: address.notice,
        dataDirectory: data.path,
        ports,
        fingerprint256,
        passwordFile,
        portsNotice: await unusualPorts(ports, config.ports),
        notices: notices.splice(0),
        unavailable: world.unavailable(),
      }),
    );
    leaveNginx = true;
    leaveTunnel = true;
    reserve.hold();
    const holding = setInterval(reserve.hold, RESERVE_MS).unref();
    opened.defer(() => clearInterval(holding));

    return {
      async stop({ everything }) {
        log.info({ everything }, 'stopping');
        leaveNginx = !everything;
        leaveTunnel = !everything;
        try {
          await opened.disposeAsync();
        } catch (error) {
          for (const each of failuresOf(error)) log.error({ err: each }, 'something could not be closed');
          throw error;
        }
      },
    };
  } catch (error) {
    // The first failure is the reason; what fails after it only follows from it.
    await opened.disposeAsync().catch(() => undefined);
    throw explainDatabaseError(join(config.dataDirectory, DATABASE_FILE), error);
  }
}

/** Everything that could not be closed, the first one first. */
const failuresOf = (error: unknown): unknown[] =>
  error instanceof SuppressedError ? [...failuresOf(error.suppressed), error.error] : [error];

async function openIdProvider(settings: Config['oidc']): Promise<Provider | null> {
  const { issuer, clientId, clientSecret } = settings;
  const { available } = signInAvailability(settings);
  if (!available || issuer === null || clientId === null || clientSecret === null) return null;
  // Most gateways ask no one to sign in; those do without the memory that the library takes.
  const { createOpenIdProvider } = await import('../signin/openIdProvider.ts');
  return createOpenIdProvider({ issuer, clientId, clientSecret }, systemClock.now);
}

/** All addresses of the machine, in both families where it has both. */
async function wildcardAddresses(): Promise<string[]> {
  return (await listenProblem('tcp', '::', ANY_PORT)) === null ? ['0.0.0.0', '[::]'] : ['0.0.0.0'];
}
