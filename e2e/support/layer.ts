import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Started, watched } from '../../packages/cli/src/testing/process.ts';
import type { Namespace } from './namespaces.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
/** On a busy machine apt takes minutes. */
const PROGRAM_MAX_MS = 240_000;
const LIFE_SECONDS = 600;
const SIZE = '50%';

// Without its mark, the manual pages are not indexed after each package, which takes longer than all else.
const OWN_ROOT = `set -e
own=$1 lower=$2; shift 2
mount -t tmpfs -o size=${SIZE} tmpfs "$own"
mkdir "$own/upper" "$own/work" "$own/root"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$own/upper,workdir=$own/work" "$own/root"
for each in dev sys; do mount --rbind "/$each" "$own/root/$each"; done
mount -t proc proc "$own/root/proc"
mount -t tmpfs tmpfs "$own/root/run"
mkdir -p "$own/root${CHECKOUT}"
mount -t tmpfs tmpfs "$own/root${CHECKOUT}"
rm -rf "$own/root/usr/bin/sallyport" "$own/root/etc/sallyport" "$own/root/var/lib/man-db/auto-update"
exec chroot "$own/root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"`;

/**
 * The words for `unshare` that run what follows them on this machine as a layer: what it installs or writes is gone with it,
 * and it has nothing of the checkout.
 * @param own an empty directory
 * @param lower a root that stands for this machine's own
 */
export const inLayer = (own: string, lower = '/'): string[] => [
  '--mount',
  '--propagation',
  'private',
  'sh',
  '-c',
  OWN_ROOT,
  'sh',
  own,
  lower,
];

/** Why this machine cannot be one, in a few words; null: it can. */
export function layerProblem(): string | null {
  const own = mkdtempSync(path.join(tmpdir(), 'sallyport-layer-'));
  const { status } = spawnSync('unshare', [...inLayer(own), 'true']);
  rmSync(own, { recursive: true, force: true });
  return status === 0 ? null : 'this machine makes no layer of its files';
}

/** A layer that several commands share. */
export type Layer = {
  /** Runs a command to its end, in a session of its own. */
  run(...command: string[]): Started['ended'];
  /** Starts one. */
  start(...command: string[]): Started;
  /** Leaves so many bytes of room; null: all there is. */
  leave(bytes: number | null): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens one in a network.
 * @param lower a root that stands for this machine's own
 */
export async function openLayer(where: Namespace, lower?: string): Promise<Layer> {
  const own = mkdtempSync(path.join(tmpdir(), 'sallyport-layer-'));
  const machine = where.spawn('unshare', ...inLayer(own, lower), 'sh', '-c', `echo ready; exec sleep ${LIFE_SECONDS}`);
  if (machine.stdout === null) throw new Error('The layer has no output.');
  await Promise.race([
    once(machine.stdout, 'data'),
    once(machine, 'exit').then(() => Promise.reject(new Error('The layer could not be made.'))),
  ]);
  const target = ['--target', String(machine.pid), '--mount', '--net'];
  const environment = [
    'env',
    '--ignore-environment',
    '--chdir=/',
    'HOME=/root',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ];
  const start = (...command: string[]): Started => {
    const inside = ['setsid', '--wait', 'nsenter', ...target, '--root', ...environment, ...command];
    const [first = '', ...words] = inside;
    const started = watched(spawn(first, words), PROGRAM_MAX_MS);
    started.child.stdin.end();
    return started;
  };
  // The disk of the layer is mounted outside of its root.
  const outside = async (script: string): Promise<void> => {
    const { code, err } = await watched(spawn('nsenter', [...target, 'sh', '-ec', script, own]), PROGRAM_MAX_MS).ended;
    if (code !== 0) throw new Error(`The room of the layer could not be set: ${err}`);
  };
  return {
    start,
    run: (...command) => start(...command).ended,
    leave: (bytes) =>
      outside(
        bytes === null
          ? `mount -o remount,size=${SIZE} "$0"`
          : `used=$(df --output=used --block-size=1 "$0" | tail -n 1); mount -o "remount,size=$((used + ${bytes}))" "$0"`,
      ),
    async close() {
      const ended = once(machine, 'exit');
      machine.kill('SIGKILL');
      await ended;
      rmSync(own, { recursive: true, force: true });
    },
  };
}
