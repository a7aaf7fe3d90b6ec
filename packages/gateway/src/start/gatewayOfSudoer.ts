import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataOfUser, ROOT_DATA } from '../config.ts';
import { DATABASE_FILE } from './dataFiles.ts';

/**
 * A gateway of the user who called sudo, where root has none yet and would begin one with nothing in it. Null: there is
 * none, or SALLYPORT_DATA says which one is meant.
 * @returns what is there, and what to do about it, in sentences
 */
export function gatewayOfSudoer(
  env: NodeJS.ProcessEnv,
  { directory = ROOT_DATA, passwdFile = '/etc/passwd', uid = process.getuid?.() } = {},
): { reason: string; fix: string } | null {
  const user = env['SUDO_USER'];
  if (uid !== 0 || !user || env['SALLYPORT_DATA'] || existsSync(directory)) return null;
  const home = homeOf(user, passwdFile);
  const data = home === undefined ? '' : dataOfUser(home);
  if (home === undefined || !existsSync(join(data, DATABASE_FILE))) return null;
  return {
    reason: `${user} has a gateway in ${data}; root would begin another one, with nothing in it, in ${directory}.`,
    fix: `To go on with the first one as root, end it (Ctrl+C), then: mv ${data} ${directory} && chown -R root:root ${directory}; to leave it there, set SALLYPORT_DATA=${data}; for a new one, SALLYPORT_DATA=${directory}`,
  };
}

/** Of the machine's own list: the environment alone could name any directory. */
function homeOf(user: string, passwdFile: string): string | undefined {
  const accounts = readFileSync(passwdFile, 'utf8').split('\n');
  return accounts.map((line) => line.split(':')).find(([name]) => name === user)?.[5];
}
