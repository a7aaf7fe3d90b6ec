import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataOfUser, ROOT_DATA } from '../config.ts';
import { DATABASE_FILE } from './dataFiles.ts';

/**
 * Looks for a gateway of the user who called sudo, where root has none yet and would begin one with nothing in it. Null:
 * it was not looked for, because root has one, SALLYPORT_DATA says which one is meant, or there is no such user.
 * @returns what was found where, and what to do about it, in sentences; `fix` is null where there is none
 */
export function gatewayOfSudoer(
  env: NodeJS.ProcessEnv,
  { directory = ROOT_DATA, uid = process.getuid?.() } = {},
): { reason: string; fix: { todo: string; command: string } | null } | null {
  const user = env['SUDO_USER'];
  if (uid !== 0 || !user || env['SALLYPORT_DATA'] || existsSync(directory)) return null;
  const home = homeOf(user);
  if (home === null) return null;
  const data = dataOfUser(home);
  if (!existsSync(join(data, DATABASE_FILE))) {
    return {
      reason: `${user} has no gateway in ${data}, so root begins one in ${directory}. One that is elsewhere, like below XDG_DATA_HOME of ${user}, is named with SALLYPORT_DATA.`,
      fix: null,
    };
  }
  return {
    reason: `${user} has a gateway in ${data}; root would begin another one, with nothing in it, in ${directory}.`,
    fix: {
      todo: `To leave it there, set SALLYPORT_DATA=${data}; for a new one, SALLYPORT_DATA=${directory}; to go on with the first one as root, end it (Ctrl+C), then`,
      command: `mv ${data} ${directory} && chown -R root:root ${directory}`,
    },
  };
}

/** By the machine, which may know accounts from elsewhere: the environment alone could name any directory. Null: none. */
function homeOf(user: string): string | null {
  try {
    const account = execFileSync('getent', ['passwd', '--', user], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [name, , , , , home] = account.split(':');
    // A number is looked for as that of a user.
    return name === user && home ? home : null;
  } catch {
    return null;
  }
}
