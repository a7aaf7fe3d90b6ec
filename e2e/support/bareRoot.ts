import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { watched } from '../../packages/cli/src/testing/process.ts';

const BASE_SCRIPT = path.join(import.meta.dirname, 'containerBase.sh');
const FETCH_MAX_MS = 240_000;
/** What `apt-get` in the root says when its sources do not answer. */
const UNREACHED = 44;

// Its sources are Debian's own, as after an installation. Nothing is unpacked, and no script of a package is run.
const FETCH = `set -e
root=$1 deb=$2
tar --extract --file "$root.tar" --directory "$root"
cp "$deb" "$root/root"
mkdir -p "$root/dev" "$root/proc" "$root/sys" "$root/run" "$root/tmp" "$root/var/cache/apt/archives/partial" "$root/var/lib/apt/lists/partial"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf /etc/hosts "$root/etc"
. "$root/etc/os-release"
rm -rf "$root/etc/apt/sources.list.d"
echo "deb http://deb.debian.org/debian $VERSION_CODENAME main
deb http://deb.debian.org/debian-security $VERSION_CODENAME-security main" >"$root/etc/apt/sources.list"
in_root() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
in_root apt-get update --error-on=any --option Acquire::http::Timeout=20 || exit ${UNREACHED}
in_root apt-get install --option Acquire::Retries=3 --yes --no-install-recommends --download-only "/root/$(basename "$deb")"`;

/** A root, to be removed. */
export type BareRoot = { folder: string; close(): void };

/**
 * Makes a root of what Debian calls essential, and apt, with a package of ours in `/root`, and next to apt what that one needs.
 * @returns why this machine cannot, in a few words
 */
export async function makeBareRoot(deb: string): Promise<BareRoot | string> {
  const base = mkdtempSync(path.join(tmpdir(), 'sallyport-bare-'));
  const close = (): void => rmSync(base, { recursive: true, force: true });
  const folder = path.join(base, 'base');
  mkdirSync(folder);
  try {
    execFileSync('sh', [BASE_SCRIPT, base], { stdio: 'pipe' });
    const words = ['--mount', '--propagation', 'private', 'sh', '-c', FETCH, 'sh', folder, deb];
    const { code, err } = await watched(spawn('unshare', words), FETCH_MAX_MS).ended;
    if (code === 0) return { folder, close };
    close();
    if (code === UNREACHED) return "Debian's packages are not to be had";
    throw new Error(`The root could not be made: ${err}`);
  } catch (error) {
    close();
    throw error;
  }
}
