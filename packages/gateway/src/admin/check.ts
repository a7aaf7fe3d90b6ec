import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatRelative } from '@sallyport/sdk/format';
import { type Config, givenSettings, readConfig } from '../config.ts';
import { createDomainDns } from '../dns/domainDns.ts';
import { createNameServers } from '../dns/nameServers.ts';
import { ingressLayout } from '../ingress/nginx/ingress.ts';
import { findMaster } from '../ingress/nginx/process.ts';
import { findNginx } from '../ingress/nginx/program.ts';
import { gatewayUsing } from '../machine/dataDirectory.ts';
import { freeBytes } from '../machine/freeBytes.ts';
import { listenProblem } from '../machine/listenPorts.ts';
import { resolveHost } from '../machine/names.ts';
import { findProgram } from '../machine/runProgram.ts';
import { StartError } from '../machine/startError.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { readLastBackup } from '../start/lastBackup.ts';
import { readSettings } from '../store/open.ts';
import { isClockWrong, SET_CLOCK } from '../rules/wrongClock.ts';
import { gatewayOfSudoer } from '../start/gatewayOfSudoer.ts';
import { inUrl } from '../start/startMessage.ts';
import { chooseIngressPorts, soundPorts, unusualPorts } from '../start/ingressPorts.ts';
import { changesSinceStart } from '../start/startNote.ts';
import { kernelHasWireguard, tunnelMachine } from '../tunnel/wireguard/device.ts';
import { checkAddress } from './checkAddress.ts';
import { checkDomains } from './checkDomains.ts';
import { checkPermissions, quoted } from './checkPermissions.ts';
import { commands } from '../start/commands.ts';
import { checkCertificates } from './checkCertificates.ts';
import { type Finding, fine, wrong } from './finding.ts';
import { checkGateway, type Waiting } from './health.ts';
import { servedFingerprint } from './servedFingerprint.ts';
import { isUnitStarting } from './startingUnit.ts';
import { storedDomains } from './storedDomains.ts';
import type { World } from '../world.ts';

const MB = 1024 * 1024;
const LEAST_FREE_MB = 200;
const LOOK_UP_MAX_MS = 2000;
const MORE_DIRECTORIES = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/snap/bin'];

const INSTALL = {
  todo: 'Install it',
  command: (packages: string) => `sudo apt-get install --no-install-recommends ${packages}`,
};

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Looks for what keeps a gateway with these settings from running or from being reached. It changes nothing.
 * @param waiting.told is told what is waited for
 * @param waiting.waitMs how long a gateway that starts may take until it answers
 */
export async function check(env: NodeJS.ProcessEnv, waiting: Waiting = {}): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const [name = 'NAME'] = /SALLYPORT_\w+/.exec(error.message) ?? [];
    return [wrong('settings', error.message, 'Change it where it is set', commands.setting(`${name}=VALUE`))];
  }
  const { dataDirectory } = config;
  const isUsed = (): boolean => checkData(dataDirectory).holder !== undefined;
  // Between the two gateways of a reload nginx alone tells that there is to be one, and before its first moments systemd.
  const isServing = hasNginx(dataDirectory);
  const isExpected = isUsed() || isServing || (await isUnitStarting());
  const gateway = isExpected ? [await checkGateway(config, { isUsed, isServing }, waiting)] : [];
  const other = gatewayOfSudoer(env);
  const data = checkData(dataDirectory, other);
  const isRunning = data.holder !== undefined;
  const address = await checkAddress(config);
  return [
    fine('settings', 'they can be read'),
    data.finding,
    ...gateway,
    ...(data.holder === undefined ? [] : changesSinceStart(dataDirectory, givenSettings(env), data.holder)),
    ...checkPermissions(config),
    checkBackup(dataDirectory),
    checkDisk(dataDirectory),
    checkClock(),
    ...(await checkPrograms(config)),
    ...(isRunning ? [fine('ports', 'the running gateway has them')] : await checkPorts(config)),
    ...(await checkUnusualPorts(config)),
    ...address.findings,
    ...(await checkDomains(await domainNames(dataDirectory), domainDns(config, address.host))),
    ...checkFront(config, address.host),
    ...(isRunning ? await certificateOf(config) : []),
    ...(await checkCertificates(dataDirectory)),
  ];
}

const domainNames = async (dataDirectory: string): Promise<string[]> =>
  (await storedDomains(dataDirectory)).map(({ domain }) => domain);

/** Looks up domains as the gateway with these settings does, only less patiently. */
const domainDns = ({ dnsServers, trustedProxies }: Config, host: string): World['dns'] =>
  createDomainDns({
    nameServers: createNameServers(dnsServers, LOOK_UP_MAX_MS),
    names: { resolve: (name) => resolveHost(name, undefined, LOOK_UP_MAX_MS) },
    publicHost: () => host,
    proxies: trustedProxies,
    now: () => new Date(),
  });

/** What to compare with the one that a browser shows. Without an nginx there is none, which is said elsewhere. */
async function certificateOf({ ports }: Config): Promise<Finding[]> {
  const shown = await servedFingerprint(ports.console).catch(() => null);
  return shown === null ? [] : [fine('certificate', `the console's is self-signed, SHA-256 ${shown}`)];
}

/** What is in front of the gateway, and where the console is then. */
function checkFront({ dataDirectory, trustedProxies, publicHttpsPort, ports }: Config, host: string): Finding[] {
  const port = publicHttpsPort ?? ports.https ?? keptPorts(dataDirectory)?.https ?? null;
  const ofDomain = port === null ? 'at its domain' : `at https://DOMAIN${port === 443 ? '' : `:${port}`}/`;
  const own = `https://${inUrl(host)}:${ports.console}/`;
  const trusted = trustedProxies.join(', ');
  return [
    ...(trustedProxies.length === 0 ? [] : [fine('proxies', `${trusted}: they say who the visitor is`)]),
    fine('console', `${own}, where hosts join; with a domain of its own also ${ofDomain}`),
  ];
}

/**
 * Whether the directory can be used; `holder` is the process of a gateway that does.
 * @param other what was found where the user who called sudo would have a gateway
 */
function checkData(
  directory: string,
  other: ReturnType<typeof gatewayOfSudoer> = null,
): { finding: Finding; holder?: number | null } {
  const what = 'data';
  if (other !== null) {
    const { reason, fix } = other;
    return { finding: fix === null ? fine(what, reason) : wrong(what, reason, fix.todo, fix.command) };
  }
  if (!existsSync(directory)) return { finding: fine(what, `${directory} is made at the first start`) };
  try {
    const holder = gatewayUsing(directory);
    if (holder === undefined) return { finding: fine(what, `${directory}; no gateway is using it`) };
    const who = holder === null ? 'a gateway' : `the gateway of process ${holder}`;
    return { finding: fine(what, `${directory}; ${who} is using it`), holder };
  } catch (error) {
    const text = `${directory} cannot be used: ${sentenceOf(error)}.`;
    const asRoot = `sudo SALLYPORT_DATA=${quoted(directory)} sallyport-gateway check`;
    return { finding: wrong(what, text, 'See whether root can', asRoot) };
  }
}

/** None is no fault: there may be one by other means. */
function checkBackup(directory: string): Finding {
  const what = 'backup';
  const now = new Date();
  const last = readLastBackup(directory, now);
  if (last === null) return fine(what, 'none was made with sallyport-gateway backup');
  const text = `the last one was made ${formatRelative(last.at, now)}, at ${last.at}${last.file === null ? '' : `, ${last.file}`}`;
  return last.isOld ? wrong(what, `${text}.`, 'Make another', commands.run('backup FILE')) : fine(what, text);
}

function checkDisk(directory: string): Finding {
  const parents = [directory];
  while (!existsSync(parents.at(-1) ?? '/')) parents.push(dirname(parents.at(-1) ?? '/'));
  const free = Math.floor(freeBytes(parents.at(-1) ?? '/') / MB);
  const text = free < 10 * 1024 ? `${free} MB are free` : `${Math.floor(free / 1024)} GB are free`;
  return free < LEAST_FREE_MB
    ? wrong('disk', `${text}.`, 'Make room', `df -h ${quoted(directory)}`)
    : fine('disk', text);
}

function checkClock(): Finding {
  const now = new Date();
  return isClockWrong(now)
    ? wrong('clock', `it is set to ${now.toISOString()}, so no certificate can be had.`, 'Set it', SET_CLOCK)
    : fine('clock', now.toISOString());
}

async function checkPrograms({ vpn }: Config): Promise<Finding[]> {
  const found: Finding[] = [];
  try {
    const { version, hasStream, headersModule } = await findNginx();
    const modules = [
      { isThere: hasStream, name: 'stream', lack: 'streams, so TCP and UDP services stay off' },
      {
        isThere: headersModule !== null,
        name: 'http-headers-more-filter',
        lack: 'module for headers, so a proxy in front must not pass on an empty Upgrade',
      },
    ];
    const lacks = modules
      .filter(({ isThere }) => !isThere)
      .map(({ name, lack }) =>
        wrong('nginx', `${version} has no ${lack}.`, INSTALL.todo, INSTALL.command(`libnginx-mod-${name}`)),
      );
    found.push(...(lacks.length === 0 ? [fine('nginx', version)] : lacks));
  } catch (error) {
    found.push(
      wrong(
        'nginx',
        sentenceOf(error),
        INSTALL.todo,
        INSTALL.command('nginx-light libnginx-mod-stream libnginx-mod-http-headers-more-filter'),
      ),
    );
  }
  for (const [program, without] of [
    ['openssl', 'no certificate can be made'],
    ['certbot', 'domains have self-signed certificates only'],
  ] as const) {
    found.push(
      findProgram(program, MORE_DIRECTORIES) === null
        ? wrong(program, `it is missing: ${without}.`, INSTALL.todo, INSTALL.command(program))
        : fine(program, 'it is there'),
    );
  }
  if (!vpn.enabled) return [...found, fine('tunnel', 'SALLYPORT_TUNNEL is off')];
  const tunnel = await tunnelMachine();
  if (!tunnel.available) return [...found, wrong('tunnel', tunnel.reason, 'For a tunnel', tunnel.command)];
  const program = (await kernelHasWireguard())
    ? "the kernel's WireGuard"
    : 'wireguard-go, since this kernel has no WireGuard';
  return [...found, fine('tunnel', program)];
}

/** The ports of a gateway that does not run. nginx may go on serving without one, on the visitors' ports. */
async function checkPorts({ dataDirectory, listen, ports, vpn }: Config): Promise<Finding[]> {
  const isServing = hasNginx(dataDirectory);
  const kept = keptPorts(dataDirectory);
  const asked = [
    { name: 'SALLYPORT_LISTEN', protocol: 'tcp', host: listen.host, port: listen.port, isNginx: false },
    ...[
      { name: 'SALLYPORT_CONSOLE_PORT', port: ports.console },
      { name: 'SALLYPORT_HTTP_PORT', port: ports.http ?? kept?.http ?? null },
      { name: 'SALLYPORT_HTTPS_PORT', port: ports.https ?? kept?.https ?? null },
    ].flatMap(({ name, port }) =>
      port === null ? [] : [{ name, protocol: 'tcp' as const, host: '0.0.0.0', port, isNginx: true }],
    ),
    ...(vpn.enabled
      ? [{ name: 'SALLYPORT_VPN_PORT', protocol: 'udp' as const, host: '0.0.0.0', port: vpn.port, isNginx: isServing }]
      : []),
  ] as const;
  const found: Finding[] = [];
  for (const { name, protocol, host, port, isNginx } of asked) {
    const problem = isNginx && isServing ? null : await listenProblem(protocol, host, port);
    const what = `port ${port}`;
    if (problem === null) found.push(fine(what, `${name} can be had`));
    else if (problem === 'EACCES')
      found.push(wrong(what, `${name}: only root may listen there.`, 'Run it as root', 'sudo npm start'));
    else if (problem === 'EADDRINUSE')
      found.push(
        wrong(
          what,
          `${name}: another program listens there.`,
          `Set ${name}, or end the other one, which this names`,
          `sudo ss --listening --processes --numeric 'sport = :${port}'`,
        ),
      );
    else {
      const text = `${name}: it cannot be listened on (${problem}).`;
      found.push(wrong(what, text, `Set ${name}`, commands.setting(`${name}=PORT`)));
    }
  }
  const isChosen = kept === null && (ports.http === null || ports.https === null);
  return isChosen ? [...found, await checkChoice(ports)] : found;
}

/** Where other ports than 80 and 443 were chosen at the first start. */
async function checkUnusualPorts({ dataDirectory, ports }: Config): Promise<Finding[]> {
  const kept = keptPorts(dataDirectory);
  const found = kept === null ? null : await unusualPorts(kept, ports);
  return found === null ? [] : [wrong('ports', found.reason, found.todo, commands.setting(found.setting))];
}

/** Those on which visitors arrived at the start before; null: there was none, or it cannot be read, which the start says. */
function keptPorts(dataDirectory: string): ReturnType<typeof soundPorts> {
  const file = join(dataDirectory, DATABASE_FILE);
  if (!existsSync(file)) return null;
  try {
    const stored = readSettings(file);
    return soundPorts({ http: stored.get('httpPort') ?? null, https: stored.get('httpsPort') ?? null });
  } catch {
    return null;
  }
}

/** What the next start makes of ports that neither the settings nor a start before name. */
async function checkChoice({ http, https }: Config['ports']): Promise<Finding> {
  const what = 'ports';
  try {
    const chosen = await chooseIngressPorts();
    return fine(what, `visitors arrive on ${http ?? chosen.http} and ${https ?? chosen.https} after the first start`);
  } catch (error) {
    const both = commands.setting('SALLYPORT_HTTP_PORT=PORT SALLYPORT_HTTPS_PORT=PORT');
    return wrong(what, sentenceOf(error), 'Set SALLYPORT_HTTP_PORT and SALLYPORT_HTTPS_PORT', both);
  }
}

/** Whether the nginx of an earlier gateway is still serving. */
export function hasNginx(dataDirectory: string): boolean {
  if (!existsSync(dataDirectory)) return false;
  const path = realpathSync(dataDirectory);
  const directories = { ingress: join(path, 'ingress'), secrets: join(path, 'secrets'), workerUser: null };
  // What it can do says nothing of where its files are.
  return (
    findMaster(
      ingressLayout(directories, { hasStream: false, streamModule: null, headersModule: null, hasHalfClose: false }),
    ) !== null
  );
}
