import { createReadStream, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatCount } from '@sallyport/sdk/format';
import { readConfig } from '../config.ts';
import { StartError } from '../machine/startError.ts';
import { DATABASE_FILE } from '../start/dataFiles.ts';
import { endWhatMayHaveEnded } from '../start/restoredDatabase.ts';
import { openStore } from '../store/store.ts';
import { keptNameOf, mustBeUnused, putInPlace } from './dataSwap.ts';
import { COMPLETE_FILE, finishRestore, unpackedOf } from './finishRestore.ts';
import { withoutRoom } from './noRoom.ts';
import type { Progress } from './progress.ts';
import { type Key, type Manifest, readArchive, SETTINGS_FILE } from './archive.ts';
import { compareSettings, differencesText, type SettingDifference } from './settingsComparison.ts';

const STANDARD_INPUT = '-';

/** What a restore would do, or did. */
export type RestorePlan = {
  from: Pick<Manifest, 'version' | 'createdAt'>;
  nodes: number;
  domains: number;
  services: number;
  /** Access tokens that count again, also those that were revoked since: their name, and whose they are. */
  tokens: { of: string; name: string }[];
  /** The settings of then that differ from those of this machine, which count. */
  settings: SettingDifference[];
  directory: string;
  /** Where what is there now is kept; null: nothing is there. */
  keptAs: string | null;
};

/** The plan in words. */
export function planText({ from, nodes, domains, services, tokens, settings, directory, keptAs }: RestorePlan): string {
  const all = tokens.map(({ of, name }) => `  ${JSON.stringify(name)} of ${of}`);
  return [
    `The backup was made at ${from.createdAt} by version ${from.version}: ${formatCount(nodes, 'node')}, ${formatCount(domains, 'domain')}, ${formatCount(services, 'service')}.`,
    keptAs === null ? `It becomes ${directory}.` : `It becomes ${directory}; what is there now is kept as ${keptAs}.`,
    'All sessions end.',
    ...(all.length === 0 ? [] : ['These access tokens count again, also if they were revoked since:', ...all]),
    ...differencesText(settings, directory),
  ].join('\n');
}

/**
 * Puts a backup in the place of the data directory. Nothing is touched before all of the backup was unpacked and checked,
 * and `agrees`; then what was there is kept next to it. Killed at any moment, the one or the other is there (`finishRestore`).
 * @param options.file where from; `-` for standard input
 * @throws {StartError} when a gateway uses the directory, or the backup cannot be used; {DatabaseError} when it is of a
 *   newer version
 */
export async function restore(
  env: NodeJS.ProcessEnv,
  options: { file: string; key: Key; agrees(plan: RestorePlan): Promise<boolean>; progress: Progress },
): Promise<RestorePlan | null> {
  const { dataDirectory: directory } = readConfig(env);
  const all = options.file === STANDARD_INPUT ? null : sizeOf(options.file);
  finishRestore(directory);
  mustBeUnused(directory);
  const unpacked = unpackedOf(directory);
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true, mode: 0o700 });
  try {
    const source = options.file === STANDARD_INPUT ? process.stdin : createReadStream(options.file);
    options.progress.step('Unpacking ...');
    const told = (bytes: number): void => options.progress.at(bytes, all);
    const { version, createdAt } = await readArchive(source, unpacked, { key: options.key, told });
    options.progress.end();
    const keptAs = keptNameOf(directory);
    const file = join(unpacked, SETTINGS_FILE);
    const settings = compareSettings(existsSync(file) ? readFileSync(file, 'utf8') : '', env);
    const plan = { from: { version, createdAt }, ...(await examine(unpacked)), settings, directory, keptAs };
    if (!(await options.agrees(plan))) return null;
    putInPlace(directory, keptAs);
    return plan;
  } catch (error) {
    throw withoutRoom(error, dirname(unpacked));
  } finally {
    options.progress.end();
    if (!existsSync(join(unpacked, COMPLETE_FILE))) rmSync(unpacked, { recursive: true, force: true });
  }
}

/** @throws {StartError} when it is no file */
function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new StartError(`${file} is not there, or is no file. Name the backup.`);
  return found.size;
}

/** Opens what was unpacked as a gateway would, and ends in it what would be back. */
async function examine(unpacked: string): Promise<Omit<RestorePlan, 'from' | 'settings' | 'directory' | 'keptAs'>> {
  const store = openStore(join(unpacked, DATABASE_FILE), () => new Date());
  try {
    await store.write(endWhatMayHaveEnded);
    const nodes = await store.nodes.all();
    const names = new Map(nodes.map(({ id, name }) => [id, name]));
    const tokens = await store.tokens.all({ revoked: false });
    return {
      nodes: nodes.filter(({ isLocal }) => !isLocal).length,
      domains: (await store.domains.all()).length,
      services: (await store.httpServices.all({ builtin: false })).length + (await store.tcpServices.all()).length,
      tokens: [
        ...tokens.map(({ nodeId, name }) => ({ of: `the node ${JSON.stringify(names.get(nodeId) ?? nodeId)}`, name })),
        ...(await store.apiTokens.all()).map(({ name }) => ({ of: 'a program (API token)', name })),
      ],
    };
  } finally {
    await store.close();
  }
}
