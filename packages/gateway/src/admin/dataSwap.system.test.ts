import { execFileSync } from 'node:child_process';
import fs, { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keptNameOf, mustBeUnused, putInPlace } from './dataSwap.ts';
import { finishRestore, isMountPoint, unpackedOf } from './finishRestore.ts';

let base: string;
let directory: string;
let mounts: string[];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-swap-'));
  directory = join(base, 'data');
  mounts = [];
  mkdirSync(directory);
});
afterEach(() => {
  for (const path of mounts.toReversed()) execFileSync('umount', [path]);
  rmSync(base, { recursive: true });
});

function mount(path: string, ...how: string[]): void {
  execFileSync('mount', [...how, path]);
  mounts.push(path);
}

const canMount = (() => {
  const trial = mkdtempSync(join(tmpdir(), 'sallyport-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'sallyport', trial], { stdio: 'ignore' });
    execFileSync('umount', [trial]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(trial, { recursive: true });
  }
})();

const volumes: [string, () => void][] = [
  ['a disk of its own', () => mount(directory, '-t', 'tmpfs', 'sallyport')],
  [
    'a directory that is mounted from the same disk',
    () => {
      mkdirSync(join(base, 'volume'));
      mount(directory, '--bind', join(base, 'volume'));
    },
  ],
];

/** A former gateway's files, and new ones that are ready. */
function prepare(): void {
  for (const name of ['sallyport.db', 'gateway.lock', 'old']) writeFileSync(join(directory, name), 'former');
  mkdirSync(join(directory, 'secrets'));
  mkdirSync(join(directory, 'lost+found'));
  mkdirSync(join(unpackedOf(directory), 'secrets'), { recursive: true });
  writeFileSync(join(unpackedOf(directory), 'sallyport.db'), 'new');
}

const NEW = ['gateway.lock', 'lost+found', 'sallyport.db', 'secrets'];
const FORMER = ['gateway.lock', 'old', 'sallyport.db', 'secrets'];
const visible = (path: string): string[] =>
  readdirSync(path)
    .filter((name) => !name.startsWith('.'))
    .toSorted();

describe.skipIf(!canMount)('a data directory that cannot be renamed', () => {
  it.each(volumes)('is replaced entry by entry: %s', (_, mountIt) => {
    mountIt();
    expect([isMountPoint(directory), isMountPoint(base)]).toEqual([true, false]);
    prepare();
    const kept = keptNameOf(directory) ?? '';
    putInPlace(directory, kept);
    expect(visible(directory)).toEqual(NEW);
    expect(readFileSync(join(directory, 'sallyport.db'), 'utf8')).toBe('new');
    expect(visible(kept)).toEqual(FORMER);
    expect(existsSync(unpackedOf(directory))).toBe(false);
    // What is kept is not moved a second time.
    expect(readdirSync(base).filter((name) => name.startsWith('data'))).toEqual(['data']);
    mkdirSync(unpackedOf(directory));
    putInPlace(directory, keptNameOf(directory));
    expect(visible(kept)).toEqual(FORMER);
  });

  it('is whole after the next start, at whichever step the restore was killed', () => {
    mount(directory, '-t', 'tmpfs', 'sallyport');
    for (let steps = 0, isDone = false; !isDone; steps += 1) {
      execFileSync('find', [directory, '-mindepth', '1', '-delete']);
      prepare();
      isDone = cutAfter(steps, () => putInPlace(directory, join(directory, '.before-now')));
      const wasBegun = existsSync(join(unpackedOf(directory), 'complete')) || !existsSync(join(directory, 'old'));
      finishRestore(directory);
      const now = readFileSync(join(directory, 'sallyport.db'), 'utf8');
      expect([steps, now, visible(directory)]).toEqual(
        wasBegun ? [steps, 'new', NEW] : [steps, 'former', [...FORMER, 'lost+found'].toSorted()],
      );
      const kept = join(directory, '.before-now');
      expect(wasBegun ? visible(kept) : FORMER).toEqual(FORMER);
    }
  });

  it('is free for a gateway when a restore was killed before it had all', () => {
    mount(directory, '-t', 'tmpfs', 'sallyport');
    mkdirSync(join(unpackedOf(directory), 'secrets'), { recursive: true });
    expect(keptNameOf(directory)).toBeNull();
    expect(() => mustBeUnused(directory)).not.toThrow();
  });

  it('is left alone where a part of it is mounted by itself', () => {
    mount(directory, '-t', 'tmpfs', 'sallyport');
    prepare();
    mount(join(directory, 'secrets'), '-t', 'tmpfs', 'sallyport');
    expect(() => putInPlace(directory, keptNameOf(directory))).toThrow('secrets is mounted by itself');
    finishRestore(directory);
    expect(readFileSync(join(directory, 'sallyport.db'), 'utf8')).toBe('former');
  });
});

/** Does something that ends, as if it was killed, before it changes one file more than so many; false: it did end so. */
function cutAfter(steps: number, work: () => void): boolean {
  const changing = ['renameSync', 'writeFileSync', 'mkdirSync', 'rmSync'] as const;
  const real = Object.fromEntries(changing.map((name) => [name, fs[name]]));
  let left = steps;
  for (const name of changing) {
    const change = fs[name] as (...all: unknown[]) => unknown;
    Object.assign(fs, {
      [name](...all: unknown[]) {
        if ((left -= 1) < 0) throw new Error('killed');
        return change(...all);
      },
    });
  }
  syncBuiltinESMExports();
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Error && error.message === 'killed') return false;
    throw error;
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}
