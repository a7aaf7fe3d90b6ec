import { readFileSync } from 'node:fs';

/** The account under which nginx's workers run. */
export type WorkerUser = { name: string; uid: number; gid: number };

// The first is for nothing else: the others are those of other web servers as well, which may then speak for nginx.
const CANDIDATES = ['sallyport-nginx', 'www-data', 'nginx', 'nobody'];

/** The account for nginx's workers, or null when the gateway is not root and the workers keep its own account. */
export function workerUser(passwdFile = '/etc/passwd'): WorkerUser | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = new Map<string, WorkerUser>();
  for (const line of readFileSync(passwdFile, 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && uid !== undefined && gid !== undefined) {
      accounts.set(name, { name, uid: Number(uid), gid: Number(gid) });
    }
  }
  for (const candidate of CANDIDATES) {
    const account = accounts.get(candidate);
    if (account !== undefined && account.uid !== 0) return account;
  }
  return null;
}
