import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { printable } from '@sallyport/sdk/lines';
import { type Config, readConfig } from '../config.ts';
import { StartError } from '../machine/startError.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { openStore } from '../store/store.ts';
import { localRoutes, usedAddresses, vpnNetwork } from '../tunnel/wireguard/localNetworks.ts';
import { createKeyVault } from '../vault/keyVault.ts';
import type { Secret } from '../vault/secret.ts';
import { keptNameOf, mustBeUnused, putInPlace } from './dataSwap.ts';
import { COMPLETE_FILE, finishRestore, unpackedOf } from './finishRestore.ts';
import { withoutRoom } from './noRoom.ts';
import { leftText, lineOf } from './importServices.ts';
import { keepPair, readCertbotPair } from './issuedPairs.ts';
import { readWiredoor } from './wiredoorDatabase.ts';
import { readWiredoorApi } from './wiredoorApi.ts';
import type { WiredoorCalls } from './wiredoorCalls.ts';
import { planWiredoor, type WiredoorPlan } from './wiredoorPlan.ts';
import { writeWiredoor } from './writeWiredoor.ts';

/** What becomes of a Wiredoor server, or became. */
export type WiredoorOutcome = {
  /** `there`: the gateway of the data directory is that server already. */
  state: 'new' | 'made' | 'there';
  plan: WiredoorPlan;
  /** The domains whose certificates go along. */
  certificates: string[];
  /** What has to be done before, in sentences. */
  obstacles: string[];
  directory: string;
};

/** Where a Wiredoor server is read. */
export type WiredoorSource =
  /** `certificates` is what it has as /etc/letsencrypt. */
  | { directory: string; certificates: string }
  /** Its API, which tells no keys: all hosts have to join again. */
  | { calls: WiredoorCalls; origin: string };

/**
 * Makes a gateway of a Wiredoor server: its key, network and addresses, so that its nodes notice nothing. What is there is
 * read alone. The new data directory is made next to its place and put there in the end; killed at any moment, the former
 * one or the new one is there (`finishRestore`).
 * @param options.apply false: nothing is changed
 * @throws {StartError} when the source is no Wiredoor server's, or a gateway uses the data directory
 */
export async function importWiredoor(
  env: NodeJS.ProcessEnv,
  { source, apply }: { source: WiredoorSource; apply: boolean },
): Promise<WiredoorOutcome> {
  const config = readConfig(env);
  const { dataDirectory: directory } = config;
  const routes = localRoutes(config.vpn.interface);
  const data =
    'directory' in source
      ? readWiredoor(source.directory)
      : await readWiredoorApi(source.calls, {
          origin: source.origin,
          subnet: config.vpn.subnet,
          port: config.vpn.port,
        });
  const plan = planWiredoor(data, config, {
    routes,
    used: usedAddresses(config.vpn.interface),
    now: new Date(),
  });
  const pairs = new Map(
    plan.domains.flatMap(({ form: { domain, ssl } }) => {
      const isThere = ssl === 'certbot' && 'directory' in source;
      const found = isThere ? readCertbotPair(source.certificates, domain, domain) : { why: '' };
      return 'pair' in found ? [[domain, found.pair] as const] : [];
    }),
  );
  if (apply) finishRestore(directory);
  const gateway = await gatewayIn(directory);
  const outcome: WiredoorOutcome = {
    state: (plan.origin === null ? gateway.publicKey === plan.server.publicKey : gateway.origin === plan.origin)
      ? 'there'
      : 'new',
    plan,
    certificates: [...pairs.keys()],
    obstacles: [
      ...plan.settings.flatMap(({ name, value, why, isRequired }) =>
        isRequired ? [`Set ${name}=${value} in the gateway's settings: ${why}.`] : [],
      ),
      ...networkProblem(plan.server.subnet, routes),
      ...(gateway.objects > 0
        ? [`There is a gateway with services or nodes in ${directory}. Name another directory with SALLYPORT_DATA.`]
        : []),
    ],
    directory,
  };
  if (outcome.state === 'there') return { ...outcome, obstacles: [] };
  if (!apply || outcome.obstacles.length > 0) return outcome;
  mustBeUnused(directory);
  await make(config, plan, pairs);
  return { ...outcome, state: 'made' };
}

/** What a data directory holds: whose gateway, and how many nodes, domains and services it has. */
async function gatewayIn(
  directory: string,
): Promise<{ publicKey: string | null; origin: string | null; objects: number }> {
  const file = join(directory, DATABASE_FILE);
  if (!existsSync(file)) return { publicKey: null, origin: null, objects: 0 };
  const store = openStore(file, () => new Date(), { mayMigrate: false });
  try {
    const all = await Promise.all([
      store.nodes.all({ isLocal: false }),
      store.domains.all(),
      store.httpServices.all({ builtin: false }),
      store.tcpServices.all(),
    ]);
    const [publicKey, origin] = await Promise.all([
      store.settings.get('serverPublicKey'),
      store.settings.get('wiredoorOrigin'),
    ]);
    return { publicKey, origin, objects: all.flat().length };
  } finally {
    await store.close();
  }
}

function networkProblem(subnet: string, routes: ReturnType<typeof localRoutes>): string[] {
  try {
    vpnNetwork(subnet, routes);
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [
      `${subnet}, the network of its nodes, is one that this machine reaches without them. Run the gateway where it is free, for example in a container.`,
    ];
  }
}

async function make(config: Config, plan: WiredoorPlan, pairs: ReadonlyMap<string, Secret>): Promise<void> {
  const { dataDirectory: directory, listen } = config;
  const staged = unpackedOf(directory);
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(join(staged, 'secrets'), { recursive: true, mode: 0o700 });
  try {
    const vault = await createKeyVault(config.keyFile ?? join(staged, 'secrets', 'vault.key'));
    const store = openStore(join(staged, DATABASE_FILE), () => new Date());
    try {
      await writeWiredoor(store, vault, plan, listen);
    } finally {
      await store.close();
    }
    for (const [domain, pair] of pairs) await keepPair(staged, domain, pair);
    putInPlace(directory, keptNameOf(directory));
  } catch (error) {
    throw withoutRoom(error, dirname(staged));
  } finally {
    if (!existsSync(join(staged, COMPLETE_FILE))) rmSync(staged, { recursive: true, force: true });
  }
}

const WITH_KEYS =
  'End Wiredoor, then start the gateway; never run both. To go back, end the gateway and start Wiredoor.';
const WITHOUT_KEYS =
  'Start the gateway, let each host join with a new access token of its node, then let the names lead here. Wiredoor may run until then.';
const WORDS = { new: 'new', made: 'made', there: 'there already' } as const;

/** An outcome in words. */
export function outcomeText({ state, plan, certificates, obstacles, directory }: WiredoorOutcome): string {
  const { server, nodes, domains, services, settings, left } = plan;
  if (state === 'there') return `The gateway in ${directory} is this Wiredoor server already. Nothing was changed.`;
  const item = (what: string, more: readonly string[]): string[] => [
    lineOf(`${WORDS[state]}: ${what}`),
    ...more.map((text) => lineOf(`    ${text}`)),
  ];
  return [
    ...item(
      `server with ${plan.origin === null ? `its key ${server.publicKey}` : 'a new key'}, network ${server.subnet}, UDP port ${server.port}`,
      [],
    ),
    ...nodes.flatMap(({ form, tokens, notes }) =>
      item(`node ${JSON.stringify(form.name)} at ${form.address}, access tokens: ${tokens.length}`, notes),
    ),
    ...domains.flatMap(({ form: { domain, ssl, authentication } }) =>
      item(`domain ${domain}`, [
        ...(ssl === 'self-signed'
          ? ['its certificate is self-signed']
          : [
              certificates.includes(domain)
                ? 'its certificate goes along'
                : 'a new certificate is asked for at the start',
            ]),
        ...(authentication
          ? ['visitors sign in where SALLYPORT_OIDC_ISSUER says; until it is set, such services are closed']
          : []),
      ]),
    ),
    ...services.flatMap(({ title, closed, notes }) =>
      item(title, [...(closed === null ? [] : [`closed: ${closed}`]), ...notes]),
    ),
    ...left.map(leftText),
    ...settings.flatMap(({ name, value, why, isRequired }) =>
      isRequired ? [] : [`to be set: ${name}=${value}: ${why}`],
    ),
    ...obstacles.map((text) => `FIX  ${text}`),
    state === 'made'
      ? `Made in ${directory}. ${plan.origin === null ? WITH_KEYS : WITHOUT_KEYS}`
      : 'Nothing was changed. To make the gateway: the same with --apply.',
  ]
    .map(printable)
    .join('\n');
}
