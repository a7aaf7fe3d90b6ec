import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { closedParent, workerUser } from '../machine/dataDirectory.ts';
import { DATABASE_FILE, INITIAL_PASSWORD_FILE, ISSUED_DIRECTORY } from '../start/dataFiles.ts';
import { type Finding, fine, wrong } from './finding.ts';

const WHAT = 'permissions';
/** Rights of any account but the owner. */
const OTHERS = 0o077;
/**
 * What certbot lays down in `secrets`: certificates and logs, which it leaves readable, and no key that is not its own; and
 * what it is given while it asks for a certificate, in a directory that only this account enters.
 */
const OF_CERTBOT = ['certbot', 'making-'].map((name) => join(ISSUED_DIRECTORY, name));

/** Whether nginx's workers come to their files, and keys and the database are their owner's alone. */
export function checkPermissions({ dataDirectory, keyFile }: Pick<Config, 'dataDirectory' | 'keyFile'>): Finding[] {
  const found = [
    ...checkParents(dataDirectory),
    ...privatePaths(dataDirectory, keyFile).flatMap(({ path, within }) => {
      const open = [path, ...within].find(isOpen);
      if (open === undefined) return [];
      return [
        wrong(
          WHAT,
          `the mode of ${open} is open to other accounts of this machine.`,
          'Close it',
          `chmod -R go= ${quoted(path)}`,
        ),
      ];
    }),
  ];
  const all = 'nginx comes to its files; keys and the database are closed to other accounts';
  return found.length > 0 ? found : [fine(WHAT, all)];
}

/** What stops a start. */
function checkParents(directory: string): Finding[] {
  const user = workerUser();
  const closed = user === null ? null : closedParent(realPathOf(resolve(directory)), user);
  if (user === null || closed === null) return [];
  const text = `nginx's workers (${user.name}) cannot enter ${closed}, so the gateway does not start.`;
  return [wrong(WHAT, text, 'Let them in', `chmod o+x ${quoted(closed)}`)];
}

/** A path without symbolic links, as far as it is there. */
const realPathOf = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPathOf(dirname(path)), path.slice(dirname(path).length));

/** What has to be its owner's alone, with what is in it and has to be so as well. */
function privatePaths(directory: string, keyFile: string | null): { path: string; within: string[] }[] {
  const secrets = join(directory, 'secrets');
  const files = [DATABASE_FILE, `${DATABASE_FILE}-wal`, INITIAL_PASSWORD_FILE, 'logs', 'settings.env'];
  return [
    { path: secrets, within: filesIn(secrets) },
    ...[...files.map((name) => join(directory, name)), ...(keyFile === null ? [] : [keyFile])].map((path) => ({
      path,
      within: [],
    })),
  ];
}

function filesIn(secrets: string): string[] {
  try {
    const entries = readdirSync(secrets, { recursive: true, encoding: 'utf8' });
    return entries
      .filter((name) => !OF_CERTBOT.some((start) => name.startsWith(start)))
      .map((name) => join(secrets, name));
  } catch {
    // It is not there yet, or this account may not look, which is said of the data directory.
    return [];
  }
}

function isOpen(path: string): boolean {
  try {
    return (statSync(path).mode & OTHERS) !== 0;
  } catch {
    return false;
  }
}

/** A path as a shell takes it for one word. */
export const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
