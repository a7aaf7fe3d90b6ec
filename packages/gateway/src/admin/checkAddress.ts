import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { createNameServers } from '../dns/nameServers.ts';
import { knownAddress } from '../start/chooseAddress.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import {
  addressCandidates,
  type ChosenAddress,
  publicNameProblem,
  readMachineNetwork,
  reportAddress,
} from '../start/publicAddress.ts';
import { DatabaseError, OlderDatabaseError, readSettings } from '../store/open.ts';
import { openStore } from '../store/store.ts';
import { findDevice } from '../tunnel/wireguard/device.ts';
import type { PeerReading } from '../tunnel/wireguard/tunnel.ts';
import { commands } from '../start/commands.ts';
import { type Finding, fine, warning, wrong } from './finding.ts';

/** How long the tunnel may take to answer. */
const TUNNEL_MAX_MS = 2000;

/** By what hosts and visitors are told to reach this machine, and what is known of whether that leads here. */
export async function checkAddress({
  dataDirectory,
  dnsServers,
  vpn,
}: Config): Promise<{ findings: Finding[]; host: string }> {
  const what = 'public address';
  const nameServers = createNameServers(dnsServers);
  const machine = readMachineNetwork(vpn.interface);
  try {
    const { chosen, stored, isOlder } = await readAddress(join(dataDirectory, DATABASE_FILE), vpn);
    const older = isOlder ? [fine('database', 'it is of an earlier version; the next start updates it')] : [];
    if (chosen === null) {
      const [first] = await addressCandidates(nameServers, machine);
      const text = first === undefined ? vpn.host : `${first.host} (${first.what})`;
      return {
        host: vpn.host,
        findings: [
          ...older,
          fine(what, `the first start asks for it on a terminal, else takes ${text}; SALLYPORT_VPN_HOST sets it`),
        ],
      };
    }
    const { host } = chosen;
    const problem = publicNameProblem(chosen, machine);
    const change = commands.setting('SALLYPORT_VPN_HOST=NAME');
    if (problem !== null) {
      const todo = problem.fix.replace(/\.$/, '');
      return { host, findings: [...older, wrong(what, problem.reason, todo, change)] };
    }
    const { warnings, facts, silence, hasAddress } = await reportAddress(chosen, nameServers, machine);
    const lastHandshake = await lastSign(stored, () => readTunnel(vpn));
    const heard =
      lastHandshake === null
        ? []
        : [
            `Last sign of a node: ${new Date(lastHandshake).toISOString()}. A node that is connected gives one every two minutes.`,
          ];
    const text = [`${chosen.host}, ${SAYERS[chosen.source]}.`, ...warnings, ...facts, ...heard].join(' ');
    const todo = CHANGES[chosen.source];
    const judge = (): Finding => {
      if (warnings.length === 0) return fine(what, `${text} ${todo}: ${change}`);
      // What no name server could say is the fault of none but these.
      return hasAddress || silence !== null ? warning(what, text, todo, change) : wrong(what, text, todo, change);
    };
    return { host, findings: [...older, ...(silence === null ? [] : [silent(silence, dnsServers)]), judge()] };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return {
      host: vpn.host,
      findings: [wrong('database', error.message, 'To restore a backup', commands.run('restore FILE'))],
    };
  }
}

/** Name servers that do not answer. */
const silent = (silence: string, given: readonly string[]): Finding =>
  given.length === 0
    ? wrong(
        'name servers',
        `${silence} Until then, no certificate of Let's Encrypt can be had, and no host be found by its name.`,
        'Check that this machine reaches them on port 53, or name others',
        'sudoedit /etc/resolv.conf',
      )
    : wrong(
        'name servers',
        `${silence} Until then, the gateway cannot tell where domains lead.`,
        'Check that this machine reaches them, or name others with SALLYPORT_DNS_SERVERS',
        commands.setting('SALLYPORT_DNS_SERVERS=ADDRESS'),
      );

const SAYERS: Record<ChosenAddress['source'], string> = {
  environment: 'by SALLYPORT_VPN_HOST',
  setting: 'chosen at the first start or in the console',
  machine: 'the name of this machine',
};
const IN_CONSOLE = 'To change it, Settings in the console and start the gateway again, or SALLYPORT_VPN_HOST';
const CHANGES: Record<ChosenAddress['source'], string> = {
  environment: 'To change it, SALLYPORT_VPN_HOST',
  setting: IN_CONSOLE,
  machine: IN_CONSOLE,
};

/**
 * What was decided, null where no gateway was started, and when nodes were heard, in milliseconds since 1970, as it was stored:
 * that is not looked for in a database of an earlier version.
 */
async function readAddress(
  file: string,
  vpn: Config['vpn'],
): Promise<{ chosen: ChosenAddress | null; stored: number[]; isOlder: boolean }> {
  const none = { stored: [], isOlder: false };
  if (!existsSync(file)) return { ...none, chosen: vpn.isHostGiven ? { host: vpn.host, source: 'environment' } : null };
  let store;
  try {
    store = openStore(file, () => new Date(), { mayMigrate: false });
  } catch (error) {
    if (!(error instanceof OlderDatabaseError)) throw error;
    const values = readSettings(file);
    const settings = { get: async (key: string) => values.get(key) ?? null };
    const chosen = await knownAddress({ settings, nodes: { all: async () => [] } }, vpn);
    return { ...none, chosen, isOlder: true };
  }
  try {
    const stored = (await store.nodeTraffic.all()).flatMap(({ handshakeAt }) => handshakeAt ?? []);
    return { ...none, chosen: await knownAddress(store, vpn), stored };
  } finally {
    await store.close();
  }
}

/**
 * When a node was last heard, in milliseconds since 1970; null: never. What is stored is minutes old; the tunnel knows, where it
 * can be asked.
 */
export async function lastSign(
  stored: readonly number[],
  readNow: () => Promise<readonly Pick<PeerReading, 'handshakeAt'>[]>,
): Promise<number | null> {
  const read = await readNow().catch(() => []);
  const heard = [...stored, ...read.flatMap(({ handshakeAt }) => handshakeAt ?? [])];
  return heard.length === 0 ? null : Math.max(...heard);
}

async function readTunnel(vpn: Config['vpn']): Promise<readonly PeerReading[]> {
  const device = vpn.enabled ? await findDevice(vpn.interface) : null;
  if (device === null) return [];
  const late = Promise.withResolvers<never>();
  // It also keeps the process alive, which a conversation with wireguard-go does not.
  const timer = setTimeout(() => late.reject(new Error('WireGuard does not answer.')), TUNNEL_MAX_MS);
  try {
    return await Promise.race([device.read(), late.promise]);
  } finally {
    clearTimeout(timer);
    device.close();
  }
}
